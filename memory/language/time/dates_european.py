"""Expressions of time in European languages, as ranges of days."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, partial
from typing import Self

from memory.language.time import calendar
from memory.language.time.calendar import Days
from memory.language.words import STOP_WORDS, alternatives, read_lists


@dataclass(frozen=True, slots=True)
class TimeWords:
    """One language's words, as `lexicon/dates.toml` explains them."""

    months: str
    weekdays: str
    seasons: str
    units: str
    numbers: str
    steps: str
    days: str
    weekend: str
    ago: str
    lately: str
    in_: str
    bounds: str
    parts: str
    between: str
    and_: str
    names: str = ""
    ahead: str = ""
    past: str = ""


def read_time_words() -> Mapping[str, dict[str, str]]:
    """Read the words for time, by language; Chinese, Japanese and Korean are `cjk`."""
    return read_lists("memory.language", "lexicon", "dates.toml")


EUROPE = {code: TimeWords(**words) for code, words in read_time_words().items() if code != "cjk"}
"""Language to its words for time."""
Found = tuple[int, int, list[Days]]
"""Where an expression begins and ends in the text, and the ranges that it can mean."""

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], list[Days]]]
UNITS = ("day", "week", "month", "year")
_YEAR = r"(?P<y>(?:19|20|21)\d\d)"
_ARTICLE = "(?:the|dem|der|den|el|le|la|il|o|a)"
_NUMBER = r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.|º|er|-го)?"


_HOURS = 12
"""Numbers of a day that has been which may be those of an hour as well."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a text must have for an expression of time to be in it, so that most need not be searched.

    Attributes:
        words: its runs of letters, without case.
        has_year: whether something in it may be a year.
        is_run_together: whether a digit and letters stand together, as in `3rdMarch`: such words are in no run.
    """

    words: frozenset[str]
    has_year: bool
    is_run_together: bool

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a text."""
        words = frozenset(_LETTERS.findall(text.translate(_SAME_LETTER).casefold()))
        return cls(words, _MAY_BE_YEAR.search(text) is not None, _RUN_TOGETHER.search(text) is not None)


def is_calendar_word(token: str) -> bool:
    """Check whether a word of an expression may stand in a note as well: a month, a weekday, a season, or a number."""
    return any(map(str.isdigit, token)) or token.casefold() in _CALENDAR_WORDS


def is_month(expression: str) -> bool:
    """Return whether an expression is a month, a day of one or a season, and not `last` or `next` of them."""
    words = frozenset(_LETTERS.findall(expression.casefold()))
    return not words.isdisjoint(MONTHS) and words.isdisjoint(_STEPS)


_BOUNDS = ("since", "until", "before", "after", "around")


@cache
def expressions_of(language: str) -> EuropeanExpressions:
    """Return the expressions of time of one language."""
    return EuropeanExpressions(language)


class EuropeanExpressions:
    """The expressions of one language: patterns, compiled when they are first looked for, and what their groups mean.

    They have the `memory.language.time.dates.Surroundings` of this language.
    """

    def __init__(self, language: str) -> None:
        words, self._language = EUROPE[language], language
        self._words = words
        self._months = numbered(words.months, 1)
        self._weekdays = numbered(words.weekdays)
        self._seasons = numbered(words.seasons)
        self._units = numbered(words.units)
        self._numbers = numbered(words.numbers, 1)
        self._steps = numbered(words.steps, -1)
        self._days = numbered(words.days, -2)
        self._parts = numbered(words.parts)
        self._names = frozenset(words.names.split())
        self._bounds = numbered(words.bounds)
        self._joins = numbered(words.and_)
        # Every rule asks for one of the first, but for a year alone, which one of the others stands before.
        self._naming = _telling(words.months, words.weekdays, words.seasons, words.units, words.days, words.weekend)
        self._openings = _telling(words.in_, words.bounds, words.between, words.and_, words.parts)

    def find(self, text: str, today: date) -> Iterator[Found]:
        """Find expressions, in no certain order; they may overlap."""
        for pattern, meaning in self.patterns:
            for match in pattern.finditer(text):
                if days := meaning(match, today):
                    yield match.start(), match.end(), days

    def may_be_in(self, wording: Wording) -> bool:
        """Return whether a text may have an expression; false only if `find` finds none."""
        is_named = wording.is_run_together or not self._naming.isdisjoint(wording.words)
        return is_named or (wording.has_year and not self._openings.isdisjoint(wording.words))

    def bound(self, text: str, start: int, end: int) -> tuple[str, int, int]:
        match = self.before.search(text, max(0, start - 40), start)
        return (_BOUNDS[self._bounds[_key(match["b"])]], match.start("b"), end) if match else ("", start, end)

    def joins(self, text: str, start: int, gap: tuple[int, int]) -> bool:
        between = _key(text[gap[0] : gap[1]])
        if between in {"-", "–", "—"} or self._joins.get(between) == 1:
            return True
        return self._joins.get(between) == 0 and self.opening(text, start) < start

    def opening(self, text: str, start: int) -> int:
        match = self.between.search(text, max(0, start - 40), start)
        return match.start("b") if match else start

    @cached_property
    def between(self) -> re.Pattern[str]:
        """What announces a range: "between"."""
        return _ends_in(numbered(self._words.between))

    @cached_property
    def before(self) -> re.Pattern[str]:
        """What makes a range of the expression behind it."""
        return _ends_in(self._bounds)

    @cached_property
    def patterns(self) -> tuple[_Rule, ...]:
        """What finds expressions, and what they mean: twenty patterns, which take some 40 ms to compile."""
        return tuple(self._rules())

    @cached_property
    def _beside_month(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What makes a time of a word behind it, and of one behind another month."""
        joined = rf"(?:{_any('', self._months)}|\d)\s+{_any('', self._joins)}\s+\Z"
        return _ends_in(self._bounds | numbered(self._words.between)), re.compile(joined, re.IGNORECASE)

    @cached_property
    def _introducing(self) -> re.Pattern[str]:
        """What stands before a day: "on", "until", "le"; not "the", of "the 5 may be late"."""
        return _ends_in(numbered(f"{self._words.in_} {self._words.between} le du au") | self._bounds)

    def _rules(self) -> Iterator[_Rule]:
        month, weekday, season = (_any("m", self._months), _any("w", self._weekdays), _any("s", self._seasons))
        step, part, unit = (_any("step", self._steps), _any("part", self._parts), _any("u", self._units))
        amount = rf"(?P<n>\d{{1,4}}|{_any('', self._numbers)})"
        named = rf"(?:{part}[\s-])?(?:{_any('', numbered(self._words.in_))} )?(?:{part.replace('part', 'part2')}[\s-])?"
        of = r"(?:of |de |del |di |do )?"
        days = self._days
        yield _rule(_any("day", days), lambda match, today: [calendar.relative_day(today, days[_key(match["day"])])])
        for expression, meaning in ((self._words.ago, calendar.back), (self._words.lately, calendar.lately)):
            yield _rule(expression.format(n=amount, u=unit), partial(self._counted, meaning))
        for order in (rf"{step} {{}}", rf"{{}} {step}"):
            yield _rule(rf"(?:{part}\s+)?{order.format(unit)}", self._stepped_unit)
            yield _rule(order.format(weekday), self._stepped_weekday)
            yield _rule(order.format(month), self._stepped_month)
            yield _rule(order.format(season), self._stepped_season)
            yield _rule(
                order.format(_any("", numbered(self._words.weekend))),
                lambda match, today: [calendar.weekend(today, self._steps[_key(match["step"])])],
            )
        to = rf"\s*(?:-|–|—|{_any('', {word: 1 for word, alone in self._joins.items() if alone})})\s*"
        first = r"(?P<d0>\d{1,2})(?:st|nd|rd|th|\.|º|er|-го)?"
        between = rf"{_any('', numbered(self._words.between))} (?:{_ARTICLE} )?"
        both = rf" {_any('', self._joins)} (?:{_ARTICLE} )?"
        for opens, link in (("", to), (between, both)):
            yield _rule(rf"{opens}{first}{link}{_NUMBER}\s*{of}{month}\.?,?(?: {of}{_YEAR})?", self._days_of_month)
            yield _rule(rf"{opens}{month}\.? {first}{link}{_NUMBER}(?:,? {_YEAR})?(?![\d:%])", self._days_of_month)
        yield _rule(rf"{_NUMBER}\s*{of}{month}\.?,?(?: {of}{_YEAR})?", self._day_of_month)
        yield _rule(rf"{month}\.? {_NUMBER}(?:,? {_YEAR})?(?![\d:%])", self._day_of_month)
        yield _rule(
            rf"{named}{month}\.?,? {of}{_YEAR}",
            lambda match, _: [self._part(match, calendar.month(int(match["y"]), self._months[_key(match["m"])]))],
        )
        yield _rule(
            rf"{named}{season},? {of}{_YEAR}",
            lambda match, _: [calendar.season(int(match["y"]), self._seasons[_key(match["s"])])],
        )
        for expression, introduced in (
            (
                rf"{month}(?![.,]?\s*\d)",
                lambda match, today: self._part(match, calendar.latest_month(today, self._months[_key(match["m"])])),
            ),
            (season, lambda match, today: calendar.latest_season(today, self._seasons[_key(match["s"])])),
            (rf"{_YEAR}(?![-/.:,]?\d)", lambda match, _: self._part(match, calendar.whole_year(int(match["y"])))),
        ):
            yield _rule(rf"(?P<in>{named}){expression}", partial(self._introduced, introduced))
        yield _rule(weekday, self._weekday)
        yield _rule(self._numbered_weekday(weekday, of, to), self._weekday)

    def _numbered_weekday(self, weekday: str, of: str, to: str) -> str:
        """Return the pattern of "Thursday 26"; before a word that is no function word, there are so many."""
        goes_on = rf"\s(?:[-–—]\s|(?:\d{{1,2}}[:.]\d\d|{alternatives(STOP_WORDS[self._language])})(?![.\w]))"
        ends = rf"(?:(?<=[^\W\d])|(?=\W*\Z|[,;:.!?)](?!\d)|{goes_on}))(?![.:,]?\d|{to}\d|\s[ap]m\b|\sde la\b)"
        return rf"{weekday},?\s(?:{_ARTICLE}\s)?{_NUMBER}(?!\s*{of}{_any('', self._months)}){ends}"

    def _introduced(
        self, meaning: Callable[[re.Match[str], date], Days], match: re.Match[str], today: date
    ) -> list[Days]:
        near = max(0, match.start() - 40), match.start()  # where a word may make it a time: "in March"
        is_meant = match["in"] or any(pattern.search(match.string, *near) for pattern in self._beside_month)
        return [meaning(match, today)] if is_meant and self._is_month(match.groupdict().get("m", "")) else []

    def _counted(self, meaning: Callable[[date, int, str], Days], match: re.Match[str], today: date) -> list[Days]:
        """Days before today that are given as a number and a unit; without a number one is meant."""
        written = match["n"] or "1"
        count = int(written) if written.isdigit() else self._numbers[_key(written)]
        return [meaning(today, count, UNITS[self._units[_key(match["u"])]])]

    def _stepped_unit(self, match: re.Match[str], today: date) -> list[Days]:
        step = self._steps[_key(match["step"])]
        unit = UNITS[self._units[_key(match["u"])]]
        if unit == "week":
            return [calendar.week(today, step)]
        if unit == "month":
            return [self._part(match, calendar.month(today.year, today.month + step))]
        if unit == "year":
            return [self._part(match, calendar.whole_year(today.year + step))]
        return [Days(today, today)] if step == 0 else []

    def _weekday(self, match: re.Match[str], today: date) -> list[Days]:
        number, day = self._weekdays[_key(match["w"])], match.groupdict().get("d")
        days = calendar.nearest(today, int(day), number) if day else calendar.weekday(today, number)
        is_hour = day and match[0].endswith(day) and int(day) <= _HOURS and all(one.first < today for one in days)
        return [] if is_hour else days  # "dinner Friday 6"

    def _stepped_weekday(self, match: re.Match[str], today: date) -> list[Days]:
        past, coming = calendar.weekday(today, self._weekdays[_key(match["w"])])
        step = self._steps[_key(match["step"])]
        if step < 0 and past.first == today:
            past = Days(calendar.shifted(today, -7), calendar.shifted(today, -7))
        return [past] if step < 0 else [coming] if step > 0 else [past, coming]

    def _stepped_month(self, match: re.Match[str], today: date) -> list[Days]:
        number, step = self._months[_key(match["m"])], self._steps[_key(match["step"])]
        if step < 0:
            return [calendar.latest_month(calendar.month(today.year, today.month - 1).last, number)]
        return [calendar.month(today.year + (step > 0 and number <= today.month), number)]

    def _stepped_season(self, match: re.Match[str], today: date) -> list[Days]:
        number, step = self._seasons[_key(match["s"])], self._steps[_key(match["step"])]
        near = [calendar.season(year, number) for year in range(today.year - 2, today.year + 2)]
        if step < 0:
            return [days for days in near if days.last < today][-1:]
        return [days for days in near if days.last >= today][step : step + 1] or near[-1:]

    def _day_of_month(self, match: re.Match[str], today: date) -> list[Days]:
        month, number = self._months[_key(match["m"])], int(match["d"])
        text, near = match.string, (max(0, match.start() - 40), match.start())
        # A number beside `may` makes a day of it, also without a capital, unless it may be a verb: "room 5 may be".
        is_spelled_out = len(match[0].split()) > 2 or _ORDINAL.search(match[0]) or _ENDING.match(text, match.end())
        is_introduced = self._introducing.search(text, *near) and not _MODAL.match(text, match.end())
        if not (self._is_month(match["m"]) or is_spelled_out or is_introduced):
            return []
        if match["y"]:
            day = calendar.day(int(match["y"]), month, number)
            return [day] if day else []
        return calendar.latest_day(today, month, number)

    def _days_of_month(self, match: re.Match[str], today: date) -> list[Days]:
        first = int(match["d0"])
        return [
            Days(begin.first, end.last)
            for end in self._day_of_month(match, today)
            for begin in [calendar.day(end.last.year, end.last.month, first)]
            if begin and begin.first < end.last
        ]

    def _is_month(self, written: str) -> bool:
        """`may` and `march` are verbs as well, and Jan is a person: such words need a capital."""
        return written.casefold() not in self._names or not written.islower()

    def _part(self, match: re.Match[str], days: Days) -> Days:
        groups = match.groupdict()
        written = groups.get("part") or groups.get("part2")
        return days.part(self._parts[_key(written)]) if written else days


def numbered(groups: str, start: int = 0) -> dict[str, int]:
    """Number the groups of a list: each alternative (`_` for a space in it) with the number of its group."""
    return {
        word.replace("_", " "): number
        for number, group in enumerate(groups.split("|"), start)
        for word in group.split()
    }


def _telling(*groups: str) -> frozenset[str]:
    """Return the longest run of letters of each word of some lists, without case: no text has the word without it."""
    words = (word.casefold() for group in groups for word in numbered(group))
    return frozenset(max(_LETTERS.findall(word), key=len) for word in words)


def _any(name: str, words: dict[str, int]) -> str:
    return f"({f'?P<{name}>' if name else '?:'}{alternatives(words)})"


def _ends_in(words: dict[str, int]) -> re.Pattern[str]:
    """Match one of these words at the end of a text, and perhaps an article; "what about Friday?" means that day."""
    return re.compile(rf"(?<!\w)(?<!what\s)(?<!how\s){_any('b', words)}(?:\s+{_ARTICLE})?\s+\Z", re.IGNORECASE)


def _rule(pattern: str, meaning: Callable[[re.Match[str], date], list[Days]]) -> _Rule:
    spaced = pattern.replace("\\ ", " ").replace(" ", r"\s+")
    return re.compile(rf"(?<![\w@#/])(?<!\D-){spaced}(?!\w)", re.IGNORECASE), meaning


def _key(written: str) -> str:
    return " ".join(written.casefold().split())


def all_words(*fields: str) -> frozenset[str]:
    """Return the words of some fields of `TimeWords` in all languages."""
    return frozenset(word for words in EUROPE.values() for field in fields for word in numbered(getattr(words, field)))


MONTHS = all_words("months", "seasons")
_CALENDAR_WORDS = all_words("months", "weekdays", "seasons")
_LETTERS = re.compile(r"[^\W\d_]+")
_SAME_LETTER = str.maketrans("ıİ", "ii")
"""Patterns without case take a dotless i and its capital for an i, and `casefold` does not."""
_ORDINAL, _ENDING = re.compile(r"\d(?:[^\W\d_]|[.º])"), re.compile(r"\s*(?:[,;:.!?)\n]|\Z)")
_MODAL = re.compile(r"\s+(?:be|have|not|i)(?!\w)", re.IGNORECASE)
"""What stands behind `may` where it is a verb: "until 5 may be too late"."""
_MAY_BE_YEAR = re.compile(r"(?:19|20|21)\d\d")
_RUN_TOGETHER = re.compile(r"\d(?:[^\W\d_]|-го)")
_STEPS = frozenset(word for name in all_words("steps") for word in name.split())
