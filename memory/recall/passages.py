"""Builds passages from ranked units: each is widened over its neighbours while there is room, none comes twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memory.files.notation import parse_fact
from memory.index.owners import whole_name
from memory.index.port import Entry, Index, Span, Stored
from memory.index.units import Unit, statement
from memory.recall.ranking import Ranked, Ranking
from memory.types import Citation, Hit, Kind, Scope

MAX_WIDENING_RANK = 30
"""Passages after the first few are widened only over neighbours that are among so many of the best themselves."""
MAX_NEIGHBOURS = 3
"""Neighbours of a note on each side."""
MAX_FACT_PIECES = 8
"""Pieces of a long fact on each side: a fact that is handed over whole has no more."""
MAX_PASSAGE_CHARS = 1000
"""Characters that a passage is widened to."""
MAX_JUDGED_HITS = 12
"""Hits whose relevance is measured: nobody takes the thirteenth for an answer."""
MAX_NEAR_HITS = 3
"""Units that came next, and are reported beside the passages."""
Judge = Callable[[Entry, Unit], tuple[float, dict[str, float]]]
"""Measures how likely a unit is an answer; returns the relevance and the measures."""
_GAP = 2
"""Lines from one unit to the next with nothing but a blank one between them."""


@dataclass(frozen=True, slots=True)
class RecallBudget:
    """How much may be handed over: passages, characters over all of them, passages that grow over any neighbour."""

    passages: int = 6
    characters: int = 8000
    widened: int = 5


@dataclass(frozen=True, slots=True)
class Packed:
    """Passages that are handed over, and units that came after them."""

    hits: tuple[Hit, ...]
    near: tuple[Hit, ...]


def pack(index: Index, ranking: Ranking, *, scope: Scope, room: RecallBudget, judge: Judge) -> Packed:
    """Turn the best units into passages that fit into `room`.

    A unit that is longer than the characters left is left out, except for the very first, which is cut.
    """
    packing = _Packing(index, ranking, scope, judge)
    packing.read_ahead(room.passages)
    hits: list[Hit] = []
    left = room.characters
    for one in ranking.order:
        if len(hits) == room.passages or left <= 0:
            break
        hit = packing.build_passage(one, room=left, whole=bool(hits), freely=len(hits) < room.widened)
        if hit:
            hits.append(hit)
            left -= len(hit.content)
    return Packed(tuple(hits), tuple(packing.next_units(MAX_NEAR_HITS)))


class _Packing:
    def __init__(self, index: Index, ranking: Ranking, scope: Scope, judge: Judge) -> None:
        self._index = index
        self._ranking = ranking
        self._judge = judge
        self._scope = scope
        self._best = {one.entry.id for one in ranking.order[:MAX_WIDENING_RANK]}
        self._used: set[int] = set()
        self._bodies: set[str] = set()
        self._judged = 0
        self._near: dict[int, list[Stored]] = {}

    def read_ahead(self, count: int) -> None:
        """Read the neighbours of the best units together: most of them are handed over."""
        best = [one.entry for one in self._ranking.order[:count]]
        found = self._index.spans([_span(entry) for entry in best], scope=self._scope)
        self._near = {entry.id: near for entry, near in zip(best, found, strict=True)}

    def build_passage(self, one: Ranked, *, room: int, whole: bool, freely: bool) -> Hit | None:
        """Build the passage around one unit; None if it has been handed over, repeats another, or is too long.

        Args:
            one: the unit.
            room: characters that are left.
            whole: whether a unit that is too long is left out, and not cut.
            freely: whether the passage may grow over neighbours that do not rank well.
        """
        if one.entry.id in self._used or (whole and one.entry.characters > room):
            return None
        near = self._near.get(one.entry.id)
        if near is None:
            (near,) = self._index.spans([_span(one.entry)], scope=self._scope)
        at = next((n for n, stored in enumerate(near) if stored.id == one.entry.id), None)
        if at is None or near[at].unit.body in self._bodies:
            return None
        pieces = [stored for stored in near if _are_one(stored.unit, near[at].unit)]
        if _is_whole(pieces[0].unit):
            passage: Sequence[Stored] = pieces[:1]
        else:
            first, last = self._widen(near, at, limit=min(MAX_PASSAGE_CHARS, room), freely=freely)
            passage = near[first : last + 1]
        self._used.update(stored.id for stored in (*passage, *pieces))
        self._bodies.update(stored.unit.body for stored in (*passage, near[at]))
        return self._hit(one, passage, near[at], room)

    def next_units(self, count: int) -> list[Hit]:
        """Return the best units that were not handed over, as hits."""
        left = [one for one in self._ranking.order if one.entry.id not in self._used][:count]
        found = {stored.id: stored for stored in self._index.stored([one.entry.id for one in left], scope=self._scope)}
        units = [(one, found[one.entry.id]) for one in left if one.entry.id in found]
        return [self._hit(one, [stored], stored, MAX_PASSAGE_CHARS) for one, stored in units]

    def _widen(self, near: Sequence[Stored], at: int, *, limit: int, freely: bool) -> tuple[int, int]:
        """Return the first and last of the neighbours that fit in, taken one on each side at a time."""
        first = last = at
        size = len(near[at].unit.text)
        ends = {-1, 1}
        while ends:
            for side in sorted(ends):
                edge, nearest = (first, first - 1) if side < 0 else (last, last + 1)
                if not 0 <= nearest < len(near) or not self._may_join(near[edge], near[nearest], freely=freely):
                    ends.discard(side)
                    continue
                if size + len(near[nearest].unit.text) >= limit:
                    ends.discard(side)
                    continue
                size += len(near[nearest].unit.text) + 1
                first, last = min(first, nearest), max(last, nearest)
        return first, last

    def _may_join(self, edge: Stored, other: Stored, *, freely: bool) -> bool:
        """Return whether a passage may go on from one unit to the next. A fact is widened over its own pieces only."""
        if _are_one(edge.unit, other.unit):
            return True
        is_alike = edge.unit.origin.is_foreign == other.unit.origin.is_foreign  # a passage is of its unit's origin
        before, behind = sorted((edge, other), key=lambda stored: stored.order)
        together = behind.order - before.order == 1 and behind.unit.start - before.unit.end <= _GAP
        notes = edge.unit.kind is Kind.NOTE and other.unit.kind is Kind.NOTE
        return together and notes and is_alike and other.id not in self._used and (freely or other.id in self._best)

    def _hit(self, one: Ranked, passage: Sequence[Stored], ranked: Stored, room: int) -> Hit:
        parts = {name: round(part, 4) for name, part in self._ranking.parts(one.entry).items()}
        self._judged += 1
        relevance, grounds = self._judge(one.entry, ranked.unit) if self._judged <= MAX_JUDGED_HITS else (0.0, {})
        hit = shown(ranked, passage, room=room)
        return replace(hit, score=round(one.score, 4), parts=parts, relevance=relevance, grounds=grounds)


def shown(ranked: Stored, passage: Sequence[Stored] = (), *, room: int | None = None) -> Hit:
    """Convert a unit to a hit, with the passage around it (itself, if there is none) cut to `room` characters.

    Of a long fact the passage is introduced by the fact's first line.
    """
    passage = passage or (ranked,)
    unit, head = ranked.unit, passage[0].unit
    first, last = head.start, passage[-1].unit.end
    if _is_whole(head):
        fact = parse_fact(head.text)
        content, last = statement(fact.text, head.entities), first + head.text.count("\n")
    elif unit.kind is Kind.NOTE or whole_name(head.name) == head.name:
        content = _join_lines(passage)
    else:
        content = f"{head.lead} […]\n{_join_lines(passage)}"
    if room is not None and len(content) > room:
        content = content[:room].rsplit(" ", 1)[0].rstrip() or content[:room]
        last = first + content.count("\n")
    return Hit(
        id=whole_name(unit.name),
        kind=unit.kind,
        time=unit.time,
        entities=unit.entities,
        content=content,
        source=Citation(ranked.path, first, last),
        unit=Citation(ranked.path, unit.start, unit.end),
        scope=unit.scope,
        origin=unit.origin,
        score=0.0,
        title=unit.lead_in,
        category=unit.category,
        tags=unit.tags,
        attributes=unit.attributes,
        evidence=unit.evidence,
        fact_source=unit.fact_source,
        since=unit.since,
        until=unit.until,
        known=unit.known,
    )


def _span(entry: Entry) -> Span:
    """Return the units that a passage around one may be made of."""
    steps = MAX_NEIGHBOURS if entry.kind == Kind.NOTE else MAX_FACT_PIECES
    return Span(entry.file, entry.order - steps, entry.order + steps)


def _are_one(one: Unit, other: Unit) -> bool:
    """Return whether two units are pieces of one fact, or the same unit."""
    return whole_name(one.name) == whole_name(other.name)


def _is_whole(unit: Unit) -> bool:
    """Return whether a unit has the lines of a whole fact, whatever piece of it is ranked."""
    return unit.kind is not Kind.NOTE and unit.text != unit.body


def _join_lines(passage: Sequence[Stored]) -> str:
    """Join the lines as they stand in the file; several pieces of one line are put together again."""
    text = passage[0].unit.text
    for before, behind in pairwise(passage):
        text += "\n" * (behind.unit.start - before.unit.end) + behind.unit.text
    return text.strip("\n")
