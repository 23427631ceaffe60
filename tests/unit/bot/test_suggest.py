from __future__ import annotations

import pytest

from bot.suggest import did_you_mean, nearest


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("persnal", "personal"), ("WORK", "work"), ("wrok", "work"), ("zzz", None), ("", None)],
)
def test_the_nearest_word_is_found_whatever_its_case(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["personal", "work"]) == meant


def test_a_word_keeps_its_own_case_in_the_question() -> None:
    assert did_you_mean("europe/berln", ["Europe/Berlin"]) == 'Did you mean "Europe/Berlin"?'


def test_nothing_near_asks_nothing() -> None:
    assert did_you_mean("xyz", ["personal"]) == ""
