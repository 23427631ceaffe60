"""How observations are judged: what becomes of one, and which facts surprised."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memory.types import Citation, Origin


class Decision(StrEnum):
    """What becomes of an observation."""

    MERGE = "merge"
    """It is known: a restatement is counted, and nothing is written into the files."""
    LINK = "link"
    """Something like it is known: it becomes a fact, to be looked at when facts are consolidated."""
    NOVEL = "novel"
    """Nothing like it is known, and it is worth a fact."""
    SENSORY = "sensory"
    """Nothing like it is known, and it is kept for a day only."""


@dataclass(frozen=True, slots=True)
class Observed:
    """How an observation was judged.

    Attributes:
        decision: what became of it.
        fact_id: the fact that it became or was merged into, without `^`; None for what is sensory.
        similarity: to the nearest fact, 0 to 1 on the common scale; 0 if there is none.
        error: the prediction error, 1 - similarity.
        salience: importance x error, 0 to 1.
        surprise: it is novel and salient, or it contradicts what is known.
        at: where the fact stands; None for what is sensory.
        nearest: the id of the most similar fact, or of the one that is contradicted; None if there is none.
        reason: why words alone were compared; empty if meaning was, too.
    """

    decision: Decision
    fact_id: str | None
    similarity: float
    error: float
    salience: float
    surprise: bool = False
    at: Citation | None = None
    nearest: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SurprisingFact:
    """A fact that was not to be expected.

    The journal's record `seq`, of the ISO instant `at`, says so. `against` is what it contradicts; empty if merely new.
    """

    seq: int
    at: str
    fact_id: str
    text: str
    source: Citation
    origin: Origin
    against: str = ""
