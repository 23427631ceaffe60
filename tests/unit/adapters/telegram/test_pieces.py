from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from telegram import Chat, Message

from adapters.telegram.pieces import Pieces

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
LONG = "x" * 4096
NUMBERS = count(1)


def said(text: str, *, after_s: float = 0, chat: int = 7, **fields: Any) -> Message:
    at = START + timedelta(seconds=after_s)
    return Message(next(NUMBERS), at, Chat(chat, "private"), text=text, **fields)


def names(pieces: Pieces, *messages: Message, sender: str = "7") -> list[str]:
    return [pieces.name(message, sender) for message in messages]


def test_what_stands_alone_has_no_name() -> None:
    assert names(Pieces(), said("a"), said("b"), said("x" * 3000)) == ["", "", ""]


def test_a_long_text_goes_on_in_the_next_one_that_comes_soon() -> None:
    first, *others = names(Pieces(), said(LONG), said(LONG, after_s=1), said("end", after_s=2), said("new", after_s=2))

    assert first
    assert others == [first, first, ""]


def test_length_is_counted_as_telegram_counts_it() -> None:
    birds = "🐦" * 2048

    first, second = names(Pieces(), said(birds), said("end"))

    assert first == second != ""


def test_what_comes_late_is_a_message_of_its_own() -> None:
    first, second, third = names(Pieces(), said(LONG), said("late", after_s=3), said(LONG, after_s=4))

    assert first
    assert second == ""
    assert third not in {"", first}


def test_chats_and_people_are_kept_apart() -> None:
    pieces = Pieces()

    (first,) = names(pieces, said(LONG))

    assert names(pieces, said("elsewhere", chat=8)) == [""]
    assert names(pieces, said("by another"), sender="8") == [""]
    assert names(pieces, said("end")) == [first]


def test_the_same_piece_handed_over_again_keeps_its_name() -> None:
    pieces, piece = Pieces(), said(LONG)

    assert len({*names(pieces, piece, piece)}) == 1


def test_those_who_are_remembered_are_limited() -> None:
    pieces = Pieces()
    for sender in range(2000):
        pieces.name(said(LONG), str(sender))
        pieces.is_addressed(7, f"album:{sender}", is_named=True)

    assert names(pieces, said("end"), sender="0") == [""]
    assert names(pieces, said("end"), sender="1999") != [""]
    assert [pieces.is_addressed(7, f"album:{number}", is_named=False) for number in (0, 1999)] == [False, True]
