"""A collection by meaning: the vectors of its units, and what one question is near to."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from memory.index.columns import Columns, Placed
from memory.index.metric import Direction, Metric
from memory.index.nearest import Ids, Near, VectorStore, direction
from memory.index.packed import Packed
from memory.index.stores import open_store
from memory.model import EVERYWHERE, OWNER, Link, Scope, Where
from memory.ports import Vectors

Folder: TypeAlias = Callable[[str], Iterable[int]]
"""The index's numbers of the files whose paths begin like this."""

SAMPLE = 2048
"""Rows that the statistics are taken from, evenly spaced. 1,000 and 4,000 of 16,000 gave the same ranking."""
DRIFT = 8
"""The statistics are taken anew when one in so many rows has come or gone since."""

SCOPES = 8
"""Chats whose statistics are kept for their next question."""

_AT_ONCE = 4096


class Meaning:
    """The vectors of one index. All of them come from one embedder. For one thread at a time."""

    def __init__(
        self, dims: int, *, folder: Folder = lambda _: (), link: Link | None = None, low_memory: Path | None = None
    ) -> None:
        """An empty collection.

        Args:
            dims: numbers in a vector.
            folder: tells which files a path's beginning stands for.
            link: which way of searching; the fastest that there is if left out.
            low_memory: a file to keep the vectors in, instead of memory.

        Raises:
            LinkUnavailable: `link` cannot be had here.
        """
        self._store: VectorStore = open_store(dims, link=link, low_memory=low_memory)
        self._columns = Columns(folder)
        self._metrics: dict[bool, _Fitted] = {}
        self._of_scopes: OrderedDict[tuple[str, bool], tuple[Ids, _Fitted]] = OrderedDict()
        self._changed = 0

    @property
    def link(self) -> Link:
        """Which way of searching is in use."""
        return self._store.link

    def __len__(self) -> int:
        return len(self._store)

    def add(self, units: Sequence[Placed], rows: Packed) -> None:
        """Take in units with their vectors; one that is known gets the new vector.

        Raises:
            VectorRefused: as many vectors as units, and of this collection's size, were expected.
        """
        ids = [unit.id for unit in units]
        self._store.add(ids, rows)
        self._of_scopes.clear()
        self._columns.put(units)
        for fitted in self._metrics.values():
            fitted.add(np.array(ids, np.int64), rows)
        self._changed += len(ids)

    def regain(self, units: Iterable[int]) -> set[int]:
        """Of a store on disk, let go of all that went while nobody looked; which of these units it still holds."""
        kept = {*self._store.ids.tolist()}
        alive = kept.intersection(units)
        self._store.remove(kept - alive)
        return alive

    def place(self, units: Sequence[Placed]) -> None:
        """Take in units whose vectors the store has."""
        self._columns.put(units)

    def remove(self, ids: Iterable[int]) -> None:
        """Let go of units; an unknown one is none."""
        before = len(self._store)
        self._store.remove(ids)
        self._changed += before - len(self._store)

    def rescope(self, owners: Mapping[int, str]) -> None:
        """Give units to others."""
        self._columns.rescope(owners)

    def ask(self, question: Vectors, *, scope: Scope = OWNER, plain: bool = False) -> Scan | None:
        """Hold a question's vector, shape (dims,), against the collection; None if there is nothing to hold it against.

        Args:
            question: from the embedder that the collection's vectors are from.
            scope: who asks: the statistics are those of all units for the owner, of its own units for any other scope.
            plain: score by the bare cosine instead of the collection's own metric.

        Raises:
            VectorRefused: not a usable vector of this collection's size.
        """
        own = None if scope == OWNER else self._own(scope)
        count = len(self._store) if own is None else len(own)
        if not count:
            return None
        fitted = self._fitted(plain=plain) if own is None else self._fitted_to(scope, own, plain=plain)
        asked = direction(question, fitted.dims)
        shifted = fitted.metric.shifted(asked[None])[0]
        return Scan(self._store, self._columns, fitted, shifted, asked=asked, count=count)

    def close(self) -> None:
        """Let go of files."""
        self._store.close()

    def _fitted(self, *, plain: bool) -> _Fitted:
        if self._changed * DRIFT >= len(self._store):
            self._metrics.clear()
            self._changed = 0
        if plain not in self._metrics:
            self._metrics[plain] = self._fit(np.sort(self._store.ids), plain=plain)
        return self._metrics[plain]

    def _own(self, scope: Scope) -> Ids:
        """A scope's units, in order."""
        ids = self._store.ids
        return np.sort(ids[self._columns.allow(scope)(ids)])

    def _fitted_to(self, scope: Scope, ids: Ids, *, plain: bool) -> _Fitted:
        """The statistics of one chat's units, taken anew whenever these are others: no one else's have a part in it."""
        kept = self._of_scopes.pop((scope, plain), None)
        fitted = kept[1] if kept and np.array_equal(kept[0], ids) else self._fit(ids, plain=plain)
        self._of_scopes[scope, plain] = ids, fitted
        while len(self._of_scopes) > SCOPES:
            self._of_scopes.popitem(last=False)
        return fitted

    def _fit(self, ids: Ids, *, plain: bool) -> _Fitted:
        sample = ids[np.linspace(0, len(ids) - 1, min(SAMPLE, len(ids))).astype(np.int64)]
        _, rows = self._store.rows(sample)
        fitted = _Fitted(Metric.plain(rows) if plain else Metric.fitted(rows), int(self._store.ids.max()) + 1)
        for start in range(0, len(ids), _AT_ONCE):
            fitted.take(*self._store.rows(ids[start : start + _AT_ONCE]))
        return fitted


class _Fitted:
    """A metric with what it needs to know of each row, in a table by unit id."""

    def __init__(self, metric: Metric, room: int) -> None:
        self.metric = metric
        self.inverse: Vectors = np.zeros(room, np.float32)

    @property
    def dims(self) -> int:
        return len(self.metric.centre)

    def add(self, ids: Ids, rows: Packed) -> None:
        self.take(ids, rows.floats())

    def take(self, ids: Ids, rows: Vectors) -> None:
        highest = int(ids.max(initial=-1))
        if highest >= len(self.inverse):
            self.inverse = np.concatenate([self.inverse, np.zeros(highest + 1, np.float32)])
        self.inverse[ids] = self.metric.inverse(rows)


class Scan:
    """One question against all vectors of a collection.

    Similarities are comparable within one scan only. They belong to the rows as they are now: a scan is used within
    the call that asked for it.

    Attributes:
        asked: the question's own vector, shape (dims,).
        count: of all units that have a vector and that the asker may see.
        mean, deviation: of the similarities of these units: what is far above the mean is near.
    """

    def __init__(
        self, store: VectorStore, columns: Columns, fitted: _Fitted, question: Vectors, *, asked: Vectors, count: int
    ) -> None:
        self.asked = asked
        self.count = count
        self._store = store
        self._columns = columns
        self._fitted = fitted
        self._question = question
        self._direction: Direction = fitted.metric.direction(question)
        self._pool = _Pool(store)
        self.mean = self._direction.mean
        self.deviation = self._direction.deviation

    def best(
        self, limit: int, *, scope: Scope, where: Where = EVERYWHERE, among: Iterable[int] | None = None
    ) -> list[Near]:
        """The units with the highest similarity, best first; what may be found is settled before they are chosen.

        Args:
            limit: at most so many.
            scope: whose units.
            where: which of them.
            among: if given, only these units.
        """
        allow = self._columns.allow(scope, where, among=among)
        return self._store.search(self._direction.toward, limit, allow=allow, score=self._score)

    def similarities(self, ids: Sequence[int]) -> list[float | None]:
        """How near each of these units is; None for one that has no vector (yet)."""
        there, rows = self._pool.rows(ids)
        found = dict(zip(there.tolist(), self._score(there, rows @ self._direction.toward).tolist(), strict=True))
        return [found.get(unit) for unit in ids]

    def vector(self, unit: int) -> Vectors | None:
        """A unit's own vector, shape (dims,); None if it has none (yet)."""
        return self._pool.row(unit)

    def nudged(self, weights: Mapping[int, float], *, by: float) -> Scan:
        """The same question, moved towards units (Rocchio's feedback).

        Args:
            weights: unit id -> how much it counts beside the others, 0 or more; a unit without a vector counts nothing.
            by: how far to move: at 1 as far as the question itself points.
        """
        there, rows = self._store.rows(np.array([*weights], np.int64))
        shares = np.array([weights[unit] for unit in there.tolist()], np.float32)
        total = float(shares.sum())
        moved = by / total * (shares @ self._fitted.metric.shifted(rows)) if total > 0 else 0
        nudged = Scan(
            self._store, self._columns, self._fitted, self._question + moved, asked=self.asked, count=self.count
        )
        nudged._pool = self._pool
        return nudged

    def _score(self, ids: Ids, dots: Vectors) -> Vectors:
        return self._direction.similarities(dots, self._fitted.inverse[ids])


class _Pool:
    """The rows that were read last: feedback asks for the same again."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store
        self._asked: Sequence[int] = ()
        self._rows: tuple[Ids, Vectors] | None = None

    def rows(self, ids: Sequence[int]) -> tuple[Ids, Vectors]:
        """The rows of those units that have one, and these units."""
        if self._rows is None or self._asked != ids:
            self._asked, self._rows = ids, self._store.rows(np.array(ids, np.int64))
        return self._rows

    def row(self, unit: int) -> Vectors | None:
        """One unit's row; None if it has none."""
        there, rows = self._rows or self._store.rows(np.array([unit], np.int64))
        places = np.flatnonzero(there == unit)
        if not len(places) and self._rows and unit not in self._asked:
            there, rows = self._store.rows(np.array([unit], np.int64))
            places = np.arange(len(there))
        return rows[places[0]] if len(places) else None
