"""How well a course of events is told: generated logs of sixty days, and conversations, asked for order and summary.

    python -m benchmarks.courses --seed 1 --json
    python -m benchmarks.courses --meaning --cache FOLDER

Twelve subjects (English, German, Chinese) go through the same days, eight events each, between remarks on other things.
Each is asked for twice. Printed are, in per cent: `told`, the subject's events among what is handed over within 8,000
characters; `own`, the share of what is handed over that is the subject's; `ordered`, answers whose events come in the
order of time. The same with the subject in a conversation of two, where one asks and the other explains. By default
words are searched alone; `--meaning` takes the built-in model. The figures also go to `figures/courses.json`.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from benchmarks import figures
from memory import OWNER, Embedding, Memory, Options
from memory.embed.lazy import builtin

DAYS = 60
EVENTS = 8
FIRST = date(2026, 1, 5)
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "en": ("kitchen", "bicycle", "allotment", "orchestra"),
    "de": ("Küche", "Fahrrad", "Schrebergarten", "Orchester"),
    "zh": ("厨房", "自行车", "菜园", "乐团"),
}
EVENT: Mapping[str, tuple[str, ...]] = {
    "en": (
        "Had the first idea for the {0}.", "Asked Clara what the {0} would cost.", "The plan for the {0} is too big.",
        "Found a cheaper offer for the {0}.", "Paid the deposit for the {0}.", "A delay of two weeks with the {0}.",
        "Something on the {0} broke and was mended.", "The {0} is done at last.",
    ),
    "de": (
        "Erste Idee zum Thema {0} gehabt.", "Clara gefragt, was {0} kosten würde.", "Der Plan zu {0} war zu groß.",
        "Ein günstigeres Angebot gefunden, {0} betreffend.", "Anzahlung geleistet: {0}.", "Zwei Wochen Verzug: {0}.",
        "Bei {0} ist etwas kaputtgegangen und wurde repariert.", "Endlich fertig: {0}.",
    ),
    "zh": (
        "第一次想到{0}的计划。", "问了小李{0}要多少钱。", "{0}的方案太大了。", "找到了更便宜的{0}报价。",
        "付了{0}的定金。", "{0}推迟了两个星期。", "{0}出了问题，后来修好了。", "{0}终于完成了。",
    ),
}  # fmt: skip
QUESTIONS: Mapping[str, tuple[str, str]] = {
    "en": ("In which order did things happen with the {0}?", "Sum up what happened with the {0}."),
    "de": ("Was ist der Reihe nach passiert: {0}?", "Fass bitte zusammen, was mit {0} passiert ist."),
    "zh": ("{0}的事情是按什么顺序发生的？", "总结一下{0}的情况。"),
}
FILLER = (
    "Ran {0} kilometres by the river.", "Called mother, she has read {0} pages.", "Rain all day, {0} degrees.",
    "Habe {0} Briefe sortiert.", "Im Kino gewesen, Reihe {0}.", "今天走了{0}步。", "读了{0}页书。",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A subject in its language, with the texts of its events in order."""

    language: str
    subject: str
    events: tuple[str, ...]


def drawn(seed: int, *, spoken: bool) -> tuple[dict[str, str], list[Case]]:
    """Logs by name, and what is told in them; `spoken` makes conversations of them."""
    draw = random.Random(seed)
    days = [FIRST + timedelta(days=number) for number in range(DAYS)]
    lines: dict[date, list[str]] = {day: [] for day in days}
    cases = []
    for language, subjects in SUBJECTS.items():
        for subject in subjects:
            events = tuple(one.format(subject) for one in EVENT[language])
            for day, event in zip(sorted(draw.sample(days, EVENTS)), events, strict=True):
                lines[day].append(event)
            cases.append(Case(language, subject, events))
    for said in lines.values():
        said += [draw.choice(FILLER).format(draw.randint(2, 9000)) for _ in range(6)]
        draw.shuffle(said)
    form = (
        "User: I note: {0}\n\nAssistant: Good to know. It is kept, and more could be said of it." if spoken else "{0}"
    )
    logs = {f"{day}.md": "\n\n".join(form.format(one) for one in said) + "\n" for day, said in lines.items()}
    return logs, cases


async def measure(logs: Mapping[str, str], cases: Sequence[Case], options: Options) -> dict[str, float]:
    """Ask all questions."""
    told = own = ordered = 0.0
    with tempfile.TemporaryDirectory(prefix="scrubjay-courses-") as name:
        notes = Path(name) / "notes" / "memory"
        notes.mkdir(parents=True)
        for file, text in logs.items():
            (notes / file).write_text(text, encoding="utf-8")
        async with await Memory.open(Path(name) / "notes", index=Path(name) / "index.sqlite", **options) as memory:
            if "embedding" in options:
                await memory.embed()
            for case in cases:
                for question in QUESTIONS[case.language]:
                    found = await memory.recall(question.format(case.subject), scope=OWNER)
                    places = [
                        next((n for n, event in enumerate(case.events) if event in hit.content), None)
                        for hit in found.hits
                    ]
                    known = [place for place in places if place is not None]
                    told += len(set(known)) / EVENTS
                    own += len(known) / max(1, len(places))
                    ordered += known == sorted(known)
    count = sum(len(QUESTIONS[case.language]) for case in cases)
    return {name: round(100 * value / count, 1) for name, value in (("told", told), ("own", own), ("ordered", ordered))}


async def run(seed: int, *, cache: Path | None) -> dict[str, object]:
    """The figures of logs and of conversations; `cache` is the model's folder, None for words alone."""
    embedder = builtin(cache) if cache else None
    found: dict[str, object] = {"mode": "hybrid" if cache else "words"}
    for form in ("logs", "conversations"):
        options = Options()
        if cache and embedder:
            options["embedding"] = Embedding(embedder, cache / "vectors.sqlite")
        found[form] = await measure(*drawn(seed, spoken=form == "conversations"), options)
    if embedder:
        await embedder.close()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the arguments ask for."""
    parser = figures.command_line(__doc__, seed=1)
    parser.add_argument("--meaning", action="store_true", help="search by meaning as well")
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="folder for model and vectors")
    asked = parser.parse_args(arguments)
    found = asyncio.run(run(asked.seed, cache=asked.cache if asked.meaning else None))
    for form in ("logs", "conversations"):
        print(f"{form:14}", found[form])
    path = figures.write("courses", found, seed=asked.seed)
    if asked.json:
        print(json.dumps(json.loads(path.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
