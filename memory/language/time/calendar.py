"""Ranges of days, and the arithmetic on them that expressions of time need."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date


@dataclass(frozen=True, slots=True, order=True)
class Days:
    """The days from `first` to `last`, both included."""

    first: date
    last: date

    def distance(self, first: date, last: date) -> int:
        """Return how many days lie between this range and another; 0 if they touch."""
        return max(0, (self.first - last).days, (first - self.last).days)

    def widened(self, days: int) -> Days:
        """Return the range with so many days more on both sides."""
        return Days(shifted(self.first, -days), shifted(self.last, days))

    def in_year(self, year: int) -> Days:
        """Return the same days as they are in another year, in which they begin."""
        return Days(in_year(self.first, year), in_year(self.last, year + self.last.year - self.first.year))

    def is_told_by(self, given: Days) -> bool:
        """Return whether others say when it is: it is no more precise, their end, or they are a week and meet it."""
        is_wider = self.first <= given.first and given.last <= self.last
        is_short = given.last < shifted(given.first, 7) and not self.distance(given.first, given.last)
        return is_wider or is_short or (given.first <= self.first and self.last == given.last)

    def is_weekday_of(self, given: Days) -> bool:
        """Return whether it and another are one day each, of the same name."""
        return self.first == self.last and given.first == given.last and not (self.first - given.first).days % 7

    def part(self, third: int) -> Days:
        """Return its beginning (0), middle (1) or end (2)."""
        length = ((self.last - self.first).days + 1) // 3
        if third == 2:
            return Days(shifted(self.last, -length), self.last)
        first = shifted(self.first, third * length)
        return Days(first, shifted(first, length))


EVER = Days(date(1900, 1, 1), date(2199, 12, 31))
"""The days that are told apart; what is older or later counts as its first or last day."""


def shifted(day: date, days: int) -> date:
    """Return the day so many days later, within `EVER`."""
    days = max(-400_000, min(400_000, days))
    number = min(max(day.toordinal() + days, EVER.first.toordinal()), EVER.last.toordinal())
    return date.fromordinal(number)


def relative_day(today: date, days: int) -> Days:
    """Return the one day so many days later."""
    return around(shifted(today, days), 0)


def day(year: int, month: int, number: int) -> Days | None:
    """Return one day, None if the calendar has no such day."""
    try:
        only = date(year, month, number)
    except ValueError:
        return None
    return Days(only, only)


def around(middle: date, days: int) -> Days:
    """Return a day and so many on both sides."""
    return Days(middle, middle).widened(days)


def week(of: date, weeks: int = 0) -> Days:
    """Return Monday to Sunday of the week of a day, or of one so many weeks later."""
    monday = shifted(of, 7 * weeks - of.weekday())
    return Days(monday, shifted(monday, 6))


def weekend(of: date, weeks: int = 0) -> Days:
    """Return Saturday and Sunday of the week of a day, or of one so many weeks later."""
    whole = week(of, weeks)
    return Days(shifted(whole.first, 5), whole.last)


def month(year: int, number: int) -> Days:
    """Return a month; numbers below 1 and above 12 run on into the years before and after."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    if not MINYEAR <= year <= MAXYEAR:
        return EVER
    return Days(date(year, number, 1), date(year, number, monthrange(year, number)[1]))


def months(year: int, number: int, count: int) -> Days:
    """Return so many months from one on."""
    return Days(month(year, number).first, month(year, number + count - 1).last)


def whole_year(number: int) -> Days:
    """Return January to December."""
    return months(number, 1, 12)


def quarter(year: int, number: int) -> Days:
    """Return one of the four quarters of a year, from 1."""
    return months(year, 3 * number - 2, 3)


def season(year: int, number: int) -> Days:
    """Return spring (0), summer, autumn or winter (3) of the north, in whole months; winter ends in the year after."""
    return months(year, 3 + 3 * number, 3)


def stepped(today: date, count: int, unit: str) -> list[Days]:
    """Return the week, month or year so many later than that of today; of days, today alone."""
    if unit == "day":
        return [] if count else [Days(today, today)]
    if unit == "week":
        return [week(today, count)]
    return [month(today.year, today.month + count) if unit == "month" else whole_year(today.year + count)]


def back(today: date, count: int, unit: str) -> Days:
    """Return what is meant by so many days, weeks, months or years ago: the longer ago, the vaguer."""
    if unit == "day":
        return around(shifted(today, -count), 0 if count < 8 else 2)
    if unit == "week":
        return around(shifted(today, -7 * count), 3)
    if unit == "month":
        middle = month(today.year, today.month - min(count, 1200))
        return middle.widened(7)
    return whole_year(max(EVER.first.year, today.year - count))


def lately(today: date, count: int, unit: str) -> Days:
    """Return the last so many days, weeks, months or years up to today."""
    days = {"day": 1, "week": 7, "month": 31, "year": 366}[unit]
    return Days(shifted(today, -min(count, 400_000) * days), today)


def latest_month(today: date, number: int) -> Days:
    """Return the most recent month of a number that has begun."""
    return month(today.year if number <= today.month else today.year - 1, number)


def latest_season(today: date, number: int) -> Days:
    """Return the most recent season of a number that has begun."""
    this_year = season(today.year, number)
    return this_year if this_year.first <= today else season(today.year - 1, number)


def in_year(of: date, year: int) -> date:
    """Return the same day in another year; 28 February where there is no 29th."""
    same = day(year, of.month, of.day)
    return same.first if same else date(year, 2, 28)


def latest_day(today: date, month_number: int, number: int) -> list[Days]:
    """Return a day without a year: the most recent one, and the coming one if it is less than seven weeks ahead."""
    candidates = [day(year, month_number, number) for year in range(today.year - 8, today.year + 2)]
    past = [days for days in candidates if days and days.first <= today][-1:]
    soon = [days for days in candidates if days and 0 < (days.first - today).days < 49]
    return past + soon


def weekday(today: date, number: int) -> list[Days]:
    """Return the last such day (today counts) and the next."""
    past = shifted(today, -((today.weekday() - number) % 7))
    return [Days(past, past), Days(shifted(past, 7), shifted(past, 7))]


def nearest(today: date, number: int, on: int) -> list[Days]:
    """Return days of a month that are on a weekday, of the months around: none, or mostly one ("Thursday the 12th")."""
    months = (month(today.year, today.month + ahead).first for ahead in range(-2, 3))
    found = (day(first.year, first.month, number) for first in months)
    return [one for one in found if one and one.first.weekday() == on]


def bounded(days: Days, bound: str, today: date) -> Days:
    """Return what `since`, `until`, `before`, `after` or `around` makes of a range; itself for no such word."""
    if bound == "since":
        return Days(days.first, max(days.first, today))
    if bound == "until":
        return Days(EVER.first, days.last)
    if bound == "before":
        return Days(EVER.first, shifted(days.first, -1))
    if bound == "after":
        return Days(shifted(days.last, 1), max(shifted(days.last, 1), today))
    if bound == "around":
        return days.widened(3 if days.first == days.last else 7)
    return days
