"""Eight bits in memory lose no neighbour, as long as the float rows can be read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.nearest import Link, Rows
from memory.index.vectors import ExactVectors
from memory.ports import Vectors
from tests.unit.memory.index.corpora import clustered, narrow, nearest


def reader(rows: Vectors) -> Rows:
    return lambda ids: {number: rows[number].tobytes() for number in ids}


def recall(rows: Vectors, queries: Vectors, limit: int, link: Link) -> float:
    store = ExactVectors(rows.shape[1], link=link, rows=reader(rows))
    store.add(range(len(rows)), rows)
    hits = 0
    for query in queries:
        hits += len({near.id for near in store.search(query, limit)} & set(nearest(rows, query, limit)))
    return hits / (limit * len(queries))


@pytest.mark.parametrize("link", [Link.SIMSIMD, Link.NUMPY], ids=lambda link: link.name)
@pytest.mark.parametrize("corpus", [clustered, narrow])
@pytest.mark.parametrize("limit", [10, 50])
def test_recall_is_complete_on_rows_as_close_as_those_of_real_texts(
    link: Link, corpus: Callable[[int, int], Vectors], limit: int
) -> None:
    assert recall(corpus(5000, 384), corpus(30, 384), limit, link) >= 0.999


def test_without_float_rows_the_eight_bits_decide_alone() -> None:
    rows = clustered(500, 64)
    store = ExactVectors(64)
    store.add(range(500), rows)

    best = store.search(rows[3], 10)

    assert best[0].id == 3
    assert best[0].cosine == pytest.approx(1, abs=0.01)
    assert len({near.id for near in best} & set(nearest(rows, rows[3], 10))) >= 8


@pytest.mark.parametrize(
    "damaged",
    [b"", b"short", np.full(64, np.nan, np.float32).tobytes(), np.zeros(64, np.float32).tobytes()],
    ids=["empty", "short", "nan", "zero"],
)
def test_a_damaged_float_row_does_not_hide_its_unit(damaged: bytes) -> None:
    rows = clustered(100, 64)

    def read(ids: Collection[int]) -> Mapping[int, bytes]:
        return {number: damaged if number == 3 else rows[number].tobytes() for number in ids if number != 4}

    store = ExactVectors(64, rows=read)
    store.add(range(100), rows)

    assert store.search(rows[3], 1)[0].id == 3
    assert store.search(rows[4], 1)[0].id == 4


def test_only_the_best_few_are_read_again() -> None:
    rows, asked = clustered(2000, 64), []

    def read(ids: Collection[int]) -> Mapping[int, bytes]:
        asked.append(len(ids))
        return {number: rows[number].tobytes() for number in ids}

    store = ExactVectors(64, rows=read)
    store.add(range(2000), rows)
    store.search(rows[0], 50)
    store.search(rows[0], 1)

    assert asked == [100, 32]


def test_the_same_row_twice_is_found_in_the_order_of_the_ids() -> None:
    row = clustered(1, 64)
    store = ExactVectors(64)
    store.add([9, 4, 7], np.repeat(row, 3, axis=0))

    assert [near.id for near in store.search(row[0], 3)] == [4, 7, 9]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_numbers_that_pass_are_found_again(data: st.DataObject) -> None:
    numbers = st.floats(-1e6, 1e6, width=32).filter(lambda x: x == 0 or abs(x) > 1e-6)
    rows = np.array(data.draw(st.lists(st.lists(numbers, min_size=8, max_size=8).filter(any), min_size=1, max_size=20)))
    store = ExactVectors(8, rows=reader((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)))
    store.add(range(len(rows)), rows.astype(np.float32))

    best = store.search(rows[-1].astype(np.float32), len(rows))

    assert best[0].cosine == pytest.approx(1, abs=1e-4)
    assert sorted(near.id for near in best) == list(range(len(rows)))


def test_searching_goes_on_while_rows_come_and_go() -> None:
    rows = clustered(3000, 64)
    store = ExactVectors(64, rows=reader(rows))
    store.add(range(500), rows[:500])
    done = threading.Event()

    def write() -> None:
        for start in range(500, 3000, 100):
            store.add(range(start, start + 100), rows[start : start + 100])
            store.remove(range(start, start + 50))
        store.compact()
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    answers = [store.search(rows[7], 5)[0].id]
    while not done.is_set():
        answers.append(store.search(rows[7], 5)[0].id)
    writer.join()

    assert set(answers) == {7}
    assert len(store) == 500 + 25 * 50
