"""Expressions of time in a question, resolved to days."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from memory.language import calendar, dates_cjk, dates_european
from memory.language.calendar import Days
from memory.language.dates_european import EUROPE, Found
from memory.language.detect import clear_language

MAX_QUESTION_CHARS = 2000
"""Characters of a question that are read for time."""

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\d-])")
_SLASHED = re.compile(r"(?<![\d/])(?:(\d{4})/(\d{1,2})/(\d{1,2})|(\d{1,2})/(\d{1,2})/(\d{4}))(?![\d/])")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?(?![\d.])")
_BEFORE_DOTTED = re.compile(r"(?<!\w)(?:am|vom|bis|zum|seit|ab|den|dem|der|op|dne|до|с|от|к)\s+\Z", re.IGNORECASE)
_QUARTER = re.compile(
    r"(?<!\w)(?:Q([1-4])|([1-4])\.\s?(?:Quartal|quarter))[\s/-]{0,2}((?:19|20|21)\d\d)?(?!\w)", re.IGNORECASE
)
_SHORT = re.compile(r"(?:^\s*|(?:since|last|past|within|seit|letzten?)\s+)(\d{1,4})\s?([dwy])(?!\w)", re.IGNORECASE)
_SHORT_UNITS = {"d": "day", "w": "week", "y": "year"}
_CJK = frozenset({"zh", "ja", "ko"})


@dataclass(frozen=True, slots=True)
class When:
    """Days that a question names.

    Attributes:
        days: the ranges that may be meant; one, or two where the words leave open which Friday.
        start, end: where the expression stands in the question.
    """

    days: tuple[Days, ...]
    start: int
    end: int


def find(text: str, today: date) -> tuple[When, ...]:
    """Return the expressions of time in a question, in its order; none overlap. No text makes it raise.

    A language that the text shows clearly is read alone; of a text that may be in several the first that says
    something counts.
    """
    text = text[:MAX_QUESTION_CHARS]
    language = clear_language(text)
    if language in _CJK:
        found = _longest([*_numeric(text, today), *dates_cjk.find(text, today)])
        bounds = [dates_cjk.bound(text, end) for _, end, _ in found]
        return tuple(
            When(_bounded(days, name, today), start, stop)
            for (start, _, days), (name, stop) in zip(found, bounds, strict=True)
        )
    for code in [language] if language in EUROPE else EUROPE:
        if times := tuple(_find_european(text, code, today)):
            return times
    return ()


def _find_european(text: str, language: str, today: date) -> Iterator[When]:
    found = _longest([*_numeric(text, today), *dates_european.find(text, today, language=language)])
    at = 0
    while at < len(found):
        start, end, days = found[at]
        at += 1
        if at < len(found) and dates_european.joins(text, start, gap=(end, found[at][0]), language=language):
            _, end, upto = found[at]
            at += 1
            last = upto[0].last
            begun = [one.first for one in days if one.first <= last]
            # A beginning without a year takes that of the end.
            first = max(begun, default=calendar.in_year(days[0].first, last.year))
            between = Days(min(first, last), last)
            yield When((between,), dates_european.opening(text, start, language=language), end)
        else:
            name, begin = dates_european.bound(text, start, language=language)
            yield When(_bounded(days, name, today), begin, end)


def _bounded(days: list[Days], bound: str, today: date) -> tuple[Days, ...]:
    """Return what a word such as `since` makes of the ranges. Only the one that has begun can be meant by some of
    them.
    """
    if bound in {"since", "after"}:
        days = [one for one in days if one.first <= today] or days
    return tuple(calendar.bounded(one, bound, today) for one in days)


def _longest(found: Iterable[Found]) -> list[Found]:
    """Of those that overlap the longest, in the order of the text."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one[0] - one[1], one[0])):
        if all(one[1] <= other[0] or one[0] >= other[1] for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one[0])


def _numeric(text: str, today: date) -> Iterator[Found]:
    """Find days, months and quarters in figures, which are the same in every language."""
    for pattern, meaning in _FIGURES:
        for match in pattern.finditer(text):
            if days := [one for one in meaning(match, today) if one]:
                yield match.start(), match.end(), days


def _iso(match: re.Match[str], _: date) -> Sequence[Days | None]:
    year, month = int(match[1]), int(match[2])
    if not 1900 <= year <= 2199 or not 1 <= month <= 12:
        return []
    return [calendar.day(year, month, int(match[3])) if match[3] else calendar.month(year, month)]


def _slashed(match: re.Match[str], _: date) -> Sequence[Days | None]:
    """Return the year first, or an American and a European reading."""
    if match[1]:
        return [calendar.day(int(match[1]), int(match[2]), int(match[3]))]
    one, two, year = int(match[4]), int(match[5]), int(match[6])
    return [calendar.day(year, one, two), *([calendar.day(year, two, one)] if one != two else [])]


def _dotted(match: re.Match[str], today: date) -> Sequence[Days | None]:
    number, month = int(match[1]), int(match[2])
    if match[3]:
        return [calendar.day(int(match[3]), month, number)]
    # Without a year it could be a version, a ratio, a numbered paragraph.
    dated = 1 <= month <= 12 and _BEFORE_DOTTED.search(match.string, max(0, match.start() - 10), match.start())
    return calendar.latest_day(today, month, number) if dated else []


def _quarter(match: re.Match[str], today: date) -> Sequence[Days | None]:
    number = int(match[1] or match[2])
    if match[3]:
        return [calendar.quarter(int(match[3]), number)]
    begun = [calendar.quarter(year, number) for year in (today.year - 1, today.year)]
    return [days for days in begun if days.first <= today][-1:]


_FIGURES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Sequence[Days | None]]], ...] = (
    (_ISO, _iso),
    (_SLASHED, _slashed),
    (_DOTTED, _dotted),
    (_QUARTER, _quarter),
    (_SHORT, lambda match, today: [calendar.lately(today, int(match[1]), _SHORT_UNITS[match[2].lower()])]),
)
