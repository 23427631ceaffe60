from __future__ import annotations

import subprocess
import sys

import pytest

from memory.language.stems import ALGORITHMS, LONGEST_WORD, stem


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("dance dances danced dancing", "en"),
        ("schlüssel schlüssels", "de"),
        ("termin termine terminen", "de"),
        ("ключ ключи ключами", "ru"),
        ("chanson chansons", "fr"),
        ("llave llaves", "es"),
        ("مكتبة المكتبة", "ar"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: str, language: str) -> None:
    assert len({stem(word, language) for word in words.split()}) == 1


def test_a_word_in_a_foreign_script_goes_by_its_own() -> None:
    assert stem("meetings", "ru") == stem("meetings", "en")
    assert stem("meetings", "zh") == "meet"
    assert stem("ключами", "en") == "ключ"


@pytest.mark.parametrize("language", ["", "uk", "th", "xx"])
def test_a_language_without_an_algorithm_leaves_words_alone(language: str) -> None:
    assert stem("слово" if language == "uk" else "ภาษา" if language == "th" else "words", language)


@pytest.mark.parametrize("language", sorted(ALGORITHMS))
def test_every_named_algorithm_exists_and_never_gives_nothing(language: str) -> None:
    assert stem("a", language)
    assert stem("antelopes", language)


def test_the_stemmers_are_loaded_on_first_use_only() -> None:
    code = "import memory.index.sync, memory.recall.recall, sys; sys.exit('snowballstemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_is_too_long_to_be_a_word_stays_as_it_is() -> None:
    assert stem("a" * LONGEST_WORD + "ing", "en") == "a" * LONGEST_WORD + "ing"
