"""Expressions of time in European languages, as ranges of days."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, partial
from typing import Self

from memory.language.time import calendar
from memory.language.time.calendar import Days
from memory.language.time.found import Found, Rule, look_for
from memory.language.time.words import EUROPE, PATTERNS, UNITS, all_words, number_of
from memory.language.words import STOP_WORDS, alternatives

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


_GROUPS = {
    "m": "months", "w": "weekdays", "s": "seasons", "u": "units", "step": "steps", "part": "parts", "part2": "parts",
    "day": "days",
}  # fmt: skip
"""Groups of the patterns, and whose words they match."""
_NAMING = ("months", "weekdays", "seasons", "units", "days", "weekend")
_OPENING = ("in_", "bounds", "between", "and_", "parts")
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
        words = self._words = EUROPE[language]
        self._language = language
        self._joins, self._numbers = words["and_"], words["numbers"] | words["few"]
        self._lists = {group: words[name] for group, name in _GROUPS.items()}
        # Every rule asks for one of the first, but for a year alone, which one of the others stands before.
        self._naming = _telling(words[name] for name in _NAMING)
        self._openings = _telling(words[name] for name in _OPENING)

    def find(self, text: str, today: date) -> Iterator[Found]:
        """Find expressions of this language."""
        return look_for(self.patterns, text, today)

    def may_be_in(self, wording: Wording) -> bool:
        """Return whether a text may have an expression; false only if `find` finds none."""
        is_named = wording.is_run_together or not self._naming.isdisjoint(wording.words)
        return is_named or (wording.has_year and not self._openings.isdisjoint(wording.words))

    def bound(self, text: str, start: int, end: int) -> tuple[str, int, int]:
        match = self.before.search(text, max(0, start - 40), start)
        return (_BOUNDS[self._words["bounds"][_key(match["b"])]], match.start("b"), end) if match else ("", start, end)

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
        return _ends_in(self._words["between"])

    @cached_property
    def before(self) -> re.Pattern[str]:
        """What makes a range of the expression behind it."""
        return _ends_in(self._words["bounds"])

    @cached_property
    def patterns(self) -> tuple[Rule, ...]:
        """What finds expressions, and what they mean: fifteen patterns, which take some 10 ms to compile."""
        return tuple(self._rules())

    @cached_property
    def _beside_month(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What makes a time of a word behind it, and of one behind another month."""
        joined = rf"(?:{_any('', self._words['months'])}|\d)\s+{_any('', self._joins)}\s+\Z"
        return _ends_in(self._words["bounds"] | self._words["between"]), re.compile(joined, re.IGNORECASE)

    @cached_property
    def _introducing(self) -> re.Pattern[str]:
        """What stands before a day: "on", "until", "le"; not "the", of "the 5 may be late"."""
        return _ends_in({"le", "du", "au"}.union(self._words["in_"], self._words["between"], self._words["bounds"]))

    def _rules(self) -> Iterator[Rule]:
        month, weekday, season, unit, step, part, part2, day = (
            _any(name, words) for name, words in self._lists.items()
        )
        amount = rf"(?P<n>\d{{1,4}}|{_any('', self._numbers)})"
        named = rf"(?:{part}[\s-])?(?:{_any('', self._words['in_'])} )?(?:{part2}[\s-])?"
        of = r"(?:of |de |del |di |do )?"
        yield _rule(day, lambda match, today: [calendar.relative_day(today, self._said(match)["day"])])
        for name, meaning in (("ago", calendar.back), ("lately", calendar.lately)):
            yield _rule(PATTERNS[self._language][name].format(n=amount, u=unit), partial(self._counted, meaning))
        whole = rf"(?:{_any('', self._words['weekend'])}|{unit}|{weekday}|{month}|{season})"
        for order in (f"{step} {whole}", f"{whole} {step}"):
            yield _rule(rf"(?:{part}\s+)??{order}", self._stepped)  # a weekend, not the end of a week
        to = rf"\s*(?:-|–|—|{_any('', {word: 1 for word, alone in self._joins.items() if alone})})\s*"
        first = r"(?P<d0>\d{1,2})(?:st|nd|rd|th|\.|º|er|-го)?"
        between = rf"{_any('', self._words['between'])} (?:{_ARTICLE} )?"
        both = rf" {_any('', self._joins)} (?:{_ARTICLE} )?"
        for opens, link in (("", to), (between, both)):
            yield _rule(rf"{opens}{first}{link}{_NUMBER}\s*{of}{month}\.?,?(?: {of}{_YEAR})?", self._days_of_month)
            yield _rule(rf"{opens}{month}\.? {first}{link}{_NUMBER}(?:,? {_YEAR})?(?![\d:%])", self._days_of_month)
        yield _rule(rf"{_NUMBER}\s*{of}{month}\.?,?(?: {of}{_YEAR})?", self._day_of_month)
        yield _rule(rf"{month}\.? {_NUMBER}(?:,? {_YEAR})?(?![\d:%])", self._day_of_month)
        yield _rule(rf"{named}(?:{month}\.?|{season}),? {of}{_YEAR}", self._whole)
        alone = rf"(?:{month}(?![.,]?\s*\d)|{season}|{_YEAR}(?![-/.:,]?\d))"
        yield _rule(rf"(?P<in>{named}){alone}", self._introduced)
        yield _rule(weekday, self._weekday)
        yield _rule(self._numbered_weekday(weekday, of, to), self._weekday)

    def _numbered_weekday(self, weekday: str, of: str, to: str) -> str:
        """Return the pattern of "Thursday 26"; before a word that is no function word, there are so many."""
        goes_on = rf"\s(?:[-–—]\s|(?:\d{{1,2}}[:.]\d\d|{alternatives(STOP_WORDS[self._language])})(?![.\w]))"
        ends = rf"(?:(?<=[^\W\d])|(?=\W*\Z|[,;:.!?)](?!\d)|{goes_on}))(?![.:,]?\d|{to}\d|\s[ap]m\b|\sde la\b)"
        return rf"{weekday},?\s(?:{_ARTICLE}\s)?{_NUMBER}(?!\s*{of}{_any('', self._words['months'])}){ends}"

    def _said(self, match: re.Match[str]) -> dict[str, int]:
        """Return what the words in the groups of a match stand for."""
        words = ((group, written) for group, written in match.groupdict().items() if written and group in self._lists)
        return {group: self._lists[group][_key(written)] for group, written in words}

    def _introduced(self, match: re.Match[str], today: date) -> list[Days]:
        near = max(0, match.start() - 40), match.start()  # where a word may make it a time: "in March"
        is_meant = match["in"] or any(pattern.search(match.string, *near) for pattern in self._beside_month)
        return self._whole(match, today) if is_meant and self._is_month(match["m"] or "") else []

    def _whole(self, match: re.Match[str], today: date) -> list[Days]:
        """Days of a month, a season or a year, or a part of them; the last that has begun if no year is named."""
        said, year = self._said(match), int(match["y"] or 0)
        if "m" in said:
            days = calendar.month(year, said["m"]) if year else calendar.latest_month(today, said["m"])
        elif "s" in said:
            days = calendar.season(year, said["s"]) if year else calendar.latest_season(today, said["s"])
        else:
            days = calendar.whole_year(year)
        return [_part(said, days)]

    def _counted(self, meaning: Callable[[date, int, str], Days], match: re.Match[str], today: date) -> list[Days]:
        """Days before today that are given as a number and a unit; without a number one is meant."""
        count = number_of(_key(match["n"] or "1"), self._numbers)
        return [meaning(today, count, UNITS[self._said(match)["u"]])]

    def _stepped(self, match: re.Match[str], today: date) -> list[Days]:
        """Days that are the last, this or the next of their kind, or a part of them."""
        said = self._said(match)
        step = said["step"]
        if "w" in said:
            past, coming = calendar.weekday(today, said["w"])
            if step < 0:
                return [past if past.first < today else calendar.relative_day(today, -7)]
            return [coming] if step > 0 else [past, coming]
        if "m" in said and step < 0:
            found = [calendar.latest_month(calendar.month(today.year, today.month - 1).last, said["m"])]
        elif "m" in said:
            found = [calendar.month(today.year + (step > 0 and said["m"] <= today.month), said["m"])]
        elif "s" in said:
            near = [calendar.season(year, said["s"]) for year in range(today.year - 2, today.year + 2)]
            over = [days for days in near if days.last < today]
            found = over[-1:] if step < 0 else near[len(over) + step :][:1] or near[-1:]
        elif "u" in said:
            found = calendar.stepped(today, step, UNITS[said["u"]])
        else:
            found = [calendar.weekend(today, step)]
        return [_part(said, days) for days in found]

    def _weekday(self, match: re.Match[str], today: date) -> list[Days]:
        number, day = self._said(match)["w"], match.groupdict().get("d")
        days = calendar.nearest(today, int(day), number) if day else calendar.weekday(today, number)
        is_hour = day and match[0].endswith(day) and int(day) <= _HOURS and all(one.first < today for one in days)
        return [] if is_hour else days  # "dinner Friday 6"

    def _day_of_month(self, match: re.Match[str], today: date) -> Sequence[Days | None]:
        month, number = self._said(match)["m"], int(match["d"])
        text, near = match.string, (max(0, match.start() - 40), match.start())
        # A number beside `may` makes a day of it, also without a capital, unless it may be a verb: "room 5 may be".
        is_spelled_out = len(match[0].split()) > 2 or _ORDINAL.search(match[0]) or _ENDING.match(text, match.end())
        is_introduced = self._introducing.search(text, *near) and not _MODAL.match(text, match.end())
        if not (self._is_month(match["m"]) or is_spelled_out or is_introduced):
            return []
        if match["y"]:
            return [calendar.day(int(match["y"]), month, number)]
        return calendar.latest_day(today, month, number)

    def _days_of_month(self, match: re.Match[str], today: date) -> list[Days]:
        first = int(match["d0"])
        return [
            Days(begin.first, end.last)
            for end in self._day_of_month(match, today)
            if end and (begin := calendar.day(end.last.year, end.last.month, first)) and begin.first < end.last
        ]

    def _is_month(self, written: str) -> bool:
        """`may` and `march` are verbs as well, and Jan is a person: such words need a capital."""
        return written.casefold() not in self._words["names"] or not written.islower()


def _part(said: Mapping[str, int], days: Days) -> Days:
    part = said.get("part", said.get("part2"))
    return days if part is None else days.part(part)


def _telling(lists: Iterable[Iterable[str]]) -> frozenset[str]:
    """Return the longest run of letters of each word of some lists, without case: no text has the word without it."""
    words = (word.casefold() for words in lists for word in words)
    return frozenset(max(_LETTERS.findall(word), key=len) for word in words)


def _any(name: str, words: Iterable[str]) -> str:
    return f"({f'?P<{name}>' if name else '?:'}{alternatives(words)})"


def _ends_in(words: Iterable[str]) -> re.Pattern[str]:
    """Match one of these words at the end of a text, and perhaps an article; "what about Friday?" means that day."""
    return re.compile(rf"(?<!\w)(?<!what\s)(?<!how\s){_any('b', words)}(?:\s+{_ARTICLE})?\s+\Z", re.IGNORECASE)


def _rule(pattern: str, meaning: Callable[[re.Match[str], date], Sequence[Days | None]]) -> Rule:
    spaced = pattern.replace(" ", r"\s+")
    return re.compile(rf"(?<![\w@#/])(?<!\D-){spaced}(?!\w)", re.IGNORECASE), meaning


def _key(written: str) -> str:
    return " ".join(written.casefold().split())


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
