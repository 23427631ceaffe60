from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.scripts import HAN, HANGUL, KANA, MARKS, UNSPACED, main_script, script


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


@pytest.mark.parametrize("characters", [HAN, KANA, HANGUL, UNSPACED, MARKS])
def test_the_character_classes_are_valid_and_hold_nothing_latin(characters: str) -> None:
    assert not re.findall(f"[{characters}]", "The quick brown fox, 0123456789 _-./@#")


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    main_script(text)
