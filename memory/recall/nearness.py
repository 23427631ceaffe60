"""How near units are to a question in meaning, from 0 to 1 within one question.

A similarity counts from half a deviation above the mean of the whole collection on: that scale does not change with
the size of the collection, nor with the embedder. The nearest of the pool has 1. A question is asked a second time,
moved towards the best units of the first (J. Rocchio, 1971, "Relevance feedback in information retrieval").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memory.recall.pool import Pool

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.index.meaning import Scan

FLOOR = 0.5
"""Deviations above the mean at which nearness begins."""
_LEAST = 1e-9


class Nearness:
    """A pool as one question sees it, candidate by candidate.

    Attributes:
        known: whether the unit has a vector.
        values: 0 for what is no nearer than most, 1 for the nearest; 0 without a vector.
    """

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
        similar = scan.similarities(pool.ids)
        own = [found or 0.0 for found in similar] + [0.0]
        self.known = [similar[one.here] is not None for one in pool.candidates]
        smoothed = [own[here] + share * (own[a] + own[b]) for _, here, a, b, share in pool.candidates]
        best = max((value for value, known in zip(smoothed, self.known, strict=True) if known), default=0.0)
        # A lone unit is at the mean, and one far off can push the floor above all others: the nearest is near even so.
        floor, span = (self._floor, best - self._floor) if best > self._floor else (best - _LEAST, _LEAST)
        self.values = [
            max(0.0, (value - floor) / span) if known else 0.0
            for value, known in zip(smoothed, self.known, strict=True)
        ]

    def moved(self, weights: Mapping[int, float], *, by: float) -> Nearness:
        """The same for the question moved towards units (by id, with weights); nearness begins where it did."""
        return Nearness(self._scan.nudged(weights, by=by), self._pool, floor=self._floor)
