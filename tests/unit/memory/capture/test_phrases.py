"""The notation in which phrases are listed."""

from __future__ import annotations

import re

import pytest

from memory.capture.phrases import NOTHING, Pattern, phrases, signs, vocabulary


def test_phrases_are_lines_or_stand_between_bars() -> None:
    pattern = phrases(
        """
        good morning | hello
        hi+
        """
    )

    assert pattern.match("hello you")
    assert pattern.match("hiii")
    assert not pattern.match("good evening")


def test_a_phrase_counts_as_whole_words_only() -> None:
    assert phrases("art").search("modern art")
    assert not phrases("art").search("party")
    assert signs("艺术").search("现代艺术馆")


def test_a_space_is_any_number_of_spaces() -> None:
    assert phrases("good( old)? day").fullmatch("good   old  day")


def test_three_dots_are_some_words_or_none() -> None:
    pattern = phrases("turn ... off")

    assert pattern.fullmatch("turn off")
    assert pattern.fullmatch("turn the lights in the kitchen off")
    assert not pattern.fullmatch(f"turn {'very ' * 20}off")


def test_a_part_stands_for_its_phrases() -> None:
    pattern = phrases("see <whom><stop>", {"whom": "you | <them>", "them": "him | her"})

    assert pattern.match("see you, bye")
    assert pattern.match("see her")
    assert not pattern.match("see her tomorrow")


def test_a_phrase_may_be_broken_inside_its_parentheses() -> None:
    assert phrases("(one|\n    two) more\n  none").fullmatch("two more")


def test_a_part_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        phrases("<nowhere>")


def test_a_vocabulary_is_separated_by_commas_or_lines() -> None:
    assert vocabulary("New York, Rome\n  Lyon\n") == {"New York", "Rome", "Lyon"}


def test_nothing_is_found_nowhere() -> None:
    assert NOTHING.search("anything") is None


def test_a_pattern_is_compiled_when_it_is_first_looked_for() -> None:
    broken = Pattern("(")

    with pytest.raises(re.error):
        broken.search("anything")
    with pytest.raises(re.error):
        broken.match("anything")


def test_a_pattern_looks_between_two_places() -> None:
    pattern = Pattern("b+", re.IGNORECASE)

    assert pattern.fullmatch("aBBc", 1, 3)
    assert not pattern.fullmatch("aBBc", 1)
    assert [found[0] for found in pattern.finditer("abcBB")] == ["b", "BB"]
