"""Expressions of time in a question."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.time.dates import find

SATURDAY = date(2026, 11, 21)


def ranges(text: str) -> list[str]:
    """The ranges of all expressions, one day as itself."""
    return [
        str(days.first) if days.first == days.last else f"{days.first} {days.last}"
        for when in find(text, SATURDAY)
        for days in when.days
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I do yesterday?", "2026-11-20"),
        ("the day before yesterday", "2026-11-19"),
        ("What do I have to do tomorrow?", "2026-11-22"),
        ("what happened last week", "2026-11-09 2026-11-15"),
        ("the plans for next month", "2026-12-01 2026-12-31"),
        ("since Monday", "2026-11-16 2026-11-21"),
        ("since last week", "2026-11-09 2026-11-21"),
        ("What did we decide in November 2025?", "2025-11-01 2025-11-30"),
        ("in early May", "2026-05-01 2026-05-11"),
        ("by the end of October 2025", "1900-01-01 2025-10-31"),
        ("last Friday", "2026-11-20"),
        ("3 days ago", "2026-11-18"),
        ("two weeks ago", "2026-11-04 2026-11-10"),
        ("a couple of weeks ago", "2026-11-04 2026-11-10"),
        ("in the last 30 days", "2026-10-22 2026-11-21"),
        ("twenty days ago", "2026-10-30 2026-11-03"),
        ("quindici giorni fa", "2026-11-04 2026-11-08"),
        ("hace un par de semanas", "2026-11-04 2026-11-10"),
        ("day after tomorrow", "2026-11-23"),
        ("tmrw", "2026-11-22"),
        ("überübermorgen", "2026-11-24"),
        ("aujourd’hui", "2026-11-21"),
        ("anoche", "2026-11-20"),
        ("early last week", "2026-11-09 2026-11-11"),
        ("late last summer", "2026-08-01 2026-08-31"),
        ("fim de semana passado", "2026-11-14 2026-11-15"),
        ("30d", "2026-10-22 2026-11-21"),
        ("everything since 7d", "2026-11-14 2026-11-21"),
        ("between March and May", "2026-03-01 2026-05-31"),
        ("from 3 March to 5 April 2025", "2025-03-03 2025-04-05"),
        ("27 Nov - 1 Dec 2025", "2025-11-27 2025-12-01"),
        ("last spring", "2026-03-01 2026-05-31"),
        ("in the fall of 2025", "2025-09-01 2025-11-30"),
        ("Q3 2025", "2025-07-01 2025-09-30"),
        ("2025-11", "2025-11-01 2025-11-30"),
        ("what was on 2025-11-27?", "2025-11-27"),
        ("since 2024-05-01", "2024-05-01 2026-11-21"),
        ("before 2024", "1900-01-01 2023-12-31"),
        ("11/27/2025", "2025-11-27"),
        ("in 2019", "2019-01-01 2019-12-31"),
        ("on the 5th of March", "2026-03-05"),
        ("last weekend", "2026-11-14 2026-11-15"),
        ("Was habe ich vor drei Tagen gemacht?", "2026-11-18"),
        ("letzten Freitag", "2026-11-20"),
        ("seit März", "2026-03-01 2026-11-21"),
        ("Was war im Sommer 2025?", "2025-06-01 2025-08-31"),
        ("am 3.11.", "2026-11-03"),
        ("am 3. November 2025", "2025-11-03"),
        ("heute morgen", "2026-11-21"),
        ("Anfang Mai", "2026-05-01 2026-05-11"),
        ("nächste Woche", "2026-11-23 2026-11-29"),
        ("3. Quartal 2025", "2025-07-01 2025-09-30"),
        ("zwischen März und Mai 2025", "2025-03-01 2025-05-31"),
        ("we met on 3 may 2025 in Rome", "2025-05-03"),
        ("what did I say on 3 november", "2026-11-03"),
        ("le 5 mars 2025 à 10h", "2025-03-05"),
        ("il y a deux semaines", "2026-11-04 2026-11-10"),
        ("la semaine dernière", "2026-11-09 2026-11-15"),
        ("hace tres días", "2026-11-18"),
        ("el mes pasado", "2026-10-01 2026-10-31"),
        ("tre giorni fa", "2026-11-18"),
        ("há dois dias", "2026-11-19"),
        ("twee weken geleden", "2026-11-04 2026-11-10"),
        ("неделю назад", "2026-11-11 2026-11-17"),
        ("в прошлом месяце", "2026-10-01 2026-10-31"),
        ("上周我做了什么", "2026-11-09 2026-11-15"),
        ("昨天", "2026-11-20"),
        ("去年三月", "2025-03-01 2025-03-31"),
        ("三天前发生了什么", "2026-11-18"),
        ("上周五", "2026-11-13"),
        ("自从上个月以来", "2026-10-01 2026-11-21"),
        ("2025年11月27日左右", "2025-11-24 2025-11-30"),
        ("最近30天", "2026-10-22 2026-11-21"),
        ("今年春天", "2026-03-01 2026-05-31"),
        ("先週の金曜日", "2026-11-13"),
        ("昨日何をした", "2026-11-20"),
        ("3日前", "2026-11-18"),
        ("去年の3月から", "2025-03-01 2026-11-21"),
        ("지난주 금요일", "2026-11-13"),
        ("작년 3월", "2025-03-01 2025-03-31"),
    ],
)
def test_expressions_of_time_are_resolved(text: str, expected: str) -> None:
    assert ranges(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what happened on Friday?", ["2026-11-20", "2026-11-27"]),
        ("around 27 Nov", ["2025-11-24 2025-11-30", "2026-11-24 2026-11-30"]),
        ("was ist am Freitag?", ["2026-11-20", "2026-11-27"]),
        ("3/4/2025", ["2025-03-04", "2025-04-03"]),
    ],
)
def test_where_the_words_leave_it_open_both_readings_count(text: str, expected: list[str]) -> None:
    assert ranges(text) == expected


@pytest.mark.parametrize("text", ["the 14th of may", "her bday is may 14", "it is on 14 may.", "on may 14 we fly"])
def test_a_day_of_a_month_needs_no_capital(text: str) -> None:
    assert ranges(text) == ["2026-05-14"]


def test_several_expressions_are_found_in_their_order() -> None:
    assert ranges("yesterday or last week") == ["2026-11-20", "2026-11-09 2026-11-15"]


@pytest.mark.parametrize(
    "text",
    [
        "May I come in?",
        "march on, soldiers",
        "room 5 may be free",
        "of the ten, 5 may come",
        "until 5 may be too late",
        "by 6 may be better",
        "I may go",
        "the second one",
        "wait a second",
        "a 3d printer",
        "What did June say to May?",
        "Jan said hello",
        "What does this tag mean?",
        "is the last one ok",
        "Was ist hier los?",
        "the fall of the empire",
        "spring water",
        "version 2.3.0",
        "ratio 3.5.",
        "room 2019",
        "call 2025550123",
        "what is 1/2 of 10",
        "12.30 Uhr",
        "on mars",
        "2025-13-45",
        "weekly report",
        "my current task",
        "个人的时间",
        "",
    ],
)
def test_other_words_are_no_time(text: str) -> None:
    assert ranges(text) == []


def test_the_place_of_an_expression_is_told() -> None:
    text = "what was it since last week, again?"
    (when,) = find(text, SATURDAY)
    assert text[when.start : when.end] == "since last week"


PIECES = st.sampled_from(
    "since last next week month 3 days ago in May 2025 27 Nov - 1.3. the end of vor zwei Tagen seit Ende "
    "上周五 2025年3月 前 から "
    "Friday between and to 9999 0 99999 years ago 31/12/2025 Q5 30d 2025-02-30".split()
)


@given(st.lists(PIECES, max_size=8).map(" ".join), st.dates(date(1901, 1, 1), date(2190, 1, 1)))
def test_any_combination_gives_ranges_that_begin_before_they_end(text: str, today: date) -> None:
    found = find(text, today)
    for when in found:
        assert 0 <= when.start < when.end <= len(text)
        assert when.days
        assert all(days.first <= days.last for days in when.days)
    assert found == find(text, today)


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    find(text, SATURDAY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("la cita es el jueves 26 a las 18:30", ["2026-11-26"]),
        ("Friday the 13th", ["2026-11-13"]),
        ("Donnerstag, den 26. um 8", ["2026-11-26"]),
        ("jeudi 26", ["2026-11-26"]),
        ("в четверг 26-го", ["2026-11-26"]),
        ("Thursday 3 pm", ["2026-11-19", "2026-11-26"]),
        ("Donnerstag 12 Uhr", ["2026-11-19", "2026-11-26"]),
        ("Friday 26", ["2026-11-20", "2026-11-27"]),  # which is a Thursday
    ],
)
def test_a_weekday_with_its_number_is_one_day(text: str, expected: list[str]) -> None:
    assert ranges(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "On Thursday 12 people came",
        "Donnerstag 12 Stunden gearbeitet",
        "el jueves 12 horas de viaje",
        "Jeudi 12 km à pied",
        "в четверг 12 гостей",
        "Thursday 12-14",
        "Thursday 12 € paid",
    ],
)
def test_what_is_counted_behind_a_weekday_is_no_day_of_a_month(text: str) -> None:
    assert ranges(text) == ["2026-11-19", "2026-11-26"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("帮我记一下周六聚餐", ["2026-11-21", "2026-11-28"]),
        ("下周六聚餐", ["2026-11-28"]),
        ("从周一到下周二", ["2026-11-23 2026-11-24"]),
        ("聚餐改到周日了", ["2026-11-15", "2026-11-22"]),
    ],
)
def test_a_chinese_day_does_not_begin_within_a_word(text: str, expected: list[str]) -> None:
    assert ranges(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Saturday 10 people for dinner", ["2026-11-21", "2026-11-28"]),
        ("Freitag 27 Personen", ["2026-11-20", "2026-11-27"]),
        ("Bayern won on Saturday 3-1", ["2026-11-21", "2026-11-28"]),
        ("open Monday 9-17", ["2026-11-16", "2026-11-23"]),
        ("dinner Friday 6", ["2026-11-20", "2026-11-27"]),
        ("Sunday 29 AM", ["2026-11-15", "2026-11-22"]),
    ],
)
def test_an_amount_a_result_and_an_hour_behind_a_weekday_are_no_day(text: str, expected: list[str]) -> None:
    assert ranges(text) == expected
