"""Scanning eight bits loses no neighbour, because sixteen decide between the best."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.packed import Packed
from memory.index.vectors import ExactVectors
from memory.model import Link
from memory.ports import Vectors
from tests.unit.memory.index.corpora import clustered, narrow, nearest


def recall(rows: Vectors, queries: Vectors, limit: int, link: Link) -> float:
    store = ExactVectors(rows.shape[1], link=link)
    store.add(range(len(rows)), Packed.of(rows))
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


def test_searching_goes_on_while_rows_come_and_go() -> None:
    rows = clustered(3000, 64)
    store = ExactVectors(64)
    store.add(range(500), Packed.of(rows[:500]))
    done = threading.Event()

    def write() -> None:
        for start in range(500, 3000, 100):
            store.add(range(start, start + 100), Packed.of(rows[start : start + 100]))
            store.remove(range(start, start + 50))
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    answers = [store.search(rows[7], 5)[0].id]
    while not done.is_set():
        answers.append(store.search(rows[7], 5)[0].id)
    writer.join()

    assert set(answers) == {7}
    assert len(store) == 500 + 25 * 50
