"""The units that one question is about to rank, with those beside them.

In a conversation the answer often stands beside the question, and a short turn says less by itself than a long
paragraph: so a unit borrows from its neighbours, the more the shorter it is. A fact stands for itself and borrows
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from memory.index.port import Entry
from memory.model import Kind

SHORT = 150
"""Characters of a unit that borrows half of what an empty one would."""


class Candidate(NamedTuple):
    """A unit to rank. A tuple, because a question makes some hundreds of them.

    Attributes:
        entry: the unit.
        here: its place among the pool's entries.
        before, behind: the places of its neighbours in the file; at the ends, one past the last entry.
        share: of its neighbours' counts and nearness, what it borrows of each.
    """

    entry: Entry
    here: int
    before: int
    behind: int
    share: float


class Pool:
    """Candidates: newest first, then as they stand in their files; and all entries, which are these and neighbours."""

    def __init__(self, entries: Sequence[Entry], wanted: Collection[int], *, beside: float) -> None:
        """Pair the units whose ids are wanted with their neighbours.

        Args:
            entries: the candidates and their neighbours.
            wanted: ids of the candidates.
            beside: what an empty unit would borrow.
        """
        self.entries = entries
        self.ids = [entry.id for entry in entries]
        at = {(entry.file, entry.order): place for place, entry in enumerate(entries)}
        nobody = len(entries)
        ids = frozenset(wanted)
        found = [
            Candidate(
                entry,
                place,
                at.get((entry.file, entry.order - 1), nobody),
                at.get((entry.file, entry.order + 1), nobody),
                borrowed(entry.characters, beside) if entry.kind == Kind.NOTE else 0.0,
            )
            for place, entry in enumerate(entries)
            if entry.id in ids
        ]
        found.sort(key=lambda one: (one.entry.path, one.entry.order))
        found.sort(key=lambda one: one.entry.first or "", reverse=True)
        self.candidates = found


def borrowed(characters: float, beside: float) -> float:
    """The share of its neighbours' counts that a unit of this length borrows; `beside` is that of an empty one."""
    return beside * SHORT / (SHORT + characters)
