"""Normal forms and stems."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Literal
from unicodedata import combining
from unicodedata import normalize as unicode_form

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.normalize import ALGORITHMS, MAX_MARKS, MAX_WORD_LETTERS, normalize, stem

FORMS: tuple[Literal["NFC", "NFD", "NFKC"], ...] = ("NFC", "NFD", "NFKC")
NONSENSE = "\u0301\u0316"


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text())
def test_ordinary_text_has_its_normal_form(form: Literal["NFC", "NFD", "NFKC"], text: str) -> None:
    assert normalize(form, text) == unicode_form(form, text)


@pytest.mark.parametrize("form", FORMS)
def test_so_has_a_long_text_with_all_sorts_of_signs(form: Literal["NFC", "NFD", "NFKC"]) -> None:
    text = (
        "Ünïcödé e\u0301 \uff21 \u1100\u1161\u11a8 \u0915\u093c \u0f71\u0f72 a"
        + NONSENSE * 15
        + " \U0001f44d\ufe0f" * 400
    )

    assert normalize(form, text) == unicode_form(form, text)


@pytest.mark.parametrize("form", FORMS)
def test_no_mark_is_lost_from_a_long_row(form: Literal["NFC", "NFD", "NFKC"]) -> None:
    text = "a" + NONSENSE * 1000 + "b"

    assert sorted(unicode_form("NFD", normalize(form, text))) == sorted(unicode_form("NFD", text))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("form", FORMS)
def test_a_long_row_of_marks_takes_no_longer_than_its_length(form: Literal["NFC", "NFD", "NFKC"]) -> None:
    assert len(normalize(form, "a" + NONSENSE * 200_000)) >= 400_000


def test_every_combining_mark_counts_into_a_row() -> None:
    marks = [chr(code) for code in range(0x110000) if combining(chr(code))]
    rows = ["x" * 2000 + mark * (MAX_MARKS + 1) for mark in marks]

    assert all(normalize("NFC", row).startswith("x" * 1999) for row in rows)
    assert not [mark for mark in marks if mark.isalnum() or mark.isspace() or mark.isascii()]


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
    code = "import memory.index.sync, memory.recall.recall, sys; sys.exit('Stemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_is_too_long_to_be_a_word_stays_as_it_is() -> None:
    assert stem("a" * MAX_WORD_LETTERS + "ing", "en") == "a" * MAX_WORD_LETTERS + "ing"


def test_threads_that_stem_at_once_get_the_stems_that_one_gets() -> None:
    begins, ends = ("walk", "tent", "hop", "relat", "nation"), ("s", "ing", "ed", "ional")
    words = [f"{begin}{end}" for begin in begins for end in ends]
    expected = [stem(word, "en") for word in words]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: [stem(word, "en") for word in words], range(200)))
    finally:
        sys.setswitchinterval(usual)
    assert all(one == expected for one in found)
