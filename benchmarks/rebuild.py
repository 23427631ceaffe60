"""How fast the memory index follows the files: from zero, with nothing changed, with one file changed.

    python -m benchmarks.rebuild --files 10000 --seed 1 --json

makes a workspace of notes of 4 KB, indexes it, and prints a table and, with --json, one JSON object as its last line.
All seconds are CPU seconds of this process; what is compared is measured in the same run. The figures go to
`figures/rebuild.json`, too.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks import figures
from memory.files.sources import Sources
from memory.files.workspace import Workspace
from memory.index.file import IndexFile
from memory.index.sync import refresh, sync
from memory.journal.journal import Journal

NOW = datetime(2036, 1, 1, tzinfo=UTC)
FILE_BYTES = 4096
LARGE_BYTES = 50 * 1024
VOCABULARY = 30_000
GARBAGE_OBJECTS = 10_000
"""As in `bot.service.run`."""
_SYLLABLES = "ba de fi go lu ma ne po ra si ta ve wo xi za ker lan mor tis ung ber sol dan ley".split()
_COMMON = "the a of and to in is was it for with on that we they at from by this have not be as are but or had".split()


class Words:
    """Sentences whose words are as unequally common as those of a language (Zipf's law)."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        rare = {"".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 4))) for _ in range(VOCABULARY)}
        self._words = [*_COMMON, *sorted(rare)]
        self._weights = [1 / (rank + 3) for rank in range(len(self._words))]
        self._stock: list[str] = []

    def sentence(self) -> str:
        words = self._take(self._random.randint(6, 18))
        return f"{' '.join(words).capitalize()}."

    def note(self, size: int) -> str:
        """A note of headings, paragraphs and bullets, of about so many bytes."""
        parts = [f"# {self.sentence()[:-1]}"]
        length = 0
        while length < size:
            kind = self._random.random()
            part = (
                self._bullets() if kind < 0.3 else " ".join(self.sentence() for _ in range(self._random.randint(1, 5)))
            )
            parts.append(f"## {' '.join(self._take(3))}\n\n{part}" if kind > 0.9 else part)
            length += len(parts[-1]) + 2
        return "\n\n".join(parts) + "\n"

    def _bullets(self) -> str:
        return "\n".join(f"- {self.sentence()}" for _ in range(self._random.randint(2, 6)))

    def _take(self, count: int) -> list[str]:
        if len(self._stock) < count:
            self._stock = self._random.choices(self._words, self._weights, k=100_000)
        taken, self._stock = self._stock[:count], self._stock[count:]
        return taken


def write_notes(root: Path, files: int, seed: int) -> None:
    words = Words(seed)
    folder = root / "memory"
    folder.mkdir()
    for number in range(files):
        day = date(2026, 1, 1) - timedelta(days=number // 5)
        (folder / f"{day}-{number % 5}.md").write_text(words.note(FILE_BYTES))
    (folder / "large.md").write_text(words.note(LARGE_BYTES))


def looked_at(root: Path) -> int:
    """The least that a start must do: list every folder, and stat every file."""
    seen = 0
    waiting = [os.fspath(root)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    seen += 1
    return seen


def timed(action: Callable[[], object], times: int) -> float:
    """The median of CPU seconds."""
    took = []
    for _ in range(times):
        began = process_time()
        action()
        took.append(process_time() - began)
    return median(took)


def changes(path: Path) -> Iterator[None]:
    """A sentence more in the middle of the file, again and again."""
    lines = path.read_text().split("\n")
    for number in range(1000):
        lines[len(lines) // 2] += f" Changed {number}."
        path.write_text("\n".join(lines))
        yield


def measure(root: Path, index: Path, files: int) -> dict[str, float]:
    """Index a folder of notes in three situations."""
    workspace = Workspace(root)
    sources, journal = Sources(workspace), Journal(workspace)

    def start() -> None:
        store = IndexFile.open(index, now=NOW)
        list(sync(store.index, sources, journal=journal, now=NOW, budget_s=1))
        store.index.close()

    gc.freeze()  # as `scrubjay run` does
    gc.set_threshold(GARBAGE_OBJECTS)
    from_zero = timed(start, 1)
    store = IndexFile.open(index, now=NOW)
    totals = store.index.totals()
    nothing = timed(lambda: list(sync(store.index, sources, journal=journal, now=NOW)), 5)
    bare = timed(lambda: looked_at(root), 5)
    edits = changes(root / "memory/large.md")
    one = []
    for _ in range(9):
        next(edits)
        one.append(timed(lambda: refresh(store.index, sources, journal=journal, paths=["memory/large.md"]), 1))
    store.index.close()
    workspace.close()
    return {
        "files": files + 1,
        "units": totals.units,
        "characters": totals.characters,
        "from_zero_s": from_zero,
        "units_per_s": totals.units / from_zero,
        "nothing_changed_s": nothing,
        "scandir_and_stat_s": bare,
        "nothing_changed_ratio": nothing / bare,
        "one_large_file_changed_s": median(one),
        "index_bytes": index.stat().st_size,
    }


def report(found: dict[str, float]) -> str:
    rows = (
        ("from zero", f"{found['from_zero_s']:.2f} s, {found['units_per_s']:,.0f} units/s"),
        ("nothing changed", f"{1000 * found['nothing_changed_s']:.1f} ms"),
        ("  scandir and stat alone", f"{1000 * found['scandir_and_stat_s']:.1f} ms"),
        ("  ratio", f"{found['nothing_changed_ratio']:.2f}"),
        ("one file of 50 KB changed", f"{1000 * found['one_large_file_changed_s']:.2f} ms"),
        ("index file", f"{found['index_bytes'] / 1e6:.1f} MB"),
    )
    head = f"{found['files']:,.0f} files, {found['units']:,.0f} units, {found['characters'] / 1e6:.1f} MB of text"
    return "\n".join([head, *(f"{name:28}{value}" for name, value in rows)])


def main(arguments: list[str]) -> None:
    parser = figures.command_line(__doc__.split("\n")[0], seed=1)
    parser.add_argument("--files", type=int, default=10_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        root.mkdir()
        write_notes(root, options.files, options.seed)
        found = measure(root, Path(folder) / "index.sqlite", options.files)
    print(report(found))
    figures.report("rebuild", dict(found), options)


if __name__ == "__main__":
    main(sys.argv[1:])
