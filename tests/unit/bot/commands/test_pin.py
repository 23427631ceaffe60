from __future__ import annotations

from adapters.port import ChatKind
from tests.support.conversation import Conversation
from tests.support.factories import chat


async def remembered(here: Conversation, text: str) -> str:
    return (await here.say(f"/remember {text}")).partition("^")[2][:8]


async def test_a_fact_is_pinned_and_let_go_by_its_id(here: Conversation) -> None:
    fact = await remembered(here, "The tent is in the cellar.")

    assert "pinned, last reviewed 2026-11-21, does not fade" in await here.say(f"/pin ^{fact}")
    assert "pinned" in await here.say(f"/why ^{fact}")
    for command in (f"/pin {fact} off", f"/unpin ^{fact}"):
        await here.say(f"/pin {fact}")
        assert "fades on 2027-06-18" in await here.say(command)


async def test_undo_takes_a_pin_back(here: Conversation) -> None:
    fact = await remembered(here, "The tent is in the cellar.")
    await here.say(f"/pin ^{fact}")

    await here.say("/undo")

    assert "fades on" in await here.say(f"/why ^{fact}")
    assert "cellar" in await here.say("/today")


async def test_what_makes_no_sense_is_answered_with_an_example(here: Conversation) -> None:
    for typed in ("/pin", "/unpin", "/pin ^k3f9a2mq on"):
        assert "^k3f9a2mq" in await here.say(typed)
    assert "There is no fact ^k3f9a2mq in memory." in await here.say("/pin ^k3f9a2mq")


async def test_a_group_cannot_pin_what_is_the_owners(here: Conversation) -> None:
    fact = await remembered(here, "Private.")

    assert "There is no fact" in await here.say(f"/pin ^{fact}", at=chat("-100", kind=ChatKind.GROUP))
