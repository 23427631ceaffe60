"""What was said of some days, and what was decided, as a person asks for it: in a chat or on the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from pathlib import PurePosixPath

from bot.agent.offline.words import CLAUSE_END, word_list
from bot.texts.formatting import truncate
from memory import Filter, Hit, Kind, Memory, Recall, Scope
from memory.capture.corrections import without_negation
from memory.capture.languages import codes_for
from memory.capture.sentences import fold
from memory.capture.wishes.reminders import LANGUAGES
from memory.knowledge.timeline import MAX_READ, Span, decisions, is_decision, read_span, timeline
from memory.language.time import dates
from memory.language.time.calendar import EVER, Days
from memory.language.time.instants import days_after, repeated_weekdays, weekday_names
from memory.language.words import alternatives
from memory.life.reviews import day_said
from memory.recall.filters import FACTS

MAX_ENTRIES = 40
MAX_FOUND, MAX_NEAR = 50, 5
MAX_CHARS = 200
WEEK, AHEAD = timedelta(days=7), timedelta(days=31)
"""So far, days are listed to who asks what is coming up; what names a longer time than a week names none."""
WORTH = 0.1
"""The share of the best relevance from which an entry that has no word of a subject is about it."""
_NAMED = re.compile("word:|entity")
_CLAUSE_SIGN = re.compile(r"[,;，；、]|(?<!\d)[.。!！]")
_FORMERLY, _UNWANTED = (re.compile("|".join(word_list(name)), re.IGNORECASE) for name in ("formerly", "unwanted"))
_PLANNED = re.compile(
    rf"(?<![^\W\u3040-\u9fff])(?:(?:{'|'.join(word_list('planned'))})(?![^\W\u3040-\u9fff])"
    rf"|{alternatives(word_list('called_off'))})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DatedEntries:
    """Entries of some days in the order in which they are shown, and whether there may be more.

    Where `is_near`, none has a word of the subject or is surely about it: they are what comes nearest in meaning.
    """

    span: Span
    hits: tuple[Hit, ...]
    is_cut: bool
    is_near: bool = False


async def read_days(memory: Memory, text: str, *, today: date, scope: Scope, limit: int = MAX_ENTRIES) -> DatedEntries:
    """Return what memory has of the days and the subject that somebody has typed, oldest first."""
    span = read_span(text, today)
    if span.subject:
        where = Filter(since=span.first.isoformat(), until=span.last.isoformat())
        recalled = await memory.recall(span.subject, scope=scope, limit=MAX_FOUND, where=where)
        named = {hit.id for hit in recalled.related if any(map(_NAMED.match, hit.parts))}
        least = WORTH * max((hit.relevance for hit in recalled.related), default=0.0)
        found = tuple(hit for hit in recalled.related if hit.relevance >= least or hit.id in named)
        is_near = not (named or recalled.answers)
        near = found[:MAX_NEAR] if is_near else found[:limit]
        hits = each_once(sorted(near, key=lambda hit: ((hit.time or "")[:10], hit.source.path, hit.source.start)))
        return DatedEntries(span, hits, len(found) > len(near) and not is_near, is_near)
    found = await memory.run(timeline, span.first, span.last, limit=limit + 1, scope=scope)
    return DatedEntries(span, each_once(found[-limit:]), len(found) > limit)


async def read_told(memory: Memory, span: Span, *, scope: Scope) -> tuple[Recall, tuple[Hit, ...]]:
    """Return what was noted on some days, each entry with its day, and what else is of these days, oldest first."""
    days = (span.first + timedelta(days=number) for number in range((span.last - span.first).days + 1))
    logs = tuple(f"memory/{folder}{day}.md" for day in days for folder in ("", "guests/"))
    found = await memory.recall("", scope=scope, limit=MAX_ENTRIES, where=Filter(under=logs, faded=True))
    ordered = sorted(found.hits, key=lambda hit: (hit.source.path, hit.source.start))
    told = tuple(replace(hit, time=PurePosixPath(hit.source.path).stem) for hit in ordered)
    dated = await memory.run(timeline, span.first, span.last, limit=MAX_ENTRIES, scope=scope)
    reason = " – ".join(dict.fromkeys(map(str, (span.first, span.last))))
    others = each_once((*told, *dated))[len(each_once(told)) :]
    return replace(found, hits=told, reason=reason), others


async def read_ahead(memory: Memory, today: date, *, scope: Scope) -> Sequence[Hit]:
    """Return facts that name a day of the next `AHEAD`, in its order, then what is to be done and names no such day.

    That was said in the last `AHEAD`, and names none, or a term: who is late still has it to do. A day before the one
    on which it was said is of a later year. Reminders are listed elsewhere.
    """
    ahead = list[tuple[date, Hit]]()
    for hit in await memory.run(timeline, today - AHEAD, today + AHEAD, limit=MAX_READ, scope=scope):
        if hit.kind is Kind.NOTE or instants_of(hit) or _is_liking(hit) or _is_unwanted(hit):
            continue
        told = day_said(hit, hit.source.path, today)
        found = [one for time in dates.find(hit.content, told) for one in time.days]
        times, again = found or [Days(told, told)], days_after(hit.content, told, _codes(hit)) if found else ()
        is_past = hit.kind is Kind.EXPERIENCE and any(one.first < told or one.last <= told for one in times)
        is_past = is_past and not any(one.first > told for one in again)  # "dentist today, back on the 14th"
        if not is_past:
            days = named_days(hit, today)
            first = min((one.first for one in days if today <= one.first <= today + AHEAD), default=date.max)
            is_open = not days or all(one.first == EVER.first or one.last < told for one in times)
            ahead += [(first, hit)] if first < date.max or (hit.kind is Kind.INTENTION and is_open) else []
    return [hit for _, hit in sorted(ahead, key=lambda pair: pair[0])[:MAX_ENTRIES]]


async def read_repeating(memory: Memory, first: date, last: date, *, scope: Scope) -> Sequence[Hit]:
    """Return facts of what comes again on a weekday of some days, perhaps not in each week: "every other Tuesday"."""
    days = {(first.weekday() + number) % 7 for number in range((last - first).days + 1)}
    query = " ".join(sorted(weekday_names(days, LANGUAGES)))
    where = Filter(kinds=FACTS, faded=True)
    found = await memory.recall(query, scope=scope, limit=MAX_FOUND, where=where, by_words=True)
    lasting = (hit for hit in found.hits if not hit.until and not without_negation(hit.content)[0])
    facts = (hit for hit in lasting if not (instants_of(hit) or _is_over(hit) or _is_liking(hit)))
    return [hit for hit in facts if days & repeated_weekdays(hit.content, _codes(hit))]


def instants_of(hit: Hit) -> Sequence[str]:
    """Return what says when a reminder comes; empty for other facts."""
    return [value for name, value in hit.attributes if name in {"due", "every"}]


def _is_liking(hit: Hit) -> bool:
    """Return whether a fact tells but what somebody thinks of a weekday: "I hate Mondays"."""
    return hit.category == "preference" and bool(repeated_weekdays(hit.content, _codes(hit)))


def _is_unwanted(hit: Hit) -> bool:
    # A further clause may tell a plan: "I don't want to go by car on Friday, I take the train".
    return bool(_UNWANTED.search(hit.content)) and not CLAUSE_END.search(hit.content.rstrip(" .!。！"))


def _is_over(hit: Hit) -> bool:
    """Return whether a fact tells what came again and again before: "I used to play chess on Tuesdays"."""
    clauses = [clause.strip() for clause in _CLAUSE_SIGN.split(hit.content.rstrip(" .!。！"))]
    if not any(map(_FORMERLY.search, clauses)):
        return False
    repeated = [clause for clause in clauses if repeated_weekdays(clause, _codes(hit))]
    return bool(repeated) and all(map(_FORMERLY.search, repeated))


def _codes(hit: Hit) -> Collection[str]:
    return {*LANGUAGES}.intersection(codes_for(fold(hit.content)))


def named_days(hit: Hit, today: date) -> Sequence[Days]:
    """Return the days that a fact names, from today on if some are to come, up to a week; the end of a goal's term.

    A day such as "Monday", which may have been shortly before, counts where an event or an intention is told of.
    """
    if _is_over(hit) or _is_unwanted(hit):
        return []
    said, is_plan = day_said(hit, hit.source.path, today), hit.kind is Kind.INTENTION
    found = [(time.bound, time.days) for time in dates.find(hit.content, said)]
    times = [days for bound, days in found if bound != "since" or any(one.first >= said for one in days)]  # not begun
    clear = is_plan or hit.category == "event" or _PLANNED.search(hit.content)
    ranges = [one for time in times if clear or not any(said - AHEAD < day.last < said for day in time) for one in time]
    if is_plan:  # of a plan, "Tuesday to Thursday" is to come
        ranges = [Days(one.first + WEEK, one.last + WEEK) if said - WEEK < one.last < said else one for one in ranges]
    days = [Days(max(one.first, min(today, one.last)), one.last) for one in ranges if one.last <= one.first + WEEK]
    days += [Days(one.last, one.last) for one in ranges if is_plan and one.first == EVER.first]
    return [*days, *days_after(hit.content, said, _codes(hit))] if all(one.last <= said for one in ranges) else days


async def read_decisions(memory: Memory, topic: str, *, scope: Scope, limit: int = MAX_ENTRIES) -> tuple[Hit, ...]:
    """Return what was decided, newest first, or about a topic what fits it best."""
    if not topic:
        return await memory.run(decisions, limit=limit, scope=scope)
    found = await memory.recall(topic, scope=scope, limit=MAX_FOUND)
    return tuple(hit for hit in found.related if is_decision(hit))[:limit]


def each_once(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Leave out facts whose words stand before, as those do that were carried from a log into the bank.

    Of reminders in the same words, each is one that has a time of its own.
    """
    found = dict[tuple[str, ...], Hit]()
    for hit in hits:
        found.setdefault((" ".join(hit.content.split()), *instants_of(hit)), hit)
    return tuple(found.values())


def by_day(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield lines: each day, and under it its entries with their places, shortened."""
    for day, found in groupby(hits, key=lambda hit: (hit.time or "")[:10]):
        yield f"**{day or 'without a day'}**"
        yield from map(entry, found)


def entry(hit: Hit) -> str:
    """An entry in one line, with its place."""
    return f"- {truncate(' '.join(hit.content.split()), MAX_CHARS)} (`{hit.unit}`)"
