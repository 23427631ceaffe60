"""Whether memory knows what it does not know: questions that its facts answer, and questions that nothing answers.

    python -m benchmarks.answerable [--json] [--cache FOLDER]
    python -m benchmarks.answerable --known FILE --unknown FILE --fillers FILE [--json]
    python -m benchmarks.answerable --fit [--write]

By default the questions are the `check` half of `data/answerable.jsonl`; no constant was fitted to it. With --known
and --unknown they come from files of lines {lang, fact, question} and {lang, question}. Three kinds of homes are made:
of ten facts (as many homes as there are tens, the unknown questions spread over them), of all facts (filled up to 200),
and of 5,000, the rest being fillers: sentences that a seeded generator makes from {lang: {templates: [...], slot:
[...]}}. Each is searched by words and meaning, by words and meaning with an embedder that nobody has gauged, and by
words alone.

Printed are, in per cent: unknown questions told as unknown (`Recall.answers` is empty), known ones with the right
answer first, known ones with the right hit first whatever its relevance, known ones answered wrongly, and answers for
a known question on average. --json adds one JSON object as the last line. --fit prints the weights that the `fit` half
gives, and with --write keeps the gauge of the built-in embedder.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import figures
from benchmarks.homes import DATA, MANY, Question, Ungauged, asked, fillers, homes, is_of, parted, read
from memory import Embedding, Recall
from memory.embed.lazy import builtin
from memory.types import ANSWERS

MODES = ("meaning", "other embedder", "words")


@dataclass(slots=True)
class Tally:
    """What was found in homes of one size."""

    unknown: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    answered: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    first: list[bool] = field(default_factory=list)
    wrong: list[bool] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)

    def take(self, question: Question, found: Recall) -> None:
        """Note one answer."""
        answers = found.answers
        if not question.fact:
            self.unknown["all"].append(not answers)
            self.unknown[question.language].append(not answers)
            if question.kind:
                self.unknown[question.kind].append(not answers)
            return
        is_right = bool(answers) and is_of(question.fact, answers[0].content)
        self.answered["all"].append(is_right)
        self.answered[question.language].append(is_right)
        self.answered[question.kind or "plain"].append(is_right)
        self.first.append(bool(found.hits) and is_of(question.fact, found.hits[0].content))
        self.wrong.append(bool(answers) and not is_right)
        self.answers.append(len(answers))

    def figures(self) -> dict[str, Any]:
        """Per cent."""
        return {
            "unknown": {name: _share(told) for name, told in self.unknown.items()},
            "answered": {name: _share(told) for name, told in self.answered.items()},
            "first": _share(self.first),
            "wrong": _share(self.wrong),
            "answers": round(statistics.fmean(self.answers), 2),
        }


async def measured(
    known: Sequence[Question], unknown: Sequence[Question], more: Sequence[str], *, cache: Path
) -> dict[str, dict[str, Any]]:
    """The figures of every way of searching, by size of the home."""
    embedder = builtin(cache)
    embeddings = {
        "meaning": Embedding(embedder, cache / "vectors.sqlite"),
        "other embedder": Embedding(Ungauged(embedder), cache / "vectors.sqlite"),
        "words": None,
    }
    found: dict[str, dict[str, Any]] = {}
    for mode in MODES:
        tallies: dict[int, Tally] = defaultdict(Tally)
        for size, home in homes(known, unknown, more):
            async for question, recall in asked(home, embeddings[mode]):
                tallies[size].take(question, recall)
        found[mode] = {str(size): tally.figures() for size, tally in tallies.items()}
        print(_rows(mode, found[mode]), flush=True)
    await embedder.close()
    return found


def _share(told: Sequence[bool]) -> float:
    return round(100 * sum(told) / len(told), 1) if told else 0.0


def _rows(mode: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    rows = []
    for size, one in found.items():
        unknown, answered = one["unknown"], one["answered"]
        parts = " ".join(f"{name} {share:.0f}" for name, share in unknown.items() if name != "all")
        by_language = " ".join(f"{name} {share:.0f}" for name, share in answered.items() if name != "all")
        head = (
            f"{mode:15}{size:>5}  unknown {unknown['all']:5.1f}  answered {answered['all']:5.1f}"
            f"  first {one['first']:5.1f}  wrong {one['wrong']:4.1f}  answers {one['answers']:4.2f}"
        )
        rows.append(f"{head}  | unknown: {parts} | answered: {by_language}")
    return "\n".join(rows)


def _parsed() -> argparse.Namespace:
    parser = figures.command_line(__doc__, seed=1)
    parser.add_argument("--known", type=Path, help="lines of {lang, fact, question}")
    parser.add_argument("--unknown", type=Path, help="lines of {lang, question}")
    parser.add_argument("--fillers", type=Path, default=DATA / "fillers.json")
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="folder for model and vectors")
    parser.add_argument("--fit", action="store_true", help="print the weights that the other half gives")
    parser.add_argument("--write", action="store_true", help="with --fit: learn and keep the gauge, too")
    return parser.parse_args()


def main() -> None:
    """Run what the arguments ask for."""
    given = _parsed()
    given.cache.mkdir(parents=True, exist_ok=True)
    if given.fit:
        from benchmarks import gauging

        asyncio.run(gauging.fit(given.cache, write=given.write))
        return
    if given.known and given.unknown:
        known, unknown = read(given.known), read(given.unknown)
    else:
        known, unknown = parted(read(DATA / "answerable.jsonl", "check"))
    more = fillers(given.fillers, MANY - min(MANY, len(known)), given.seed)
    found: dict[str, object] = {"floor": ANSWERS}
    found.update(asyncio.run(measured(known, unknown, more, cache=given.cache)))
    figures.report("answerable", found, given)


if __name__ == "__main__":
    main()
