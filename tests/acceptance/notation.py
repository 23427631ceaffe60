"""Facts of every shape, written down, put into pages among what people write, and read back.

`python -m tests.acceptance.notation --bullets 100000 --seed 1 --json` prints, as its last line, `{"bullets", "pages",
"changed", "lost", "pages_changed", "lost_in_torn", "evidence_changed", "parts_read"}`: all but the first two are to
be 0. A fact that does not come back to the letter, or is not written as it was the second time, is `changed`; one that
a page has and the reader does not find is `lost`, and a generated part's bullet that is read as a fact is `parts_read`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from memory.files.evidence import format_evidence, parse_evidence
from memory.files.markdown import BlockKind, block_id, blocks
from memory.files.notation import NAMES, format_fact, normal, parse_fact
from memory.index.units import read_facts
from memory.types import CATEGORIES, Evidence, Fact, Kind, Origin

KINDS = [kind for kind in Kind if kind.letter]
A_PAGE = 40
"""Facts, at most."""

WORDS = (
    "garden boiler Okafor letter Müller straße mañana déjà 花园 锅炉 кот дом σπίτι منزل घर บ้าน 家 집 O'Brien's don't "
    "über-cool €12.50 3½ x² → ✓ 🐦 👩‍👩‍👧 ﬁle a\u0301 \u200fشجرة 1. 2) - * + | W: O(c=0.9) S T(due=x P： (i=1) "
    "# ## #goal #tag #家/兄弟 #1 ^abc ^k3f9a2mq \\ \\# \\^abc @ @Ann @me. mail@example.org [[Bob|b]] "
    "[[2026-01-20#^a1]] ![[x]] `code` `@Eve` `` ```x ~~~ **Bold:** __title__ *a* <b> <!-- --> &lt; "
    "https://example.org/#goal (nested (deep)) c=1 --- *** ___ -- > : ： , ; 。「引」"
).split()
SPACES = (" ", " ", " ", " ", "  ", "\t", "\u3000", "\xa0", "\u2028", "\x85", "\x0b")
BREAKS = ("\n", "\n", "\n\n", "\r\n", "\n  ", "\n- ", "\n\t", "\n```\n", "\n~~~\n", "\n# ", "\n<!-- ", "\n| ", "\n1. ")
NAMED = (
    "Peter The-Castle O'Brien 约翰·史密斯 Ольга Παύλος मोहन محمد 한별 さくら Ł_1 Jean-Luc me R2-D2 a.b สมชาย".split()
)
ODD_NAMES = ("a b", "../../etc", "x:y", "[[z]]", "#q", "^w", "", "\u0301", "P" * 200, "@@")
LIMITS = {
    "c": ("0", "1", "0.0", "1.000", ".5", "0.", "0.123456789", "+1"),
    "v": ("-1", "1", "0", "-0.0", "+.25", "-.999"),
    "a": ("0", "1", "0.7"),
    "i": ("0", "1", ".7"),
    "due": (
        "0001-01-01",
        "9999-12-31T23:59",
        "2026-12-01T09:00:59Z",
        "2024-02-29T00:00+14:00",
        "2026-01-20T08:30-05:30",
    ),
    "every": ("0 9 * * 1-5", "*/15 * * * *", "0 18 1,15 * 2,4"),
    "when": ("Ana", "the car", "花园"),
    "since": ("0001-01-01", "2024-02-29", "9999-12-31"),
    "until": ("0001-01-01", "2025-12-01", "9999-12-31"),
    "from": tuple(Origin),
}
HUMAN = (
    "A paragraph about the boiler.\nIt has two lines.",
    "## Plans\n\nSome more.\n\n### Deeper\n- [ ] milk\n  - [x] eggs\n",
    "```python\n- W @Eve: this is code\n## Retain\n```",
    "~~~\n- no fact ^abc\n~~~",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "Ann: shall we go?\n\nBob: at nine.\n\nAnn: good.",
    "<!-- a remark\nof two lines -->",
    "<!-- scrubjay:forgotten ^zzzzzzzz -->",
    "1987. A year begins this line.\n\n> quoted\n> twice",
    "今天去了花园。\n\nНичего нового.",
    "Setext\n======\n\n***\n\nText^[note] and [^1]\n\n[^1]: below",
)
HEADINGS = ("## Retain", "# Retain #", "#### retain")
OPEN_ENDED = ("```\nnever closed", "<!-- never closed", "## Retain", "- ", "- W(c=0.9", "Text without an end", "")
PATHS = (
    "memory/2026-01-20.md",
    "memory/2026-01-20-a-session.md",
    "bank/world.md",
    "bank/entities/Peter.md",
    "MEMORY.md",
)


def facts(random: Random) -> Iterator[Fact]:
    """Yield facts without end, each with an id of its own."""
    number = 0
    while True:
        number += 1
        text = _text(random)
        names = tuple(random.choice(NAMED if random.random() < 0.9 else ODD_NAMES) for _ in range(random.randrange(4)))
        attributes = random.sample(NAMES, random.choice((0, 0, 1, 2, len(NAMES))))
        fact = Fact(
            text,
            random.choice(KINDS),
            names,
            random.choice((None, *sorted(CATEGORIES))),
            f"{number:08x}",
            tuple((name, random.choice(LIMITS[name])) for name in attributes),
        )
        if text.strip():
            yield fact


def page(random: Random, bullets: Mapping[str, str]) -> str:
    """Return a page that has these bullets, by their ids, among what people and the program write."""
    parts = []
    if random.random() < 0.3:
        parts.append('---\naliases: [Pete, "P. Smith"]\ntags:\n  - person\n---')
    parts.append(random.choice(("# 2026-01-20", "Words before all headings.", "")))
    waiting = list(bullets)
    while waiting:
        parts += random.choices(HUMAN, k=random.randrange(3))
        if random.random() < 0.3:
            repeated = "\n".join(f"- W: repeated [[2026-01-20#^{name}]]" for name in waiting[:3])
            parts.append(f"<!-- scrubjay:begin facts -->\n{repeated}\n<!-- scrubjay:end facts -->")
        share = random.randint(1, len(waiting))
        gap = random.choice(("", "\n"))
        lines = "".join(f"{bullets[name]}{gap}" for name in waiting[:share])
        parts.append(f"{random.choice(HEADINGS)}\n{gap}{lines}")
        waiting = waiting[share:]
    return "\n\n".join(parts) + "\n"


def read(random: Random, written: Sequence[Fact]) -> Counter[str]:
    """Put these facts into a page and read it as recall does, whole and torn; returns what went wrong."""
    wrong = Counter[str]()
    bullets = {fact.id or "": f"{format_fact(fact)}\n{_evidence(random, fact, wrong)}" for fact in written}
    text = page(random, bullets)
    ending = "\r\n" if random.random() < 0.3 else "\n"
    path = random.choice(PATHS)
    wanted = {fact.id or "": normal(fact) for fact in written}
    whole = f"{text}\n{random.choice(OPEN_ENDED)}".replace("\n", ending)
    found = {fact.id: fact for fact in read_facts(path, whole)}
    wrong["lost"] += sum(found.get(name) != fact for name, fact in wanted.items())
    wrong["parts_read"] += sum("repeated [[" in fact.text for fact in found.values())
    wrong["pages_changed"] += _rewritten(whole, wanted.keys(), ending) != whole
    kept = whole.encode()[: random.randrange(len(whole.encode()))]
    torn = kept.decode(errors="replace")
    found = {fact.id: fact for fact in read_facts(path, torn)}
    ended = [name for name, lines in bullets.items() if lines.replace("\n", ending) in torn]
    wrong["lost_in_torn"] += sum(found.get(name) != wanted[name] for name in ended)
    return wrong


def run(bullets: int, seed: int) -> dict[str, int]:
    """Return the counts for so many facts."""
    random, counts = Random(seed), Counter[str]()
    supply = facts(random)
    while counts["bullets"] < bullets:
        written = [next(supply) for _ in range(min(random.randint(1, A_PAGE), bullets - counts["bullets"]))]
        for fact in written:
            line = format_fact(fact)
            counts["changed"] += parse_fact(line) != normal(fact) or format_fact(parse_fact(line)) != line
            single = replace(fact, text=" ".join(fact.text.split()), id=None)
            counts["changed"] += parse_fact(format_fact(single)) != normal(single)
        counts += read(random, written)
        counts["bullets"] += len(written)
        counts["pages"] += 1
    names = ("bullets", "pages", "changed", "lost", "pages_changed", "lost_in_torn", "evidence_changed", "parts_read")
    return {name: counts[name] for name in names}


def _text(random: Random) -> str:
    words = [random.choice(WORDS)]
    for _ in range(random.choice((1, 3, 8, 20, 60))):
        words += [random.choice(SPACES if random.random() < 0.93 else BREAKS), random.choice(WORDS)]
    return random.choice(("", "", "", "**A title:** ")) + "".join(words)


def _evidence(random: Random, fact: Fact, counts: Counter[str]) -> str:
    """Return the comment under an opinion, with its newline, or nothing; it is read back here."""
    if fact.kind is not Kind.OPINION or random.random() < 0.5:
        return ""
    evidence = tuple(
        Evidence(
            f"2026-0{random.randint(1, 9)}-{random.randint(10, 28)}",
            random.choice((0.25, -0.25, -1.0, 1.0)),
            path,
            name,
        )
        for path, name in random.choices(
            (("memory/2026-01-20.md", "a1b2c3d4"), ("bank/a; b --> c.md", "h0123456789-2"), ("notes/花 园%.md", "x")),
            k=random.randrange(5),
        )
    )
    start = round(random.random(), 2)
    line = format_evidence(fact.id or "", start, evidence)
    counts["evidence_changed"] += parse_evidence(line) != (start, evidence) or "\n" in line
    return f"{line}\n"


def _rewritten(text: str, ids: Collection[str], ending: str) -> str:
    """Return a page in which each of these facts was read and written anew in its place."""
    lines = text.split(ending)
    for block in blocks(text):
        if block.kind is BlockKind.BULLET and not block.managed and block_id(block.text.split("\n")[0]) in ids:
            lines[block.start - 1 : block.end] = format_fact(parse_fact(block.text)).split("\n")
    return ending.join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bullets", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    counts = run(options.bullets, options.seed)
    print(json.dumps(counts) if options.json else "\n".join(f"{name}: {count:,}" for name, count in counts.items()))


if __name__ == "__main__":
    main()
