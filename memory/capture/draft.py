"""A message as a fact: its kind, its category and the names in it, by rule."""

from __future__ import annotations

from collections.abc import Sequence

from memory.capture.cues import Language
from memory.capture.languages import languages_for
from memory.capture.names import names_in
from memory.capture.sentences import LONGEST, folded
from memory.types import Fact, Kind

_KINDS = (Kind.PROCEDURE, Kind.INTENTION, Kind.OPINION, Kind.EXPERIENCE, Kind.WORLD)
"""Of the kinds that a statement shows, the first is meant."""

_USUAL = {
    Kind.INTENTION: "goal",
    Kind.PROCEDURE: "workflow",
    Kind.EXPERIENCE: "event",
    Kind.WORLD: "fact",
}
"""The category of a statement that shows no other."""

_PLAIN = frozenset({Kind.WORLD, Kind.OBSERVATION})
_OF_INTENTIONS = frozenset({"goal", "event", "decision"})
"""What an intention can be; "I would like to" is no preference, and "remind me always" no rule."""


def draft(text: str, *, known: Sequence[str] = ()) -> Fact:
    """A text as a fact, to the letter; kind, category and names are guessed from it.

    Args:
        text: what is to be kept.
        known: names of entities in memory, which are recognised in the text.
    """
    simple = " ".join(folded(text[:LONGEST]).split())
    kind, category = _sort(simple, languages_for(simple))
    return Fact(text, kind, names_in(text, known), category)


def _sort(text: str, languages: Sequence[Language]) -> tuple[Kind, str | None]:
    """Kind and category of a folded text."""
    kind, category = _kind(text, languages), _category(text, languages)
    if kind in _PLAIN and category is None and any(language.orders.rule.match(text) for language in languages):
        return Kind.OPINION, "rule"
    if kind is Kind.PROCEDURE or (kind is Kind.INTENTION and category not in _OF_INTENTIONS):
        category = None
    return kind, category or _USUAL.get(kind)


def _kind(text: str, languages: Sequence[Language]) -> Kind:
    if any(language.orders.reminder.match(text) or language.orders.errand.match(text) for language in languages):
        return Kind.INTENTION
    shown = {kind for language in languages for kind, pattern in language.marks.kinds.items() if pattern.search(text)}
    return next((kind for kind in _KINDS if kind in shown), Kind.OBSERVATION)


def _category(text: str, languages: Sequence[Language]) -> str | None:
    marks = (mark for language in languages for mark in language.marks.categories)
    return next((category for category, pattern in marks if pattern.search(text)), None)
