"""Vectors in 16 bits a number: the upper 8 are scanned, all 16 decide between the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory.index.kernels import Whole
from memory.index.nearest import Ids
from memory.ports import Vectors
from memory.vector import unit

_FINER = 256
_STEP_BYTES = 4


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of length 1, each as `step * (whole + rest / 256)`; the dot product with another is off by about 2e-6.

    Attributes:
        whole: shape (n, dims), from -127 to 127.
        rest: shape (n, dims), what rounding to `whole` took away, in 256ths.
        step: shape (n,), what one of `whole` is worth in each row.
    """

    whole: Whole
    rest: Whole
    step: Vectors

    @classmethod
    def empty(cls, count: int, dims: int) -> Self:
        """Room for so many rows."""
        return cls(np.empty((count, dims), np.int8), np.empty((count, dims), np.int8), np.empty(count, np.float32))

    @classmethod
    def of(cls, vectors: ArrayLike, *, dims: int | None = None) -> Self:
        """Pack vectors, shape (n, dims), of any length but none.

        Raises:
            VectorRefused: one is not finite, has no length or another size.
        """
        rows = unit(vectors, dims=dims)
        step: Vectors = np.abs(rows).max(axis=1) / np.float32(127)
        scaled = rows / step[:, None]
        whole = np.rint(scaled)
        rest = np.clip(np.rint((scaled - whole) * _FINER), -128, 127)
        return cls(whole.astype(np.int8), rest.astype(np.int8), step)

    @classmethod
    def of_blobs(cls, blobs: Sequence[bytes]) -> Self:
        """Rows as `blobs` wrote them, all of one size, at least one."""
        raw: NDArray[np.uint8] = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), -1)
        dims = (raw.shape[1] - _STEP_BYTES) // 2
        planes = raw[:, _STEP_BYTES:].view(np.int8)
        step: Vectors = raw[:, :_STEP_BYTES].copy().view("<f4").reshape(-1).astype(np.float32)
        return cls(planes[:, :dims].copy(), planes[:, dims:].copy(), step)

    def __len__(self) -> int:
        return len(self.step)

    @property
    def dims(self) -> int:
        """Numbers in a vector."""
        return int(self.whole.shape[1])

    def blobs(self) -> Iterable[bytes]:
        """Each row in a form to keep: 4 + 2 x dims bytes."""
        steps = self.step.astype("<f4")
        return (
            step.tobytes() + whole.tobytes() + rest.tobytes()
            for step, whole, rest in zip(steps, self.whole, self.rest, strict=True)
        )

    def take(self, places: Ids, out: Packed | None = None) -> Packed:
        """The rows at these places, written to the beginning of `out` if there is one."""
        count = len(places)
        into = Packed.empty(count, self.dims) if out is None else out
        np.take(self.whole, places, axis=0, out=into.whole[:count])
        np.take(self.rest, places, axis=0, out=into.rest[:count])
        np.take(self.step, places, out=into.step[:count])
        return into

    def floats(self) -> Vectors:
        """The rows as float32, shape (n, dims)."""
        rows: Vectors = self.rest.astype(np.float32)
        rows /= _FINER
        rows += self.whole
        rows *= self.step[:, None]
        return rows


def blob_dims(blob: bytes) -> int:
    """Numbers in a vector that was kept as a blob."""
    return (len(blob) - _STEP_BYTES) // 2
