"""The days in which a statement holds, by its own words: `since March`, `until Friday`, `from 27 Nov to 1 Dec`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import MAXYEAR, MINYEAR, date
from functools import lru_cache

from memory.language.detect import clear_language
from memory.language.patterns import Pattern
from memory.language.time import calendar, dates
from memory.language.time.calendar import Days
from memory.language.time.dates import When
from memory.language.time.dates_european import MONTHS
from memory.language.time.words import EUROPE, PATTERNS, all_words
from memory.language.words import ALL_STOP_WORDS

Period = tuple[date | None, date | None]
"""The first and the last day; None for an open end."""

_UNDATED = date(2000, 1, 1)
_YEAR = Pattern(r"(?:19|20|21)\d\d")
_WORD = Pattern(r"\w+")


def _of_all(*fields: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name)[-1] for name in all_words(*fields))  # `yesterday` of the day before it


_CALENDAR = _of_all("months", "weekdays", "seasons", "steps", "days", "units")
_OPENINGS = frozenset(
    _WORD.findall(name)[0]
    for words in EUROPE.values()
    for name, group in (*words["bounds"].items(), *words["between"].items())
    if group < 2  # since and until; the others say nothing of how long something holds
)
_JOINS = frozenset(name for words in EUROPE.values() for name, alone in words["and_"].items() if alone)
_DAYS = _of_all("weekdays", "days")
_FIGURES = Pattern(r"\d[./-]\d{1,2}(?!\d)")
_DAY_CJK = Pattern(r"[日号號天昨今明]|[周週礼曜]|요일|오늘|내일|어제|일")
_DASHED = Pattern(r"\d\.?\s?[-–—]\s?\w|\w\s?[-–—]\s?\d")
_CJK = Pattern(PATTERNS["cjk"]["range"])
_DATED = _of_all("months", "seasons", "steps", "days")
_AHEAD = tuple(all_words("ahead"))
_EACH = Pattern(r"\b(?:every|each|jede[mnrs]?|cada|chaque|\w+days|\w+tags)\b|[每毎]", re.IGNORECASE)
_NAMES = _of_all("names")
_CLAUSE = Pattern(r"(?:\A|[.;:,(])\s*\Z")
_STOP = Pattern(
    r"(?i)(?<!\b\w)(?<!\b\w\w)(?<!\bmrs)(?<!\bprof)\.(?=\s)|,(?!\d|[^,;.]* (?:and|und|et|e|y|и) )|[;!?，。；！？、\n]"
)
"""The end of a clause: no dot of an abbreviation, as behind one or two letters, and no comma of a list."""
_ON = Pattern(r"\s+(?:on|onwards?|an)\b", re.IGNORECASE)
_PAST = {
    code: Pattern((r"\b(?:%s)\b" if code in EUROPE else "%s") % patterns["past"].replace("\n", ""), re.IGNORECASE)
    for code, patterns in PATTERNS.items()
    if patterns["past"]
}


@lru_cache(maxsize=512)  # a log is read as a whole with every line that is added
def find_period(text: str, day: date | None, *, is_past: bool = False) -> Period | None:
    """Return the days in which a statement holds, if its words tell.

    A range that is announced, or has two ends, counts; a day that is merely named does not, nor do weekdays alone
    (`open Monday to Friday`). What may be in the past or to come is read as the sentence is: `until Friday` is the next
    one, `lived there until March` the last. The statement is from a day; without one, only what names its year can be
    told. `is_past`: it tells what has happened.
    """
    if not _may_tell(text):
        return None
    base = day or _UNDATED
    since = until = None
    for when in dates.find(text, base):
        is_over = is_past or _tells_past(text, when)
        expression = text[when.start : when.end]
        if day is None and not _YEAR.search(expression):
            continue
        readings = _readings(when, expression)
        if when.bound == "between" and not _is_of_every_week(expression):
            nearest = min(readings, key=lambda days: days.distance(base, base))
            chosen = _last_begun(readings, base) if is_over else nearest
            return chosen.first, chosen.last
        if when.bound == "since" and since is None and not _is_from_somebody(text, when):
            ahead = expression.casefold().startswith(_AHEAD) and not is_over
            since = (_next if ahead else _last_begun)(readings, base).first
        elif when.bound == "until" and until is None:
            until = (_last_begun if is_over else _next)(readings, base).last
    if since and until and since > until:
        until = None
    return (since, until) if since or until else None


@lru_cache(maxsize=512)
def find_day(text: str, day: date, *, is_past: bool = False) -> date | None:
    """Return the one day that a statement of a day names, where it is another: `Dentist tomorrow at 9`.

    None if it names no day, or several, or each week's, or the bounds of a range. Which Friday it is, is read as the
    sentence is; `is_past` as in `find_period`.
    """
    if not _may_name(text) or _EACH.search(text):
        return None
    named = {day}
    for when in dates.find(text, day):
        is_over = is_past or _tells_past(text, when)
        readings = _readings(when, text[when.start : when.end])
        if when.bound:
            return None
        if all(days.first == days.last for days in readings):
            named.add((_last_begun if is_over else _next)(readings, day).first)
    named.discard(day)
    return named.pop() if len(named) == 1 else None


def means_the_same(text: str, day: date, other: date) -> bool:
    """Return whether a text that is said on two days means the same days: `tomorrow` does not, `on 3 March` may.

    What is of every week (`closed on Mondays`) does, whenever it is said.
    """
    if day == other or not (_may_name(text) or _may_tell(text)) or _EACH.search(text):
        return True

    def depends_on_day(when: When) -> bool:  # and not on the year alone
        expression = text[when.start : when.end]
        return not dates.is_yearless(expression) and not (when.bound == "between" and _is_of_every_week(expression))

    now, later = ([when.days for when in dates.find(text, said_on) if depends_on_day(when)] for said_on in (day, other))
    return now == later


def _may_name(text: str) -> bool:
    """Return whether a text has a word of the calendar, or figures, that may name a day; others spare the grammar."""
    words = _words_of(text)
    if not _DAYS.isdisjoint(words) or _FIGURES.search(text):
        return True
    if not MONTHS.isdisjoint(words) and any(word[0].isdigit() for word in words):
        return True
    return not text.isascii() and _DAY_CJK.search(text) is not None


@lru_cache(maxsize=8)  # asked for a period, and then for a day
def _words_of(text: str) -> Sequence[str]:
    return _WORD.findall(text.casefold())


def _may_tell(text: str) -> bool:
    """Return whether a word of a range stands close before one of a day: most texts are spared the grammar."""
    words = _words_of(text)

    def has_day(some: Sequence[str]) -> bool:
        return any(word in _CALENDAR or word[0].isdigit() for word in some)

    for at, word in enumerate(words):
        if word in _OPENINGS and has_day(words[at + 1 : at + 4]):
            return True
        if word in _JOINS and has_day(words[max(0, at - 1) : at]) and has_day(words[at + 1 : at + 3]):
            return True
    if _DASHED.search(text) and (_YEAR.search(text) or not MONTHS.isdisjoint(words)):
        return True
    return not text.isascii() and _CJK.search(text) is not None


def _tells_past(text: str, when: When) -> bool:
    """Return whether a word tells that something is over, of the text's language if that is clear, else of any.

    It stands in the clause of the expression ("I bought a lamp, to be returned by 30 March" tells no past of the day),
    or anywhere if nothing else is in that ("we lived in Graz, until March"), or a list goes on there.
    """
    start = max((stop.end() for stop in _STOP.finditer(text, 0, when.start)), default=0)
    stop = _STOP.search(text, when.end)
    clause = text[start : stop.start() if stop else len(text)]
    told = clause if {*_words_of(clause)} - {*_words_of(text[when.start : when.end])} - ALL_STOP_WORDS else text
    own = _PAST.get(clear_language(text))
    return any(words.search(told) for words in ([own] if own else _PAST.values()))


def _is_from_somebody(text: str, when: When) -> bool:
    """Return whether it may be a person who is named like a month (`a letter from May`), not `From May on`."""
    words = _WORD.findall(text[when.start : when.end].casefold())
    is_name = words[0] in _AHEAD and len(words) == 2 and words[1] in _NAMES
    return is_name and not _CLAUSE.search(text[: when.start]) and not _ON.match(text, when.end)


def _readings(when: When, expression: str) -> Sequence[Days]:
    """Return the ranges that may be meant, oldest first; where the year is open, those of the years beside, too."""
    ranges = set(when.named)
    if dates.is_yearless(expression):
        for days in when.named:
            is_leap_day = days.first == days.last and (days.last.month, days.last.day) == (2, 29)
            for years in (-4, 4) if is_leap_day else (-1, 1):
                if days.first.year + years >= MINYEAR and days.last.year + years <= MAXYEAR:
                    last = calendar.in_year(days.last, days.last.year + years)
                    ranges.add(Days(calendar.in_year(days.first, days.first.year + years), last))
    return sorted(ranges)


def _is_of_every_week(expression: str) -> bool:
    words = frozenset(_WORD.findall(expression.casefold()))
    return not any(map(str.isdigit, expression)) and words.isdisjoint(_DATED)


def _next(readings: Sequence[Days], day: date) -> Days:
    return next((days for days in readings if days.last >= day), readings[-1])


def _last_begun(readings: Sequence[Days], day: date) -> Days:
    return next((days for days in reversed(readings) if days.first <= day), readings[0])
