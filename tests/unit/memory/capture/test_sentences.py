"""A message cut into folded sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.sentences import MAX_END_CHARS, MAX_SENTENCE_CHARS, ends_of, fold, sentences


def texts(message: str) -> list[str]:
    return [sentence.text for sentence in sentences(fold(message))]


@pytest.mark.parametrize(
    ("message", "cut"),
    [
        ("One. Two! Three? Four", ["one", "two", "three", "four"]),
        ("One\nTwo", ["one", "two"]),
        ("你好！我在上海。你呢？", ["你好", "我在上海", "你呢"]),
        ("Dr. Weber comes at 3 p.m. on Friday", ["dr. weber comes at 3 p.m. on friday"]),
        ("Am 3. Mai kommt Klaus", ["am 3. mai kommt klaus"]),
        ("The code is 12. Can you see it", ["the code is 12", "can you see it"]),
        ("Version 2.5 is at https://example.org/a?b=c now", ["version 2.5 is at https://example.org/a?b=c now"]),
        ('She said "what now?" and left', ['she said "what now?" and left']),
        ("- one\n- two", ["one", "two"]),
        ("...", []),
    ],
)
def test_a_message_is_cut_where_sentences_end(message: str, cut: list[str]) -> None:
    assert texts(message) == cut


def test_closing_marks_tell_whether_a_sentence_asks_or_exclaims() -> None:
    asks, exclaims, neither, both = sentences(fold("Why? Wow! Well. What?!"))

    assert (asks.asked, asks.exclaimed) == (True, False)
    assert (exclaims.asked, exclaims.exclaimed) == (False, True)
    assert (neither.asked, neither.exclaimed) == (False, False)
    assert (both.asked, both.exclaimed) == (True, False)


def test_folding_takes_away_what_carries_no_meaning() -> None:
    assert fold("I’M “HERE” ？") == 'i\'m "here" ?'
    assert fold("hi 👋 :) there") == "hi      there"
    assert fold("這個嗎") == "这个吗"


@given(st.text(max_size=300))
def test_a_folded_text_is_as_long_as_it_was(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text(max_size=300))
def test_sentences_stand_in_order_and_where_they_say(text: str) -> None:
    message = fold(text)
    found = list(sentences(message))

    assert all(message[sentence.start : sentence.end].startswith(sentence.text) for sentence in found)
    assert [sentence.start for sentence in found] == sorted(sentence.start for sentence in found)


def test_a_long_sentence_is_shortened_and_a_long_text_has_its_ends() -> None:
    (sentence,) = sentences("a" * 5_000)

    assert len(sentence.text) <= MAX_SENTENCE_CHARS + 1
    assert ends_of("a" * 100 + "b" * 100_000 + "c" * 100).startswith("aaa")
    assert ends_of("b" * 100_000 + "c").endswith("bc")
    assert len(ends_of("b" * 100_000)) == 2 * MAX_END_CHARS + 1
