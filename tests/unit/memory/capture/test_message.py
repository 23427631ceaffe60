"""What a message does."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture import Act, act_of
from memory.capture.sentences import LOOKED_AT

EXAMPLES = Path(__file__).parents[3] / "data" / "capture"
CALLED = {Act.NOTE: "note", Act.QUESTION: "answer"}


def called(text: str) -> str:
    return CALLED.get(act_of(text), "neither")


@pytest.mark.parametrize("wanted", ["note", "answer", "neither"])
def test_a_message_is_read_as_in_the_examples(wanted: str) -> None:
    texts = (EXAMPLES / f"{wanted}.txt").read_text(encoding="utf-8").splitlines()

    misread = [(called(text), text) for text in texts if called(text) != wanted]

    assert len(texts) > 600
    assert misread == []


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("My train leaves at nine. When should I get up?", Act.QUESTION),
        ("Hi! My train leaves at nine. Thanks!", Act.NOTE),
        ("Thanks! And when does my train leave?", Act.QUESTION),
        ("Write a card for my aunt. She turns 60.", Act.REQUEST),
        ("Hello. Thank you.", Act.THANKS),
        ("Hallo. Ok.", Act.GREETING),
    ],
)
def test_the_weightiest_part_of_a_message_counts(text: str, act: Act) -> None:
    assert act_of(text) is act


@pytest.mark.parametrize(
    "text",
    [
        "O(c=0.9) @Peter: Prefers tea to coffee? #preference",
        "- W @Lena: Lives in Graz.",
        "T(due=2026-12-01) @me: what to send Alice?",
    ],
)
def test_a_fact_in_the_retain_notation_is_a_note_whatever_it_says(text: str) -> None:
    assert act_of(text) is Act.NOTE


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("hola", Act.GREETING),
        ("¿Cuándo es la cita con el dentista?", Act.QUESTION),
        ("Où est la clé de rechange", Act.QUESTION),
        ("Merci beaucoup !", Act.THANKS),
        ("Ma sœur habite à Lyon depuis mai", Act.NOTE),
        ("где мой паспорт", Act.QUESTION),
        ("Мой паспорт лежит в верхнем ящике", Act.NOTE),
        ("鍵はどこですか", Act.QUESTION),
        ("ありがとうございます", Act.THANKS),
        ("Dove ho messo le chiavi", Act.QUESTION),
        ("grazie mille", Act.THANKS),
        ("안녕하세요", Act.GREETING),
    ],
)
def test_other_languages_have_greetings_thanks_and_question_words(text: str, act: Act) -> None:
    assert act_of(text) is act


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "👍", "...", "?!", "\x00", "-"])
def test_a_message_that_says_nothing_is_small_talk(text: str) -> None:
    assert act_of(text) is Act.SMALL_TALK


def test_capitals_spaces_and_quotation_marks_do_not_change_what_a_message_does() -> None:
    assert act_of("WHERE  DID\tI PARK") is Act.QUESTION
    assert act_of("I don’t know where I parked") is act_of("I don't know where I parked") is Act.QUESTION
    assert act_of("我的護照在哪裡") is act_of("我的护照在哪里？") is Act.QUESTION


def test_only_the_ends_of_a_long_message_are_read() -> None:
    statement = "The boiler was serviced in May. " * 400

    assert act_of(f"{statement} where is the key? {statement}") is Act.NOTE
    assert act_of(f"{statement} where is the key?") is Act.QUESTION


@given(st.text(max_size=300))
def test_any_text_does_something(text: str) -> None:
    assert act_of(text) in Act


@given(st.text(alphabet="aI ?!.,:'我吗么什好谢的呢不没ßüwerit\n@[]()\"", max_size=120))
def test_any_text_of_telling_characters_does_something(text: str) -> None:
    assert act_of(text) in Act


@given(
    st.text(alphabet="かのっ何いつ뭐요지ㅋกคะไหม555كم ما؟कब हैँ।लиили кто?;πού τιέñ¿¡où ç'est\u200d\u0301", max_size=120)
)
def test_any_text_of_telling_characters_of_other_scripts_does_something(text: str) -> None:
    assert act_of(text) in Act


@pytest.mark.parametrize(
    "unit",
    [
        "哈",
        "好的",
        "hi ",
        "so ",
        "is ",
        "? ",
        "a, ",
        "what is the ",
        "ich habe nicht mehr ",
        "谁",
        "(",
        '"a',
        "1. ",
        "何",
        "ありがとう",
        "뭐 ",
        "ㅋ",
        "ครับ",
        "ใคร",
        "ألف ",
        "من ",
        "क्या ",
        "एक ",
        "ли ",
        "ха",
        "τι ",
        "χα",
        "que ",
        "qué",
        "où ",
        "merci ",
    ],
)
def test_ten_times_the_text_does_not_take_much_longer_once_its_ends_are_read(unit: str) -> None:
    short, long = (unit * 10_000)[:10_000], (unit * 100_000)[:100_000]

    assert seconds(long) < 10 * seconds(short) + 0.5


def seconds(text: str) -> float:
    """The least of three readings."""
    assert len(text) > 2 * LOOKED_AT
    readings = []
    for _ in range(3):
        before = perf_counter()
        act_of(text)
        readings.append(perf_counter() - before)
    return min(readings)
