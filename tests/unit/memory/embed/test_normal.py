"""Text is brought into the form that the model was taught to read, in time that grows with its length alone."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embed.normal import normal_form

TABLE = {0x3000: " ", 0xFFFD: " ", 0xFF21: "A", 0xFB01: "fi", 0x07: ""}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("plain", "plain"),
        ("\uff21\u3000\ufb01x\x07", "A fix"),
        ("e\u0301", "\u00e9"),
        ("u\u0308\u0304", "\u01d6"),
        ("\uff21\u030a", "\u00c5"),
        ("\u1100\u1161\u11a8", "\uac01"),
        ("\u30ab\u3099", "\u30ac"),
        ("\u0915\u093c", "\u0915\u093c"),
    ],
)
def test_letters_spelled_out_are_joined(text: str, form: str) -> None:
    assert normal_form(text, TABLE) == form


@pytest.mark.parametrize("text", ["\u00fc\u0304", "\uac00\u11a8", "\u1f31\u0301"])
def test_a_mark_behind_a_joined_letter_stays_as_the_model_has_seen_it(text: str) -> None:
    assert normal_form(text, TABLE) == text


def test_marks_are_not_sorted() -> None:
    assert normal_form("a\u0316\u0301", TABLE) == "a\u0316\u0301"
    assert normalize("NFC", "a\u0316\u0301") == "\u00e1\u0316"


@pytest.mark.parametrize(("text", "form"), [("\ud83c", " "), ("a\ud800b", "a b"), ("\ud83c\udf89", "\U0001f389")])
def test_a_surrogate_without_its_other_half_reads_as_a_space(text: str, form: str) -> None:
    assert normal_form(text, TABLE) == form


@pytest.mark.timeout(20)
def test_a_long_row_of_marks_takes_no_longer_than_its_length() -> None:
    text = "a" + "\u0301\u0316" * 200_000

    assert normal_form(text, TABLE).startswith("\u00e1\u0316\u0301")


@given(st.text())
def test_the_form_is_stable(text: str) -> None:
    once = normal_form(text, {})

    assert normal_form(once, {}) == once
