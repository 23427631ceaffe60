"""Every link finds the same rows, and the fastest that can be had is taken."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from memory.errors import LinkUnavailable, VectorRefused
from memory.index.nearest import Allow, VectorStore, only
from memory.index.packed import Packed
from memory.index.stores import open_store
from memory.model import Link
from tests.unit.memory.index.corpora import clustered, nearest

DIMS = 48
ROWS = clustered(600, DIMS)
PACKED = Packed.of(ROWS)


def links() -> list[Link]:
    """All that this Python can have."""
    has_extensions = hasattr(sqlite3.Connection, "enable_load_extension")
    return [link for link in Link if has_extensions or link is not Link.VEC_SQLITE3]


@pytest.fixture(params=links(), ids=lambda link: link.name)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    """An empty store, one for each link."""
    opened = open_store(DIMS, low_memory=tmp_path / "vectors.sqlite", link=request.param)
    assert opened.link is request.param
    yield opened
    opened.close()


@pytest.fixture
def full(store: VectorStore) -> VectorStore:
    """All rows, the newest first."""
    for start in range(500, -1, -100):
        store.add(range(start + 99, start - 1, -1), Packed.of(ROWS[start : start + 100][::-1]))
    return store


def found(store: VectorStore, query: int, limit: int, allow: Allow | None = None) -> list[int]:
    return [near.id for near in store.search(ROWS[query], limit, allow=allow)]


@pytest.mark.parametrize("limit", [1, 10, 50])
def test_the_nearest_are_found_exactly(full: VectorStore, limit: int) -> None:
    for query in (0, 299, 599):
        assert found(full, query, limit) == nearest(ROWS, ROWS[query], limit)


@pytest.mark.parametrize("limit", [600, 5000])
def test_all_are_found_in_order_as_far_as_sixteen_bits_tell_them_apart(full: VectorStore, limit: int) -> None:
    exact = ROWS.astype(np.float64) @ ROWS[299]

    order = found(full, 299, limit)

    assert sorted(order) == list(range(len(ROWS)))
    assert np.diff(exact[order]).max() < 1e-5


def test_the_cosine_is_that_of_the_float_rows(full: VectorStore) -> None:
    best, second = full.search(ROWS[7], 2)

    assert best.id == 7
    assert best.score == pytest.approx(1, abs=1e-5)
    assert second.score == pytest.approx(float(ROWS[second.id] @ ROWS[7]), abs=1e-5)


def test_the_length_of_a_query_does_not_matter(full: VectorStore) -> None:
    assert [near.id for near in full.search(ROWS[7] * 1000, 5)] == found(full, 7, 5)


def test_an_empty_store_finds_nothing(store: VectorStore) -> None:
    assert len(store) == 0
    assert store.search(ROWS[0], 10) == []


def test_nothing_is_found_when_nothing_is_wanted(full: VectorStore) -> None:
    assert full.search(ROWS[0], 0) == []


@pytest.mark.parametrize("wanted", [range(0, 600, 2), range(300, 304), [5], [], [-1, 700]], ids=str)
def test_a_filter_holds_before_the_best_are_chosen(full: VectorStore, wanted: Collection[int]) -> None:
    allowed = [number for number in wanted if 0 <= number < 600]

    places = nearest(ROWS[allowed], ROWS[9], 10) if allowed else []

    assert found(full, 9, 10, only(wanted)) == [allowed[place] for place in places]


def test_a_filter_may_look_the_ids_up_in_columns_of_its_own(full: VectorStore) -> None:
    kind = np.arange(600) % 7

    assert all(number % 7 == 3 for number in found(full, 9, 50, lambda ids: kind[ids] == 3))


@pytest.mark.parametrize("answer", [[True], [], [1] * 600])
def test_a_filter_that_does_not_answer_for_each_row_is_a_mistake(full: VectorStore, answer: list[int]) -> None:
    with pytest.raises(ValueError, match="filter"):
        full.search(ROWS[0], 10, allow=lambda _: np.array(answer))


def test_removed_rows_are_not_found(full: VectorStore) -> None:
    gone = found(full, 0, 5)

    full.remove([*gone, 9999])

    assert len(full) == 595
    assert found(full, 0, 10) == nearest(ROWS, ROWS[0], 15)[5:]


def test_adding_an_id_again_replaces_its_row(full: VectorStore) -> None:
    full.add([3, 4], Packed.of(ROWS[[4, 3]]))

    assert len(full) == 600
    assert len(found(full, 3, 600)) == 600


def test_rows_come_and_go_as_in_a_list(store: VectorStore) -> None:
    random = np.random.default_rng(7)
    alive: set[int] = set()
    for _ in range(60):
        some = random.choice(600, 20, replace=False)
        if random.random() < 0.6:
            store.add(some.tolist(), Packed.of(ROWS[some]))
            alive |= set(some.tolist())
        else:
            store.remove(some.tolist())
            alive -= set(some.tolist())
        assert len(store) == len(alive)
    rows = sorted(alive)

    assert found(store, 11, 20) == [rows[place] for place in nearest(ROWS[rows], ROWS[11], 20)]


@pytest.mark.parametrize("rows", [ROWS[:2, :-1], ROWS[:3]], ids=["short", "too many"])
def test_rows_that_do_not_fit_are_refused_together(store: VectorStore, rows: np.ndarray) -> None:
    with pytest.raises(VectorRefused):
        store.add([1, 2], Packed.of(rows))
    assert len(store) == 0


def test_one_id_twice_in_one_call_is_refused(store: VectorStore) -> None:
    with pytest.raises(VectorRefused, match="different ids"):
        store.add([1, 1], Packed.of(ROWS[:2]))


@pytest.mark.parametrize(
    "query", [np.zeros(DIMS, np.float32), np.full(DIMS, np.nan, np.float32), ROWS[0, :-1], ROWS[:1]]
)
def test_a_query_that_is_no_vector_is_refused(full: VectorStore, query: np.ndarray) -> None:
    with pytest.raises(VectorRefused):
        full.search(query, 10)


def test_another_measure_decides_before_the_best_are_chosen(full: VectorStore) -> None:
    favoured = np.arange(600) % 5 == 0

    near = full.search(ROWS[9], 5, score=lambda ids, cosines: cosines + np.where(favoured[ids], 0.05, 0))

    wanted = ROWS @ ROWS[9] + np.where(favoured, 0.05, 0)
    assert [one.id for one in near] == np.argsort(-wanted)[:5].tolist()
    assert [one.score for one in near] == pytest.approx(np.sort(wanted)[::-1][:5], abs=1e-5)


def test_rows_are_given_back_for_the_ids_that_there_are(full: VectorStore) -> None:
    full.remove([7])

    ids, rows = full.rows(np.array([3, 7, 599, 10_000, -1, 0]))

    assert ids.tolist() == [3, 599, 0]
    assert rows == pytest.approx(ROWS[[3, 599, 0]], abs=1e-5)


def test_all_ids_are_told(full: VectorStore) -> None:
    full.remove([7])

    assert sorted(full.ids.tolist()) == [number for number in range(600) if number != 7]


def test_without_a_wish_the_vectors_are_in_memory() -> None:
    assert open_store(DIMS).link is Link.SIMSIMD


def test_low_memory_takes_the_first_link_that_loads(tmp_path: Path) -> None:
    store = open_store(DIMS, low_memory=tmp_path / "vectors.sqlite")

    assert store.link is Link.VEC_APSW
    store.close()


def test_without_simsimd_numpy_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simsimd", None)

    assert open_store(DIMS).link is Link.NUMPY
    with pytest.raises(LinkUnavailable, match="simsimd"):
        open_store(DIMS, link=Link.SIMSIMD)


def test_without_sqlite_vec_the_vectors_are_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)

    assert open_store(DIMS, low_memory=tmp_path / "vectors.sqlite").link is Link.SIMSIMD
    with pytest.raises(LinkUnavailable, match="sqlite-vec is not installed"):
        open_store(DIMS, low_memory=tmp_path / "vectors.sqlite", link=Link.VEC_CTYPES)


def test_a_link_on_disk_needs_a_file() -> None:
    with pytest.raises(LinkUnavailable, match="needs a file"):
        open_store(DIMS, link=Link.VEC_APSW)
