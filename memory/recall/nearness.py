"""How near units are to a question in meaning, from 0 to 1 within one question.

A similarity counts from half a deviation above the mean of the whole collection on: that scale does not change with
the size of the collection, nor with the embedder. The nearest of the pool has 1. A question is asked a second time,
moved towards the best units of the first (J. Rocchio, 1971, "Relevance feedback in information retrieval").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memory.index.port import Entry
from memory.recall.pool import Candidate, Pool

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.index.meaning import Scan

FLOOR = 0.5
"""Deviations above the mean at which nearness begins."""
_LEAST = 1e-9


class Nearness:
    """A pool as one question sees it."""

    def __init__(self, scan: Scan, pool: Pool, *, floor: float | None = None) -> None:
        """Take the similarities of the pool.

        Args:
            scan: the question against the collection.
            pool: the units.
            floor: where nearness begins; from the scan if left out.
        """
        self._scan = scan
        self._pool = pool
        self._floor = scan.mean + FLOOR * scan.deviation if floor is None else floor
        ids = [entry.id for entry in pool.entries]
        self._similar = dict(zip(ids, scan.similarities(ids), strict=True))
        smoothed = {one.entry.id: self._smoothed(one) for one in pool.candidates if self.knows(one.entry)}
        span = max(max(smoothed.values(), default=0.0) - self._floor, _LEAST)
        self._near = {unit: max(0.0, (value - self._floor) / span) for unit, value in smoothed.items()}

    def knows(self, entry: Entry) -> bool:
        """Whether the unit has a vector."""
        return self._similar[entry.id] is not None

    def of(self, entry: Entry) -> float:
        """0 for what is no nearer than most, 1 for the nearest; 0 without a vector."""
        return self._near.get(entry.id, 0.0)

    def moved(self, weights: Mapping[int, float], *, by: float) -> Nearness:
        """The same for the question moved towards units (by id, with weights); nearness begins where it did."""
        return Nearness(self._scan.nudged(weights, by=by), self._pool, floor=self._floor)

    def _smoothed(self, one: Candidate) -> float:
        return self._own(one.entry) + one.share * (self._own(one.before) + self._own(one.behind))

    def _own(self, entry: Entry | None) -> float:
        return (self._similar[entry.id] or 0.0) if entry else 0.0
