from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index.tokens import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world!", ["Hello", "world"]),
        ("set POSTGRES_URL in .env", ["set", "POSTGRES_URL", "in", "env"]),
        ("v2.3.0 fixes #4711.", ["v2.3.0", "fixes", "#4711"]),
        ("see src/app/main.py:12", ["see", "src/app/main.py:12"]),
        ("mail jo.doe@example.org now", ["mail", "jo.doe@example.org", "now"]),
        ("https://example.org/a?b=1", ["https://example.org/a", "b", "1"]),
        ("at 192.168.0.1, port 80", ["at", "192.168.0.1", "port", "80"]),
        ("C++ or C#, but not #", ["C++", "or", "C#", "but", "not"]),
        ("1,250 of 2,5", ["1,250", "of", "2", "5"]),
        ("don’t stop", ["don’t", "stop"]),
        ("我的iPhone手机。", ["我的", "iPhone", "手机"]),
        ("서울에서 만나요", ["서울에서", "만나요"]),
        ("ภาษาไทย ok", ["ภาษาไทย", "ok"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Tilde ~ und Gedanke — Strich", ["Tilde", "und", "Gedanke", "Strich"]),
        ("go 💪🏽!", ["go", "💪"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
        ("ｆｕｌｌ ﬁne ²", ["full", "fine", "2"]),
    ],
)
def test_texts_fall_into_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    "number", ["+49 170 1234567", "+1 (555) 123-4567", "0170 1234567", "030/123 456 78", "+44 20 7946 0958"]
)
def test_a_number_to_call_is_one_token(number: str) -> None:
    assert tokens(f"call {number}, please") == ["call", number, "please"]


def test_an_address_after_a_number_to_call_is_not_part_of_it() -> None:
    assert tokens("+49 170 1234567 192.168.0.1") == ["+49 170 1234567", "192.168.0.1"]


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_plain_ascii_gives_the_same_tokens_as_in_a_text_with_other_characters(text: str) -> None:
    assert tokens(text) == tokens(text + " ~—")


@given(st.text())
def test_no_text_makes_it_raise_and_no_token_is_empty(text: str) -> None:
    assert all(token.strip() for token in tokens(text))
