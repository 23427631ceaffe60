"""Exact vector search in memory: 8-bit rows are scanned, the best of them compared again in float32."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite
from threading import Lock

import numpy as np

from memory.index.kernels import Whole, kernel, quantised
from memory.index.nearest import Allow, Ids, Link, Mask, Near, Rows, allowed, new_rows, query_row
from memory.ports import Vectors

CANDIDATES = 2
"""So many times the wanted rows, and at least 32, are compared again in float32.

That found every row that 8 bits had misplaced, also among 17,000 vectors of the built-in model, which lie close.
"""

_FEW = 8  # when fewer than one row in so many is allowed, copying them out is cheaper than scanning all
_SPARE = 1.5
_LEAST = 256
_LEAST_COMPARED = 32


@dataclass(frozen=True, slots=True)
class _Table:
    """Arrays of one capacity, of which the first `count` rows are filled. Filled rows change in `alive` only."""

    ids: Ids
    whole: Whole
    step: Vectors
    alive: Mask
    count: int = 0

    @classmethod
    def empty(cls, capacity: int, dims: int) -> _Table:
        return cls(
            np.empty(capacity, np.int64),
            np.empty((capacity, dims), np.int8),
            np.empty(capacity, np.float32),
            np.zeros(capacity, np.bool_),
        )

    def living(self, capacity: int) -> _Table:
        """A copy with more room, without the dead rows."""
        copy = _Table.empty(capacity, self.whole.shape[1])
        keep = np.flatnonzero(self.alive[: self.count])
        for old, new in ((self.ids, copy.ids), (self.whole, copy.whole), (self.step, copy.step)):
            np.take(old, keep, axis=0, out=new[: len(keep)])
        copy.alive[: len(keep)] = True
        return replace(copy, count=len(keep))


class ExactVectors:
    """A `VectorStore` in memory: dims + 13 bytes a row.

    Searching while another thread adds or removes is safe: a search sees the table as it was when it began.
    """

    def __init__(self, dims: int, *, link: Link = Link.SIMSIMD, rows: Rows | None = None) -> None:
        """An empty store.

        Args:
            dims: numbers in a vector.
            link: `SIMSIMD` or `NUMPY`.
            rows: reads float32 rows for the second comparison; without it the 8-bit order stands.

        Raises:
            LinkUnavailable: the link's library is not installed.
        """
        self.link = link
        self._dims = dims
        self._dots = kernel(link)
        self._rows = rows
        self._lock = Lock()
        self._table = _Table.empty(_LEAST, dims)

    def __len__(self) -> int:
        return int(self._table.alive.sum())

    def add(self, ids: Iterable[int], vectors: Vectors) -> None:
        """See `VectorStore.add`."""
        numbers, rows = new_rows(ids, vectors, self._dims)
        whole, step = quantised(rows)
        with self._lock:
            self._drop(numbers)
            table = self._with_room(len(numbers))
            start, end = table.count, table.count + len(numbers)
            table.ids[start:end], table.whole[start:end], table.step[start:end] = numbers, whole, step
            table.alive[start:end] = True
            self._table = replace(table, count=end)

    def remove(self, ids: Iterable[int]) -> None:
        """See `VectorStore.remove`."""
        with self._lock:
            self._drop(np.fromiter(ids, np.int64))

    def compact(self) -> None:
        """See `VectorStore.compact`; adding does it too when it has to grow."""
        with self._lock:
            self._table = self._table.living(max(_LEAST, len(self)))

    def search(self, vector: Vectors, limit: int, *, allow: Allow | None = None) -> list[Near]:
        """See `VectorStore.search`."""
        query = query_row(vector, self._dims)
        table = self._table
        mask = allowed(table.ids[: table.count], allow) & table.alive[: table.count]
        found = np.flatnonzero(mask)
        if not len(found) or limit < 1:
            return []
        cosines = self._estimated(query, table, found)
        best = _highest(cosines, max(limit * CANDIDATES, _LEAST_COMPARED))
        return self._compared(query, table.ids[found[best]], cosines[best])[:limit]

    def close(self) -> None:
        """See `VectorStore.close`."""
        self._table = _Table.empty(_LEAST, self._dims)

    def _drop(self, ids: Ids) -> None:
        table = self._table
        table.alive[: table.count] &= ~np.isin(table.ids[: table.count], ids)

    def _with_room(self, more: int) -> _Table:
        table = self._table
        if table.count + more <= len(table.ids):
            return table
        return table.living(int((len(self) + more) * _SPARE) + _LEAST)

    def _estimated(self, query: Vectors, table: _Table, found: Ids) -> Vectors:
        """The cosines of the rows that may be found, as near as 8 bits come."""
        whole, step = quantised(query[None])
        if len(found) * _FEW < table.count:
            dots = self._dots(whole[0], table.whole[found])
        else:
            dots = self._dots(whole[0], table.whole[: table.count])[found]
        cosines: Vectors = dots * table.step[found] * step
        return cosines

    def _compared(self, query: Vectors, ids: Ids, cosines: Vectors) -> list[Near]:
        """The candidates in their order in float32; one whose row is missing or damaged keeps its estimate."""
        numbers: list[int] = ids.tolist()
        exact = dict(zip(numbers, cosines.tolist(), strict=True))
        read = self._rows(numbers) if self._rows is not None else {}
        whole = {number: row for number, row in read.items() if len(row) == 4 * self._dims}
        if whole:
            rows = np.frombuffer(b"".join(whole.values()), np.float32).reshape(len(whole), self._dims)
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                again = rows @ query / np.linalg.norm(rows, axis=1)
            exact.update(
                (number, cosine) for number, cosine in zip(whole, again.tolist(), strict=True) if isfinite(cosine)
            )
        near = [Near(number, cosine) for number, cosine in exact.items()]
        return sorted(near, key=lambda one: (-one.cosine, one.id))


def _highest(values: Vectors, count: int) -> Ids:
    """Where the highest values are, in any order."""
    if count >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[-count:]
