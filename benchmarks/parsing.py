"""How long hostile or merely strange texts take to be read: 1 MB of any one construct, and four times as much.

    python -m benchmarks.parsing --json

repeats each construct to 1 MB and cuts it as a note is cut for the index, then 4 MB: what is linear takes about four
times as long. Each is also cut into messages and drawn as Telegram and Discord are given it, and read as a message is,
at 25 KB and at 100 KB. Seconds are processor time. The last line with --json is one JSON object:
`{"worst_s", "worst", "worst_growth", "grows", "messages": {...}}`.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from time import process_time

from adapters.markdown import as_code, split
from adapters.telegram.rendering import render
from benchmarks import figures
from memory import Error
from memory.capture import act_of, contradicts, correct, draft, statement, wish
from memory.files.notation import format_fact, parse_typed
from memory.index.owners import Owners
from memory.index.units import chunk
from memory.journal.state import JournalState
from memory.language.guidance import guiding_sentences, text_flags
from memory.language.time import dates
from memory.privacy.secrets import find_secrets
from memory.recall import query

NOTE_BYTES = 1_000_000
MESSAGE_BYTES = 25_000
TIMES = 4
GOAL_S, GOAL_GROWTH = 1.0, 4.5
SHORT_S = 0.02
"""What is quicker than this is not compared: it grows by chance."""
PARTS_DRAWN = 8
"""Parts of an answer that are drawn for Telegram: each is drawn by itself, and is limited in length."""

TODAY = date(2026, 11, 22)

CONSTRUCTS: Mapping[str, tuple[str, str, str]] = {
    "comments": ("", "<!-- a note -->\n", ""),
    "comments left open": ("", "<!--\n", ""),
    "comments and text": ("", "<!-- a\ntext\n", ""),
    "fences": ("", "```\ncode\n```\n", ""),
    "fences left open": ("", "~~~\n```\n", ""),
    "fences in turns": ("", "Anna: hi\n\nBob: ho\n\n```\nAnna: x\n\n", ""),
    "ever longer lines of a fence": ("```\n", "`", ""),
    "table": ("| a | b |\n|---|---|\n", "| 1 | 2 |\n", ""),
    "tables": ("", "| a |\n|---|\n| 1 |\n\n", ""),
    "wide table": ("| a |\n|---|\n", "| a ", "|\n"),
    "frontmatter": ("---\n", "key: value\n", "---\ntext\n"),
    "frontmatter of blanks": ("---\na", " ", "x\n---\n"),
    "frontmatter's aliases": ("---\naliases: [", "a, ", "]\n---\ntext\n"),
    "frontmatter left open": ("---\n", "- item\n", ""),
    "bullets": ("", "- a thing\n", ""),
    "facts": ("## Retain\n", "- W @Anna(c=0.5): a thing #goal ^abcd1234\n", ""),
    "a long fact": ("## Retain\n- W: ", "word ", "\n"),
    "bullets in bullets": ("- W: a ^abcd1234\n", "  - deeper\n", ""),
    "steps of bullets": ("", "- " * 40 + "\n", ""),
    "quotes": ("", "> quoted\n", ""),
    "quotes in quotes": ("", ">", ""),
    "emphasis": ("", "*a* **b** _c_ ", ""),
    "marks of emphasis": ("", "*a_", ""),
    "headings": ("", "# A title\n", ""),
    "headings of all levels": ("", "# A\n## B\n### C\n#### D\n", ""),
    "links": ("", "[a](b) ", ""),
    "links left open": ("", "[a](", ""),
    "brackets": ("", "[", ""),
    "wikilinks": ("", "[[Anna|her]] ", ""),
    "wikilinks left open": ("", "[[", ""),
    "mentions": ("", "@Anna ", ""),
    "one mention": ("@", "a.", ""),
    "ids": ("", "words ^abcd1234\n\n", ""),
    "one id": ("words ^", "a", ""),
    "attributes": ("## Retain\n- W(", "c=1,", "): a\n"),
    "html": ("", "<b a='x'>bold</b>\n", ""),
    "html left open": ("", "<a ", ""),
    "one word": ("", "a", ""),
    "words": ("", "word ", ""),
    "sentences": ("", "A sentence. ", ""),
    "blanks": ("a", " ", "b"),
    "blank lines": ("", "\n", ""),
    "carriage returns": ("", "a\r\nb\r", ""),
    "paragraphs": ("", "fact no 1\n\n", ""),
    "labels": ("", "Anna: hi\n\nBob: ho\n\n", ""),
    "colons": ("", "a:", ""),
    "numbers": ("", "1 ", ""),
    "digits": ("", "0-1-", ""),
    "telephone": ("", "+49 123 ", ""),
    "days": ("", "2026-11-22 ", ""),
    "addresses": ("", "a@b.", ""),
    "web": ("", "https://a.b/c?d=e ", ""),
    "quotation marks": ("", '"a ', ""),
    "apostrophes": ("", "a'", ""),
    "parentheses": ("", "(", ""),
    "backslashes": ("", "\\", ""),
    "commas": ("", "a, ", ""),
    "wishes": ("", "i always like ", ""),
    "german wishes": ("", "ich möchte bitte immer ", ""),
    "chinese": ("", "我喜欢上周的", ""),
    "japanese": ("", "いつもの方が好き。", ""),
    "sentences with marks above": ("", "。\u0301", ""),
    "marks above letters": ("a", "\u0301", ""),
    "emoji": ("", "👨\u200d👩\u200d👧", ""),
    "zero width": ("", "\u200b", ""),
    "null": ("", "\x00", ""),
}  # fmt: skip
"""What is repeated, with what stands before and behind it."""


def _page(text: str) -> object:
    return chunk("memory/2026-11-22.md", text, owners=Owners(JournalState()))


def _typed(text: str) -> None:
    with suppress(Error):
        parse_typed(text)
    with suppress(Error):
        format_fact(draft(text))


MESSAGE_READERS: Mapping[str, Callable[[str], object]] = {
    "telegram": lambda text: [render(part) for part in split(text, 4096, unit="utf16")[:PARTS_DRAWN]],
    "discord": lambda text: split(as_code(text), 2000),
    "typed": _typed,
    "act": act_of,
    "wish": wish,
    "statement": statement,
    "correction": lambda text: (correct(text, f"No, {text}"), contradicts(text, f"Not {text}")),
    "secrets": find_secrets,
    "question": lambda text: query.parse(text, languages=("en", "de", "zh"), today=TODAY),
    "when": lambda text: dates.find(text, TODAY),
    "marks": lambda text: (text_flags(text), guiding_sentences(text)),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One construct read by one reader: seconds for the smaller text and for the larger one."""

    reader: str
    construct: str
    small_s: float
    large_s: float

    @property
    def growth(self) -> float:
        """How many times as long the larger text takes; 0 where both are too quick to tell."""
        return self.large_s / max(self.small_s, SHORT_S) if self.large_s > SHORT_S else 0.0


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print what is slow or grows, and keep the figures."""
    options = _options(argv)
    names = [name for name in CONSTRUCTS if options.only in name]
    notes = [_measured("note", _page, name, options.bytes) for name in names]
    messages = [
        _measured(reader, read, name, options.message_bytes)
        for reader, read in MESSAGE_READERS.items()
        for name in names
        if options.reader in reader
    ]
    told = _summary(notes) | {"messages": _summary(messages)}
    print(f"{'reader':<12}{'construct':<32}{'once':>9}{'four times':>12}{'growth':>8}")
    for one in sorted([*notes, *messages], key=lambda one: -one.small_s):
        if options.all or one.small_s > GOAL_S / 10 or one.growth > GOAL_GROWTH:
            print(f"{one.reader:<12}{one.construct:<32}{one.small_s:>7.3f} s{one.large_s:>10.3f} s{one.growth:>8.1f}")
    figures.report("parsing", told, options)
    return 0


def repeated(name: str, size: int) -> str:
    """A construct, repeated until the text has about so many bytes."""
    before, unit, behind = CONSTRUCTS[name]
    return before + unit * max(1, size // len(unit.encode())) + behind


def _measured(reader: str, read: Callable[[str], object], name: str, size: int) -> Measured:
    """Both sizes; a growth above the goal is measured once more, since other work on the machine only ever adds."""
    found: list[Measured] = []
    while not found or (len(found) < 2 and found[-1].growth > GOAL_GROWTH):
        small, large = (_timed(read, repeated(name, factor * size)) for factor in (1, TIMES))
        found.append(Measured(reader, name, small, large))
    return min(found, key=lambda one: one.growth)


def _timed(read: Callable[[str], object], text: str) -> float:
    """The shortest of three runs, or of fewer where a run is long."""
    gc.collect()
    took: list[float] = []
    while not took or (len(took) < 3 and sum(took) < GOAL_S):
        began = process_time()
        read(text)
        took.append(process_time() - began)
    return min(took)


def _summary(found: Iterable[Measured]) -> dict[str, object]:
    measured = list(found)
    if not measured:
        return {}
    slowest = max(measured, key=lambda one: one.small_s)
    growing = max(measured, key=lambda one: one.growth)
    return {
        "worst_s": round(slowest.small_s, 3),
        "worst": f"{slowest.reader}: {slowest.construct}",
        "worst_growth": round(growing.growth, 2),
        "grows": f"{growing.reader}: {growing.construct}",
    }


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = figures.command_line(__doc__)
    parser.add_argument("--bytes", type=int, default=NOTE_BYTES, help="of a note")
    parser.add_argument("--message-bytes", type=int, default=MESSAGE_BYTES)
    parser.add_argument("--only", default="", help="constructs whose names contain this")
    parser.add_argument("--reader", default="", help="readers of messages whose names contain this")
    parser.add_argument("--all", action="store_true", help="print all, not what is slow or grows")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
