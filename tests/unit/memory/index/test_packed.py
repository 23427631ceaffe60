"""Sixteen bits a number lose next to nothing, also on the way through a file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memory.errors import VectorRefused
from memory.index.packed import Packed, blob_dims
from tests.unit.memory.index.corpora import clustered

ROWS = clustered(200, 384)


def test_products_are_those_of_the_float_rows() -> None:
    assert np.abs(Packed.of(ROWS).floats() @ ROWS[7] - ROWS @ ROWS[7]).max() < 5e-6


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

    assert np.abs(Packed.of(rows).floats() - rows / length).max() < 3e-5


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_row_of_no_use_is_refused(bad: float) -> None:
    rows = ROWS[:3].copy()
    rows[1] = bad

    with pytest.raises(VectorRefused):
        Packed.of(rows)
