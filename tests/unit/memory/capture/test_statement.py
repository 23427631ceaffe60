"""What is kept of a chat message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture import statement


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("remember that my flight is at 7:40", "my flight is at 7:40"),
        ("Please note that  the gate code is 4711.", "the gate code is 4711."),
        ("Remember: iPhone 15 is what Mia wants", "iPhone 15 is what Mia wants"),
        ("Merk dir bitte, dass Olga Linkshänderin ist", "Olga Linkshänderin ist"),
        ("merk dir: der Code ist 4711", "der Code ist 4711"),
        ("记住我的鞋码是43", "我的鞋码是43"),
        ("请记住：我的鞋码是43", "我的鞋码是43"),
        ("Recuerda que mi vuelo sale a las 7:40", "mi vuelo sale a las 7:40"),
        ("Retiens que le code est 4711", "le code est 4711"),
        ("запомни, что код 4711", "код 4711"),
    ],
)
def test_an_order_to_remember_is_taken_off_a_single_sentence(message: str, kept: str) -> None:
    assert statement(message) == kept


@pytest.mark.parametrize(
    "message",
    [
        "Hi! remember that my flight is at 7:40",
        "My locker is number 12. Please remember that.",
        "Remember that the key is under the mat. The neighbour knows.",
        "remember that:\n- milk\n- eggs",
        "Remember the milk",
        "Can you remember that I'm allergic to penicillin?",
        "  thanks! the parcel came today  ",
        "Write this down: locker 214",
        "记住了吗",
        "remember that",
        "Ade\u0301le came",
        "remember that " + "x" * 2_000,
        "",
    ],
)
def test_any_other_message_is_kept_as_it_is(message: str) -> None:
    assert statement(message) == message


@given(st.text(max_size=200) | st.text(max_size=50).map("remember that ".__add__))
def test_what_is_kept_is_the_end_of_the_message(text: str) -> None:
    assert text.endswith(statement(text))
    assert bool(statement(text)) == bool(text)
