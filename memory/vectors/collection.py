"""The vectors of one index under one embedder, and one question against all of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.errors import BackendUnavailable
from memory.index.types import EmbeddedUnit
from memory.ports import Vectors
from memory.types import EVERYWHERE, OWNER, Filter, Scope, VectorBackend
from memory.vectors.columns import Columns, Matching
from memory.vectors.disk import DiskVectors
from memory.vectors.metric import Direction, Metric, inverse, shifted
from memory.vectors.store import ExactVectors, Ids, Mask, Near, Packed, VectorStore, direction

IN_MEMORY = (VectorBackend.SIMSIMD, VectorBackend.NUMPY)
ON_DISK = (VectorBackend.SQLITE_VEC,)
SAMPLE = 2048
"""Rows that the statistics are taken from, evenly spaced. 1,000 and 4,000 of 16,000 gave the same ranking."""
DRIFT = 8
"""The statistics are taken anew when one in so many rows has come or gone since."""
SCOPES = 8
"""Chats whose statistics are kept for their next question."""
_AT_ONCE = 4096


def open_store(dims: int, *, low_memory: Path | None = None, backend: VectorBackend | None = None) -> VectorStore:
    """Return a store of the best backend that can be had, on disk where a `low_memory` file is to keep the vectors.

    Where a `backend` is asked for, no other one is tried; if it cannot be had here, `BackendUnavailable` is raised.
    """
    *better, last = (backend,) if backend else IN_MEMORY if low_memory is None else ON_DISK + IN_MEMORY
    for candidate in better:
        with suppress(BackendUnavailable):  # the store's `backend` tells which one it became
            return _open(candidate, dims, low_memory)
    return _open(last, dims, low_memory)


def _open(backend: VectorBackend, dims: int, low_memory: Path | None) -> VectorStore:
    if backend in IN_MEMORY:
        return ExactVectors(dims, backend=backend)
    if low_memory is None:
        raise BackendUnavailable(f"{backend} needs a file.", hint="Name one as `low_memory`.")
    return DiskVectors(low_memory, dims)


class VectorCollection:
    """The vectors of one index. All of them come from one embedder. For one thread at a time."""

    def __init__(self, store: VectorStore, *, matching: Matching = lambda _: ()) -> None:
        """A collection of what is in a store; of units that are there already nothing more is known."""
        self._store = store
        self._columns = Columns(matching)
        self._metrics: dict[bool, _Fitted] = {}
        self._of_scopes: OrderedDict[tuple[str, bool], _ScopeStatistics] = OrderedDict()
        self._changed = 0
        self._changes = 0

    @property
    def backend(self) -> VectorBackend:
        """Which way of searching is in use."""
        return self._store.backend

    def __len__(self) -> int:
        return len(self._store)

    def add(self, units: Sequence[EmbeddedUnit], rows: Packed) -> None:
        """Take in units with their vectors; one that is known gets the new vector.

        Raises `VectorRefused` unless there are as many vectors as units, of this collection's size.
        """
        ids = [unit.id for unit in units]
        self._store.add(ids, rows)
        self._changes += 1
        self._of_scopes.clear()
        self._columns.put(units)
        for fitted in self._metrics.values():
            fitted.take(np.array(ids, np.int64), rows.floats())
        self._changed += len(ids)

    def regain(self, units: Iterable[int]) -> set[int]:
        """Let a store on disk drop what went while nobody looked; return which of these units it still holds."""
        kept = {*self._store.ids.tolist()}
        alive = kept.intersection(units)
        self._store.remove(kept - alive)
        return alive

    def place(self, units: Sequence[EmbeddedUnit]) -> None:
        """Take in units whose vectors the store has."""
        self._changes += 1
        self._columns.put(units)

    def remove(self, ids: Iterable[int]) -> None:
        """Let go of units; an unknown one is none."""
        before = len(self._store)
        self._store.remove(ids)
        self._changes += 1
        self._changed += before - len(self._store)

    def rescope(self, owners: Mapping[int, str]) -> None:
        """Change the scopes of units, by their numbers."""
        self._changes += 1
        self._columns.rescope(owners)

    def ask(self, question: Vectors, *, scope: Scope = OWNER, plain: bool = False) -> Scan | None:
        """Compare a question's vector, shape (dims,), with the collection; None if there is nothing to compare it with.

        Args:
            question: from the embedder that the collection's vectors are from.
            scope: who asks: the statistics are those of all units for the owner, of its own units for any other scope.
            plain: score by the bare cosine instead of the collection's own metric.

        Raises:
            VectorRefused: not a usable vector of this collection's size.
        """
        if not (count := len(self._store)):
            return None
        if scope == OWNER:
            fitted = self._fitted(plain=plain)
        else:
            own = self._of_scope(scope, plain=plain)
            if own is None:
                return None
            count, fitted = len(own.ids), own.fitted
        asked = direction(question, fitted.dims)
        moved = shifted(asked[None], fitted.metric.centre)[0]
        return Scan(self._store, self._columns, fitted, moved, asked=asked, count=count)

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

    def _of_scope(self, scope: Scope, *, plain: bool) -> _ScopeStatistics | None:
        """Return the statistics of one chat's units alone, taken anew whenever these are others.

        None for a chat that has no units.
        """
        kept = self._of_scopes.pop((scope, plain), None)
        if kept is None or kept.seen != self._changes:
            all_ids = self._store.ids
            ids = np.sort(all_ids[self._columns.allow(scope)(all_ids)])
            if not len(ids):
                return None
            same = kept is not None and np.array_equal(kept.ids, ids)
            kept = _ScopeStatistics(self._changes, ids, kept.fitted if kept and same else self._fit(ids, plain=plain))
        self._of_scopes[scope, plain] = kept
        while len(self._of_scopes) > SCOPES:
            self._of_scopes.popitem(last=False)
        return kept

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

    def take(self, ids: Ids, rows: Vectors) -> None:
        highest = int(ids.max(initial=-1))
        if highest >= len(self.inverse):
            self.inverse = np.concatenate([self.inverse, np.zeros(highest + 1, np.float32)])
        self.inverse[ids] = inverse(rows, self.metric.centre)


@dataclass(frozen=True, slots=True)
class _ScopeStatistics:
    """The statistics `fitted` to one chat's units, whose ids are in order.

    How often the collection had changed by then is in `seen`.
    """

    seen: int
    ids: Ids
    fitted: _Fitted


class Scan:
    """One question against all vectors of a collection.

    Similarities are comparable within one scan only. They belong to the rows as they are now: a scan is used within
    the call that asked for it.

    Attributes:
        asked: the question's own vector, shape (dims,).
        count: of all units that have a vector and that the asker may see.
        direction: where it points, with the mean of these units' similarities: what is far above it is near.
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
        self.direction: Direction = fitted.metric.direction(question)
        self._pool = _Pool(store)

    def best(
        self, limit: int, *, scope: Scope, where: Filter = EVERYWHERE, among: Iterable[int] | None = None
    ) -> list[Near]:
        """Return the units with the highest similarity among those that may be found, best first.

        `among` narrows it to some units.
        """
        allow = self._columns.allow(scope, where, among=among)
        return self._store.search(self.direction.toward, limit, allow=allow, score=self._score)

    def similarities(self, units: Sequence[int]) -> dict[int, float]:
        """Return how near those of these units are that have a vector (already), by their ids."""
        ids = np.array(units, np.int64)
        known, similar = self.measured(ids)
        return dict(zip(ids[known].tolist(), similar[:-1][known].tolist(), strict=True))

    def measured(self, ids: Ids) -> tuple[Mask, NDArray[np.float64]]:
        """Return which of these units have a vector, and how near each is, 0 without one; behind them 0 for no unit."""
        known, there, rows = self._pool.rows(ids)
        similar = np.zeros(len(ids) + 1)
        similar[:-1][known] = self._score(there, rows @ self.direction.toward)
        return known, similar

    def similarity(self, unit: int, vector: Vectors) -> float:
        """Return how near a unit is, whose own vector, shape (dims,), is given."""
        return float(self.direction.similarities(vector @ self.direction.toward, self._fitted.inverse[unit]))

    def vector(self, unit: int) -> Vectors | None:
        """Return a unit's own vector, shape (dims,); None if it has none (yet)."""
        return self._pool.row(unit)

    def nudged(self, weights: Mapping[int, float], *, by: float) -> Scan:
        """Return the same question, moved towards units (Rocchio's feedback): `by` 1 as far as it points itself.

        `weights` say by unit how much each counts beside the others, 0 or more; one without a vector counts nothing.
        """
        there, rows = self._pool.some([*weights])
        shares = np.array([weights[unit] for unit in there.tolist()], np.float32)
        total = float(shares.sum())
        moved = by / total * (shares @ shifted(rows, self._fitted.metric.centre)) if total > 0 else 0
        return self._toward(self._question + moved)

    def turned(self, toward: Vectors) -> Scan:
        """Return the same question, half-way between itself and another vector, shape (dims,): a likely answer's.

        Raises `VectorRefused` unless that is a usable vector of this collection's size.
        """
        beside = shifted(direction(toward, self._fitted.dims)[None], self._fitted.metric.centre)[0]
        return self._toward(self._question + beside)

    def _toward(self, question: Vectors) -> Scan:
        scan = Scan(self._store, self._columns, self._fitted, question, asked=self.asked, count=self.count)
        scan._pool = self._pool
        return scan

    def _score(self, ids: Ids, dots: Vectors) -> Vectors:
        return self.direction.similarities(dots, self._fitted.inverse[ids])


class _Pool:
    """The rows that were read last: feedback asks for the same again, and for one of them."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store
        self._asked: Ids | None = None
        self._read: tuple[Mask, Ids, Vectors] | None = None
        self._places: dict[int, int] = {}

    def rows(self, ids: Ids) -> tuple[Mask, Ids, Vectors]:
        """Return which of these units have a row, these, and their rows."""
        if self._read is None or self._asked is not ids:
            there, rows = self._store.rows(ids)
            self._places = dict(zip(there.tolist(), range(len(there)), strict=True))
            known = np.isin(ids, there) if len(there) < len(ids) else np.ones(len(ids), np.bool_)
            self._asked, self._read = ids, (known, there, rows)
        return self._read

    def some(self, units: Sequence[int]) -> tuple[Ids, Vectors]:
        """Return the same for some units, in their order, which are mostly among those that were read."""
        ids = np.array(units, np.int64)
        if self._read and self._places.keys() >= {*units}:
            return ids, self._read[2][[self._places[unit] for unit in units]]
        return self._store.rows(ids)

    def row(self, unit: int) -> Vectors | None:
        """Return one unit's row; None if it has none."""
        if self._read and unit in self._places:
            kept: Vectors = self._read[2][self._places[unit]]
            return kept
        _, rows = self._store.rows(np.array([unit], np.int64))
        return rows[0] if len(rows) else None
