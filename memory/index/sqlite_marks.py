"""What reads the marks of units: which guide, and who speaks of themself."""

from __future__ import annotations

import apsw

from memory.index.port import Voice
from memory.model import Scope


def guiding(db: apsw.Connection, scope: Scope) -> list[int]:
    """Units that hold a standing instruction or a preference."""
    rows = db.execute("SELECT id FROM units INDEXED BY units_guiding WHERE scope = ? AND marks & 3", (scope,))
    return [unit for (unit,) in rows]


def voices(db: apsw.Connection) -> dict[str, Voice]:
    """The speakers, with how many units they say and how many of these in the first person."""
    rows = db.execute(
        "SELECT substr(said.key, 6), said.value, own.value FROM sums said "
        "JOIN sums own ON own.key = 'self.' || substr(said.key, 6) "
        "WHERE said.key >= 'said.' AND said.key < 'said/' AND said.value > 0"
    )
    return {speaker: Voice(units, first) for speaker, units, first in rows}
