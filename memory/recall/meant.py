"""What a question means, as far as this collection can tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.index.meaning import Scan
    from memory.recall.gauge import Gauge

NOT_SET_UP = "searching by meaning is not set up."


@dataclass(frozen=True, slots=True)
class Meant:
    """A question held against the vectors of a collection.

    Attributes:
        scan: how near each unit is; None if words are searched alone.
        reason: why there is no scan, or what it does not cover, as the second half of a sentence; empty if it covers
            everything.
        gauge: what the embedder's cosines mean; None for one that nobody has gauged.
    """

    scan: Scan | None = None
    reason: str = NOT_SET_UP
    gauge: Gauge | None = None

    @property
    def mode(self) -> str:
        """What is searched: `words`, or `hybrid` for words and meaning."""
        return "hybrid" if self.scan else "words"

    @property
    def told(self) -> str:
        """How this question is searched for, as a sentence."""
        if self.scan is None:
            return f"Searched by words; {self.reason}"
        return f"Searched by words and meaning; {self.reason}" if self.reason else "Searched by words and meaning."
