"""Facts that have faded, or were merged into another one, are left out of an answer that did not ask for them.

Strength never hides what was asked for by its own words: only what is found by its meaning or by a name alone can be
left out. Nor does it hide what is of a day that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from memory.index.terms import needle_of, terms
from memory.index.types import Entry, FactLife
from memory.recall.candidates import SearchRequest
from memory.recall.query import Word
from memory.recall.ranking import Ranked
from memory.strength import Fading
from memory.types import Filter, HitStrength

COMMON = 20
COMMON_SHARE = 0.05
"""A word in more units than both of these allow is no fact's own."""


def remove_faded(
    order: list[Ranked],
    request: SearchRequest,
    words: Iterable[Word],
    where: Filter,
    fading: Fading,
    *,
    units: int,
    today: date,
    first: int,
) -> str:
    """Take out of the candidates of a question, best first, the facts that have faded or are merged.

    Where the question is narrowed to days, strength hides nothing. Its `words` are those that tell what it is about;
    `units` is how many the scope has. Returns what was in the way of the `first` of those that remain, which are to be
    handed over, in words for a person; empty for nothing.
    """
    is_dated = bool(where.since or where.until or where.valid or where.known)
    days = [(days.first.isoformat(), days.last.isoformat()) for days in request.query.days]
    names = {term for name in request.entities for term in terms(name, request.query.language)}
    said = {word.text for word in words}
    most = max(COMMON, COMMON_SHARE * units)
    needles = [
        needle_of(term)
        for word in request.words
        if word.text in said and names.isdisjoint(word.terms) and request.count(word) <= most
        for term in word.terms
    ]

    def is_hidden(entry: Entry) -> bool:
        if is_dated or not fading.has_faded(entry, today) or any(needle in entry.terms for needle in needles):
            return False
        return not any(begin <= (entry.last or "") and (entry.first or "9") <= end for begin, end in days)

    kept: list[Ranked] = []
    faded = merged = 0
    for ranked in order:
        would_be_shown = len(kept) < first
        if ranked.entry.merged:
            merged += would_be_shown
        elif ranked.entry.speed is not None and is_hidden(ranked.entry):  # most candidates are notes, which do not age
            faded += would_be_shown
        else:
            kept.append(ranked)
    order[:] = kept
    parts = [
        f"{count:,} {'fact that has' if count == 1 else 'facts that have'} {what}"
        for count, what in ((faded, "faded"), (merged, "been merged into others"))
        if count
    ]
    return f" Left out: {' and '.join(parts)} (`--faded` shows them)." if parts else ""


def strength_of(life: FactLife, fading: Fading, today: date) -> HitStrength:
    """Return how strong a fact is on a day, for whoever wants to know why it is found or not."""
    due = fading.fades_on(life)
    return HitStrength(
        retrievability=round(fading.retrievability(life, today), 4),
        reviewed=life.reviewed,
        uses=life.uses,
        restated=life.restated,
        due=due.isoformat() if due else None,
        pinned=bool(life.pinned),
        merged_into=life.merged_into if life.merged else "",
    )
