from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.life.consolidation.clusters import MAX_CLUSTER, compare_vectors, compare_words, find_medoid, link_averages


def matrix(size: int, pairs: dict[tuple[int, int], float]) -> np.ndarray:
    found = np.eye(size, dtype=np.float32)
    for (one, other), value in pairs.items():
        found[one, other] = found[other, one] = value
    return found


def test_a_chain_of_neighbours_is_no_cluster() -> None:
    chain = matrix(6, {(at, at + 1): 0.6 for at in range(5)})
    assert link_averages(chain, 0.5) == [(0, 1), (2, 3), (4, 5)]


def test_what_is_alike_on_average_is_one_cluster() -> None:
    alike = matrix(4, {(0, 1): 0.9, (0, 2): 0.7, (1, 2): 0.4, (2, 3): 0.1})
    assert link_averages(alike, 0.5) == [(0, 1, 2)]


def test_a_cluster_has_a_largest_size() -> None:
    sizes = [len(one) for one in link_averages(np.ones((100, 100), np.float32), 0.5)]
    assert sum(sizes) == 100
    assert max(sizes) <= MAX_CLUSTER


@given(st.lists(st.floats(0, 1, width=32), min_size=45, max_size=45), st.floats(0.1, 0.9))
def test_clusters_are_disjoint_and_alike_on_average(values: list[float], least: float) -> None:
    alike = np.eye(10, dtype=np.float32)
    alike[np.triu_indices(10, 1)] = values
    alike = np.maximum(alike, alike.T)
    found = link_averages(alike, least)
    every = [at for one in found for at in one]
    assert len(every) == len(set(every))
    assert all(alike[one[0], one[1]] >= least for one in found if len(one) == 2)
    assert found == link_averages(alike, least)


def test_vectors_that_tell_nothing_are_none() -> None:
    assert compare_vectors([]) is None
    assert compare_vectors([None, None]) is None
    assert compare_vectors([np.zeros(4, np.float32)] * 3) is None
    assert compare_vectors([np.ones(4, np.float32)] * 4) is None
    assert compare_vectors([np.full(4, np.nan, np.float32)] * 4) is None


def test_a_vector_that_is_broken_is_like_none() -> None:
    good, other = np.array([1, 0, 0], np.float32), np.array([3, 3, 0], np.float32)
    found = compare_vectors([good, None, good * np.nan, other, np.ones(2, np.float32), -good])
    assert found is not None
    assert found[0].round(2).tolist() == pytest.approx([1, 0, 0, 0.71, 0, 0], abs=0.01)
    assert not found[1].any()


def test_rounding_does_not_choose_which_of_two_statements_stands_for_both() -> None:
    rows = np.random.default_rng(7).normal(size=(100, 384)).astype(np.float32)
    for one, other in zip(rows, rows[::-1], strict=True):
        found = compare_vectors([one, one + 0.1 * other])
        assert found is not None
        assert find_medoid(found, [0, 1], [1, 1]) == 0


def test_words_are_compared_both_ways_alike() -> None:
    found = compare_words(["The tent is green.", "The green tent.", "Lunch was soup."])
    assert found[0, 1] == found[1, 0] > 0.8
    assert found[0, 2] < 0.2


def test_the_medoid_is_most_like_what_was_said_most() -> None:
    alike = matrix(3, {(0, 1): 0.9, (1, 2): 0.6, (0, 2): 0.5})
    assert find_medoid(alike, [0, 1, 2], [1, 1, 1]) == 1
    assert find_medoid(alike, [0, 1, 2], [1, 1, 9]) == 2
