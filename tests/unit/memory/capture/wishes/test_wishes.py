"""Wishes about what is remembered."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.intent import Act, act_of
from memory.capture.wishes.wishes import MAX_WISH_CHARS, Wish, WishKind, wish

EXAMPLES = Path(__file__).parents[4] / "data" / "capture"
SAID = tomllib.loads((EXAMPLES / "wishes.toml").read_text(encoding="utf-8"))


def lines(block: str) -> list[str]:
    return block.strip().splitlines()


def pairs(block: str) -> list[tuple[str, str]]:
    return [(said.strip(), what.strip()) for said, _, what in (line.partition(" -> ") for line in lines(block))]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("forget", WishKind.FORGET),
        ("forget_negatively", WishKind.FORGET),
        ("forget_topic_first", WishKind.FORGET),
        ("forget_removed", WishKind.FORGET),
        ("forget_everything", WishKind.FORGET),
        ("correct", WishKind.CORRECT),
        ("remind", WishKind.REMIND),
    ],
)
def test_a_wish_says_what_it_is_about(name: str, kind: WishKind) -> None:
    is_tellable = name in {"forget_negatively", "forget_topic_first", "forget_removed"}  # whether all is meant is open

    misread = []
    for said, what in pairs(SAID[name]):
        found = wish(said)
        everything = found is not None and found.everything if is_tellable else name == "forget_everything"
        if found != Wish(kind, what, everything):
            misread.append((said, found))

    assert len(SAID[name]) > 500
    assert misread == []


@pytest.mark.parametrize("name", ["none", "not_about_memory", "dropped_subjects"])
def test_what_only_looks_like_a_wish_is_none(name: str) -> None:
    assert [(said, found) for said in lines(SAID[name]) if (found := wish(said))] == []


def test_letting_a_subject_drop_is_nothing_to_note() -> None:
    assert [said for said in lines(SAID["dropped_subjects"]) if act_of(said) is not Act.SMALL_TALK] == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("forget", WishKind.FORGET),
        ("correct", WishKind.CORRECT),
        ("remind", WishKind.REMIND),
        ("remind_in_other_words", WishKind.REMIND),
        ("none", None),
    ],
)
def test_the_kind_of_a_wish_is_known(name: str, kind: WishKind | None) -> None:
    read = [(said, wish(said)) for said in lines(SAID["kinds"][name])]

    assert len(read) > 10
    assert [(said, found) for said, found in read if (found.kind if found else None) != kind] == []


def test_a_wish_to_forget_everything_there_is_keeps_the_word_for_it() -> None:
    for said in ("forget everything", "Vergiss alles", "忘掉一切", "Olvida todo", "Oublie tout"):
        found = wish(said)

        assert found is not None
        assert (found.kind, found.everything) == (WishKind.FORGET, True)
        assert found.what in said


@pytest.mark.parametrize("name", ["answer", "neither"])
def test_questions_and_small_talk_ask_neither_to_forget_nor_to_correct(name: str) -> None:
    said = lines((EXAMPLES / f"{name}.txt").read_text(encoding="utf-8"))

    assert [text for text in said if (found := wish(text)) and found.kind is not WishKind.REMIND] == []


def test_a_long_message_is_no_wish() -> None:
    assert wish("forget that " + "I like tea and " * 40) is None
    assert wish("forget " + "x" * (MAX_WISH_CHARS - 7)) is not None


def test_a_fact_in_notation_is_no_wish() -> None:
    assert wish("- W: forget that I like tea") is None


OPENINGS = [
    "forget ", "actually ", "vergiss bitte ", "no, ", "请忘记", "其实", "remind me ", "oublie ", "нет, ", "olvida ",
]  # fmt: skip


@given(st.sampled_from(["", *OPENINGS]), st.text(max_size=MAX_WISH_CHARS + 50))
def test_any_text_is_read_and_what_is_wished_stands_in_it(opening: str, rest: str) -> None:
    found = wish(opening + rest)

    assert found is None or (found.what in opening + rest and found.what.strip())


def test_a_message_as_long_as_a_wish_may_be_is_read_however_it_repeats_itself() -> None:
    for piece in ("forget ", "please ", "no, ", "not ", "1 ", "请", "不是", "é, ", "(", "can you ", "a,"):
        text = (piece * MAX_WISH_CHARS)[:MAX_WISH_CHARS]

        found = wish(text)

        assert found is None or found.what in text
