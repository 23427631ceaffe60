from __future__ import annotations

import pytest

from adapters.port import ChatKind
from tests.support.conversation import Conversation
from tests.support.factories import chat


async def test_the_last_write_is_taken_out_and_shown(here: Conversation) -> None:
    await here.say("/remember Keep this.")
    await here.say("/remember Not this.")

    told = await here.say("/undo")

    assert told.startswith("Taken out of `memory/2026-11-21.md`: - ")
    assert "Not this." in told
    text = "\n".join(here.lines("memory/2026-11-21.md"))
    assert "Keep this." in text
    assert "Not this." not in text


async def test_of_a_long_text_the_beginning_is_shown(here: Conversation) -> None:
    await here.say(f"/remember {'The cellar is dry. ' * 100}")

    told = await here.say("/undo")

    assert "The cellar is dry." in told
    assert len(told) < 600
    assert len(await here.say("/undo")) < 600


async def test_several_are_taken_back_newest_first(here: Conversation) -> None:
    for text in ("One.", "Two.", "Three."):
        await here.say(f"/remember {text}")

    told = (await here.say("/undo 2")).splitlines()

    assert ["Three." in told[0], "Two." in told[1]] == [True, True]
    assert "One." in await here.say("/today")


async def test_what_was_forgotten_comes_back(here: Conversation) -> None:
    await here.say("/remember The safe opens with 4711.")
    preview = await here.reply("/forget safe")
    await here.say(preview.buttons[0].data)

    told = await here.say("/undo")

    assert told.startswith("Back in `memory/2026-11-21.md`: - ")
    assert "4711" in await here.say("/recall safe")


@pytest.mark.parametrize("count", ["x", "0", "-1", "21", "1.5", "²", "all of it", "9" * 5000])
async def test_a_count_that_makes_no_sense_changes_nothing(here: Conversation, count: str) -> None:
    await here.say("/remember Stay.")

    assert "Nothing has changed." in await here.say(f"/undo {count}")
    assert "Stay." in await here.say("/today")


async def test_with_nothing_to_undo_it_says_so(here: Conversation) -> None:
    assert (await here.say("/undo")).startswith("There is nothing to undo.")


async def test_a_group_cannot_undo_what_the_owner_wrote_privately(here: Conversation) -> None:
    await here.say("/remember Private.")

    assert "nothing to undo" in await here.say("/undo", at=chat("-100", kind=ChatKind.GROUP))
    assert "Private." in await here.say("/today")
