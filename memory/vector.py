"""What a vector must be before anything is done with it: finite, of the right size, and of length 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from memory.errors import VectorRefused
from memory.ports import Vectors

SHORTEST = 1e-12
"""A vector shorter than this has no direction that float32 could hold."""


def unit(rows: ArrayLike, *, dims: int | None = None) -> Vectors:
    """The rows scaled to length 1.

    Args:
        rows: shape (n, dims), any numbers.
        dims: the size that they must have; None takes any.

    Returns:
        A new float32 array of the same shape.

    Raises:
        VectorRefused: not numbers, not two-dimensional, another size, or a row that is not finite or has no length.
    """
    try:
        wide = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise VectorRefused("What came back are not rows of numbers of one size.") from error
    if wide.ndim != 2 or (dims is not None and wide.shape[1] != dims) or wide.shape[1] == 0:
        wanted = "some" if dims is None else dims
        raise VectorRefused(f"Vectors of shape {wide.shape} came where rows of {wanted} numbers were expected.")
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    bad = ~np.isfinite(length) | (length < SHORTEST)
    if bad.any():
        raise VectorRefused(f"Vector {int(np.argmax(bad))} of {len(wide)} is not finite or has no length.")
    scaled: Vectors = (wide / length).astype(np.float32)
    return scaled
