"""Both kernels give the exact whole-number products."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memory.errors import VectorRefused
from memory.ports import Vectors
from memory.types import VectorBackend
from memory.vectors.store import ExactVectors, Packed, blob_dims, highest, kernel, quantised
from tests.unit.memory.index.corpora import clustered, narrow, nearest


def recall(rows: Vectors, exact: Vectors, queries: Vectors, limit: int, backend: VectorBackend) -> float:
    """The share of the nearest among the `exact` rows that a store of `rows` finds."""
    store = ExactVectors(rows.shape[1], backend=backend)
    store.add(range(len(rows)), Packed.of(rows))
    hits = 0
    for query in queries:
        hits += len({near.id for near in store.search(query, limit)} & set(nearest(exact, query, limit)))
    return hits / (limit * len(queries))


@pytest.mark.parametrize("backend", [VectorBackend.SIMSIMD, VectorBackend.NUMPY], ids=lambda backend: backend.name)
@pytest.mark.parametrize("corpus", [clustered, narrow])
@pytest.mark.parametrize("limit", [10, 50])
def test_recall_is_complete_on_rows_as_close_as_those_of_real_texts(
    backend: VectorBackend, corpus: Callable[[int, int], Vectors], limit: int
) -> None:
    rows, queries = corpus(5000, 384), corpus(30, 384)

    assert recall(rows, Packed.of(rows).floats(), queries, limit, backend) >= 0.999
    assert recall(rows, rows, queries, limit, backend) >= 0.97  # what 8 bits take away, with the next one as near


def test_an_id_far_above_the_others_finds_room() -> None:
    rows = clustered(3, 64)
    store = ExactVectors(64)
    store.add([0, 1, 70_000], Packed.of(rows))

    assert store.search(rows[2], 1)[0].id == 70_000
    assert store.rows(np.array([70_000, 70_001, 10**9]))[0].tolist() == [70_000]


def test_the_same_row_twice_is_found_in_the_order_of_the_ids() -> None:
    row = clustered(1, 64)
    store = ExactVectors(64)
    store.add([9, 4, 7], Packed.of(np.repeat(row, 3, axis=0)))

    assert [near.id for near in store.search(row[0], 3)] == [4, 7, 9]


@pytest.mark.parametrize("count", range(40, 100, 5))
def test_rows_that_came_and_went_change_no_digit_of_an_answer(count: int) -> None:
    rows, questions = np.tile(clustered(10, 384), (10, 1))[:count], clustered(10, 384)  # many are equal
    left = [number for number in range(count) if number % 3]
    store, anew = ExactVectors(384), ExactVectors(384)
    store.add(range(count), Packed.of(rows))
    store.remove(range(0, count, 3))
    anew.add(left, Packed.of(rows[left]))

    for question in questions:
        assert store.search(question, 30) == anew.search(question, 30)


@settings(max_examples=40)
@given(st.data())
def test_any_numbers_that_pass_are_found_again(data: st.DataObject) -> None:
    numbers = st.floats(-1e6, 1e6, width=32).filter(lambda x: x == 0 or abs(x) > 1e-6)
    rows = np.array(data.draw(st.lists(st.lists(numbers, min_size=8, max_size=8).filter(any), min_size=1, max_size=20)))
    store = ExactVectors(8)
    store.add(range(len(rows)), Packed.of(rows))

    best = store.search(rows[-1].astype(np.float32), len(rows))

    assert best[0].score == pytest.approx(1, abs=1e-4)
    assert sorted(near.id for near in best) == list(range(len(rows)))


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 400), max_size=40, unique=True)), max_size=12))
@settings(max_examples=40)
def test_what_is_there_is_found_whatever_has_come_and_gone(steps: list[tuple[bool, list[int]]]) -> None:
    rows = clustered(401, 16)
    store = ExactVectors(16)
    there = set[int]()

    for comes, ids in steps:
        if comes:
            store.add(ids, Packed.of(rows[ids].reshape(len(ids), 16)))
            there |= {*ids}
        else:
            store.remove([*ids, 999, -1])
            there -= {*ids}

        assert {*store.ids.tolist()} == there
        assert len(store) == len(there)
        found, known = store.rows(np.arange(401))
        assert found.tolist() == sorted(there)
        assert known == pytest.approx(Packed.of(rows[sorted(there)].reshape(-1, 16)).floats())
        assert {near.id for near in store.search(rows[0], 500)} == there


ROWS = clustered(200, 384)


def test_products_are_those_of_the_float_rows() -> None:
    assert np.abs(Packed.of(ROWS).floats() @ ROWS[7] - ROWS @ ROWS[7]).max() < 2e-3


def test_packed_rows_have_length_1_and_are_not_changed_by_packing_them_again() -> None:
    packed = Packed.of(ROWS)
    again = Packed.of(packed.floats())

    assert np.linalg.norm(packed.floats(), axis=1) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(again.whole, packed.whole)
    assert np.array_equal(again.step, packed.step)


def test_rows_come_back_from_their_bytes() -> None:
    packed = Packed.of(ROWS)
    blobs = [*packed.blobs()]

    again = Packed.of_blobs(blobs)

    assert (blob_dims(blobs[0]), again.dims, len(again)) == (384, 384, 200)
    assert np.array_equal(again.floats(), packed.floats())


def test_some_rows_are_taken_in_the_order_asked_for() -> None:
    packed = Packed.of(ROWS)

    assert np.array_equal(packed.take(np.array([7, 3])).floats(), packed.floats()[[7, 3]])


@given(arrays.arrays(np.float32, (3, 16), elements=st.floats(-1e6, 1e6, width=32)))
def test_any_row_with_a_direction_keeps_it(rows: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> None:
    length = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if (length < 1e-12).any():
        with pytest.raises(VectorRefused):
            Packed.of(rows)
        return

    assert np.abs(Packed.of(rows).floats() - rows / length).max() < 0.01


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_row_of_no_use_is_refused(bad: float) -> None:
    rows = ROWS[:3].copy()
    rows[1] = bad

    with pytest.raises(VectorRefused):
        Packed.of(rows)


BACKENDS = [VectorBackend.SIMSIMD, VectorBackend.NUMPY]


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
@settings(max_examples=30)
@given(count=st.integers(1, 2500), dims=st.integers(1, 800), seed=st.integers(0, 1000))
def test_products_are_exact_for_any_shape(backend: VectorBackend, count: int, dims: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(-127, 128, (count, dims), dtype=np.int8)
    query = random.integers(-127, 128, dims, dtype=np.int8)

    dots = kernel(backend)(query, rows)

    assert dots.dtype == np.float32
    assert np.array_equal(dots, rows.astype(np.int64) @ query.astype(np.int64))


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_the_largest_numbers_do_not_overflow(backend: VectorBackend) -> None:
    rows = np.full((3, 1024), 127, np.int8)
    rows[1] = -127

    assert kernel(backend)(rows[0], rows).tolist() == [1024 * 127**2, -1024 * 127**2, 1024 * 127**2]


@given(values=arrays.arrays(np.float32, st.integers(1, 400), elements=st.integers(-20, 20)), count=st.integers(1, 60))
def test_the_highest_are_those_of_a_sort(values: Vectors, count: int) -> None:
    places = highest(values, count)

    assert len({*places.tolist()}) == len(places) == min(count, len(values))
    assert sorted(values[places]) == sorted(values)[-count:]


def test_the_largest_number_of_each_row_becomes_127() -> None:
    whole, step = quantised(np.array([[0.5, -1.0], [0.01, 0.0]], np.float32))

    assert whole.tolist() == [[64, -127], [127, 0]]
    assert whole[:, 0] * step == pytest.approx([0.5, 0.01], rel=0.01)
