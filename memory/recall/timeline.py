"""The answer to a question for a course of events: many short entries in the order of time, not a few long passages.

An entry stands for one thing that came up: a fact, a paragraph of a log, or an exchange in a conversation, of which it
hands over how it was opened and how the answer begins. In a conversation the course is told by whoever speaks of
themself; turns of others answer. Which entries are handed over is decided by

    score of the opening + NOVELTY x the share of its terms that no earlier entry has

so that a beginning, a turn and an end are told rather than ten ways of saying the same (the idea of maximal marginal
relevance, Carbonell and Goldstein 1998, with time in the place of the order of selection).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from memory.files.markdown import heading
from memory.index.port import Index, Stored, Voice
from memory.index.units import Unit
from memory.language.time import dates
from memory.language.time.calendar import Days
from memory.recall import query
from memory.recall.candidates import BY_NAME, Candidates, SearchRequest
from memory.recall.passages import Judge, Packed, RecallBudget, shown
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
"""Whoever speaks of themself half as often as the one who does so most tells the course, too."""
_UNDATED = "~"
"""Comes after every day."""
_COMMON = 4
"""Terms that every entry is credited with having said before: a short one is not new for its shortness."""
_LONGEST_TURN = 12
"""Units of a turn that are passed over to find what answers it."""
_PLEASANTRY = 40
"""A first sentence shorter than this says that an answer follows, and is left out."""


def read_subject(
    index: Index, subject: str, languages: Sequence[str], today: date, *, scope: Scope, where: Filter
) -> tuple[Query, Filter]:
    """Read whose course is asked for; the days that it names narrow it.

    If nothing is known of these days, they are part of the subject, or it was told on others: then they do not.

    Returns:
        The subject's words without those for time, with its days; and the filter.
    """
    times = dates.find(subject, today)
    bare = subject
    for time in reversed(times):
        bare = f"{bare[: time.start]} {bare[time.end :]}"
    words = replace(query.parse(bare, languages=languages, today=today), when=times)
    days = [days for time in times for days in _meant(index, time.days, today, scope)]
    if words.is_common:
        words = replace(words, words=())
    if days and not where.since and not where.until:
        first, last = (str(day) for day in (min(one.first for one in days), max(one.last for one in days)))
        if not words.words or index.dated(first, last, scope=scope, where=where, limit=1):
            return words, replace(where, since=first, until=last)
    return words, where


def _meant(index: Index, readings: Sequence[Days], today: date, scope: Scope) -> Sequence[Days]:
    """Return which of several ranges is meant: `on Tuesday` is the last one, or else the next, not all in between."""
    begun = [one for one in readings if one.first <= today][-1:]
    if begun and index.dated(str(begun[0].first), str(begun[0].last), scope=scope, where=EVERYWHERE, limit=1):
        return begun
    return [one for one in readings if one.first > today][:1] or begun


def find_openings(
    index: Index, request: SearchRequest, *, scope: Scope, where: Filter, voices: Mapping[str, Voice], scan: Scan | None
) -> Candidates:
    """Collect what may open an entry: facts, paragraphs, and turns of those who tell the course.

    Without a `scan` the subject is searched by words.
    """
    asked = asking(voices)
    tellers = [who for who in voices if not asked or asked[who] >= _HALF]
    openings = index.openings(["", *tellers], scope=scope, where=where)
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


def choose(ranked: Sequence[Ranked], limit: int, *, worth: float = WORTH) -> list[Ranked]:
    """Return the entries that tell most, in the order of time; none that scores less than a share of the best."""
    least = worth * max((one.score for one in ranked), default=0.0)
    in_time = [one for one in ranked if one.score >= least]
    in_time.sort(key=lambda one: (one.entry.first or _UNDATED, one.entry.path, one.entry.order))
    said: set[str] = set()
    telling: list[float] = []
    for one in in_time:
        terms = frozenset(one.entry.terms.split())
        telling.append(one.score + NOVELTY * len(terms - said) / (len(terms) + _COMMON))
        said |= terms
    best = heapq.nlargest(limit, range(len(in_time)), key=telling.__getitem__)
    return [in_time[place] for place in sorted(best)]


def tell(
    index: Index, request: SearchRequest, ranking: Ranking, *, scope: Scope, room: RecallBudget, judge: Judge
) -> Packed:
    """Turn ranked openings into the entries of a timeline; of a subject without words everything is told.

    A passage that may be handed over makes room for several entries.
    """
    limit = min(MAX_ENTRIES, PER_PASSAGE * room.passages, max(1, room.characters // ENTRY_CHARS))
    chosen = choose(ranking.order, limit, worth=WORTH if request.query.words else 0.0)
    units = {stored.id: stored for stored in index.stored([one.entry.id for one in chosen], scope=scope)}
    hits: list[Hit] = []
    for one in chosen:
        if stored := units.get(one.entry.id):
            relevance, grounds = judge(one.entry, stored.unit)
            if relevance >= RELATED:
                parts = {name: round(part, 4) for name, part in ranking.parts(one.entry).items()}
                hit = _entry(stored, _reply(index, stored, scope))
                hits.append(replace(hit, score=round(one.score, 4), parts=parts, relevance=relevance, grounds=grounds))
    return Packed(tuple(hits), ())


def _entry(opening: Stored, reply: Stored | None) -> Hit:
    """Convert an opening to a hit: its first words, and those of the answer."""
    hit, said = shown(opening), _plain(opening.unit)
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
    behind = index.between(opening.file, first=opening.order + 1, last=opening.order + _LONGEST_TURN, scope=scope)
    following = next((one for one in behind if one.unit.turn != unit.turn), None)
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
