"""Expressions of time in Chinese, Japanese and Korean, as ranges of days."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from memory.language.time import calendar
from memory.language.time.calendar import Days
from memory.language.time.dates_european import UNITS, Found, numbered, read_time_words
from memory.language.words import alternatives

_Meaning = Callable[[re.Match[str], date], list[Days]]

_WORDS = read_time_words()["cjk"]
_DIGITS = numbered(_WORDS["digits"])
_UNITS = {word: UNITS[number] for word, number in numbered(_WORDS["units"]).items()}
_DAYS = numbered(_WORDS["days"], -2)
_STEPS = numbered(_WORDS["steps"], -1)
_YEARS = numbered(_WORDS["years"], -2)
_SEASONS = numbered(_WORDS["seasons"])
_WEEKDAYS = numbered(_WORDS["weekdays"])

_N = r"(?P<n>\d{1,4}|[一二两兩三四五六七八九十]{1,3})"
_U = f"(?P<u>{alternatives(_UNITS)})"
_STEP = rf"(?<!(?<![周週期拜])一(?=下))(?P<step>{alternatives(_STEPS)})\s?"
"""一下周六 is 一下, "for a moment", and Saturday."""
_YEAR = rf"(?:(?P<y>(?:19|20|21)\d\d)\s?[年년]|(?P<yw>{alternatives(_YEARS)}))[의的の]?\s?"
_SEASON = f"(?P<s>{alternatives(_SEASONS)})[天季]?"


def find(text: str, today: date) -> Iterator[Found]:
    """Find expressions in no certain order; they may overlap."""
    for pattern, meaning in _RULES:
        for match in pattern.finditer(text):
            if days := meaning(match, today):
                yield match.start(), match.end(), days


def _stepped(match: re.Match[str], today: date) -> list[Days]:
    step = _STEPS[match["step"]]
    if match["end"]:
        return [calendar.weekend(today, step)]
    if match["w"]:
        return [calendar.relative_day(calendar.week(today, step).first, _WEEKDAYS[match["w"]])]
    return [calendar.week(today, step)]


def _weekday(match: re.Match[str], today: date) -> list[Days]:
    return calendar.weekday(today, _WEEKDAYS[match["w"]])


def _in_year(match: re.Match[str], today: date) -> list[Days]:
    year = int(match["y"]) if match["y"] else today.year + _YEARS[match["yw"]]
    if match["s"]:
        return [calendar.season(year, _SEASONS[match["s"]])]
    if not match["m"]:
        return [calendar.whole_year(year)]
    month = _number(match["m"])
    if not 1 <= month <= 12:
        return []
    if not match["d"]:
        return [calendar.month(year, month)]
    found = calendar.day(year, month, _number(match["d"]))
    return [found] if found else []


def _month(match: re.Match[str], today: date) -> list[Days]:
    month = _number(match["m"])
    if not 1 <= month <= 12:
        return []
    if match["d"]:
        return calendar.latest_day(today, month, _number(match["d"]))
    return [calendar.latest_month(today, month)]


def _number(written: str) -> int:
    """Read up to 99 in Chinese digits, or a number in ASCII."""
    if written.isdecimal():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    units = _DIGITS.get(ones, 0) if ones else 0
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + units


_MONTH = r"(?P<m>\d{1,2}|[一二三四五六七八九十]{1,3})\s?[月월]份?"
_DAY = r"\s?(?P<d>\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号號일]"
_NO_SPAN = "(?!間|间|간)"
_WEEK = "(?:周|週|星期|礼拜|禮拜)"

_RULES: tuple[tuple[re.Pattern[str], _Meaning], ...] = tuple(
    (re.compile(pattern), meaning)
    for pattern, meaning in (
        (alternatives(_DAYS), lambda match, today: [calendar.relative_day(today, _DAYS[match[0]])]),
        (
            rf"{_N}\s?{_U}\s?(?:以前|之前|前|전)",
            lambda match, today: [calendar.back(today, _number(match["n"]), _UNITS[match["u"]])],
        ),
        (
            rf"(?:最近|过去|過去|近|この|ここ|지난|최근)\s?[的の]?{_N}\s?{_U}[間间간]?",
            lambda match, today: [calendar.lately(today, _number(match["n"]), _UNITS[match["u"]])],
        ),
        (rf"{_STEP}{_WEEK}(?:(?P<end>末)|(?P<w>[一二三四五六日天]))?", _stepped),
        (rf"{_STEP}週の?(?:(?P<end>末)|(?P<w>[月火水木金土日])曜日?)", _stepped),
        (rf"{_STEP}주\s?(?:(?P<end>말)|(?P<w>[월화수목금토일])요일)?", _stepped),
        (
            rf"{_STEP}(?:月|个月|個月|달)",
            lambda match, today: [calendar.month(today.year, today.month + _STEPS[match["step"]])],
        ),
        (rf"{_WEEK}(?P<w>[一二三四五六日天])", _weekday),
        (r"(?P<w>[月火水木金土日])曜日?", _weekday),
        (r"(?P<w>[월화수목금토일])요일", _weekday),
        (rf"{_YEAR}(?:{_SEASON}|{_MONTH}(?:{_DAY})?)?{_NO_SPAN}", _in_year),
        (rf"(?<![\d年]){_MONTH}(?:{_DAY})?{_NO_SPAN}", _month),
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


_UNTIL = re.compile(rf"(?<![改換换挪推调調迟遲])(?<!延期)(?:{alternatives(_WORDS['until'].split())})\s?\Z")
"""Of 改到, "moved to", no time ends."""
_FROM = re.compile(rf"(?:{alternatives(_WORDS['from'].split())})\s?\Z")
_JOINS = re.compile(rf"\s?(?:{alternatives(_WORDS['and_'].split())})\s?")
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
