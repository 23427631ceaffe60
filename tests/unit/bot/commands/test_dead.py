from __future__ import annotations

from adapters.port import ChatKind
from bot.storage.tables.dead_letters import DeadLetter
from tests.support.conversation import Conversation, FewDeadLetters
from tests.support.factories import NOON, chat


def given_up(here: Conversation, *numbers: int) -> FewDeadLetters:
    letters = here.context.dead_letters
    assert isinstance(letters, FewDeadLetters)
    letters.letters = [DeadLetter("part", "personal", one, NOON, "telegram.1", "no **rights** `x`") for one in numbers]
    return letters


async def test_what_was_given_up_is_listed_with_others_words_as_data(here: Conversation) -> None:
    assert await here.say("/dead") == "Nothing was given up."
    given_up(here, *range(1, 13))

    listed = await here.say("/dead")
    assert "12 things given up, the newest:" in listed
    assert "- `personal:12`, part, 2026-11-21 13:00: `no **rights** 'x'`" in listed
    assert "`personal:2`" not in listed


async def test_it_is_tried_again_once_however_often_the_button_is_tapped(here: Conversation) -> None:
    letters = given_up(here, 1, 2, 3)

    assert await here.say("/dead retry personal:2") == "Tried again: `personal:2`."
    assert "Nothing is given up under that" in await here.say("/dead retry personal:2")
    assert "lists it" in await here.say("/dead ignore")
    assert [one.seq for one in letters.letters] == [1, 3]
    assert await here.say("/dead retry all") == "Tried again: `personal:1`, `personal:3`."


async def test_where_others_read_along_nothing_is_listed_or_tried_again(here: Conversation) -> None:
    letters = given_up(here, 1)
    group = chat("-100", kind=ChatKind.GROUP)

    assert "private chat" in await here.say("/dead", at=group)
    assert "private chat" in await here.say("/dead retry all", at=group)
    assert len(letters.letters) == 1
