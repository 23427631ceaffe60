"""Expressions of time in a question or a fact, resolved to days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Protocol

from memory.language.detect import clear_language
from memory.language.normalize import blank_no_times
from memory.language.time import calendar, dates_european
from memory.language.time.calendar import Days
from memory.language.time.dates_european import Wording, expressions_of
from memory.language.time.found import Found, Rule, longest, look_for
from memory.language.time.words import EUROPE

MAX_QUESTION_CHARS = 2000
"""Characters of a question that are read for time."""

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\d-])")
_SLASHED = re.compile(r"(?<![\d/])(?:(\d{4})/(\d{1,2})/(\d{1,2})|(\d{1,2})/(\d{1,2})/(\d{4}))(?![\d/])")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?(?!\d|\.\d)")
_BEFORE_DOTTED = re.compile(r"(?<!\w)(?:am|vom|bis|zum|seit|ab|den|dem|der|op|dne|до|с|от|к)\s+\Z", re.IGNORECASE)
_QUARTER = re.compile(
    r"(?<!\w)(?:Q([1-4])|([1-4])\.\s?(?:Quartal|quarter))[\s/-]{0,2}((?:19|20|21)\d\d)?(?!\w)", re.IGNORECASE
)
_SHORT = re.compile(r"(?:^\s*|(?:since|last|past|within|seit|letzten?)\s+)(\d{1,4})\s?([dwy])(?!\w)", re.IGNORECASE)
_SHORT_UNITS = {"d": "day", "w": "week", "y": "year"}
_YEAR = re.compile(r"\d{4}")
_DIGIT = re.compile(r"\d")
_SPAN = re.compile(r"(?<!\d)\d{1,2}(?!\d).*(?<!\d)\d{1,2}(?!\d)")  # of days, where it is no single one
_CJK = frozenset({"zh", "ja", "ko"})


@dataclass(frozen=True, slots=True)
class When:
    """Days that a question names.

    Attributes:
        days: the ranges that may be meant; one, or two where the words leave open which Friday.
        start, end: where the expression stands in the question.
        bound: the word beside it that makes a range of it (`since`, `until`, `before`, `after`, `around`), `between`
            if its two ends are named, or empty.
        named: what it names without that word: the ranges that may be meant.
    """

    days: tuple[Days, ...]
    start: int
    end: int
    bound: str
    named: tuple[Days, ...]


@lru_cache(maxsize=512)  # one fact is looked at several times for an answer
def find(text: str, today: date) -> tuple[When, ...]:
    """Return the expressions of time in a question, in its order; none overlap. No text makes it raise.

    A language that the text shows clearly is read alone; of a text that may be in several the first that says
    something counts.
    """
    text = blank_no_times(text[:MAX_QUESTION_CHARS])
    numeric = [*look_for(_FIGURES, text, today)] if _DIGIT.search(text) else []
    wording = Wording.of(text)
    if text.isascii() and not numeric and not any(expressions_of(code).may_be_in(wording) for code in EUROPE):
        return ()  # most texts, whatever their language
    language = clear_language(text)
    if language in _CJK:
        from memory.language.time import dates_cjk  # its patterns take 10 ms to compile

        found = longest([*numeric, *dates_cjk.find(text, today)])
        return tuple(_combined(text, today, found, dates_cjk))
    in_figures: tuple[When, ...] = ()
    for code in [language] if language in EUROPE else EUROPE:
        expressions = expressions_of(code)
        in_words = expressions.find(text, today) if expressions.may_be_in(wording) else ()
        if not (found := longest([*numeric, *in_words])):
            continue
        times = tuple(_combined(text, today, found, expressions))
        if any(any(map(str.isalpha, text[when.start : when.end])) for when in times):
            return times
        in_figures = in_figures or times  # which have words around them in another language, perhaps
    return in_figures


def without_times(text: str, today: date) -> str:
    """Return a text without the expressions of time in it."""
    for when in reversed(find(text, today)):
        text = f"{text[: when.start]} {text[when.end :]}"
    return text


class Surroundings(Protocol):
    """What the words around an expression make of it, in one language or several."""

    def bound(self, text: str, start: int, end: int) -> tuple[str, int, int]:
        """Return what they make of it (`since`, `until`, ...; empty for nothing), and where it begins and ends then."""
        ...

    def joins(self, text: str, start: int, gap: tuple[int, int]) -> bool:
        """Return whether the expression that begins at `start` and the one behind `gap` are the ends of one range."""
        ...

    def opening(self, text: str, start: int) -> int:
        """Return where a word that announces a range begins; `start` without one."""
        ...


def _combined(text: str, today: date, expressions: Sequence[Found], around: Surroundings) -> Iterator[When]:
    at = 0
    while at < len(expressions):
        start, end, days = expressions[at]
        at += 1
        if at < len(expressions) and around.joins(text, start, (end, expressions[at][0])):
            begins = text[start:end]
            _, end, ends = expressions[at]
            at += 1
            between = tuple(_between(days, upto.last, is_yearless=is_yearless(begins)) for upto in ends)
            yield When(between[:1], around.opening(text, start), end, "between", between)
        else:
            name, begin, stop = around.bound(text, start, end)
            is_span = _SPAN.search(text[start:end]) and any(reading.first < reading.last for reading in days)
            if is_span and (not name or around.opening(text, start) < start):
                name = "between"
            # "Since" can only mean what has begun.
            begun = [one for one in days if one.first <= today] if name in {"since", "after"} else []
            ranges = tuple(calendar.bounded(one, name, today) for one in begun or days)
            yield When(ranges, begin, stop, name, tuple(days))


def _between(begins: list[Days], last: date, *, is_yearless: bool) -> Days:
    """Return a range by its end. A beginning without a year takes that of the end, or the one before."""
    if is_yearless:
        first = calendar.in_year(begins[0].first, last.year)
        return Days(first if first <= last else calendar.in_year(first, last.year - 1), last)
    first = max((days.first for days in begins if days.first <= last), default=last)
    return Days(min(first, last), last)


def is_yearless(expression: str) -> bool:
    """Return whether an expression names a month, a day of one or a season, and leaves open of which year."""
    if _YEAR.search(expression):
        return False
    is_month = dates_european.is_month(expression)
    if is_month or expression.isascii():
        return is_month
    from memory.language.time import dates_cjk  # its patterns take 10 ms to compile

    return dates_cjk.is_month(expression)


def _iso(match: re.Match[str], _: date) -> Sequence[Days | None]:
    year, month = int(match[1]), int(match[2])
    if not 1900 <= year <= 2199 or not 1 <= month <= 12:
        return []
    return [calendar.day(year, month, int(match[3])) if match[3] else calendar.month(year, month)]


def _slashed(match: re.Match[str], _: date) -> Sequence[Days | None]:
    """Return the year first, or an American and a European reading."""
    if match[1]:
        return [calendar.day(int(match[1]), int(match[2]), int(match[3]))]
    first, second, year = int(match[4]), int(match[5]), int(match[6])
    return [calendar.day(year, first, second), *([calendar.day(year, second, first)] if first != second else [])]


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


_FIGURES: tuple[Rule, ...] = (
    (_ISO, _iso),
    (_SLASHED, _slashed),
    (_DOTTED, _dotted),
    (_QUARTER, _quarter),
    (_SHORT, lambda match, today: [calendar.lately(today, int(match[1]), _SHORT_UNITS[match[2].lower()])]),
)
"""Days, months and quarters in figures, which are the same in every language."""
