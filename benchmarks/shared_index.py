"""The memory index in PostgreSQL beside the one in SQLite: the same questions, how good and how fast, in one run.

    python -m benchmarks.shared_index [CORPUS] [--units 1000 10000] [--seed 1] [--cache FOLDER] --json

CORPUS is as for `benchmarks.recall_quality`; with it the measures of that page are printed for both engines. The speed
is the median of the time that a question takes, by words and meaning with its vector given, as in
`benchmarks.recall_speed`: here by the clock, since the server works in processes of its own. A server of this machine
is started for it. The last line is one JSON object: {"recall": {engine: {measure: per cent}}, "ms": {units: {engine:
ms}}, "ratio": {units: PostgreSQL's over SQLite's}}.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.figures import command_line
from benchmarks.rebuild import Words
from benchmarks.recall_quality import Corpus, Setting, measured
from benchmarks.recall_speed import GIVEN, QUESTIONS, TODAY, Field, fill, paragraphs
from memory import OWNER, Embedding, RankingWeights, SystemClock
from memory.embed.lazy import LazyEmbedder
from memory.errors import EmbedderUnavailable
from memory.index.sql import Index
from memory.index.sqlite import SqliteIndex
from memory.ports import Embedder
from memory.postgresql.connection import IndexDatabase
from memory.postgresql.store import PostgresStore, SharedIndex
from memory.recall.recall import Finder
from memory.vectors.service import VectorService
from memory.vectors.store import VectorStore
from tests.servers.postgresql import postgres_server

ENGINES = ("sqlite", "postgresql")

_numbers = count()


def quality(corpus: Path, cache: Path, database: IndexDatabase) -> dict[str, dict[str, float]]:
    """The measures of `benchmarks.recall_quality`, in per cent, for each engine."""
    told = Corpus(corpus)
    setting = Setting(RankingWeights(), cache)
    shared = Setting(RankingWeights(), cache, index=lambda home: _somewhere(database, home))
    runs = zip(ENGINES, (setting, shared), strict=True)
    return {engine: measured(asyncio.run(told.run(one)), told)["all"] for engine, one in runs}


def speed(units: int, seed: int, database: IndexDatabase) -> dict[str, float]:
    """The median milliseconds of a question for each engine, by the clock; the engines take turns."""
    field = Field(units, seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        where = _somewhere(database, folder)
        store = PostgresStore(where)
        store.take_over()
        with closing(SqliteIndex.open(folder / "index.sqlite")) as file:
            asks = [_asking(file, field, folder, seed, None), _asking(store.index, field, folder, seed, where.vectors)]
            took: list[list[float]] = [[], []]
            for number in range(QUESTIONS):
                for ask, times in zip(asks, took, strict=True):
                    began = perf_counter()
                    ask(number)
                    times.append(1000 * (perf_counter() - began))
    return dict(zip(ENGINES, map(median, took), strict=True))


def _asking(
    index: Index, field: Field, folder: Path, seed: int, store: Callable[[int], VectorStore] | None
) -> Callable[[int], object]:
    """Fill an index, and return what asks it a question of a number; it has been asked once."""
    words, draw = Words(seed), random.Random(seed)
    index.vectors.begin(GIVEN)
    fill(index, paragraphs(words, len(field.rows)), field.rows)
    while index.merge_segments():
        pass
    asked = [" ".join(draw.sample(words.sentence().split(), 5)) for _ in range(QUESTIONS)]
    embedding = Embedding(LazyEmbedder(GIVEN, _refused), folder / "cache.sqlite")
    where = folder / "index.sqlite"
    semantics = VectorService(embedding, where, plain=False, clock=SystemClock(), read_only=True, store=store)

    def ask(number: int) -> object:
        held = semantics.scan(index.vectors, field.questions[number], OWNER)
        return Finder(index, held).recall(asked[number], scope=OWNER, today=TODAY)

    ask(0)
    return ask


async def _refused() -> Embedder:
    raise EmbedderUnavailable("The vectors of the questions are given.")


def _somewhere(database: IndexDatabase, folder: Path) -> SharedIndex:
    return SharedIndex(database, f"agent{next(_numbers)}", folder / "index")


def main() -> None:
    """Run what the arguments ask for."""
    parser = command_line(__doc__, seed=1)
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--units", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="folder for model and vectors")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    with postgres_server() as server, closing(IndexDatabase(server.database())) as database:
        recall = quality(asked.corpus, asked.cache, database) if asked.corpus else {}
        for engine, found in recall.items():
            print(f"{engine:12}", "  ".join(f"{name} {value:.2f}" for name, value in found.items()), flush=True)
        ms = {units: speed(units, asked.seed, database) for units in asked.units}
    ratio = {units: found["postgresql"] / found["sqlite"] for units, found in ms.items()}
    for units, found in ms.items():
        told = "  ".join(f"{engine} {took:.1f} ms" for engine, took in found.items())
        print(f"{units:,} units: {told}  ratio {ratio[units]:.2f}")
    if asked.json:
        print(json.dumps({"recall": recall, "ms": ms, "ratio": ratio}))


if __name__ == "__main__":
    main()
