"""Both kernels give the exact whole-number products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.kernels import kernel, quantised
from memory.model import Link

LINKS = [Link.SIMSIMD, Link.NUMPY]


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
@settings(max_examples=30)
@given(count=st.integers(1, 2500), dims=st.integers(1, 800), seed=st.integers(0, 1000))
def test_products_are_exact_for_any_shape(link: Link, count: int, dims: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(-127, 128, (count, dims), dtype=np.int8)
    query = random.integers(-127, 128, dims, dtype=np.int8)

    dots = kernel(link)(query, rows)

    assert dots.dtype == np.float32
    assert np.array_equal(dots, rows.astype(np.int64) @ query.astype(np.int64))


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_the_largest_numbers_do_not_overflow(link: Link) -> None:
    rows = np.full((3, 1024), 127, np.int8)
    rows[1] = -127

    assert kernel(link)(rows[0], rows).tolist() == [1024 * 127**2, -1024 * 127**2, 1024 * 127**2]


def test_the_largest_number_of_each_row_becomes_127() -> None:
    whole, step = quantised(np.array([[0.5, -1.0], [0.01, 0.0]], np.float32))

    assert whole.tolist() == [[64, -127], [127, 0]]
    assert whole[:, 0] * step == pytest.approx([0.5, 0.01], rel=0.01)
