"""What was said of some days, day by day, and what was decided."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import chain, islice

from memory.capture.wishes.reminders import LANGUAGES, read_when
from memory.index.owners import is_piece
from memory.index.types import Stored
from memory.knowledge.context import KnowledgeContext
from memory.language.time import dates
from memory.language.time.calendar import Days
from memory.language.time.instants import days_after
from memory.language.words import read_lists
from memory.recall.filters import FACTS
from memory.recall.passages import to_hit
from memory.types import Filter, Hit, Scope

USUAL_DAYS = 7
MAX_READ = 20_000
"""Units that are looked through."""
DECISION = "decision"
_BEFORE_MONTHS = ("in", "im", "en", "в")
_CHUNK = 500
_COUNT = re.compile(r"[-−]?(\d{1,3})")
_DECIDED = re.compile(read_lists("memory.knowledge", "lexicon", "statements.toml")["decided"])


@dataclass(frozen=True, slots=True)
class Span:
    """Days, both included, and what is asked about them; empty for everything."""

    first: date
    last: date
    subject: str


def read_span(text: str, today: date) -> Span:
    """Read days and a subject from what somebody has typed; without days it is the last week.

    Of an expression that may mean several ranges the latest that has begun counts; a number alone is so many days back.
    """
    if count := _COUNT.fullmatch(text.strip()):
        return Span(today - timedelta(days=max(1, int(count[1])) - 1), today, "")
    # A bare month is a date only where dates are all that is asked for.
    spellings = (text, *(f"{word} {text}" for word in _BEFORE_MONTHS))
    read = ((spelling, dates.find(spelling, today)) for spelling in spellings)
    text, times = next(((spelling, times) for spelling, times in read if times), (text, ()))
    if not times:
        return Span(today - timedelta(days=USUAL_DAYS - 1), today, " ".join(text.split()))
    when = times[0]
    begun = [days for days in when.days if days.first <= today] or list(when.days)
    days = max(begun, key=lambda days: days.first)
    rest = f"{text[: when.start]} {text[when.end :]}"
    return Span(days.first, min(days.last, date.max), " ".join(rest.split()))


def read_coming(text: str, now: datetime) -> Span | None:
    """Read the days to come that a question names, and the rest of it: "at the weekend"; None if it names none."""
    when, coming = next(iter(dates.find(text, now.date())), None), read_when(text, now)[0]
    days = next((days for days in when.days if days.last >= now.date()), None) if when else None
    if when is None and coming.due and coming.is_day:
        due = coming.due.date()
        named = days_after(text, now.date() - timedelta(days=1), LANGUAGES)  # of a weekend both days, and today's
        days = next((one for one in named if one.first <= due <= one.last), Days(due, due))
    rest = f"{text[: when.start]} {text[when.end :]}" if when else coming.rest
    return Span(days.first, days.last, " ".join(rest.split())) if days else None


def timeline(context: KnowledgeContext, first: date, last: date, *, limit: int, scope: Scope) -> tuple[Hit, ...]:
    """Return what is about some days, both included, oldest first; of more than `limit` entries the newest."""
    where = Filter(since=first.isoformat(), until=last.isoformat())
    hits = _read(context, where, lambda stored: not stored.unit.text.lstrip().startswith("#"), limit=limit, scope=scope)
    return tuple(sorted(hits, key=lambda hit: ((hit.time or "")[:10], hit.source.path, hit.source.start)))


def decisions(context: KnowledgeContext, *, limit: int, scope: Scope) -> tuple[Hit, ...]:
    """Return what was decided, newest first: facts of that category, and those that are worded like it."""

    def is_wanted(stored: Stored) -> bool:
        # Making a hit takes long: facts of other categories are ruled out before.
        return stored.unit.category in {DECISION, None} and is_decision(to_hit(stored))

    return _read(context, Filter(kinds=FACTS), is_wanted, limit=limit, scope=scope)


def is_decision(hit: Hit) -> bool:
    """Return whether a fact tells what was decided."""
    return hit.category == DECISION or (hit.category is None and _DECIDED.search(hit.content) is not None)


def _read(
    context: KnowledgeContext, where: Filter, wanted: Callable[[Stored], bool], *, limit: int, scope: Scope
) -> tuple[Hit, ...]:
    """Return the first `limit` units of a filter that are wanted, newest first."""
    index = context.index
    ids = index.newest(scope=scope, where=where, limit=MAX_READ)
    chunks = (index.stored(ids[start : start + _CHUNK], scope=scope) for start in range(0, len(ids), _CHUNK))
    whole = (stored for stored in chain.from_iterable(chunks) if not is_piece(stored.unit.name))
    return tuple(map(to_hit, islice(filter(wanted, whole), limit)))
