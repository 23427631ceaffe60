from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.texts.formatting import did_you_mean, nearest, sized, well_formed


@given(st.text(st.characters(exclude_categories=())))
def test_every_text_can_be_written_as_utf8(text: str) -> None:
    assert well_formed(text).encode().decode() == well_formed(text)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_a_text_that_is_well_formed_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


def test_halves_are_joined_or_replaced() -> None:
    assert well_formed("\ud83d\ude00") == "😀"
    assert well_formed("a\ud83d") == "a\ufffd"


def test_sizes_are_told_in_the_unit_that_fits() -> None:
    assert [sized(count) for count in (0, 1023, 1024, 3 * 2**19, 2**30)] == [
        "0 B",
        "1023 B",
        "1 KB",
        "1.5 MB",
        "1024 MB",
    ]


@pytest.mark.parametrize(
    ("typed", "meant"), [("persnal", "personal"), ("WORK", "work"), ("wrok", "work"), ("zzz", None), ("", None)]
)
def test_the_nearest_word_is_found_whatever_its_case(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["personal", "work"]) == meant


def test_a_word_keeps_its_own_case_in_the_question() -> None:
    assert did_you_mean("europe/berln", ["Europe/Berlin"]) == 'Did you mean "Europe/Berlin"?'


def test_nothing_near_asks_nothing() -> None:
    assert did_you_mean("xyz", ["personal"]) == ""
