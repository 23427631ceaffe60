"""Stop words, question words and particles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.detect import main_script
from memory.language.normalize import ALGORITHMS, script_of_language
from memory.language.words import (
    CONFIDENCE,
    ENDINGS,
    KNOWN,
    PARTICLES,
    PRESENT,
    QUESTION_WORDS,
    STOP_WORDS,
    VALID,
    WEAK,
    Phrases,
    read_lists,
)

LISTS = (VALID, KNOWN, PRESENT, CONFIDENCE, Phrases("^at", r"\b(?:one|two)", r"\bthree\b", "four(?:teen)?|five"))


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "the is where what your don't it's"),
        ("de", "der die das ist wo ich nicht über für"),
        ("fr", "le est où je qui"),
        ("es", "el está dónde qué"),
        ("it", "il dove che è"),
        ("pt", "o onde que não"),
        ("nl", "de het waar niet"),
        ("ru", "где это не мой"),
        ("ar", "في أين من هذا"),
    ],
)
def test_function_words_are_among_the_stop_words(language: str, words: str) -> None:
    stops = STOP_WORDS[language]
    assert {word for word in words.split() if word.replace("'", "") not in stops and word not in stops} <= {"it's"}


@pytest.mark.parametrize("language", sorted(STOP_WORDS))
def test_stop_words_are_lower_case_and_in_the_script_of_their_language(language: str) -> None:
    words = STOP_WORDS[language]
    assert all(word == word.lower() for word in words)
    assert main_script(" ".join(sorted(words))) == script_of_language(language)


def test_every_language_with_a_stemmer_can_be_told_by_its_words() -> None:
    assert ALGORITHMS.keys() - STOP_WORDS.keys() <= {"hy", "ne"}


def test_content_words_are_no_stop_words() -> None:
    for language, word in (("en", "key"), ("de", "schlüssel"), ("fr", "clé"), ("es", "llave"), ("ru", "ключ")):
        assert word not in STOP_WORDS[language]
        assert word not in QUESTION_WORDS[language]


def test_particles_come_longest_first_so_that_none_is_cut_in_half() -> None:
    for particles in PARTICLES.values():
        words = particles.split("|")
        assert words == sorted(words, key=len, reverse=True)


def test_weak_characters_are_single_and_korean_endings_come_off() -> None:
    assert all(len(character) == 1 for characters in WEAK.values() for character in characters)
    assert ENDINGS.sub("", "서울에서") == "서울"


@given(st.sampled_from(LISTS), st.data())
def test_whether_a_phrase_is_in_a_text_is_told_without_a_look_for_its_place(
    phrases: Phrases, data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(phrases.pattern) | st.text()).lower()

    found = phrases.find_in(text)

    assert phrases.are_in(text) == bool(found) == bool(phrases.pattern.search(text))


@pytest.mark.parametrize("text", ["What was true in May?", "WAS GALT IM MAI?", "Что было верно?", "什么是有效的"])
def test_phrases_are_found_in_whatever_case(text: str) -> None:
    assert VALID.are_in(text)
    assert not VALID.are_in(text[1:])


def test_a_file_of_which_several_lists_are_wanted_is_read_once() -> None:
    first = read_lists("memory.language", "lexicon", "dates.toml")
    assert read_lists("memory.language", "lexicon", "dates.toml") is first
