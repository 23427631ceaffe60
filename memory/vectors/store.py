"""A search that compares every one of the 8-bit vectors in memory, and the stores it is one of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import inf, sqrt
from typing import NamedTuple, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory.embed.checks import MIN_LENGTH, unit
from memory.errors import BackendUnavailable, VectorRefused
from memory.ports import Vectors
from memory.types import VectorBackend

Ids: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

Allow: TypeAlias = Callable[[Ids], Mask]
"""Given the ids of all rows, in the store's order, says which of them may be found: one bool each."""
Score: TypeAlias = Callable[[Ids, Vectors], Vectors]
"""Given ids and their rows' dot products with what is looked for, says how near they are; more is nearer."""


WIDER = 8
"""So many times the wanted rows a database takes by their products when another measure decides between them."""
CANDIDATES = 2
"""So many times the wanted rows, and at least 32, are compared again with the question in 32 bits instead of 8.

That found every row that 8 bits had misplaced, also among 17,000 vectors of the built-in model, which lie close.
"""
_FEW = 8  # when fewer than one row in so many is allowed, copying them out is cheaper than scanning all
_SPARE = 1.5
_MIN_ROWS = 256
_MIN_COMPARED = 32
_NOWHERE = -1
_MIN_BLOCKS = 4
_MIN_BLOCK = 20  # values from which looking for the highest of each block takes less time than it saves
_BLOCK = 1024  # rows whose float32 copies fit into the cache of the processor
_STEP_BYTES = 4


class Near(NamedTuple):
    """One row that was found; `score` is its cosine, unless the search was given another measure."""

    id: int
    score: float


class VectorStore(Protocol):
    """Finds the nearest rows by comparing all. An id stands for one row; adding it again replaces the row.

    Ids are whole numbers from 0, close to each other: stores keep tables by id. For one thread at a time.
    """

    @property
    def backend(self) -> VectorBackend:
        """Which way of searching is in use."""
        ...

    @property
    def ids(self) -> Ids:
        """The ids of all rows, in any order."""
        ...

    def __len__(self) -> int: ...

    def add(self, ids: Iterable[int], rows: Packed) -> None:
        """Take in rows, one for each of the ids of units, which are never reused for another text.

        Raises `VectorRefused`, and takes in none, if the rows have another size than the store's, or an id comes twice.
        """
        ...

    def remove(self, ids: Iterable[int]) -> None:
        """Drop rows; an unknown id is none."""
        ...

    def search(
        self, toward: Vectors, limit: int, *, allow: Allow | None = None, score: Score | None = None
    ) -> list[Near]:
        """Return the rows nearest to a vector, shape (dims,), among those allowed, best first; of equals the lower id.

        Without a `score` the cosine counts. Raises `VectorRefused` unless it is a usable vector of this size.
        """
        ...

    def rows(self, ids: Ids) -> tuple[Ids, Vectors]:
        """Return the rows of those ids that there are, shape (n, dims), and these ids."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


def direction(vector: Vectors, dims: int) -> Vectors:
    """Return what is looked for at length 1, shape (dims,); raises `VectorRefused`."""
    wide = vector.astype(np.float64)
    length = sqrt(float(wide @ wide)) if wide.shape == (dims,) else 0.0
    if not MIN_LENGTH <= length < inf:
        raise VectorRefused(f"A query of shape {vector.shape} is no vector of {dims} finite numbers that has a length.")
    row: Vectors = (wide / length).astype(np.float32)
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
    """Return where the highest values are, at least one, in any order."""
    if count >= len(values):
        return np.arange(len(values))
    size = len(values) // (_MIN_BLOCKS * count)
    if size < _MIN_BLOCK:
        return values.argpartition(len(values) - count)[-count:]
    # At least `count` values reach the highest but so many of the blocks' maxima: only those need be told apart.
    blocks = len(values) // size
    maxima = values[: blocks * size].reshape(size, blocks).max(axis=0)
    places = np.flatnonzero(values >= np.partition(maxima, blocks - count)[blocks - count])
    return places[values[places].argpartition(len(places) - count)[-count:]]


def in_order(ids: Ids, scores: Vectors, limit: int | None = None) -> list[Near]:
    """At most so many, best first; of equal ones the lower id."""
    best = np.lexsort((ids, -scores))[:limit]
    return [*map(tuple.__new__, repeat(Near), zip(ids[best].tolist(), scores[best].tolist(), strict=True))]


Whole: TypeAlias = NDArray[np.int8]

Kernel: TypeAlias = Callable[[Whole, Whole], Vectors]
"""Dot products of a query, shape (dims,), with at least one row, shape (n, dims), as float32 of shape (n,)."""


def kernel(backend: VectorBackend) -> Kernel:
    """Return the kernel of one backend; raises `BackendUnavailable` if its library is not installed."""
    return _simsimd() if backend is VectorBackend.SIMSIMD else _numpy


def _simsimd() -> Kernel:
    try:
        import simsimd
    except ImportError as error:
        hint = "numpy searches in its place."
        raise BackendUnavailable(f"simsimd cannot be imported: {error}.", hint=hint) from error

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


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of length 1, each as `step * whole`; the dot product with another is off by about 4e-4.

    Attributes:
        whole: shape (n, dims), from -127 to 127.
        step: shape (n,), what one of `whole` is worth in each row: 1 / the length of `whole`.
    """

    whole: Whole
    step: Vectors

    @classmethod
    def empty(cls, count: int, dims: int) -> Self:
        """Room for so many rows."""
        return cls(np.empty((count, dims), np.int8), np.empty(count, np.float32))

    @classmethod
    def of(cls, vectors: ArrayLike, *, dims: int | None = None) -> Self:
        """Pack vectors, shape (n, dims), of any length but none. Rows that were packed before give the same again.

        Raises `VectorRefused` if one is not finite, has no length or another size.
        """
        whole, _ = quantised(unit(vectors, dims=dims))
        step: Vectors = (1 / np.linalg.norm(whole.astype(np.float32), axis=1)).astype(np.float32)
        return cls(whole, step)

    @classmethod
    def of_blobs(cls, blobs: Sequence[bytes]) -> Self:
        """Rows as `blobs` wrote them, all of one size, at least one."""
        raw: NDArray[np.uint8] = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), -1)
        step: Vectors = raw[:, :_STEP_BYTES].copy().view("<f4").reshape(-1).astype(np.float32)
        return cls(raw[:, _STEP_BYTES:].view(np.int8), step)

    def __len__(self) -> int:
        return len(self.step)

    @property
    def dims(self) -> int:
        """Numbers in a vector."""
        return int(self.whole.shape[1])

    def blobs(self) -> Iterable[bytes]:
        """Return each row in a form to keep: 4 + dims bytes."""
        steps = self.step.astype("<f4")
        return (step.tobytes() + whole.tobytes() for step, whole in zip(steps, self.whole, strict=True))

    def take(self, places: Ids) -> Packed:
        """Return the rows at these places."""
        return Packed(self.whole[places], self.step[places])

    def floats(self) -> Vectors:
        """Return the rows as float32, shape (n, dims)."""
        rows: Vectors = self.whole * self.step[:, None]
        return rows


def blob_dims(blob: bytes) -> int:
    """Numbers in a vector that was kept as a blob."""
    return len(blob) - _STEP_BYTES


class ExactVectors:
    """A `VectorStore` in memory: dims + 20 bytes a row."""

    def __init__(self, dims: int, *, backend: VectorBackend = VectorBackend.SIMSIMD) -> None:
        """An empty store; `backend` is `SIMSIMD` or `NUMPY`. Raises `BackendUnavailable` as `kernel` does."""
        self.backend = backend
        self._dims = dims
        self._dots = kernel(backend)
        self._count = 0
        self._ids: Ids = np.empty(0, np.int64)
        self._rows = Packed.empty(0, dims)
        self._places: Ids = np.empty(0, np.int64)  # where the row of each id is

    def __len__(self) -> int:
        return self._count

    @property
    def ids(self) -> Ids:
        return self._ids[: self._count]

    def add(self, ids: Iterable[int], rows: Packed) -> None:
        numbers = distinct(ids, rows, self._dims)
        self.remove(numbers)
        count, highest_id = self._count + len(numbers), int(numbers.max(initial=0))
        if count > len(self._ids):
            more = int(count * _SPARE) + _MIN_ROWS - len(self._ids)
            self._ids, whole, step = (
                np.concatenate([column, np.empty((more, *column.shape[1:]), column.dtype)])
                for column in (self._ids, self._rows.whole, self._rows.step)
            )
            self._rows = Packed(whole, step)
        if highest_id >= len(self._places):
            more = int(highest_id * _SPARE) + _MIN_ROWS - len(self._places)
            self._places = np.pad(self._places, (0, more), constant_values=_NOWHERE)
        added = slice(self._count, count)
        self._ids[added], self._rows.whole[added], self._rows.step[added] = numbers, rows.whole, rows.step
        self._places[numbers] = np.arange(self._count, count)
        self._count = count

    def remove(self, ids: Iterable[int]) -> None:
        places = np.unique(self._find(np.fromiter(ids, np.int64)))
        gone = places[places != _NOWHERE]
        left = self._count - len(gone)
        self._places[self._ids[gone]] = _NOWHERE
        # The last rows that stay come into the places of those that go.
        holes, last = gone[gone < left], np.setdiff1d(np.arange(left, self._count), gone)
        for column in (self._ids, self._rows.whole, self._rows.step):
            column[holes] = column[last]
        self._places[self._ids[holes]] = holes
        self._count = left

    def search(
        self, toward: Vectors, limit: int, *, allow: Allow | None = None, score: Score | None = None
    ) -> list[Near]:
        query = direction(toward, self._dims)
        may = allow(self.ids) if allow else None
        found = None if may is None or may.all() else np.flatnonzero(may)
        ids = self.ids if found is None else self.ids[found]
        if not len(ids) or limit < 1:
            return []
        scores = self._estimated(query, found)
        if score:
            scores = score(ids, scores)
        best = highest(scores, max(limit * CANDIDATES, _MIN_COMPARED))
        best = best[ids[best].argsort()]  # a product's last digit depends on the place of its row
        exact = self._rows.take(best if found is None else found[best]).floats() @ query
        return in_order(ids[best], score(ids[best], exact) if score else exact, limit)

    def rows(self, ids: Ids) -> tuple[Ids, Vectors]:
        places = self._find(ids)
        there = places != _NOWHERE
        return ids[there], self._rows.take(places[there]).floats()

    def close(self) -> None:
        self._count, self._rows = 0, Packed.empty(0, self._dims)
        self._ids = self._places = np.empty(0, np.int64)

    def _find(self, ids: Ids) -> Ids:
        """Return where the rows of these ids are; `_NOWHERE` for those that there are not."""
        known = (ids >= 0) & (ids < len(self._places))
        places = np.full(len(ids), _NOWHERE)
        places[known] = self._places[ids[known]]
        return places

    def _estimated(self, query: Vectors, found: Ids | None) -> Vectors:
        """Return the products with the rows that may be found, None for all of them, as near as 8 bits come."""
        whole, step = quantised(query[None])
        rows, count = self._rows, self._count
        if found is not None and len(found) * _FEW < count:
            products = self._dots(whole[0], rows.whole[found])
        else:
            products = self._dots(whole[0], rows.whole[:count])
            products = products if found is None else products[found]
        products *= rows.step[:count] if found is None else rows.step[found]
        products *= step
        return products
