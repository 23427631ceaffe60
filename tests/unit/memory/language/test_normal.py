"""Normal forms are Unicode's own, and take no longer than the text is long."""

from __future__ import annotations

from typing import Literal
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.normal import LONGEST_RUN, normalised

FORMS: tuple[Literal["NFC", "NFD", "NFKC"], ...] = ("NFC", "NFD", "NFKC")
NONSENSE = "\u0301\u0316"


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text())
def test_ordinary_text_has_its_normal_form(form: Literal["NFC", "NFD", "NFKC"], text: str) -> None:
    assert normalised(form, text) == normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
def test_so_has_a_long_text_with_all_sorts_of_signs(form: Literal["NFC", "NFD", "NFKC"]) -> None:
    text = (
        "Ünïcödé e\u0301 \uff21 \u1100\u1161\u11a8 \u0915\u093c \u0f71\u0f72 a"
        + NONSENSE * 15
        + " \U0001f44d\ufe0f" * 400
    )

    assert normalised(form, text) == normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
def test_no_mark_is_lost_from_a_long_row(form: Literal["NFC", "NFD", "NFKC"]) -> None:
    text = "a" + NONSENSE * 1000 + "b"

    assert sorted(normalize("NFD", normalised(form, text))) == sorted(normalize("NFD", text))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("form", FORMS)
def test_a_long_row_of_marks_takes_no_longer_than_its_length(form: Literal["NFC", "NFD", "NFKC"]) -> None:
    assert len(normalised(form, "a" + NONSENSE * 200_000)) >= 400_000


def test_every_combining_mark_counts_into_a_row() -> None:
    marks = [chr(code) for code in range(0x110000) if combining(chr(code))]
    rows = ["x" * 2000 + mark * (LONGEST_RUN + 1) for mark in marks]

    assert all(normalised("NFC", row).startswith("x" * 1999) for row in rows)
    assert not [mark for mark in marks if mark.isalnum() or mark.isspace() or mark.isascii()]
