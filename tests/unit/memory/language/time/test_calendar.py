from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.time import calendar
from memory.language.time.calendar import EVER, Days

SATURDAY = date(2026, 11, 21)
DATES = st.dates(date(1950, 1, 1), date(2150, 1, 1))


def days(first: str, last: str | None = None) -> Days:
    return Days(date.fromisoformat(first), date.fromisoformat(last or first))


def test_distance_is_what_lies_between() -> None:
    november = days("2026-11-01", "2026-11-30")
    assert november.distance(date(2026, 11, 5), date(2026, 12, 5)) == 0
    assert november.distance(date(2026, 12, 1), date(2026, 12, 1)) == 1
    assert november.distance(date(2026, 10, 1), date(2026, 10, 25)) == 7


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (calendar.week(SATURDAY), days("2026-11-16", "2026-11-22")),
        (calendar.week(SATURDAY, -1), days("2026-11-09", "2026-11-15")),
        (calendar.weekend(SATURDAY, -1), days("2026-11-14", "2026-11-15")),
        (calendar.month(2026, 14), days("2027-02-01", "2027-02-28")),
        (calendar.month(2026, -1), days("2025-11-01", "2025-11-30")),
        (calendar.quarter(2026, 4), days("2026-10-01", "2026-12-31")),
        (calendar.season(2026, 3), days("2026-12-01", "2027-02-28")),
        (calendar.whole_year(2024), days("2024-01-01", "2024-12-31")),
        (calendar.day(2024, 2, 29), days("2024-02-29")),
        (calendar.day(2025, 2, 29), None),
        (calendar.back(SATURDAY, 3, "day"), days("2026-11-18")),
        (calendar.back(SATURDAY, 2, "week"), days("2026-11-04", "2026-11-10")),
        (calendar.back(SATURDAY, 1, "month"), days("2026-09-24", "2026-11-07")),
        (calendar.back(SATURDAY, 2, "year"), days("2024-01-01", "2024-12-31")),
        (calendar.lately(SATURDAY, 7, "day"), days("2026-11-14", "2026-11-21")),
        (calendar.latest_month(SATURDAY, 3), days("2026-03-01", "2026-03-31")),
        (calendar.latest_month(SATURDAY, 12), days("2025-12-01", "2025-12-31")),
        (calendar.latest_season(SATURDAY, 1), days("2026-06-01", "2026-08-31")),
        (calendar.latest_season(SATURDAY, 3), days("2025-12-01", "2026-02-28")),
        (calendar.latest_season(date.min, 1), EVER),
        (calendar.bounded(days("2026-03-01"), "since", SATURDAY), days("2026-03-01", "2026-11-21")),
        (calendar.bounded(days("2026-03-01"), "until", SATURDAY), Days(EVER.first, date(2026, 3, 1))),
        (calendar.bounded(days("2026-03-01"), "before", SATURDAY), Days(EVER.first, date(2026, 2, 28))),
        (calendar.bounded(days("2026-03-01"), "after", SATURDAY), days("2026-03-02", "2026-11-21")),
        (calendar.bounded(days("2026-03-05"), "around", SATURDAY), days("2026-03-02", "2026-03-08")),
        (calendar.bounded(days("2026-03-05"), "", SATURDAY), days("2026-03-05")),
    ],
)
def test_ranges_are_what_the_calendar_says(found: Days | None, expected: Days | None) -> None:
    assert found == expected


def test_a_day_without_a_year_is_the_last_one_and_the_next_if_it_is_near() -> None:
    assert calendar.latest_day(SATURDAY, 11, 27) == [days("2025-11-27"), days("2026-11-27")]
    assert calendar.latest_day(SATURDAY, 3, 5) == [days("2026-03-05")]
    assert calendar.latest_day(SATURDAY, 2, 29) == [days("2024-02-29")]
    assert calendar.latest_day(SATURDAY, 2, 30) == []


def test_a_weekday_is_the_last_and_the_next() -> None:
    assert calendar.weekday(SATURDAY, 4) == [days("2026-11-20"), days("2026-11-27")]
    assert calendar.weekday(SATURDAY, 5) == [days("2026-11-21"), days("2026-11-28")]


@given(DATES, st.integers(-(10**9), 10**9))
def test_no_shift_leaves_the_range_of_days(start: date, by: int) -> None:
    assert EVER.first <= calendar.shifted(start, by) <= EVER.last


@given(DATES, st.integers(1, 9999), st.sampled_from(["day", "week", "month", "year"]))
def test_spans_begin_before_they_end(today: date, count: int, unit: str) -> None:
    for found in (calendar.back(today, count, unit), calendar.lately(today, count, unit)):
        assert found.first <= found.last


@given(DATES, st.integers(0, 400))
def test_the_parts_of_a_range_lie_in_it_in_order(first: date, length: int) -> None:
    whole = Days(first, calendar.shifted(first, length))
    parts = [whole.part(third) for third in range(3)]
    assert parts[0].first == whole.first
    assert parts[2].last == whole.last
    assert all(whole.first <= part.first <= part.last <= whole.last for part in parts)


@pytest.mark.parametrize(
    ("told", "given", "is_told"),
    [
        (days("2026-11-01", "2026-11-30"), days("2026-11-24"), True),
        (days("2026-11-24"), days("2026-11-24", "2026-11-30"), True),
        (days("2026-11-24"), days("2026-11-01", "2026-11-30"), False),
        (days("2026-11-24"), days("2026-11-25"), False),
    ],
    ids=["its month", "its week", "a day of a month", "another day"],
)
def test_a_day_is_told_by_what_is_as_precise_or_by_a_week_around_it(told: Days, given: Days, *, is_told: bool) -> None:
    assert told.is_told_by(given) is is_told


def test_a_winter_ends_in_another_year_than_it_begins_in_whichever_year() -> None:
    assert days("2026-12-01", "2027-02-28").in_year(2030) == days("2030-12-01", "2031-02-28")
