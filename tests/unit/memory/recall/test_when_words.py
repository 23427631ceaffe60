from __future__ import annotations

import pytest

from memory.recall.when_words import EUROPE, Lexicon


@pytest.mark.parametrize("words", EUROPE.values(), ids=EUROPE)
def test_every_language_has_all_it_counts(words: Lexicon) -> None:
    counts = {
        "months": 12, "weekdays": 7, "seasons": 4, "units": 4, "numbers": 12, "steps": 3, "days": 5, "bounds": 5,
        "parts": 3, "and_": 2,
    }  # fmt: skip
    assert {name: getattr(words, name).count("|") + 1 for name in counts} == counts


@pytest.mark.parametrize("words", EUROPE.values(), ids=EUROPE)
def test_no_word_stands_for_two_months_or_weekdays(words: Lexicon) -> None:
    for groups in (words.months, words.weekdays, words.seasons, words.units):
        names = groups.replace("|", " ").split()
        assert len(names) == len(set(names))


@pytest.mark.parametrize("words", EUROPE.values(), ids=EUROPE)
def test_patterns_have_a_place_for_number_and_unit(words: Lexicon) -> None:
    assert all("{n}" in pattern and "{u}" in pattern for pattern in (words.ago, words.lately))
