"""What every vector store speaks: who is near, and who may be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.errors import VectorRefused
from memory.model import Link
from memory.ports import Vectors
from memory.vector import unit

if TYPE_CHECKING:
    from memory.index.packed import Packed

Ids: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

Allow: TypeAlias = Callable[[Ids], Mask]
"""Given the ids of all rows, in the store's order, says which of them may be found: one bool each."""

Score: TypeAlias = Callable[[Ids, Vectors], Vectors]
"""Given ids and their rows' dot products with what is looked for, says how near they are; more is nearer."""


@dataclass(frozen=True, slots=True)
class Near:
    """One row that was found; `score` is its cosine, unless the search was given another measure."""

    id: int
    score: float


class VectorStore(Protocol):
    """Finds the nearest rows exactly. An id stands for one row; adding it again replaces the row.

    Ids are whole numbers from 0, close to each other: stores keep tables by id.
    """

    @property
    def link(self) -> Link:
        """Which way of searching is in use."""
        ...

    @property
    def ids(self) -> Ids:
        """The ids of all rows, in any order."""
        ...

    def __len__(self) -> int: ...

    def add(self, ids: Iterable[int], rows: Packed) -> None:
        """Take in rows.

        Args:
            ids: of the units, which are never reused for another text.
            rows: as many.

        Raises:
            VectorRefused: the rows have another size than the store's, or an id comes twice; none was taken in.
        """
        ...

    def remove(self, ids: Iterable[int]) -> None:
        """Drop rows; an unknown id is none."""
        ...

    def search(
        self, toward: Vectors, limit: int, *, allow: Allow | None = None, score: Score | None = None
    ) -> list[Near]:
        """The nearest rows among those allowed, best first; of equal ones the lower id.

        Args:
            toward: shape (dims,).
            limit: at most so many.
            allow: which rows may be found.
            score: what "near" means; without it the cosine.

        Raises:
            VectorRefused: `toward` is not a usable vector of this size.
        """
        ...

    def rows(self, ids: Ids) -> tuple[Ids, Vectors]:
        """The rows of those ids that there are, shape (n, dims), and these ids."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


def only(ids: Iterable[int]) -> Allow:
    """Allow these ids and no others."""
    wanted = np.fromiter(ids, np.int64)
    return lambda rows: np.isin(rows, wanted)


def allowed(ids: Ids, allow: Allow) -> Mask:
    """Ask the filter, and hold it to one answer per row."""
    mask = np.asarray(allow(ids))
    if mask.shape != ids.shape or mask.dtype != np.bool_:
        raise ValueError(f"A filter answered {mask.dtype} of shape {mask.shape} for {len(ids)} rows.")
    return mask


def direction(vector: Vectors, dims: int) -> Vectors:
    """What is looked for at length 1, shape (dims,); raises `VectorRefused`."""
    if vector.ndim != 1:
        raise VectorRefused(f"A query of shape {vector.shape} came where one vector was expected.")
    row: Vectors = unit(vector[None], dims=dims)[0]
    return row


def distinct(ids: Iterable[int], rows: Packed, dims: int) -> Ids:
    """Ids for rows: as many of one as of the other and no id twice; raises `VectorRefused`."""
    numbers = np.fromiter(ids, np.int64)
    if rows.dims != dims:
        raise VectorRefused(f"Vectors of {rows.dims} numbers came where {dims} were expected.")
    if len(numbers) != len(rows) or len(np.unique(numbers)) != len(numbers):
        raise VectorRefused(f"{len(rows)} vectors came for {len(np.unique(numbers))} different ids.")
    return numbers


def highest(values: Vectors, count: int) -> Ids:
    """Where the highest values are, in any order."""
    if count >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[-count:]


def in_order(ids: Ids, scores: Vectors) -> list[Near]:
    """Best first; of equal ones the lower id."""
    near = [Near(number, score) for number, score in zip(ids.tolist(), scores.tolist(), strict=True)]
    return sorted(near, key=lambda one: (-one.score, one.id))
