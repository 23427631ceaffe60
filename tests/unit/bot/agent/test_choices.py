from __future__ import annotations

import pytest

from bot.agent.choices import Choice, choice_in


@pytest.mark.parametrize("text", ["y", "Yes!", " ja ", "是", "oui", "Sí.", "да", "はい", "Do it"])
def test_a_yes_in_any_language_takes_the_first_choice(text: str) -> None:
    assert choice_in(text) is Choice.YES


@pytest.mark.parametrize("text", ["n", "No.", "nein", "不要", "нет", "いいえ", "leave it"])
def test_a_no_takes_the_last(text: str) -> None:
    assert choice_in(text) is Choice.NO


@pytest.mark.parametrize(("text", "picked"), [("1", 1), (" 3. ", 3), ("12", 12)])
def test_a_number_takes_the_choice_of_that_place(text: str, picked: int) -> None:
    assert choice_in(text) == picked


@pytest.mark.parametrize("text", ["", "yes, the key is under the mat", "no, seat 43", "0", "2026", "maybe"])
def test_anything_else_picks_nothing(text: str) -> None:
    assert choice_in(text) is None
