"""The phrase lists of the languages, and the notation in which they are written."""

from __future__ import annotations

import re

import pytest

from memory.capture.lexicon import (
    LISTED,
    Lexicon,
    language_patterns,
    latin_words,
    phrases,
    read_vocabulary,
    signs,
    vocabulary,
)
from memory.types import CATEGORIES, Kind


@pytest.mark.parametrize("code", ["en", "de", "zh", *LISTED, ""])
def test_every_lexicon_can_be_read_and_tells_a_greeting_thanks_and_a_question(code: str) -> None:
    known = language_patterns(code)
    talk, questions, statements = known.small_talk, known.questions, known.statements

    assert all(part.pattern != "(?!)" for part in (talk.greeting, talk.farewell, talk.thanks))
    assert questions.asks.pattern != "(?!)" or questions.question.pattern != "(?!)"
    assert Kind.WORLD in statements.kinds
    assert {category for category, _ in statements.categories} <= set(CATEGORIES)


def test_every_pattern_of_every_language_can_be_compiled() -> None:
    for code in ("en", "de", "zh", *LISTED, ""):
        known = language_patterns(code)
        for part in (known.small_talk, known.imperatives, known.questions):
            for name in part.__slots__:
                getattr(part, name).search("")


def test_a_list_that_belongs_to_no_part_is_refused() -> None:
    with pytest.raises(ValueError, match="no part of a language: greetings"):
        Lexicon({"spaced": True, "greetings": "hi"})


def test_a_language_is_read_once_and_its_latin_words_show_it() -> None:
    assert language_patterns("el") is language_patterns("el")
    assert "donde" in latin_words("es")
    assert latin_words("th") == frozenset()


def test_the_letters_that_people_leave_out_are_optional_in_a_list() -> None:
    german = Lexicon({"spaced": True, "in_order": True, "umlauts": True, "greeting": "schöne grüße"})
    spanish = Lexicon({"spaced": True, "greeting": "adiós"})

    assert re.fullmatch(german.expression("greeting"), "schoene gruesse")
    assert re.fullmatch(spanish.expression("greeting"), "adios")
    assert re.search(german.expression("farewell"), "schöne grüße") is None


def test_names_are_listed_as_they_are_written() -> None:
    assert {"Anna", "Jürgen"} <= read_vocabulary("latin", "given_names")
    assert "New York" in read_vocabulary("latin", "places")
    assert "北京" in read_vocabulary("chinese", "places")


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
        phrases("<nowhere>").search("anything")


def test_a_vocabulary_is_separated_by_commas_or_lines() -> None:
    assert vocabulary("New York, Rome\n  Lyon\n") == {"New York", "Rome", "Lyon"}
