"""The units that one question is about to rank, with those beside them.

In a conversation the answer often stands beside the question, and a short turn says less by itself than a long
paragraph: so a unit borrows from its neighbours, the more the shorter it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from memory.index.port import Entry

SHORT = 150
"""Characters of a unit that borrows half of what an empty one would."""


class Candidate(NamedTuple):
    """A unit to rank. A tuple, because a question makes some hundreds of them.

    Attributes:
        entry: the unit.
        before, behind: its neighbours in the file, None at the ends.
        share: of its neighbours' counts and nearness, what it borrows of each.
    """

    entry: Entry
    before: Entry | None
    behind: Entry | None
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
        at = {(entry.file, entry.order): entry for entry in entries}
        ids = frozenset(wanted)
        found = sorted((entry for entry in entries if entry.id in ids), key=lambda entry: (entry.path, entry.order))
        found.sort(key=lambda entry: entry.first or "", reverse=True)
        self.entries = entries
        self.candidates = [
            Candidate(
                entry,
                at.get((entry.file, entry.order - 1)),
                at.get((entry.file, entry.order + 1)),
                borrowed(entry.characters, beside),
            )
            for entry in found
        ]


def borrowed(characters: float, beside: float) -> float:
    """The share of its neighbours' counts that a unit of this length borrows; `beside` is that of an empty one."""
    return beside * SHORT / (SHORT + characters)
