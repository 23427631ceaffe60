"""Builds passages from ranked units, widened while there is room: no unit comes twice, lines that chunks share may."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from memory.files.notation import parse_fact
from memory.index.owners import is_piece, whole_name
from memory.index.sql import Index
from memory.index.types import Entry, Excerpt, Stored
from memory.index.units import Unit, statement
from memory.recall.ranking import Ranked, Ranking
from memory.types import Citation, Hit, Kind, Origin, Scope

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
MAX_READ_AT_ONCE = 8
"""Units whose surroundings are read by one statement."""
MAX_NEAR_HITS = 3
"""Units that came next, and are reported beside the passages."""
Judge = Callable[[Entry, Unit], tuple[float, dict[str, float]]]
"""Measures how likely a unit is an answer; returns the relevance and the measures."""

_GAP = 2
"""Lines from one unit to the next with nothing but a blank one between them."""


@dataclass(frozen=True, slots=True)
class RecallBudget:
    """How much may be handed over: passages, characters, passages that grow over any neighbour, what scores enough."""

    passages: int = 6
    characters: int = 8000
    widened: int = 5
    min_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Packed:
    """Passages that are handed over, and units that came after them."""

    hits: tuple[Hit, ...]
    near: tuple[Hit, ...]


class Passage(NamedTuple):
    """A text that is handed over, and the first and last line that it stands in."""

    content: str
    first: int
    last: int


def pack(index: Index, ranking: Ranking, *, scope: Scope, budget: RecallBudget, judge: Judge) -> Packed:
    """Turn the best units into passages that fit into a budget.

    A unit that is longer than the characters left is left out, except for the very first, which is cut.
    """
    packing = _Packing(index, ranking, scope)
    passages: dict[int, Passage] = {}
    chosen: list[Ranked] = []
    left = budget.characters
    for place, ranked in enumerate(ranking.order):
        if len(chosen) == budget.passages or left <= 0 or ranked.score < budget.min_score:
            break
        packing.prepare(place, budget.passages - len(chosen))
        units = packing.choose_units(ranked, room=left, whole=bool(chosen), freely=len(chosen) < budget.widened)
        if units:
            passages[ranked.entry.id] = passage = _passage(units, room=left)
            chosen.append(ranked)
            left -= len(passage.content)
    reported = (*chosen, *packing.next_units())
    read = {stored.id: stored for stored in index.stored([ranked.entry.id for ranked in reported], scope=scope)}
    hits: list[Hit] = []
    for number, (entry, score) in enumerate(reported):
        stored = read[entry.id]
        parts = {name: round(part, 4) for name, part in ranking.parts(entry).items()}
        judged = judge(entry, stored.unit) if number < MAX_JUDGED_HITS else (0.0, dict[str, float]())
        passage = passages.get(stored.id) or _passage([stored.unit], room=MAX_PASSAGE_CHARS)
        hits.append(to_hit(stored, passage, score=round(score, 4), parts=parts, judged=judged))
    return Packed(tuple(hits[: len(chosen)]), tuple(hits[len(chosen) :]))


class _Packing:
    """Which units have been handed over already, and what is around the next ones."""

    def __init__(self, index: Index, ranking: Ranking, scope: Scope) -> None:
        self._index = index
        self._ranking = ranking
        self._scope = scope
        self._best = {ranked.entry.id for ranked in ranking.order[:MAX_WIDENING_RANK]}
        self._used: set[int] = set()
        self._bodies: set[str] = set()
        self._surroundings: dict[int, list[Excerpt]] = {}

    def prepare(self, place: int, count: int) -> None:
        """Read what is around the unit at a place of the order, and around some behind it, if it has not been read."""
        if self._ranking.order[place].entry.id not in self._surroundings:
            several = self._ranking.order[place : place + min(count, MAX_READ_AT_ONCE)]
            self._surroundings = self._index.surroundings(
                [ranked.entry.id for ranked in several], scope=self._scope, notes=MAX_NEIGHBOURS, pieces=MAX_FACT_PIECES
            )

    def choose_units(self, ranked: Ranked, *, room: int, whole: bool, freely: bool) -> Sequence[Excerpt]:
        """Return the units of the passage around one; none if it has been handed over, repeats another, or is too long.

        With `whole`, a unit that is longer than the room is left out, and not cut; one that may grow `freely` does so
        over neighbours that do not rank well, too.
        """
        unit_id = ranked.entry.id
        if unit_id in self._used or (whole and ranked.entry.characters > room):
            return ()
        near = self._surroundings[unit_id]
        at = next((n for n, unit in enumerate(near) if unit.id == unit_id), None)
        if at is None or near[at].body in self._bodies:
            return ()
        name = whole_name(near[at].name)
        pieces = [unit for unit in near if whole_name(unit.name) == name]
        if _is_whole(pieces[0]):
            passage: Sequence[Excerpt] = pieces[:1]
        else:
            first, last = self._widen(near, at, limit=min(MAX_PASSAGE_CHARS, room), freely=freely)
            passage = near[first : last + 1]
        self._used.update(unit.id for unit in (*passage, *pieces))
        self._bodies.update(unit.body for unit in (*passage, near[at]))
        return passage

    def next_units(self) -> list[Ranked]:
        """Return the best units that were not handed over."""
        return [ranked for ranked in self._ranking.order if ranked.entry.id not in self._used][:MAX_NEAR_HITS]

    def _widen(self, near: Sequence[Excerpt], at: int, *, limit: int, freely: bool) -> tuple[int, int]:
        """Return the first and last of the neighbours that fit in, taken one on each side at a time."""
        first = last = at
        size = len(near[at].text)
        ends = {-1, 1}
        while ends:
            for side in sorted(ends):
                edge, nearest = (first, first - 1) if side < 0 else (last, last + 1)
                is_there = 0 <= nearest < len(near) and self._may_join(near[edge], near[nearest], freely=freely)
                if not is_there or size + len(near[nearest].text) >= limit:
                    ends.discard(side)
                    continue
                size += len(near[nearest].text) + 1
                first, last = min(first, nearest), max(last, nearest)
        return first, last

    def _may_join(self, edge: Excerpt, other: Excerpt, *, freely: bool) -> bool:
        """Return whether a passage may go on from one unit to the next. A fact is widened over its own pieces only."""
        before, behind = (edge, other) if edge.order < other.order else (other, edge)
        is_next = behind.order - before.order == 1
        if whole_name(edge.name) == whole_name(other.name):  # pieces of one fact
            return is_next
        is_adjacent = is_next and behind.start - before.end <= _GAP
        is_wanted = other.id not in self._used and (freely or other.id in self._best)
        if not (is_adjacent and is_wanted and edge.kind == other.kind == Kind.NOTE):
            return False
        # A passage is of its unit's origin.
        return edge.origin == other.origin or Origin(edge.origin).is_foreign == Origin(other.origin).is_foreign


def to_hit(
    stored: Stored,
    passage: Passage | None = None,
    *,
    score: float = 0.0,
    parts: Mapping[str, float] = MappingProxyType({}),
    judged: tuple[float, Mapping[str, float]] = (0.0, MappingProxyType({})),
) -> Hit:
    """Convert a unit to a hit, with the passage around it, or itself; `judged` is its relevance, with the measures."""
    unit = stored.unit
    content, first, last = passage or _passage([unit])
    return Hit(
        id=whole_name(unit.name),
        kind=unit.kind,
        time=unit.time,
        entities=unit.entities,
        content=content,
        source=Citation(stored.path, first, last),
        unit=stored.place,
        scope=unit.scope,
        origin=unit.origin,
        score=score,
        parts=dict(parts),
        relevance=judged[0],
        grounds=dict(judged[1]),
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


def _passage(units: Sequence[Unit | Excerpt], *, room: int | None = None) -> Passage:
    """Join units to what is handed over, cut to `room` characters; of a long fact its first line introduces it."""
    head = units[0]
    first, last = head.start, units[-1].end
    if _is_whole(head):
        fact = parse_fact(head.text)
        content, last = statement(fact.text, head.entities), first + head.text.count("\n")
    elif head.kind == Kind.NOTE or not is_piece(head.name):
        content = _join_lines(units)
    else:
        content = f"{head.lead} […]\n{_join_lines(units)}"
    if room is not None and len(content) > room:
        content = content[:room].rsplit(" ", 1)[0].rstrip() or content[:room]
        last = first + content.count("\n")
    return Passage(content, first, last)


def _is_whole(unit: Unit | Excerpt) -> bool:
    """Return whether a unit has the lines of a whole fact, whatever piece of it is ranked."""
    return unit.kind != Kind.NOTE and unit.text != unit.body


def _join_lines(units: Sequence[Unit | Excerpt]) -> str:
    """Join the lines as they stand in the file; pieces of one line are put together, lines in two chunks come once."""
    text = units[0].text
    for before, behind in pairwise(units):
        again = max(0, before.end + 1 - behind.start) if behind.end > before.end else 0
        text += "\n" * (behind.start + again - before.end) + "\n".join(behind.text.split("\n")[again:])
    return text.strip("\n")
