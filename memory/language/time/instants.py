"""Expressions of an instant to come, or of what repeats, in what somebody wants to be reminded of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

from memory.language.detect import BY_SCRIPT, script
from memory.language.normalize import blank_no_times
from memory.language.time import calendar
from memory.language.time.instant_words import Cluster, Grammar, Piece, clusters, grammar
from memory.language.time.words import UNITS
from memory.language.words import alternatives

MORNING = time(9)
"""The time of a day for which none is said."""

_HOURS = {"early": 5, "morning": 9, "noon": 12, "afternoon": 15, "evening": 19, "night": 22}
PARTS = {part: time(hour) for part, hour in _HOURS.items()}
"""The times of parts of a day."""

WAKING_HOUR = 6
"""An hour that may be of the morning or of the afternoon is the next one that is not before this hour."""
SMALL_HOUR = 4
"""An hour of an evening that is before this one is behind its midnight."""
MAX_AHEAD_YEARS = 100

_MONTHS_NAMED = 2
"""Months in which a day is looked for that is named with its weekday."""

_TO = "".join(rf"(?<!\b{word} )" for word in ("to", "until", "till", "before", "auf", "vor", "ab"))
_NTH = re.compile(rf"{_TO}(?:the|den|dem) |de[nm] \d+\. (?-i:[A-ZÄÖÜ])", re.IGNORECASE)
"""Before the number of a day, or of something else: "the 3rd child"; what stands "to the 3rd" is a day."""
_UNTIL = re.compile(r"(?:ab|bis|nach|vor)\b", re.IGNORECASE)
_UNITS = {"hourly": "hour", "weekly": "week", "monthly": "month", "yearly": "year"}


class Unclear(StrEnum):
    """Why an expression names no instant that somebody can be reminded at."""

    MISSING = "missing"
    VAGUE = "vague"
    PAST = "past"
    IMPOSSIBLE = "impossible"
    SEVERAL = "several"
    ODD = "odd"


@dataclass(frozen=True, slots=True)
class When:
    """What a text says of when.

    Attributes:
        rest: the text without it.
        due: the instant, aware, in the zone of now; the first one of what repeats is left to who plans it.
        every: a cron expression of five fields, in that zone; empty if it does not repeat.
        lack: why there is neither.
        is_day: whether only a day is said, so that the time of `due` is a usual one.
    """

    rest: str
    due: datetime | None = None
    every: str = ""
    lack: Unclear | None = None
    is_day: bool = False


def find_when(
    text: str,
    now: datetime,
    opens: Callable[[str], bool] = lambda before: not before.strip(),
    day: date | None = None,
    codes: Sequence[str] = ("en", "de"),
    earliest: int = WAKING_HOUR,
) -> When:
    """Read when somebody wants to be reminded; no text makes it raise.

    Args:
        now: the present, in the zone of the person.
        opens: tells whether a text before an expression is only what an order opens with.
        day: of what a text names no day for, if it is to come; None for the next one that fits.
        codes: the languages that it may be in, as far as its script does not tell.
        earliest: the hour from which on one that may be of the morning or of the afternoon is the next one.
    """
    grammars = [grammar(code) for code in codes_by_script(text, codes)]
    readings = [clusters(words, blank_no_times(text)) for words in grammars]
    expressions = max(readings, key=lambda reading: sum(cluster.end - cluster.start for cluster in reading))
    if not expressions:
        return When(text, lack=Unclear.MISSING)
    cut = _choose(expressions, text, opens, grammars)
    pieces = [piece for cluster in cut for piece in cluster.pieces]
    occasion = next(filter(None, (words.occasion.search(text) for words in grammars)), None)
    is_open = occasion is not None and all(cluster.says == {"time"} for cluster in cut)
    if occasion and is_open:  # "on her birthday at 9": not today
        timed = [one for one in expressions if one.says == {"time"}]
        pieces = [piece for one in timed for piece in one.pieces]
        cut = [one for one in timed if not occasion.start() <= one.start < occasion.end()]
    rest = text
    for cluster in reversed(cut):
        rest = f"{rest[: cluster.start].rstrip(' ,，')} {rest[cluster.end :].lstrip(' ,，:：')}"
    if {"every", "exception"} <= {piece.kind for one in expressions for piece in one.pieces}:
        return When(rest.strip(), lack=Unclear.ODD)
    if occasion and is_open and (day is None or occasion.lastgroup):  # "an hour before the show at 3": not at 3
        return When(rest.strip(), lack=Unclear.VAGUE)
    return replace(_resolve(pieces, now, day, earliest), rest=rest.strip())


def _choose(
    expressions: Sequence[Cluster], text: str, opens: Callable[[str], bool], grammars: Sequence[Grammar]
) -> list[Cluster]:
    """Return the expression that is meant, or two of which one completes the other.

    One at the beginning, right after the order, is preferred to one at the end, and that to one in between: "remind me
    tomorrow to book the train for Friday".
    """
    opening = next((one for one in expressions if opens(text[: one.start])), None)
    closing = expressions[-1] if any(g.closing.fullmatch(text, expressions[-1].end) for g in grammars) else None
    if opening is None:
        return [closing or expressions[0]]
    by_itself = (one for one in expressions if not _UNTIL.match(text, one.start))
    ahead = (one for one in by_itself if any(g.order.fullmatch(text, opening.end, one.start) for g in grammars))
    closing = next(ahead, closing)
    if closing and closing is not opening and opening.completes(closing):
        return [opening, closing]
    return [opening]


def codes_by_script(text: str, latin: Sequence[str]) -> Sequence[str]:
    """Return the languages that the times of a text may be in; `latin` are those of what is in Latin letters."""
    scripts = frozenset(map(script, text))
    own = next(((BY_SCRIPT[name],) for name in ("kana", "han", "hangul", "cyrillic") if name in scripts), ())
    return (*own, *latin) if "latin" in scripts or not own else own


def days_after(text: str, said: date, codes: Iterable[str]) -> Sequence[calendar.Days]:
    """Return the days that a text names by the one on which it was said: "in two weeks", "at the weekend"."""
    days, now = list[calendar.Days](), datetime.combine(said, time(), ZoneInfo("UTC"))
    for one in chain.from_iterable(grammar(code).pieces(text) for code in codes):
        is_weekend = not {"weekend", "nextweekend"}.isdisjoint(one.groups)
        is_further = one.kind == "weekday" and not {"after", "next", "later"}.isdisjoint(one.groups)  # "Tuesday week"
        if is_further or is_weekend or (one.kind in {"relative", "date"} and not _NTH.match(text, one.start)):
            when = _resolve((one,), now, None, WAKING_HOUR)
            if when.due and when.is_day:
                first = when.due.date()
                days.append(calendar.Days(first, calendar.weekend(first).last if is_weekend else first))
    return days


def ordinals_in(text: str, code: str) -> frozenset[int]:
    """Return the numbers of days that are said in words before a month: "the twelfth of May", "el doce de mayo"."""
    words = grammar(code)
    numbers = words.ordinals or {word: number for word, number in words.numbers.items() if number <= 31}
    months = alternatives(words.months) or "(?!)"
    day = re.compile(rf"(?<!\w)({alternatives(numbers)})[nrs]?(?: \w\w\w?)? (?:{months})(?!\w)")
    return frozenset(numbers[one] for one in day.findall(text.lower()))


def repeated_weekdays(text: str, codes: Iterable[str]) -> frozenset[int]:
    """Return the weekdays, Monday first, on which something comes again, be it on each or on every other one."""
    days = set[int]()
    for words in map(grammar, codes):
        again = [one for one in clusters(words, text) if any(piece.kind in {"every", "odd"} for piece in one.pieces)]
        for piece in words.pieces(text) if again else ():
            if any(one.start <= piece.start and piece.end <= one.end for one in again):
                days.update(piece.groups.get("ws", ()), [piece.groups["w"]] if "w" in piece.groups else ())
    return frozenset(days)


def weekday_names(days: Collection[int], codes: Iterable[str]) -> frozenset[str]:
    """Return what weekdays, Monday first, are called in some languages."""
    return frozenset(name for code in codes for name, day in grammar(code).weekdays.items() if day in days)


def instant_of(value: str, zone: ZoneInfo) -> datetime:
    """Return the instant of an ISO day or time, local unless it has an offset; raises `ValueError` if it is none.

    An hour that the clock leaves out is read as its end.
    """
    instant = datetime.fromisoformat(value)
    if len(value) == len("2026-12-01"):
        instant = datetime.combine(instant, MORNING)
    return instant.astimezone(zone) if instant.tzinfo else at_local(instant.date(), instant.time(), zone)


def at_local(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return an instant of the clock: the first of two, and the one behind an hour that is left out."""
    return datetime.combine(day, at, zone).astimezone(UTC).astimezone(zone)


def as_local(instant: datetime) -> str:
    """Return an instant as the value of `due`: without an offset, unless the hour comes twice and it is the second."""
    seconds = "seconds" if instant.second else "minutes"
    plain = instant.replace(tzinfo=None, fold=0).isoformat(timespec=seconds)
    return instant.isoformat(timespec=seconds) if instant.fold else plain


Said = Mapping[str, Mapping[str, Any]]
"""What the groups of expressions matched, by the kind of expression."""


class _Unresolved(Exception):
    def __init__(self, lack: Unclear) -> None:
        self.lack = lack


def _resolve(pieces: Sequence[Piece], now: datetime, day: date | None, earliest: int) -> When:
    try:
        if any(piece.kind == "every" for piece in pieces):
            return When("", every=_every(pieces, now, earliest))
        said = _with_hour(_merged(pieces), now.date())
        due = _due(said, now, day, earliest)
    except _Unresolved as error:
        return When("", lack=error.lack)
    except (ValueError, OverflowError):
        return When("", lack=Unclear.IMPOSSIBLE)
    is_day = _time(said) is None and not ("relative" in said and _offset(said["relative"])[0])
    return When("", due=due, is_day=is_day) if _is_after(due, now) else When("", lack=Unclear.PAST)


def _merged(pieces: Sequence[Piece]) -> Said:
    """Return what is said, by the kind of expression; raises `_Unresolved` if that is no instant to come, or two."""
    said: dict[str, Mapping[str, Any]] = {}
    for piece in pieces:
        if piece.kind in _REFUSED:
            raise _Unresolved(_REFUSED[piece.kind])
        if (piece.kind in said and said[piece.kind] != piece.groups) or "hs" in piece.groups:
            raise _Unresolved(Unclear.SEVERAL)
        said[piece.kind] = piece.groups
    return said


def _with_hour(said: Said, today: date) -> Said:
    """Return what is said, with an hour where a number that may be one is no day of its weekday soon: "Friday 6"."""
    one = said.get("date", {})
    is_open = "h" in one and said.keys().isdisjoint({"clock", "part"})
    if not is_open or _days_numbered(one["d"], today, one["w"]):
        return said
    others = {kind: groups for kind, groups in said.items() if kind != "date"}
    return {**others, "weekday": {"w": one["w"]}, "clock": {"h": one["h"]}}


def _days_numbered(number: float, today: date, weekday: int | None) -> Sequence[date]:
    """Return the days to come that have a number in their month, of who names a weekday soon and on that weekday."""
    starts = (calendar.month(today.year, today.month + n).first for n in range(12))
    days = [day.first for first in starts if (day := calendar.day(first.year, first.month, int(number)))]
    coming = [day for day in days if day >= today]
    return coming if weekday is None else [day for day in coming[:_MONTHS_NAMED] if day.weekday() == weekday]


_REFUSED = {"odd": Unclear.ODD, "exception": Unclear.ODD, "past": Unclear.PAST, "vague": Unclear.VAGUE}


def _part(said: Said) -> str:
    groups = {**said.get("weekday", {}), **said.get("part", {}), **said.get("every", {})}
    return str(groups.get("part") or next((name for name in groups if name in PARTS), ""))


def _time(said: Said) -> tuple[int, int, bool] | None:
    """Return hour (up to 24), minute, and whether it may be twelve hours later as well; None if no time is said.

    Raises `ValueError` if no clock shows it, `_Unresolved` if there are two.
    """
    if "named" in said:
        name = next(iter(said["named"]))
        if said.get("clock", {}).get("h", 12) % 12:  # "at noon and at 6"
            raise _Unresolved(Unclear.SEVERAL)
        return int(name[2:4]), int(name[4:]), False
    part = _part(said)
    if "clock" not in said:
        return (PARTS[part].hour, PARTS[part].minute, False) if part else None
    groups = said["clock"]
    hour = int(groups.get("h", groups.get("halfto", groups.get("halfpast", groups.get("threeto", -1)))))
    minute = int(groups.get("min", 0))
    minute += 30 * ("half" in groups or "halfpast" in groups) + int(groups.get("quarter", 0))
    is_dated = not said.keys().isdisjoint({"day", "date", "weekday", "every"})
    is_exact = groups.get("exact") in ({"always", "dated"} if is_dated else {"always"})
    if not 0 <= hour <= 24 or not 0 <= minute <= 59:
        raise ValueError
    minute += int(groups.get("past", 0)) - int(groups.get("to", 0))
    minute -= 30 * ("halfto" in groups) + 15 * ("threeto" in groups)
    is_open = 1 <= hour <= 12 and (not is_exact or bool(part) or "ap" in groups)
    if "ap" in groups:
        if not is_open:
            raise ValueError
        hour, is_open = hour % 12 + 12 * (groups["ap"] == "p"), False
    elif is_open and part:
        is_night = part == "night" and hour >= WAKING_HOUR
        is_late = part in {"afternoon", "evening"} or is_night or (part == "noon" and hour < 4)
        hour, is_open = (hour + 12 if is_late and hour < 12 else 24 if is_late and part == "evening" else hour), False
        if part == "evening" and 12 < hour < 12 + SMALL_HOUR:
            hour += 12
        if part in {"early", "night"} and hour == 12:
            hour = 24 if part == "night" else 0
    total = hour * 60 + minute
    return total // 60, total % 60, is_open


def _due(said: Said, now: datetime, meant: date | None, earliest: int) -> datetime:
    at = _time(said)
    offset = said.get("relative")
    if offset is not None:
        exact, days, months = _offset(offset)
        if exact:
            if len(said) > 1:
                raise _Unresolved(Unclear.SEVERAL)
            return (now.astimezone(UTC) + exact).astimezone(now.tzinfo)
        day = _day(said, now) or now.date()
        if months:
            day = _months_later(day, months)
        day += timedelta(days=days)
        hour, minute, is_open = at or (now.hour, now.minute, False)
        if at is None and ("weekday" in said or "date" in said):
            hour, minute = MORNING.hour, MORNING.minute
        return _on(day, _waking(hour, earliest) if is_open else hour, minute, now)
    is_open_day = meant is not None and meant > now.date() and not said.get("part", {}).get("today")
    found = _day(said, now) or (meant if is_open_day else None)
    if found is None or (found == now.date() and ("day" in said or said.get("part", {}).get("today"))):
        return _today(said, now, at, earliest)
    hour, minute, is_open = at or (MORNING.hour, MORNING.minute, False)
    if found == now.date():  # a weekday, or a day of the month, that is today
        hours = {hour, (hour + 12) % 24 or 12} if is_open else {hour}
        instants = [_on(found, number, minute, now) for number in hours]
        later = [one for one in instants if _is_after(one, now) and (not is_open or one.hour >= earliest)]
        if later:
            return min(later)
        found = _again(said, found)
    return _on(found, _waking(hour, earliest) if is_open else hour, minute, now)


def _is_after(one: datetime, other: datetime) -> bool:
    """Compare instants: of two in the same zone, Python compares what the clock shows, also where it is put back."""
    return one.astimezone(UTC) > other.astimezone(UTC)


def _waking(hour: int, earliest: int) -> int:
    return hour + 12 if hour < min(earliest, 12) else hour


def _on(day: date, hour: int, minute: int, now: datetime) -> datetime:
    assert isinstance(now.tzinfo, ZoneInfo)
    return at_local(day + timedelta(days=hour // 24), time(hour % 24, minute), now.tzinfo)


def _today(said: Said, now: datetime, at: tuple[int, int, bool] | None, earliest: int) -> datetime:
    """Return the next instant of a time, of today if that is said."""
    if at is None:
        raise _Unresolved(Unclear.MISSING)
    hour, minute, is_open = at
    is_today = "day" in said or bool(said.get("part", {}).get("today"))
    hours = [hour, hour % 12 + 12] if is_open else [hour]
    instants = [_on(now.date() + timedelta(days=n), number, minute, now) for n in (-1, 0, 1) for number in hours]
    if is_today:
        until = WAKING_HOUR if _part(said) in {"evening", "night"} else 0  # the small hours of tonight
        instants = [instant for instant in instants if instant.date() == now.date() or instant.hour < until]
    later = [instant for instant in instants if _is_after(instant, now)]
    if is_open:
        later = [instant for instant in later if instant.hour >= earliest] or later
    if not later:
        raise _Unresolved(Unclear.PAST)
    return min(later)


def _again(said: Said, day: date) -> date:
    if "weekday" in said:
        return day + timedelta(days=7)
    if "period" in said:  # this weekend: its other day, else the next one
        return calendar.weekend(day).last if day < calendar.weekend(day).last else calendar.weekend(day, 1).first
    groups = said.get("date", {})
    return day if "y" in groups else _months_later(day, 12 if "m" in groups or "mn" in groups else 1)


def _offset(groups: Mapping[str, Any]) -> tuple[timedelta, int, int]:
    """Return a span of time: what passes, days and months of the calendar."""
    exact, days, months = timedelta(minutes=groups.get("span", 0)), 0, 0
    for amount, unit in (("n", "u"), ("n2", "u2")):
        if amount not in groups and unit not in groups:
            continue
        count = groups.get(amount, 1) + (0.5 if "half" in groups and amount == "n" else 0)
        match groups.get(unit, "minute"):  # "1h30"
            case "second" | "minute" | "hour" as name:
                exact += timedelta(**{f"{name}s": count})
            case "day" | "week" | "fortnight" as name:
                days += round(count * {"day": 1, "week": 7, "fortnight": 14}[name])
            case name:
                months += round(count * (12 if name == "year" else 1))
    exact += timedelta(minutes=int(groups.get("past", 0)))
    if exact and (days or months):
        exact += timedelta(days=days)
    if days > 366 * MAX_AHEAD_YEARS or months > 12 * MAX_AHEAD_YEARS or not (exact or days or months):
        raise ValueError
    return exact, days, months


def _months_later(day: date, count: int) -> date:
    """Return the same day of a later month; where there is none, its last day."""
    month = calendar.month(day.year, day.month + count)
    return min(month.first + timedelta(days=day.day - 1), month.last)


def _day(said: Said, now: datetime) -> date | None:
    """Return the day that is said; None if none is. Raises `ValueError` for one that the calendar does not have."""
    today = now.date()
    if "date" in said:
        return _date(said["date"], today, said.get("period", {}), said.get("weekday"))
    if "weekday" in said:
        return _weekday(said, today)
    if "day" in said:
        return today + timedelta(days=said["day"]["day"])
    if "period" in said:
        return _period(said["period"], today)
    return today if said.get("part", {}).get("today") else None


def _weekday(said: Said, today: date) -> date:
    groups = said["weekday"]
    number = int(groups["w"])
    ahead = timedelta(days=said.get("day", {}).get("day", 0))
    if "day" in said and (today + ahead).weekday() != number:  # "tomorrow and on Thursday"
        raise _Unresolved(Unclear.SEVERAL)
    if not groups.keys().isdisjoint({"later", "next"}) or "week" in said.get("period", {}):
        return calendar.week(today, 2 if "later" in groups else 1).first + timedelta(days=number)
    if "day" in said:
        return today + ahead
    return today + timedelta(days=(number - today.weekday()) % 7 + (7 if "after" in groups else 0))


def _period(groups: Mapping[str, Any], today: date) -> date:
    """Return the first day of a week, a weekend, a month or a year."""
    if unit := next((unit for unit in UNITS if unit in groups), ""):
        return calendar.stepped(today, 1, unit)[0].first
    return max(calendar.weekend(today, 1 if "nextweekend" in groups else 0).first, today)


def _date(groups: Mapping[str, Any], today: date, period: Mapping[str, Any], weekday: Mapping[str, Any] | None) -> date:
    number, month = int(groups["d"]), groups.get("m", groups.get("mn"))
    if "y" in groups:
        year = int(groups["y"])
        return date(year if year > 99 else 2000 + year, int(month), number)
    if "month" in period:
        first = calendar.month(today.year, today.month + 1).first
        return date(first.year, first.month, number)
    if month:
        if number == 29 and month == 2:
            leap_days = (calendar.day(year, 2, 29) for year in range(today.year, today.year + 9))
            return next(day.first for day in leap_days if day and day.first >= today)
        found = date(today.year, int(month), number)
        found = found if found >= today else date(today.year + 1, int(month), number)
        if weekday and "w" in weekday and found.weekday() != weekday["w"]:
            raise ValueError
        return found
    if days := _days_numbered(number, today, groups.get("w", (weekday or {}).get("w"))):
        return days[0]
    raise ValueError


def _every(pieces: Sequence[Piece], now: datetime, earliest: int) -> str:
    """Return the cron expression of what repeats; raises `ValueError` or `_Unresolved` if there is none.

    Several times of the same minute are one: "at 8 and 20". If one is of a clock of 24 hours, all are: "at 5 and 17".
    """
    times, others = ([one for one in pieces if (one.kind == "clock") is is_time] for is_time in (True, False))
    listed = [(one, hour) for one in times for hour in re.findall(r"\d+", one.groups.get("hs", "")) or [""]]
    times = [
        replace(one, groups={"h": int(hour), "exact": one.groups.get("exact")}) if hour else one for one, hour in listed
    ]
    if any((one.groups.get("h") or 0) > 12 for one in times):
        times = [replace(one, groups={**one.groups, "exact": "always"}) for one in times]
    crons = [_cron(_merged([*others, one]), now, earliest) for one in times] or [_cron(_merged(others), now, earliest)]
    minutes, hours, days = zip(*(cron.split(maxsplit=2) for cron in crons), strict=True)
    if len({*zip(minutes, days, strict=True)}) > 1:
        raise _Unresolved(Unclear.SEVERAL)
    return f"{minutes[0]} {','.join(dict.fromkeys(hours))} {days[0]}"


def _cron(said: Said, now: datetime, earliest: int) -> str:
    groups, at = said["every"], _time(said)
    is_other_part = len({_part({kind: said.get(kind, {})}) for kind in ("every", "part")} - {""}) > 1
    are_days = ("ws" in groups and "weekday" in said) or ("dom" in groups and "date" in said)
    if "relative" in said or are_days or is_other_part:  # "every morning and evening"
        raise _Unresolved(Unclear.SEVERAL)
    unit = next((known for name, known in _UNITS.items() if name in groups), groups.get("u", ""))
    count = int(groups.get("n", 1))
    if unit in {"second", "minute", "hour"}:
        whole = {"minute": 60, "hour": 24}.get(unit, 1)
        if at is not None or count < 1 or whole % count or whole == 1:
            raise _Unresolved(Unclear.ODD)
        step = "*" if count == 1 else f"*/{count}"
        return f"{step} * * * *" if unit == "minute" else f"0 {step} * * *"
    if unit and count != 1:
        raise _Unresolved(Unclear.ODD)
    hour, minute = (_waking(at[0], earliest) if at[2] else at[0] % 24, at[1]) if at else (MORNING.hour, MORNING.minute)
    return f"{minute} {hour} {_days_of_cron(said, unit, now)}"


def _days_of_cron(said: Said, unit: str, now: datetime) -> str:
    """Return the last three fields of a cron expression."""
    groups, dated = said["every"], said.get("date", {})
    day, month = int(groups.get("dom", dated.get("d", now.day))), int(dated.get("m", dated.get("mn", now.month)))
    if unit == "year":
        date(2028, month, day)  # a leap year: raises for a day that there never is
        return f"{day} {month} *"
    if "dom" in groups or unit == "month":
        date(2028, 1, day)
        return f"{day} * *"
    if "ws" in groups or unit == "week" or "weekday" in said:
        named = groups.get("ws") or [said.get("weekday", {}).get("w", now.weekday())]
        return f"* * {','.join(map(str, sorted({(n + 1) % 7 for n in named})))}"
    return "* * 1-5" if "workday" in groups else "* * 0,6" if "weekends" in groups else "* * *"
