"""What every vector store speaks: who is near, and who may be looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.errors import VectorRefused
from memory.ports import Vectors
from memory.vector import unit

Ids: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

Allow: TypeAlias = Callable[[Ids], Mask]
"""Given the ids of all rows, in the store's order, says which of them may be found: one bool each."""

Rows: TypeAlias = Callable[[Collection[int]], Mapping[int, bytes]]
"""Reads float32 rows by id, as `VectorCache.get` gives them. An id may be missing from the answer."""


class Link(StrEnum):
    """The way in which vectors are searched; shown by `doctor` and `status`."""

    SIMSIMD = "simsimd"
    NUMPY = "numpy"
    VEC_APSW = "sqlite-vec, loaded by apsw"
    VEC_SQLITE3 = "sqlite-vec, loaded by sqlite3"
    VEC_CTYPES = "sqlite-vec, registered through ctypes"


@dataclass(frozen=True, slots=True)
class Near:
    """One row that was found; `cosine` is 1 for the same direction."""

    id: int
    cosine: float


class VectorStore(Protocol):
    """Finds the nearest rows exactly. An id stands for one row; adding it again replaces the row."""

    @property
    def link(self) -> Link:
        """Which way of searching is in use."""
        ...

    def __len__(self) -> int: ...

    def add(self, ids: Iterable[int], vectors: Vectors) -> None:
        """Take in rows.

        Args:
            ids: of the units, which are never reused for another text.
            vectors: shape (n, dims).

        Raises:
            VectorRefused: a row is not finite, has no length or another size; none was taken in.
        """
        ...

    def remove(self, ids: Iterable[int]) -> None:
        """Drop rows; an unknown id is none."""
        ...

    def compact(self) -> None:
        """Give back the room of dropped rows."""
        ...

    def search(self, vector: Vectors, limit: int, *, allow: Allow | None = None) -> list[Near]:
        """The nearest rows among those allowed, best first; of equal ones the lower id.

        Raises:
            VectorRefused: the query is not a usable vector of this size.
        """
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


def only(ids: Iterable[int]) -> Allow:
    """Allow these ids and no others."""
    wanted = np.fromiter(ids, np.int64)
    return lambda rows: np.isin(rows, wanted)


def allowed(ids: Ids, allow: Allow | None) -> Mask:
    """Ask the filter, and hold it to one answer per row."""
    if allow is None:
        return np.ones(len(ids), np.bool_)
    mask = np.asarray(allow(ids))
    if mask.shape != ids.shape or mask.dtype != np.bool_:
        raise ValueError(f"A filter answered {mask.dtype} of shape {mask.shape} for {len(ids)} rows.")
    return mask


def query_row(vector: Vectors, dims: int) -> Vectors:
    """The query at length 1, shape (dims,); raises `VectorRefused`."""
    if vector.ndim != 1:
        raise VectorRefused(f"A query of shape {vector.shape} came where one vector was expected.")
    row: Vectors = unit(vector[None], dims=dims)[0]
    return row


def new_rows(ids: Iterable[int], vectors: Vectors, dims: int) -> tuple[Ids, Vectors]:
    """Ids and rows of length 1, as many of one as of the other and no id twice; raises `VectorRefused`."""
    numbers = np.fromiter(ids, np.int64)
    rows = unit(vectors, dims=dims)
    if len(numbers) != len(rows) or len(np.unique(numbers)) != len(numbers):
        raise VectorRefused(f"{len(rows)} vectors came for {len(np.unique(numbers))} different ids.")
    return numbers, rows
