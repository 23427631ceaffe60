"""The search in the database finds what the search in memory finds; above a number of rows by an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.postgresql.connection import AgentStatements, IndexDatabase
from memory.postgresql.store import PostgresStore, SharedIndex
from memory.postgresql.vectors import PostgresVectors, index_nearest
from memory.types import VectorBackend
from memory.vectors.store import ExactVectors, Packed
from tests.servers.postgresql import PostgresServer
from tests.unit.memory.index.conftest import NOBODY

ROWS, DIMS, AGENT = 300, 24, "many"
DRAW = np.random.default_rng(7)
VECTORS = DRAW.standard_normal((ROWS, DIMS)).astype(np.float32)
QUESTIONS = VECTORS[:20] + 0.3 * DRAW.standard_normal((20, DIMS)).astype(np.float32)


@pytest.fixture(scope="module")
def database(postgresql: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexDatabase]:
    """A database with two agents that have vectors; the other one's are the questions themselves."""
    with closing(IndexDatabase(postgresql.database())) as database:
        for agent, rows in ((AGENT, VECTORS), ("other", QUESTIONS)):
            store = PostgresStore(SharedIndex(database, agent, tmp_path_factory.mktemp(agent)))
            store.take_over()
            text = "\n\n".join(f"Note {number}." for number in range(len(rows)))
            store.index.write([FileChange("a.md", FileState(1, 1, "a"), chunk("a.md", text, owners=NOBODY))])
            table = store.index.vectors
            units = sorted(stored.id for stored in table.waiting(ROWS))
            table.begin("drawn")
            table.keep(dict(zip(units, Packed.of(rows).blobs(), strict=True)), born=table.mark().born)
        yield database


@pytest.fixture
def exact() -> ExactVectors:
    store = ExactVectors(DIMS)
    store.add(range(1, ROWS + 1), Packed.of(VECTORS))
    return store


def stored(database: IndexDatabase, most_compared: int = ROWS, *, in_memory: bool = False) -> PostgresVectors:
    store = PostgresVectors(AgentStatements(database, AGENT), DIMS, in_memory=in_memory, most_compared=most_compared)
    store.add(range(1, ROWS + 1), Packed.of(VECTORS))
    return store


def test_the_nearest_are_those_of_the_search_in_memory(database: IndexDatabase, exact: ExactVectors) -> None:
    store = stored(database)
    for question in QUESTIONS:
        ours, theirs = store.search(question, 10), exact.search(question, 10)
        assert len({near.id for near in ours} & {near.id for near in theirs}) >= 9  # in half precision
        assert [near.score for near in ours] == pytest.approx([near.score for near in theirs], abs=2e-3)
    few = partial(np.isin, test_elements=[3, 5, 200])
    assert [near.id for near in store.search(QUESTIONS[4], 10, allow=few)] == [
        near.id for near in exact.search(QUESTIONS[4], 10, allow=few)
    ]
    assert store.search(QUESTIONS[0], 5, allow=partial(np.isin, test_elements=[])) == []


def test_few_rows_are_searched_in_memory(database: IndexDatabase, exact: ExactVectors) -> None:
    store = stored(database, in_memory=True)
    assert store.backend is exact.backend
    for question in QUESTIONS:
        assert store.search(question, 10) == exact.search(question, 10)
    assert store.rows(np.array([7, ROWS + 50, 2]))[1].tolist() == exact.rows(np.array([7, 2]))[1].tolist()
    store.remove([7])
    assert (len(store), store.search(VECTORS[6], 1)[0].id == 7) == (ROWS - 1, False)


def test_what_is_too_much_for_memory_is_left_in_the_database(database: IndexDatabase, exact: ExactVectors) -> None:
    small = IndexDatabase(database._url, most_bytes=(DIMS + 21) * (ROWS + 10))
    first, second = (PostgresVectors(AgentStatements(small, AGENT), DIMS) for _ in range(2))
    first.add(range(1, ROWS + 1), Packed.of(VECTORS))
    second.add(range(1, 11), Packed.of(VECTORS[:10]))
    assert (first.backend, second.backend) == (exact.backend, exact.backend)
    second.add(range(11, ROWS + 1), Packed.of(VECTORS[10:]))
    assert second.backend is VectorBackend.PGVECTOR
    assert sorted(second.ids.tolist()) == sorted(first.ids.tolist())
    assert second.search(VECTORS[3], 1)[0].id == first.search(VECTORS[3], 1)[0].id == 4
    first.close()
    third = stored(small, in_memory=True)
    assert third.backend is exact.backend
    small.close()
    assert stored(database, most_compared=ROWS - 1, in_memory=True).backend is VectorBackend.PGVECTOR


def test_what_is_removed_makes_room_in_memory(database: IndexDatabase, exact: ExactVectors) -> None:
    small = IndexDatabase(database._url, most_bytes=(DIMS + 21) * ROWS)
    store = PostgresVectors(AgentStatements(small, AGENT), DIMS)
    for _ in range(3):
        store.add(range(1, ROWS + 1), Packed.of(VECTORS))
        store.remove(range(1, ROWS + 1))
    store.add(range(1, ROWS + 1), Packed.of(VECTORS))
    assert store.backend is exact.backend
    small.close()


def test_another_measure_decides_between_them(database: IndexDatabase, exact: ExactVectors) -> None:
    halves = np.where(np.arange(ROWS + 1) % 2, 1.0, 0.5).astype(np.float32)
    ours, theirs = (
        store.search(QUESTIONS[1], 10, score=lambda ids, products: products * halves[ids])
        for store in (stored(database), exact)
    )
    assert [near.id for near in ours] == [near.id for near in theirs]


def test_rows_are_those_that_were_kept(database: IndexDatabase, tmp_path: Path) -> None:
    store = stored(database)
    ids, rows = store.rows(np.array([7, ROWS + 50, 2]))
    unit = Packed.of(VECTORS).floats()
    assert ids.tolist() == [7, 2]
    assert np.allclose(rows, unit[[6, 1]], atol=1e-3)
    table = PostgresStore(SharedIndex(database, AGENT, tmp_path)).index.vectors
    assert np.allclose(Packed.of_blobs([row.vector for row in table.since(0, 5)]).floats(), unit[:5], atol=1e-3)
    store.remove([7])
    assert len(store) == ROWS - 1


def test_many_vectors_are_found_by_an_index(database: IndexDatabase, exact: ExactVectors) -> None:
    assert index_nearest(database, AGENT) == 0
    assert index_nearest(database, AGENT, most_compared=100) == ROWS
    assert index_nearest(database, AGENT, most_compared=100) == ROWS
    statements = AgentStatements(database, AGENT)
    store = stored(database, most_compared=100)
    pairs = [(store.search(question, 10), exact.search(question, 10)) for question in QUESTIONS]
    found = sum(len({near.id for near in ours} & {near.id for near in theirs}) for ours, theirs in pairs)
    assert found >= 0.95 * 10 * len(QUESTIONS)
    plan = statements.run(
        f"SET LOCAL enable_sort = off; EXPLAIN SELECT unit FROM vectors WHERE agent = '{AGENT}' "
        f"ORDER BY v::halfvec({DIMS}) <#> '{VECTORS[0].tolist()}'::halfvec({DIMS}) LIMIT 5"
    )
    assert any("hnsw_" in line for (line,) in plan)
    assert index_nearest(database, AGENT) == 0
    assert statements.run("SELECT count(*) FROM pg_class WHERE relname LIKE 'hnsw%%'").get == 0
