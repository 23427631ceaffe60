"""Expressions of time in Chinese, Japanese and Korean."""

from __future__ import annotations

from datetime import date

import pytest

from memory.language.time.calendar import Days
from memory.language.time.dates_cjk import bound, find

SATURDAY = date(2026, 11, 21)


def longest(text: str) -> list[str]:
    found = sorted(find(text, SATURDAY), key=lambda one: one[0] - one[1])
    return [f"{days.first} {days.last}" for days in found[0][2]] if found else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("三天前", "2026-11-18 2026-11-18"),
        ("十二天前", "2026-11-07 2026-11-11"),
        ("二十一天前", "2026-10-29 2026-11-02"),
        ("两周前", "2026-11-04 2026-11-10"),
        ("下周末", "2026-11-28 2026-11-29"),
        ("这个月", "2026-11-01 2026-11-30"),
        ("2025年夏天", "2025-06-01 2025-08-31"),
        ("2025年11月27日", "2025-11-27 2025-11-27"),
        ("来月", "2026-12-01 2026-12-31"),
        ("2週間前", "2026-11-04 2026-11-10"),
        ("다음 주", "2026-11-23 2026-11-29"),
        ("3개월 전", "2026-07-25 2026-09-07"),
        ("두 달 전", "2026-08-25 2026-10-07"),
        ("大后天", "2026-11-24 2026-11-24"),
    ],
)
def test_expressions_are_resolved(text: str, expected: str) -> None:
    assert longest(text) == [expected]


@pytest.mark.parametrize("text", ["13月", "2025年13月", "2025年2月30日", "三", "天气", "月光"])
def test_what_the_calendar_does_not_have_is_no_time(text: str) -> None:
    assert longest(text) in ([], ["2025-01-01 2025-12-31"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("以来", "since"),
        ("から", "since"),
        ("까지", "until"),
        ("之前", "before"),
        ("以后", "after"),
        ("ごろ", "around"),
        ("的", ""),
    ],
)
def test_words_behind_an_expression_bound_it(text: str, expected: str) -> None:
    assert bound(f"x{text}", 0, 1)[0] == expected


def test_a_range_covers_whole_days() -> None:
    assert all(isinstance(days, Days) for _, _, found in find("昨天和上周", SATURDAY) for days in found)
