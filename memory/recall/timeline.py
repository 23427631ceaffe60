"""The answer to a question for a course of events: many short entries in the order of time, not a few long passages.

An entry is a fact, a paragraph of a log, or an exchange in a conversation, shown by how it was opened and how the
answer begins. Exchanges are opened by those who speak of themselves; what others say are answers. Entries are chosen by

    score of the opening + NOVELTY x the share of its terms that no earlier entry has

so that a beginning, a turn and an end are shown rather than ten ways of saying the same (the idea of maximal marginal
relevance, Carbonell and Goldstein 1998, with time instead of the order of selection).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from memory.files.markdown import heading
from memory.index.sql import Index
from memory.index.types import Stored, Voice
from memory.index.units import Unit
from memory.language.time import dates
from memory.language.time.calendar import Days
from memory.recall import query
from memory.recall.candidates import BY_NAME, Candidates, SearchRequest
from memory.recall.filters import with_places
from memory.recall.passages import Judge, Packed, RecallBudget, to_hit
from memory.recall.query import Query
from memory.recall.ranking import Ranked, Ranking
from memory.recall.scoring import asking
from memory.types import EVERYWHERE, RELATED, Citation, Filter, Hit, Scope

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.collection import Scan

MAX_ENTRIES = 50
PER_PASSAGE = 8
"""Entries that are handed over for each passage that was allowed."""
ENTRY_CHARS = 158
"""Characters of an entry, so that fifty fit into 8,000 with what stands around them."""
REPLY_CHARS = 52
"""Of these, for how the answer begins."""
NOVELTY = 0.3
"""What an entry that says only new things gains over one that repeats what was said, beside a score of about 1."""
WORTH = 0.3
"""What scores less than this share of the best is no part of the course."""

_BY_MEANING = 200
_BY_WORDS = 600
_MAX_RANKED = 400
_HALF = 0.5
"""Those who speak of themselves half as often as whoever does so most open exchanges, too."""
_UNDATED = "~"
"""Comes after every day."""
_COMMON = 4
"""Terms that every entry is credited with having said before: a short one is not new for its shortness."""
_MAX_TURN_UNITS = 12
"""Units of a turn that are passed over to find what answers it."""
_PLEASANTRY = 40
"""A first sentence shorter than this says that an answer follows, and is left out."""


def read_subject(
    index: Index, subject: str, languages: Sequence[str], today: date, *, scope: Scope, where: Filter, is_past: bool
) -> tuple[Query, Filter]:
    """Read whose course is asked for; the days that it names narrow it, of what `is_past` those up to today.

    If nothing is known of these days, they are part of the subject, or it was told on others: then they do not. Returns
    the subject's words without those for time, with its days; and the filter.
    """
    times = dates.find(subject, today)
    words = replace(query.parse(dates.without_times(subject, today), languages=languages, today=today), when=times)
    begun = [[Days(one.first, min(one.last, today)) for one in time.days if one.first <= today] for time in times]
    readings = (past if past and is_past else time.days for time, past in zip(times, begun, strict=True))
    days = [one for read in readings for one in _likeliest(index, read, today, scope)]
    if words.is_common:
        words = replace(words, words=())
    if days and not where.since and not where.until:
        first, last = str(min(likely.first for likely in days)), str(max(likely.last for likely in days))
        if not words.words or index.dated(first, last, scope=scope, where=with_places(index, where), limit=1):
            return words, replace(where, since=first, until=last)
    return words, where


def _likeliest(index: Index, readings: Sequence[Days], today: date, scope: Scope) -> Sequence[Days]:
    """Return which of several ranges is meant: `on Tuesday` is the last one, or else the next, not all in between."""
    begun = [days for days in readings if days.first <= today][-1:]
    if begun and index.dated(str(begun[0].first), str(begun[0].last), scope=scope, where=EVERYWHERE, limit=1):
        return begun
    return [days for days in readings if days.first > today][:1] or begun


def find_openings(
    index: Index, request: SearchRequest, *, scope: Scope, where: Filter, voices: Mapping[str, Voice], scan: Scan | None
) -> Candidates:
    """Collect what may open an entry: facts, paragraphs, and turns of those who open exchanges.

    Without a `scan` the subject is searched by words.
    """
    shares = asking(voices)
    openers = [who for who in voices if not shares or shares[who] >= _HALF]
    openings = index.openings(["", *openers], scope=scope, where=where)
    if len(openings) <= _MAX_RANKED:
        return Candidates(tuple(openings), ())
    allowed = frozenset(openings)
    found: list[int] = []
    if request.words:
        words = [word.terms for word in request.words]
        found += filter(allowed.__contains__, index.match(words, scope=scope, where=where, limit=_BY_WORDS))
    if scan and request.query.words:
        found += (near.id for near in scan.best(_BY_MEANING, scope=scope, among=openings))
    if request.entities:
        about = index.about(request.entities, scope=scope, where=where, limit=BY_NAME)
        found += filter(allowed.__contains__, about)
    if not request.query.words:  # all that there is was asked for: some of every time
        found += openings[:: 1 + len(openings) // _MAX_RANKED]
    return Candidates(tuple(dict.fromkeys(found)), ())


def drop_other_days(order: list[Ranked], where: Filter) -> None:
    """Drop what names a day that a filter leaves out, and was only told on one that it lets through."""
    first, last = where.since or "", where.until or _UNDATED
    order[:] = [one for one in order if first <= (one.entry.named or first) <= last]


def choose(ranked: Sequence[Ranked], limit: int, *, worth: float = WORTH) -> list[Ranked]:
    """Return the entries that say most, in the order of time; none that scores less than a share of the best."""
    least = worth * max((opening.score for opening in ranked), default=0.0)
    in_time = [opening for opening in ranked if opening.score >= least]
    in_time.sort(key=lambda opening: (opening.entry.first or _UNDATED, opening.entry.path, opening.entry.order))
    said: set[str] = set()
    gains: list[float] = []
    for entry, score in in_time:
        terms = frozenset(entry.terms.split())
        gains.append(score + NOVELTY * len(terms - said) / (len(terms) + _COMMON))
        said |= terms
    best = heapq.nlargest(limit, range(len(in_time)), key=gains.__getitem__)
    return [in_time[place] for place in sorted(best)]


def tell(
    index: Index, request: SearchRequest, ranking: Ranking, *, scope: Scope, budget: RecallBudget, judge: Judge
) -> Packed:
    """Turn ranked openings into the entries of a timeline; of a subject without words all are worth an entry.

    A passage that may be handed over makes room for several entries.
    """
    limit = min(MAX_ENTRIES, PER_PASSAGE * budget.passages, max(1, budget.characters // ENTRY_CHARS))
    chosen = choose(ranking.order, limit, worth=WORTH if request.query.words else 0.0)
    units = {stored.id: stored for stored in index.stored([opening.entry.id for opening in chosen], scope=scope)}
    hits: list[Hit] = []
    for entry, score in chosen:
        if stored := units.get(entry.id):
            relevance, grounds = judge(entry, stored.unit)
            if relevance >= RELATED:
                parts = {name: round(part, 4) for name, part in ranking.parts(entry).items()}
                hit = _entry(stored, _reply(index, stored, scope))
                hits.append(replace(hit, score=round(score, 4), parts=parts, relevance=relevance, grounds=grounds))
    return Packed(tuple(hits), ())


def _entry(opening: Stored, reply: Stored | None) -> Hit:
    """Convert an opening to a hit: its first words, and those of the answer."""
    hit, said = to_hit(opening), _plain(opening.unit)
    if reply is None:
        return replace(hit, content=_cut(said, ENTRY_CHARS))
    answer = _plain(reply.unit)
    label = answer.partition(": ")[0] + ": " if answer.startswith(f"{reply.unit.speaker}:") else ""
    first, stop, rest = answer.removeprefix(label).partition("! ")
    if stop and len(first) < _PLEASANTRY:
        answer = f"{label}{rest}"
    content = f"{_cut(said, ENTRY_CHARS - REPLY_CHARS - 1)}\n{_cut(answer, REPLY_CHARS)}"
    return replace(hit, content=content, source=Citation(opening.path, opening.unit.start, reply.unit.start))


def _reply(index: Index, opening: Stored, scope: Scope) -> Stored | None:
    """Return the beginning of the turn that answers another's; None if it is no turn or nobody does."""
    unit = opening.unit
    if not unit.speaker:
        return None
    behind = index.between(opening.file, first=opening.order + 1, last=opening.order + _MAX_TURN_UNITS, scope=scope)
    following = next((stored for stored in behind if stored.unit.turn != unit.turn), None)
    if following is None or following.unit.speaker in {"", unit.speaker}:
        return None
    return following if following.unit.origin.is_foreign == unit.origin.is_foreign else None


def _plain(unit: Unit) -> str:
    """Return what a unit says in one line, without titles."""
    lines = [line.strip() for line in unit.statement.split("\n")]
    said = [line for line in lines if line and not heading(line)]
    return " ".join(" ".join(said or lines).split())


def _cut(text: str, limit: int) -> str:
    """Return the beginning of a text, cut between words."""
    if len(text) <= limit:
        return text
    return f"{text[: limit - 1].rsplit(' ', 1)[0].rstrip(' ,;:') or text[: limit - 1]}…"
