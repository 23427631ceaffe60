"""Expressions of time in languages of Europe, and the words that they are made of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.time.calendar import Days
from memory.language.time.dates_european import Wording, expressions_of, is_calendar_word
from memory.language.time.words import EUROPE

SATURDAY = date(2026, 11, 21)
YESTERDAY = [Days(date(2026, 11, 20), date(2026, 11, 20))]


ENGLISH = expressions_of("en")


@pytest.mark.parametrize("language", EUROPE)
def test_yesterday_is_known_in_every_language(language: str) -> None:
    word = next(word for word, day in EUROPE[language]["days"].items() if day == -1)
    assert (0, len(word), YESTERDAY) in list(expressions_of(language).find(word, SATURDAY))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("three days ago", "en"),
        ("vor drei Tagen", "de"),
        ("il y a trois jours", "fr"),
        ("hace tres días", "es"),
        ("tre giorni fa", "it"),
        ("há três dias", "pt"),
        ("drie dagen geleden", "nl"),
        ("три дня назад", "ru"),
    ],
)
def test_three_days_ago_is_known_in_every_language(text: str, language: str) -> None:
    only = date(2026, 11, 18)
    assert (0, len(text), [Days(only, only)]) in list(expressions_of(language).find(text, SATURDAY))


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("since ", "en", "since"),
        ("seit dem ", "de", "since"),
        ("avant le ", "fr", "before"),
        ("hasta el ", "es", "until"),
        ("dopo il ", "it", "after"),
        ("около ", "ru", "around"),
        ("nice ", "en", ""),
    ],
)
def test_words_before_an_expression_bound_it(text: str, language: str, expected: str) -> None:
    assert expressions_of(language).bound(text, len(text), len(text))[0] == expected


def test_a_range_is_announced_and_joined() -> None:
    text = "between March and May"
    assert ENGLISH.opening(text, 8) == 0
    assert ENGLISH.joins(text, 8, (13, 18))
    assert not ENGLISH.joins("in March and May", 3, (8, 13))
    assert ENGLISH.joins("March to May", 0, (5, 9))


@pytest.mark.parametrize(
    ("token", "expected"), [("November", True), ("freitag", True), ("27", True), ("2nd", True), ("week", False)]
)
def test_months_weekdays_and_numbers_may_stand_in_a_note(token: str, *, expected: bool) -> None:
    assert is_calendar_word(token) is expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("between 20 and 31 January 2026", "en"),
        ("between the 20th and the 31st of January 2026", "en"),
        ("between January 20 and 31, 2026", "en"),
        ("zwischen dem 20. und 31. Januar 2026", "de"),
        ("entre le 20 et le 31 janvier 2026", "fr"),
        ("entre el 20 y el 31 de enero de 2026", "es"),
        ("tra il 20 e il 31 gennaio 2026", "it"),
    ],
)
def test_two_days_of_one_month_are_a_range_when_a_word_before_them_says_so(text: str, language: str) -> None:
    assert (0, len(text), [Days(date(2026, 1, 20), date(2026, 1, 31))]) in list(
        expressions_of(language).find(text, SATURDAY)
    )
    assert not any(days[0].first.day == 5 for *_, days in expressions_of(language).find("5 and 9 January", SATURDAY))


WORDS = sorted({word for lists in EUROPE.values() for words in lists.values() for word in words})
PIECES = st.sampled_from(
    [*WORDS, "3", "14.", "3rd", "3-го", "2025", "1998/", "ago", "geleden", "fa", "назад", "x", "@", "é"]
)


@given(
    st.lists(st.tuples(PIECES, st.sampled_from([str, str.upper, str.title])), max_size=7),
    st.sampled_from([" ", " ", "  ", "-", "", "\n", "\u0307", "/"]),
    st.sampled_from([*EUROPE]),
)
def test_a_text_that_cannot_have_an_expression_has_none(
    pieces: list[tuple[str, Callable[[str], str]]], space: str, language: str
) -> None:
    text = space.join(case(piece) for piece, case in pieces)
    assert expressions_of(language).may_be_in(Wording.of(text)) or not [*expressions_of(language).find(text, SATURDAY)]


@pytest.mark.parametrize("text", ["where is the key of the shed?", "room 2019", "กุญแจ 3 ดอกอยู่ที่ไหน", "3 keys", ""])
@pytest.mark.parametrize("language", EUROPE)
def test_most_texts_need_no_look(text: str, language: str) -> None:
    assert not expressions_of(language).may_be_in(Wording.of(text))


def test_a_text_without_expressions_of_time_compiles_none_of_any_language() -> None:
    """In a new process: the expressions of one language take some 10 ms."""
    code = (
        "from datetime import date\n"
        "from memory.language.time import dates, dates_european\n"
        "def compiled():\n"
        "    return sum('patterns' in vars(dates_european.expressions_of(code)) for code in dates_european.EUROPE)\n"
        "assert not dates.find('Bamo derlu', date(2026, 11, 21))\n"
        "none = compiled()\n"
        "assert dates.find('vor drei Tagen', date(2026, 11, 21))\n"
        "print(none, compiled())"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.split() == ["0", "1"]
