"""What a question costs in other scripts, as a multiple of what it costs in English.

    python -m benchmarks.recall_languages --notes 240 3000 --seed 1 --json

For every language one memory of as many notes is made: each has two of the language's lines of
`tests/data/golden/twelve.jsonl`, and a number. The questions are the lines that ask for an answer, as people would
write them; they are searched by words. All milliseconds are CPU time of this process, the least of several rounds for
each question; p50 and p95 are over the questions, and the ratio is to English of the same run. The figures also go to
`figures/recall_languages.json`.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from time import process_time

from benchmarks import figures
from benchmarks.recall_speed import TODAY
from memory.index.owners import Owners
from memory.index.sqlite import SqliteIndex
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.journal.state import JournalState
from memory.recall.recall import Finder
from memory.types import OWNER

LINES = Path("tests/data/golden/twelve.jsonl")
LANGUAGES = ("en", "th", "zh", "ar")
ROUNDS = 7
_PER_FILE = 20


def read(path: Path = LINES) -> dict[str, tuple[list[str], list[str]]]:
    """Return all lines of each language, and those of them that ask for an answer."""
    found: dict[str, tuple[list[str], list[str]]] = {code: ([], []) for code in LANGUAGES}
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if line["lang"] in found:
            every, questions = found[line["lang"]]
            every.append(" ".join(line["text"].split()))
            if line["act"] == "answer":
                questions.append(line["text"])
    return found


def fill(index: SqliteIndex, lines: Sequence[str], notes: int, seed: int) -> None:
    """Write dated files of so many notes."""
    draw = random.Random(seed)
    for number in range(0, notes, _PER_FILE):
        path = f"memory/{TODAY - timedelta(days=number // _PER_FILE)}.md"
        made = (
            f"{draw.choice(lines)} {draw.choice(lines)} {draw.randrange(1000)}"
            for _ in range(min(_PER_FILE, notes - number))
        )
        chunked = chunk(path, "\n\n".join(made), owners=Owners(JournalState()))
        index.write([FileChange(path, FileState(1, 1, path), chunked)])
    while index.merge_segments():  # as a service does when nobody asks
        pass


def measure(index: SqliteIndex, questions: Sequence[str]) -> dict[str, float]:
    """Ask all questions several times."""
    finder = Finder(index)
    least = [float("inf")] * len(questions)
    for _ in range(ROUNDS):
        for number, question in enumerate(questions):
            began = process_time()
            finder.recall(question, scope=OWNER, today=TODAY)
            least[number] = min(least[number], 1000 * (process_time() - began))
    cuts = quantiles(least, n=20, method="inclusive")
    return {"p50_ms": cuts[9], "p95_ms": cuts[18]}


def of_size(notes: int, seed: int) -> dict[str, dict[str, float]]:
    """Measure all languages at one size."""
    found: dict[str, dict[str, float]] = {}
    for code, (lines, questions) in read().items():
        with tempfile.TemporaryDirectory() as folder, closing(SqliteIndex.open(Path(folder) / "index.sqlite")) as index:
            fill(index, lines, notes, seed)
            found[code] = measure(index, questions)
    english = found["en"]
    return {
        code: one | {f"{name}_ratio": one[f"{name}_ms"] / english[f"{name}_ms"] for name in ("p50", "p95")}
        for code, one in found.items()
    }


def report(notes: int, found: Mapping[str, Mapping[str, float]]) -> str:
    """Return a table for people."""
    rows = [
        f"{code:8}{one['p50_ms']:9.2f}{one['p95_ms']:9.2f}{one['p50_ratio']:9.2f}{one['p95_ratio']:9.2f}"
        for code, one in found.items()
    ]
    head = f"{notes:,} notes, by words{'':6}"
    return "\n".join([head, f"{'':8}{'p50 ms':>9}{'p95 ms':>9}{'p50 x en':>9}{'p95 x en':>9}", *rows])


def main(arguments: list[str]) -> None:
    parser = figures.command_line(__doc__.split("\n")[0], seed=1)
    parser.add_argument("--notes", type=int, nargs="+", default=[240, 3000])
    options = parser.parse_args(arguments)
    kept: dict[str, object] = {}
    for notes in options.notes:
        kept[str(notes)] = found = of_size(notes, options.seed)
        print(report(notes, found), end="\n\n")
    figures.report("recall_languages", kept, options)


if __name__ == "__main__":
    main(sys.argv[1:])
