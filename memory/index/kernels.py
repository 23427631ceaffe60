"""The inner loop of an exact search: one 8-bit query against all 8-bit rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.errors import LinkUnavailable
from memory.model import Link
from memory.ports import Vectors

Whole: TypeAlias = NDArray[np.int8]

Kernel: TypeAlias = Callable[[Whole, Whole], Vectors]
"""Dot products of a query, shape (dims,), with at least one row, shape (n, dims), as float32 of shape (n,)."""

_BLOCK = 1024  # rows whose float32 copies fit into the cache of the processor


def kernel(link: Link) -> Kernel:
    """The kernel of one link.

    Raises:
        LinkUnavailable: its library is not installed.
    """
    return _simsimd() if link is Link.SIMSIMD else _numpy


def _simsimd() -> Kernel:
    try:
        import simsimd
    except ImportError as error:
        raise LinkUnavailable(f"simsimd cannot be imported: {error}.", hint="numpy searches in its place.") from error

    def inner(query: Whole, rows: Whole) -> Vectors:
        found = simsimd.cdist(query[None], rows, metric="inner", out_dtype="float32", threads=1)
        dots: Vectors = np.asarray(found, np.float32)[0]
        return dots

    return inner


def _numpy(query: Whole, rows: Whole) -> Vectors:
    """Whole numbers up to 127 x 127 x dims are exact in float32, which the fast matrix product wants."""
    wide = query.astype(np.float32)
    dots = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        np.dot(block.astype(np.float32), wide, out=dots[start : start + len(block)])
    return dots


def quantised(rows: Vectors) -> tuple[Whole, Vectors]:
    """Rows in whole numbers from -127 to 127, shape (n, dims), and what one step of each row is worth, shape (n,)."""
    step: Vectors = np.abs(rows).max(axis=1) / np.float32(127)
    return np.rint(rows / step[:, None]).astype(np.int8), step
