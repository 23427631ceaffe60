"""Which script and which language a text is in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.detect import (
    COMBINING,
    HAN,
    HANGUL,
    KANA,
    UNSPACED,
    clear_language,
    language,
    main_script,
    of_words,
    script,
)

CLEAR = [
    ("Where did I put the spare key?", "en"),
    ("Wo ist der Ersatzschlüssel?", "de"),
    ("Où est la clé de la maison ?", "fr"),
    ("¿Dónde está la llave?", "es"),
    ("Dove sono le chiavi di casa?", "it"),
    ("Onde estão as chaves que você tem?", "pt"),
    ("Waar is de sleutel van het huis?", "nl"),
    ("Где лежат ключи от машины?", "ru"),
    ("Де лежать ключі від машини і що це?", "uk"),
    ("Gdzie jest klucz do domu?", "pl"),
    ("Kde je klíč od domu, který máš?", "cs"),
    ("Var är nyckeln till huset och vem har den?", "sv"),
    ("Missä avaimet ovat ja kuka ne otti?", "fi"),
    ("Hol van a kulcs és ki vitte el?", "hu"),
    ("Anahtar nerede ve bunu kim aldı?", "tr"),
    ("Πού είναι το κλειδί;", "el"),
    ("أين المفتاح في هذا البيت؟", "ar"),
    ("کلید خانه کجاست و چرا نیست؟", "fa"),
    ("איפה המפתח של הבית?", "he"),
    ("चाबी कहाँ है?", "hi"),
    ("我的钥匙在哪里？", "zh"),
    ("鍵はどこですか", "ja"),
    ("열쇠는 어디에 있습니까?", "ko"),
    ("กุญแจอยู่ที่ไหน", "th"),
]


@pytest.mark.parametrize(("text", "expected"), CLEAR)
def test_a_sentence_shows_its_language(text: str, expected: str) -> None:
    assert language(text) == expected
    assert clear_language(text) == expected


def test_words_without_function_words_say_nothing_and_take_the_default() -> None:
    assert clear_language("Zahnarzttermin Freitag") == ""
    assert language("Zahnarzttermin Freitag") == "en"
    assert language("Zahnarzttermin Freitag", "de") == "de"


def test_one_word_that_another_language_has_too_is_not_enough() -> None:
    assert clear_language("red door") == clear_language("red door " * 30) == ""
    assert language("red door") == "en"


def test_a_default_in_another_script_does_not_count() -> None:
    assert language("Заметка", "de") == "ru"
    assert language("Berlin Paris", "ru") == "en"


def test_a_clear_text_overrules_the_default() -> None:
    assert language("Ich habe den Schlüssel nicht gefunden, weil er weg ist.", "en") == "de"
    assert language("Schöne Grüße, daß ihr kommt!", "en") == "de"


@pytest.mark.parametrize("text", ["", "12:30", "💪", "???"])
def test_a_text_without_letters_has_the_default_or_none(text: str) -> None:
    assert language(text) == ""
    assert language(text, "fr") == "fr"


@pytest.mark.parametrize(
    "text",
    ["My brother Tom lives in Oslo", "My son Tom", "my cat Kim", "A letter of my wife, Ella", "I met Ben and Sam"],
)
def test_a_name_is_no_function_word_of_another_language(text: str) -> None:
    assert language(text) == language(text, "en") == "en"


def test_a_word_of_german_grammar_counts_with_a_capital_too() -> None:
    assert clear_language("Haben Sie Zeit?") == "de"


def test_words_at_hand_are_used_as_they_are() -> None:
    assert of_words("wo ist der hund".split(), "Wo ist der Hund", default="en") == "de"


@given(st.text(), st.sampled_from(["", "en", "de", "zh", "xx"]))
def test_no_text_makes_it_raise_and_the_answer_is_always_the_same(text: str, default: str) -> None:
    assert language(text, default) == language(text, default)


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        ("a", "latin"), ("ß", "latin"), ("ж", "cyrillic"), ("ω", "greek"), ("א", "hebrew"), ("ع", "arabic"),
        ("क", "devanagari"), ("ก", "thai"), ("한", "hangul"), ("の", "kana"), ("カ", "kana"), ("字", "han"),
        ("𠀀", "han"), ("1", ""), (" ", ""), ("、", ""), ("💪", ""), ("\ud800", ""),
    ],
)  # fmt: skip
def test_a_letter_belongs_to_its_script(character: str, expected: str) -> None:
    assert script(character) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world", "latin"),
        ("Wir sehen uns um 18:00 im Café.", "latin"),
        ("встреча в Berlin", "cyrillic"),
        ("我的 WiFi 密码", "han"),
        ("明日は東京へ行きます", "kana"),
        ("東京大学", "han"),
        ("서울에서 만나요", "hangul"),
        ("12 + 30 = 42 💪", ""),
        ("", ""),
    ],
)
def test_a_text_has_the_script_of_most_of_its_letters(text: str, expected: str) -> None:
    assert main_script(text) == expected


def test_a_long_text_is_judged_on_characters_from_all_of_it() -> None:
    assert main_script("код " * 5000 + "tail" * 100) == "cyrillic"


@pytest.mark.parametrize("characters", [HAN, KANA, HANGUL, UNSPACED, COMBINING])
def test_the_character_classes_are_valid_and_hold_nothing_latin(characters: str) -> None:
    assert not re.findall(f"[{characters}]", "The quick brown fox, 0123456789 _-./@#")


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    main_script(text)


def test_a_short_question_is_in_its_own_language_though_most_notes_are_in_another() -> None:
    assert language("Was hat Tomas am 7. Februar gemacht?", "en") == "de"
    assert language("What hat was it?", "en") == "en"
    assert language("Tom am Montag", "en") == "en"


def test_ids_and_numbers_with_letters_say_nothing_of_the_language() -> None:
    facts = "- O(c=0.8) @Peter: Prefers tents of cotton. #preference ^p5m1swze\n- W @Anna: Has a tent. ^z7ypes3x\n"
    assert language(facts) == language("Prefers tents of cotton. Has a tent.")
    assert language("z7 i9 w3 ^z ^w", "de") == "de"
