"""Expressions of time in Chinese, Japanese and Korean, as ranges of days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from memory.language.time import calendar
from memory.language.time.calendar import Days
from memory.language.time.found import Found, Rule, look_for
from memory.language.time.words import PATTERNS, UNITS, WORDS, number_of, number_pattern, weekdays_of
from memory.language.words import alternatives

_WORDS = WORDS["cjk"]
_OWN = [WORDS[code] for code in ("zh", "ja", "ko")]
_DIGITS, _KOREAN = _OWN[0]["numbers"], _OWN[2]["numbers"]
_NUMBERS = _DIGITS | _KOREAN
_UNITS, _STEPS, _YEARS, _SEASONS = (_WORDS[name] for name in ("units", "steps", "years", "seasons"))
_DAYS = {word: day for words in _OWN for word, day in words["days"].items()}
_WRITTEN = [weekdays_of(code) for code in ("zh", "ja", "ko")]
_WEEKDAYS = {word: day for words in (*_WRITTEN, *(words["weekdays"] for words in _OWN)) for word, day in words.items()}

_COUNT = rf"\d{{1,2}}|{number_pattern(_DIGITS)}"
_N = rf"(?P<n>\d{{1,4}}|{number_pattern(_DIGITS)}|{number_pattern(_KOREAN)})"
_U = f"(?P<u>{alternatives(_UNITS)})"
_STEP = rf"(?<!(?<![周週期拜])一(?=下))(?P<step>{alternatives(_STEPS)})\s?"
"""一下周六 is 一下, "for a moment", and Saturday."""
_YEAR = rf"(?:(?P<y>(?:19|20|21)\d\d)\s?[年년]|(?P<yw>{alternatives(_YEARS)}))[의的の]?\s?"
_SEASON = f"(?P<s>{alternatives(_SEASONS)})[天季]?"


def find(text: str, today: date) -> Iterator[Found]:
    """Find expressions of these languages."""
    return look_for(_RULES, text, today)


def _stepped(match: re.Match[str], today: date) -> list[Days]:
    step = _STEPS[match["step"]]
    if match["end"]:
        return [calendar.weekend(today, step)]
    if match["w"]:
        return [calendar.relative_day(calendar.week(today, step).first, _WEEKDAYS[match["w"]])]
    return [calendar.week(today, step)]


def _weekday(match: re.Match[str], today: date) -> list[Days]:
    return calendar.weekday(today, _WEEKDAYS[match[0]])


def _dated(match: re.Match[str], today: date) -> Sequence[Days | None]:
    said = match.groupdict()
    year = int(said["y"]) if said.get("y") else today.year + _YEARS[said["yw"]] if said.get("yw") else 0
    if said.get("s"):
        return [calendar.season(year, _SEASONS[said["s"]])]
    if not said["m"]:
        return [calendar.whole_year(year)]
    month = number_of(said["m"], _NUMBERS)
    if not 1 <= month <= 12:
        return []
    if not said["d"]:
        return [calendar.month(year, month) if year else calendar.latest_month(today, month)]
    number = number_of(said["d"], _NUMBERS)
    return [calendar.day(year, month, number)] if year else calendar.latest_day(today, month, number)


_MONTH = rf"(?P<m>{_COUNT})\s?[月월]份?"
_DAY = rf"\s?(?P<d>{_COUNT})\s?[日号號일]"
_NO_SPAN = "(?!間|间|간)"
_WEEK = f"(?:{'|'.join(PATTERNS['zh']['weekday'].replace('{}', '').split())})"
_CHINESE_DAY, _JAPANESE_DAY, _KOREAN_DAY = (f"(?P<w>[{''.join(words['weekdays'])}])" for words in _OWN)

_RULES: tuple[Rule, ...] = tuple(
    (re.compile(pattern), meaning)
    for pattern, meaning in (
        (alternatives(_DAYS), lambda match, today: [calendar.relative_day(today, _DAYS[match[0]])]),
        (
            rf"{_N}\s?{_U}\s?(?:以前|之前|前|전)",
            lambda match, today: [calendar.back(today, number_of(match["n"], _NUMBERS), UNITS[_UNITS[match["u"]]])],
        ),
        (
            rf"(?:最近|过去|過去|近|この|ここ|지난|최근)\s?[的の]?{_N}\s?{_U}[間间간]?",
            lambda match, today: [calendar.lately(today, number_of(match["n"], _NUMBERS), UNITS[_UNITS[match["u"]]])],
        ),
        (rf"{_STEP}{_WEEK}(?:(?P<end>末)|{_CHINESE_DAY})?", _stepped),
        (rf"{_STEP}週の?(?:(?P<end>末)|{_JAPANESE_DAY}曜日?)", _stepped),
        (rf"{_STEP}주\s?(?:(?P<end>말)|{_KOREAN_DAY}요일)?", _stepped),
        (
            rf"{_STEP}(?:月|个月|個月|달)",
            lambda match, today: [calendar.month(today.year, today.month + _STEPS[match["step"]])],
        ),
        *((alternatives(words), _weekday) for words in _WRITTEN),
        (rf"{_YEAR}(?:{_SEASON}|{_MONTH}(?:{_DAY})?)?{_NO_SPAN}", _dated),
        (rf"(?<![\d年]){_MONTH}(?:{_DAY})?{_NO_SPAN}", _dated),
    )
)

_BOUNDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\s?{pattern}"), bound)
    for pattern, bound in (
        ("(?:以来|以來|起|开始|開始|至今|から|부터|이후)", "since"),
        ("(?:为止|為止|まで|까지)", "until"),
        ("(?:之前|以前|より前|の前|이전|전)", "before"),
        ("(?:之后|之後|以后|以後|の後|より後)", "after"),
        ("(?:左右|前后|前後|ごろ|頃|くらい|쯤|무렵)", "around"),
    )
)


_UNTIL = re.compile(rf"(?<![改換换挪推调調迟遲])(?<!延期)(?:{alternatives(_WORDS['until'])})\s?\Z")
"""Of 改到, "moved to", no time ends."""
_FROM = re.compile(rf"(?:{alternatives(_WORDS['from'])})\s?\Z")
_JOINS = re.compile(rf"\s?(?:{alternatives(_WORDS['and_'])})\s?")
_NEAR = 4
"""Characters before an expression, or between two, that may belong to it."""


def bound(text: str, start: int, end: int) -> tuple[str, int, int]:
    """As `memory.language.time.dates.Surroundings` describes it; so are `joins` and `opening`."""
    for pattern, name in _BOUNDS:
        if match := pattern.match(text, end):
            return name, opening(text, start) if name == "since" else start, match.end()
    for pattern, name in ((_UNTIL, "until"), (_FROM, "since")):
        if match := pattern.search(text, max(0, start - _NEAR), start):
            return name, match.start(), end
    return "", start, end


def joins(text: str, start: int, gap: tuple[int, int]) -> bool:
    return start < gap[0] and _JOINS.fullmatch(text, *gap) is not None


def opening(text: str, start: int) -> int:
    match = _FROM.search(text, max(0, start - _NEAR), start)
    return match.start() if match else start


def is_month(expression: str) -> bool:
    """Return whether an expression is a month or a day of one, and not `last` or `next` of them."""
    return _MONTH_FIRST.match(expression) is not None


_MONTH_FIRST = re.compile(_MONTH)
