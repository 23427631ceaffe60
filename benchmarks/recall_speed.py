"""What a question costs: the scan of all vectors by every backend, against other stores, words with meaning together.

    python -m benchmarks.recall_speed --units 1000 10000 100000 --seed 1 --json
    python -m benchmarks.recall_speed --units --json    # embedding alone

All milliseconds are CPU time of this process on one BLAS thread, medians over 40 questions, or over as many as take 20
seconds, but five; what is compared is measured in the same run, and beside each scan of vectors stands how many of the
exact nearest rows it found. The vectors are drawn at random around common centres, all close to one direction as those
of the built-in model are; the texts are random words, as unequally common as those of a language. `hybrid` is a search
by words and meaning in another store, of the same texts with the same vectors. Embedding is measured apart, with the
built-in model, on passages of 300 words of the manual, with as many cores as it takes. The figures also go to
`figures/recall_speed.json`, where those of sizes and stores stay that were measured before and not in this run
(`--stores` names some).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import figures
from benchmarks.rebuild import GARBAGE_OBJECTS, Words
from benchmarks.rivals import KINDS, PlainFts5, Rival, rivals
from memory.embed.lazy import LazyEmbedder, builtin
from memory.errors import EmbedderUnavailable
from memory.index.owners import Owners
from memory.index.sql import Index
from memory.index.sqlite import SqliteIndex
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.journal.state import JournalState
from memory.ports import Embedder, Embedding, SystemClock, Vectors
from memory.recall.recall import Finder
from memory.types import OWNER, VectorBackend
from memory.vectors.collection import open_store
from memory.vectors.service import VectorService
from memory.vectors.store import Packed, VectorStore

DIMS = 384
QUESTIONS = 40
LEAST = 5
MOST_S = 20
"""CPU time after which no more than `LEAST` questions are asked."""
LIMIT = 50
GIVEN = "drawn"
TODAY = date(2026, 11, 21)
_PER_FILE = 50
_BACKENDS = (VectorBackend.SIMSIMD, VectorBackend.NUMPY, VectorBackend.SQLITE_VEC)
_ONE_THREAD = [f"{name}_NUM_THREADS=1" for name in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM")]


def drawn(count: int, seed: int) -> Vectors:
    """Rows of length 1 around one centre for every fifty; two of different centres have a cosine of about .75."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((max(4, count // 50), DIMS)).astype(np.float32)
    rows = centres[draw.integers(0, len(centres), count)]
    rows += 0.9 * draw.standard_normal((count, DIMS)).astype(np.float32)
    rows += 2.3 * draw.standard_normal(DIMS).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def cost_ms(ask: Callable[[int], object], questions: int = QUESTIONS) -> float:
    """The median CPU time of a question."""
    took: list[float] = []
    while len(took) < questions and (len(took) < LEAST or sum(took) < 1000 * MOST_S):
        began = process_time()
        ask(len(took))
        took.append(1000 * (process_time() - began))
    return median(took)


def paragraphs(words: Words, count: int) -> list[str]:
    """Texts of four sentences."""
    return [" ".join(words.sentence() for _ in range(4)) for _ in range(count)]


class Field:
    """Rows with a text each, questions near some of them with words to ask by, and the exact answers."""

    def __init__(self, count: int, seed: int) -> None:
        words, chance = Words(seed), random.Random(seed)
        self.texts = paragraphs(words, count)
        self.asked = [" ".join(chance.sample(words.sentence().split(), 5)) for _ in range(QUESTIONS)]
        self.rows = drawn(count, seed)
        draw = np.random.default_rng(seed + 1)
        near = self.rows[draw.integers(0, count, QUESTIONS)] + 0.03 * draw.standard_normal((QUESTIONS, DIMS))
        self.questions: Vectors = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
        exact = self.rows.astype(np.float64) @ self.questions.T
        self.answers = [np.argsort(-column, kind="stable")[:LIMIT].tolist() for column in exact.T]

    def measured(self, nearest: Callable[[Vectors, int], Sequence[int]]) -> dict[str, float]:
        """CPU time and recall of one store."""
        found = [nearest(self.questions[0], LIMIT)]
        ms = cost_ms(lambda number: found.append(nearest(self.questions[number], LIMIT)))
        return {"ms": ms, "recall_at_10": self._recall(found[1:], 10), "recall_at_50": self._recall(found[1:], 50)}

    def _recall(self, found: Sequence[Sequence[int]], limit: int) -> float:
        pairs = zip(found, self.answers, strict=False)
        return sum(len({*some[:limit]} & {*exact[:limit]}) for some, exact in pairs) / limit / len(found)


def stores(field: Field, folder: Path, names: Sequence[str] = tuple(KINDS)) -> Iterator[tuple[str, dict[str, float]]]:
    """The raw read, each of our backends, words in plain FTS5, each of the others: by vectors, by words and vectors."""
    yield "raw float32 read", {"ms": cost_ms(lambda number: field.rows @ field.questions[number])}
    for backend in _BACKENDS:
        store = open_store(DIMS, low_memory=folder / f"{backend.name}.vectors", backend=backend)
        store.add(range(len(field.rows)), Packed.of(field.rows))
        yield backend, field.measured(_ours(store))
        store.close()
    with closing(PlainFts5(field.texts)) as plain:
        yield "FTS5, plain", {"ms": cost_ms(lambda number: plain.search(field.asked[number], LIMIT))}
    for name, rival in rivals(field.texts, field.rows, folder, names):
        yield name, field.measured(rival.nearest)
        if rival.ranks_words:
            yield f"{name}, hybrid", {"ms": cost_ms(_both(rival, field))}


def _ours(store: VectorStore) -> Callable[[Vectors, int], list[int]]:
    return lambda question, limit: [near.id for near in store.search(question, limit)]


def _both(rival: Rival, field: Field) -> Callable[[int], list[int]]:
    return lambda number: rival.search(field.asked[number], field.questions[number], LIMIT)


def fill(index: Index, texts: Sequence[str], rows: Vectors) -> None:
    """Dated notes, one paragraph for each row, with their vectors; tidied up, as a service does when nobody asks."""
    for number in range(0, len(rows), _PER_FILE):
        path = f"memory/{TODAY - timedelta(days=number // _PER_FILE)}.md"
        text = "\n\n".join(texts[number : number + _PER_FILE])
        index.write([FileChange(path, FileState(1, 1, path), chunk(path, text, owners=Owners(JournalState())))])
    ids = sorted(stored.id for stored in index.vectors.waiting(len(rows)))
    vectors = dict(zip(ids, Packed.of(rows[: len(ids)]).blobs(), strict=True))
    index.vectors.keep(vectors, born=index.vectors.mark().born)
    while index.merge_segments():
        pass


def hybrid(field: Field, folder: Path) -> dict[str, float]:
    """A question by words alone, and by words and meaning with its vector given."""
    with closing(SqliteIndex.open(folder / "index.sqlite")) as index:
        index.vectors.begin(GIVEN)
        fill(index, field.texts, field.rows)
        semantics = _semantics(folder)

        def ask(number: int, *, meant: bool = True) -> None:
            held = semantics.scan(index.vectors, field.questions[number], OWNER) if meant else None
            Finder(index, held).recall(field.asked[number], scope=OWNER, today=TODAY)

        began = process_time()
        ask(0)
        loading = process_time() - began
        gc.freeze()  # as `scrubjay run` does
        gc.set_threshold(GARBAGE_OBJECTS)
        both, alone = cost_ms(ask), cost_ms(lambda number: ask(number, meant=False))
        semantics.close()
    return {"hybrid_ms": both, "words_ms": alone, "first_question_s": loading}


def _semantics(folder: Path) -> VectorService:
    async def opening() -> Embedder:
        raise EmbedderUnavailable("The vectors of the questions are given.")

    embedding = Embedding(LazyEmbedder(GIVEN, opening), folder / "cache.sqlite")
    where = folder / "index.sqlite"
    return VectorService(embedding, where, plain=False, clock=SystemClock(), read_only=True)


def manual() -> list[str]:
    """The words of this project's manual, without tables, lists and code: English as people write it."""
    lines = (line for page in sorted(figures.ROOT.glob("docs/**/*.md")) for line in page.read_text().splitlines())
    return [word for line in lines if line[:1].isalpha() for word in line.split()]


async def embedding_speed(folder: Path, seed: int) -> dict[str, float]:
    """The built-in model, by itself: passages of 300 words, and questions."""
    prose = manual()
    passages = [" ".join(prose[start : start + 300]) for start in range(0, len(prose) - 299, 100)]
    questions = [
        " ".join(prose[start : start + 10]) for start in random.Random(seed).sample(range(len(prose) - 10), QUESTIONS)
    ]
    embedder = builtin(folder / "model", say=print)
    await embedder.probe()
    began, started = process_time(), perf_counter()
    rows = [block async for block in embedder.embed_passages(passages)]
    passages_s, passages_wall_s = process_time() - began, perf_counter() - started
    began = process_time()
    for question in questions:
        await embedder.embed_query(question)
    questions_s = process_time() - began
    await embedder.close()
    return {
        "passages_per_s": len(rows) / passages_s,
        "passages_per_s_wall": len(rows) / passages_wall_s,
        "question_ms": 1000 * questions_s / QUESTIONS,
    }


def measure(count: int, folder: Path, seed: int, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Everything for one number of units, each beside what it is compared with."""
    field = Field(count, seed)
    found = dict(stores(field, folder, names))
    raw, ours = found["raw float32 read"]["ms"], found[VectorBackend.SIMSIMD]["ms"]
    for one in found.values():
        one["of_raw_read"] = one["ms"] / raw
        one["of_simsimd"] = one["ms"] / ours
    both = hybrid(field, folder)
    return found | {"words and meaning": both | {"ms": both["hybrid_ms"], "of_raw_read": both["hybrid_ms"] / raw}}


def report(count: int, measured: dict[str, dict[str, float]]) -> str:
    """A table for people."""
    head = f"{count:,} units of {DIMS} numbers{'':14}ms   x raw  recall@10    @50"
    rows = [
        f"{name:36}{one['ms']:9.2f}{one['of_raw_read']:8.2f}"
        f"{one.get('recall_at_10', float('nan')):11.4f}{one.get('recall_at_50', float('nan')):8.4f}"
        for name, one in measured.items()
    ]
    return "\n".join([head, *rows]).replace("nan", "   ")


def run(options: argparse.Namespace) -> None:
    """Measure in this process."""
    kept: dict[str, Any] = {}
    for count in options.units:
        with tempfile.TemporaryDirectory() as folder:
            kept[str(count)] = measured = measure(count, Path(folder), options.seed, options.stores)
        figures.write("recall_speed", _with_others(kept), seed=options.seed)
        print(report(count, measured), end="\n\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        kept["embedding"] = speed = asyncio.run(embedding_speed(Path(folder), options.seed))
    figures.write("recall_speed", _with_others(kept), seed=options.seed)
    print(
        f"embedding: {speed['passages_per_s']:.1f} passages a second of processor time, "
        f"{speed['passages_per_s_wall']:.1f} a second on the clock, {speed['question_ms']:.1f} ms a question"
    )
    if options.json:
        print(json.dumps(kept))


def _with_others(measured: dict[str, Any]) -> dict[str, Any]:
    """The figures of this run, and those of stores and sizes that were measured before and not now."""
    before = figures.kept("recall_speed")
    return before | {name: before.get(name, {}) | found for name, found in measured.items()}


def main(arguments: list[str]) -> int:
    parser = figures.command_line(__doc__.split("\n")[0], seed=1)
    parser.add_argument("--units", type=int, nargs="*", default=[1_000, 10_000], help="none: embedding alone")
    parser.add_argument("--stores", nargs="*", choices=[*KINDS], default=[*KINDS], help="others to compare with")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not options.here:  # the libraries read how many threads they may have when they are loaded
        words = ["env", *_ONE_THREAD, sys.executable, "-m", "benchmarks.recall_speed", *arguments, "--here"]
        return subprocess.run(words, check=False).returncode
    run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
