"""What speaks for a unit besides its words and its meaning: its day, what it is about, what it guides, who says it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import date

from memory.index.port import Entry, Voice
from memory.language.guidance import GUIDING, TextFlags, is_first_person, turns_to_agent
from memory.model import Kind
from memory.recall.calendar import Days
from memory.recall.recipe import Recipe
from memory.recall.search import Asked

FADING_DAYS = 7.0
"""After so many days beside those that were asked for, closeness in time has fallen to 1/e."""
_GUIDING = int(GUIDING)
_LITTLE_HEARD = 5
"""Units of silence that every speaker is credited with: who has said two things is not known yet."""


class Evidence:
    """The parts of a score that are told apart by the question."""

    def __init__(self, asked: Asked, recipe: Recipe, *, about: Collection[int], voices: Mapping[str, Voice]) -> None:
        """Read what the question calls for.

        Args:
            asked: the question.
            recipe: the weights.
            about: ids of the units that are about an entity that the question names.
            voices: the speakers in the collection.
        """
        self._recipe = recipe
        self._about = frozenset(about)
        self._closeness = _Closeness([days for when in asked.query.when for days in when.days])
        self._preference = recipe.preference if turns_to_agent(asked.query.text) else 0.0
        speaks = is_first_person(asked.query.text) and recipe.asker > 0
        self._asking = _asking(voices) if speaks else {}

    def fixed(self, entry: Entry) -> dict[str, float]:
        """The parts that do not depend on how near the unit is; none is zero."""
        recipe, parts = self._recipe, {}
        if entry.id in self._about:
            parts["entity"] = recipe.entity
        if closeness := self._closeness(entry.first, entry.last):
            parts["time"] = recipe.time * closeness
        if sound := self._asking.get(entry.speaker, 0.0):
            parts["asker"] = recipe.asker * sound
        if entry.kind != Kind.NOTE:
            parts["fact"] = recipe.fact
        return parts

    def guiding(self, entry: Entry) -> dict[str, float]:
        """The parts of the nearest unit that guides; others have them by how near they are. None is zero."""
        if not entry.marks & _GUIDING:
            return {}
        parts = {
            "standing": self._recipe.standing * bool(entry.marks & TextFlags.STANDING),
            "preference": self._preference * bool(entry.marks & TextFlags.PREFERENCE),
        }
        return {name: part for name, part in parts.items() if part}


def _asking(voices: Mapping[str, Voice]) -> dict[str, float]:
    """How much each speaker sounds like the one who asks, 0 to 1: the share of what they say about themselves,
    relative to whoever does so most. What nobody says is the owner's own note. Nothing if there are no speakers.
    """
    shares = {who: voice.first_person / (voice.units + _LITTLE_HEARD) for who, voice in voices.items()}
    most = max(shares.values(), default=0.0)
    return {"": 1.0} | {who: share / most for who, share in shares.items()} if most else {}


class _Closeness:
    """1 for a unit about the days that were asked for, fading with the distance; 0 if none were."""

    def __init__(self, asked: Collection[Days]) -> None:
        self._asked = asked
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, first: str | None, last: str | None) -> float:
        if not self._asked or not first or not last:
            return 0.0
        if (first, last) not in self._known:
            self._known[first, last] = self._measured(date.fromisoformat(first), date.fromisoformat(last))
        return self._known[first, last]

    def _measured(self, first: date, last: date) -> float:
        return math.exp(-min(days.distance(first, last) for days in self._asked) / FADING_DAYS)
