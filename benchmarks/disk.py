"""What one passage costs on disk: in the index, its vector, and the embedder's cache; by part.

    python -m benchmarks.disk --units 20000 --seed 1 --json

makes two workspaces, one of dated notes with four sentences a paragraph and one of facts with names and categories,
indexes them as a service does, gives every passage a vector of 384 numbers, merges the search index until nothing is
left to merge, and counts the pages of both files (SQLite's `dbstat`). The figures go to `figures/disk.json`, too.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import apsw

from benchmarks import figures
from benchmarks.rebuild import Words
from benchmarks.recall_speed import DIMS, GIVEN, drawn
from memory.embed.lazy import LazyEmbedder
from memory.errors import EmbedderUnavailable
from memory.files.sources import Sources
from memory.files.workspace import Workspace
from memory.index.file import IndexFile
from memory.index.sync import sync
from memory.journal.journal import Journal
from memory.ports import Embedder, Embedding, FrozenClock
from memory.vectors.service import VectorService

NOW = datetime(2036, 1, 1, tzinfo=UTC)
PER_FILE = 50
NAMES = "Anna Peter Zoe Tom Mary Jonas Lea Ravi Mei Olga".split()
CATEGORIES = "food travel work health home money music".split()

PARTS: Mapping[str, str] = {
    "units": "text and columns",
    "terms": "terms",
    "fts_data": "search index",
    "fts_docsize": "search index",
    "fts_idx": "search index",
    "vectors": "vectors",
    "sqlite_autoindex_vectors_1": "vectors",
}
"""Table or index of the index file -> what it is for; `indexes` for the others of the units, else `other`."""


def write_notes(root: Path, units: int, words: Words) -> None:
    (root / "memory").mkdir()
    for number in range(units // PER_FILE):
        day = date(2036, 1, 1) - timedelta(days=number)
        paragraphs = (" ".join(words.sentence() for _ in range(4)) for _ in range(PER_FILE))
        (root / f"memory/{day}.md").write_text("\n\n".join(paragraphs) + "\n")


def write_facts(root: Path, units: int, words: Words) -> None:
    (root / "memory").mkdir()
    draw = random.Random(1)
    for number in range(units // PER_FILE):
        day = date(2036, 1, 1) - timedelta(days=number)
        facts = (f"- W @{draw.choice(NAMES)}: {words.sentence()} #{draw.choice(CATEGORIES)}" for _ in range(PER_FILE))
        (root / f"memory/{day}.md").write_text("\n".join(["## Retain", *facts]) + "\n")


def pages(path: Path) -> dict[str, int]:
    """The bytes of each table and index of a file, what is unused in their pages included."""
    with closing(apsw.Connection(str(path))) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY 1"))


def measure(kind: str, write: Callable[[Path, int, Words], None], units: int, seed: int) -> dict[str, float]:
    """Bytes of one unit, by part."""

    async def opening() -> Embedder:
        raise EmbedderUnavailable("The vectors are given.")

    with tempfile.TemporaryDirectory() as folder:
        root, index, cache = (Path(folder) / name for name in ("workspace", "index.sqlite", "vectors.sqlite"))
        root.mkdir()
        write(root, units, Words(seed))
        workspace = Workspace(root)
        store = IndexFile.open(index, now=NOW)
        list(sync(store.index, Sources(workspace), journal=Journal(workspace), now=NOW, budget_s=1))
        embedding = Embedding(LazyEmbedder(GIVEN, opening), cache)
        vectors = VectorService(embedding, index, plain=False, clock=FrozenClock(NOW), read_only=False)
        while waiting := vectors.waiting(store.index.vectors, 1000):
            vectors.keep(store.index.vectors, waiting, [drawn(len(waiting), seed)])
        while store.index.merge_segments():
            pass
        totals = store.index.totals()
        vectors.close()
        store.index.close()
        workspace.close()
        found: Counter[str] = Counter()
        for name, size in pages(index).items():
            part = "indexes" if name.startswith(("units_", "mentions")) else "other"
            found[PARTS.get(name, part)] += size
        found["cache"] = sum(pages(cache).values())
    parts = {f"{kind}_{part.replace(' ', '_')}": size / totals.units for part, size in found.most_common()}
    return {
        f"{kind}_units": totals.units,
        f"{kind}_characters_per_unit": totals.characters / totals.units,
        f"{kind}_bytes_per_unit": found.total() / totals.units,
        **parts,
    }


def main(arguments: list[str]) -> None:
    parser = figures.command_line(__doc__.split("\n")[0], seed=1)
    parser.add_argument("--units", type=int, default=20_000)
    options = parser.parse_args(arguments)
    kept = measure("notes", write_notes, options.units, options.seed)
    kept |= measure("facts", write_facts, options.units, options.seed)
    print(f"bytes a unit, with vectors of {DIMS} numbers")
    for name, value in kept.items():
        print(f"{name.replace('_', ' '):32}{value:12,.1f}")
    figures.report("disk", kept, options)


if __name__ == "__main__":
    main(sys.argv[1:])
