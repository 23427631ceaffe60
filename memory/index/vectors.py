"""Exact vector search in memory: 8-bit rows are scanned, the best of them compared again in 16 bits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from memory.index.kernels import kernel, quantised
from memory.index.nearest import (
    Allow,
    Ids,
    Mask,
    Near,
    Score,
    allowed,
    direction,
    distinct,
    highest,
    in_order,
)
from memory.index.packed import Packed
from memory.model import Link
from memory.ports import Vectors

CANDIDATES = 2
"""So many times the wanted rows, and at least 32, are compared again in 16 bits.

That found every row that 8 bits had misplaced, also among 17,000 vectors of the built-in model, which lie close.
"""

_FEW = 8  # when fewer than one row in so many is allowed, copying them out is cheaper than scanning all
_SPARE = 1.5
_LEAST = 256
_LEAST_COMPARED = 32
_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class _Table:
    """Arrays of one capacity, of which the first `count` rows are filled. Filled rows change in `alive` only.

    `places` says for every id where its row is.
    """

    ids: Ids
    rows: Packed
    alive: Mask
    places: Ids
    count: int = 0

    @classmethod
    def empty(cls, capacity: int, dims: int, *, ids: int = _LEAST) -> _Table:
        return cls(
            np.empty(capacity, np.int64),
            Packed.empty(capacity, dims),
            np.zeros(capacity, np.bool_),
            np.full(ids, _NOWHERE, np.int64),
        )

    def holding(self, ids: Ids, rows: Packed) -> _Table:
        """The same with further rows, for which there is room."""
        end = self.count + len(ids)
        added = slice(self.count, end)
        self.ids[added], self.alive[added] = ids, True
        self.rows.whole[added], self.rows.rest[added], self.rows.step[added] = rows.whole, rows.rest, rows.step
        self.places[ids] = np.arange(self.count, end)
        return replace(self, count=end)

    def living(self, capacity: int, *, ids: int) -> _Table:
        """A copy with more room, for ids below `ids`, without the dead rows."""
        keep = np.flatnonzero(self.alive[: self.count])
        copy = _Table.empty(capacity, self.rows.dims, ids=max(ids, len(self.places)))
        return copy.holding(self.ids[keep], self.rows.take(keep))

    def place(self, ids: Ids) -> Ids:
        """Where the rows of these ids are; `_NOWHERE` for those that there are not."""
        known = (ids >= 0) & (ids < len(self.places))
        places = np.where(known, self.places[np.where(known, ids, 0)], _NOWHERE)
        return np.where(self.alive[places] & (places < self.count), places, _NOWHERE)


class ExactVectors:
    """A `VectorStore` in memory: 2 x dims + 21 bytes a row.

    Searching while another thread adds or removes is safe: a search sees the table as it was when it began.
    """

    def __init__(self, dims: int, *, link: Link = Link.SIMSIMD) -> None:
        """An empty store.

        Args:
            dims: numbers in a vector.
            link: `SIMSIMD` or `NUMPY`.

        Raises:
            LinkUnavailable: the link's library is not installed.
        """
        self.link = link
        self._dims = dims
        self._dots = kernel(link)
        self._lock = Lock()
        self._table = _Table.empty(_LEAST, dims)

    def __len__(self) -> int:
        return int(self._table.alive.sum())

    @property
    def ids(self) -> Ids:
        """See `VectorStore.ids`."""
        table = self._table
        return table.ids[: table.count][table.alive[: table.count]]

    def add(self, ids: Iterable[int], rows: Packed) -> None:
        """See `VectorStore.add`."""
        numbers = distinct(ids, rows, self._dims)
        with self._lock:
            self._drop(numbers)
            self._table = self._with_room(numbers).holding(numbers, rows)

    def remove(self, ids: Iterable[int]) -> None:
        """See `VectorStore.remove`."""
        with self._lock:
            self._drop(np.fromiter(ids, np.int64))

    def search(
        self, toward: Vectors, limit: int, *, allow: Allow | None = None, score: Score | None = None
    ) -> list[Near]:
        """See `VectorStore.search`."""
        query = direction(toward, self._dims)
        table = self._table
        found = _wanted(table, allow)
        if not len(found) or limit < 1:
            return []
        ids = table.ids[found]
        scores = self._estimated(query, table, found)
        if score:
            scores = score(ids, scores)
        best = highest(scores, max(limit * CANDIDATES, _LEAST_COMPARED))
        exact = table.rows.take(found[best]).floats() @ query
        return in_order(ids[best], score(ids[best], exact) if score else exact)[:limit]

    def rows(self, ids: Ids) -> tuple[Ids, Vectors]:
        """See `VectorStore.rows`."""
        table = self._table
        places = table.place(ids)
        there = places != _NOWHERE
        return ids[there], table.rows.take(places[there]).floats()

    def close(self) -> None:
        """See `VectorStore.close`."""
        self._table = _Table.empty(_LEAST, self._dims)

    def _drop(self, ids: Ids) -> None:
        places = self._table.place(ids)
        self._table.alive[places[places != _NOWHERE]] = False

    def _with_room(self, more: Ids) -> _Table:
        table = self._table
        highest_id = int(more.max(initial=0))
        if table.count + len(more) <= len(table.ids) and highest_id < len(table.places):
            return table
        return table.living(int((len(self) + len(more)) * _SPARE) + _LEAST, ids=int(highest_id * _SPARE) + _LEAST)

    def _estimated(self, query: Vectors, table: _Table, found: Ids) -> Vectors:
        """The products with the rows that may be found, as near as 8 bits come."""
        whole, step = quantised(query[None])
        rows = table.rows
        if len(found) * _FEW < table.count:
            products = self._dots(whole[0], rows.whole[found])
        else:
            products = self._dots(whole[0], rows.whole[: table.count])[found]
        estimated: Vectors = products * rows.step[found] * step
        return estimated


def _wanted(table: _Table, allow: Allow | None) -> Ids:
    """Where the rows are that may be found."""
    alive = table.alive[: table.count]
    return np.flatnonzero(alive if allow is None else alive & allowed(table.ids[: table.count], allow))
