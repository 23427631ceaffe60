"""Vectors are held to their size, and to having a direction, before they get anywhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from memory.embed.checks import unit
from memory.errors import VectorRefused


def test_rows_come_back_with_length_one_in_float32() -> None:
    rows = unit([[3, 4], [0, -2]])

    assert rows.dtype == np.float32
    assert rows.tolist() == [pytest.approx([0.6, 0.8]), [0, -1]]


@pytest.mark.parametrize(
    "rows",
    [
        [[float("nan"), 1.0]],
        [[float("inf"), 1.0]],
        [[1.0, 2.0], [0.0, 0.0]],
        [[1e-30, 0.0]],
        [[1.0, None]],
        [["a", "b"]],
        [[1.0], [1.0, 2.0]],
        [1.0, 2.0],
        [[]],
        [],
    ],
)
def test_what_is_no_vector_is_refused(rows: ArrayLike) -> None:
    with pytest.raises(VectorRefused):
        unit(rows)


def test_another_size_than_asked_for_is_refused() -> None:
    with pytest.raises(VectorRefused, match="rows of 3 numbers"):
        unit([[1.0, 0.0]], dims=3)


def test_the_message_names_the_row() -> None:
    with pytest.raises(VectorRefused, match="Vector 1 of 3"):
        unit([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])


@given(st.lists(st.lists(st.floats(-1e30, 1e30), min_size=4, max_size=4), min_size=1, max_size=5))
def test_whatever_passes_is_finite_and_of_length_one(rows: ArrayLike) -> None:
    try:
        passed = unit(rows)
    except VectorRefused:
        return
    assert np.isfinite(passed).all()
    assert np.linalg.norm(passed.astype(np.float64), axis=1) == pytest.approx(1, abs=1e-6)
