"""Words and meaning put together: how near a candidate is, between 0 and 1, and how much each side counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory.model import Profile

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.index.meaning import Scan

FLOOR = 0.5
"""Deviations above the mean of all similarities below which a unit is not near at all."""
MEANING = 0.5
ENOUGH = 0.4
"""Words count fully when one unit holds this share of what the question's words tell."""
OPENCLAW_MEANING = 0.7


@dataclass(frozen=True, slots=True)
class Fusion:
    """How much meaning adds to each candidate, and what share of a candidate's words counts.

    Attributes:
        nearness: unit -> between 0 and 1; empty if words are searched alone.
        meaning: the weight of nearness; words have the rest.
        enough: the coverage from which words count fully; 0 if they always do.
    """

    nearness: Mapping[int, float] = field(default_factory=dict)
    meaning: float = 0.0
    enough: float = 0.0

    @classmethod
    def of(cls, scan: Scan | None, ids: Sequence[int], *, profile: Profile) -> Fusion:
        """Scale the similarities of one question's candidates between the floor and the best of them."""
        if scan is None:
            return cls()
        found = dict(zip(ids, scan.similarities(ids), strict=True))
        known = {unit: similarity for unit, similarity in found.items() if similarity is not None}
        if profile is Profile.OPENCLAW:
            return cls({unit: max(0.0, cosine) for unit, cosine in known.items()}, OPENCLAW_MEANING)
        floor = scan.mean + FLOOR * scan.deviation
        span = max(known.values(), default=floor) - floor
        nearness = {unit: max(0.0, (similarity - floor) / span) for unit, similarity in known.items() if span > 0}
        return cls(nearness, MEANING, ENOUGH)

    def words(self, coverage: float) -> float:
        """The weight of words, when the best unit has this share of what the question's words tell."""
        return (1 - self.meaning) * (min(1.0, coverage / self.enough) if self.enough else 1.0)
