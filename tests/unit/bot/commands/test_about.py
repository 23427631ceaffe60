from __future__ import annotations

import pytest

from adapters.port import ChatKind
from tests.support.conversation import Conversation
from tests.support.factories import chat

ALICE = ("/remember @Alice moved to Lisbon in March.", "/remember @Alice: has a dog called Bruno.")


async def test_all_facts_about_somebody_stand_there_newest_first(here: Conversation) -> None:
    for fact in (*ALICE, "/remember @Peter likes tea."):
        await here.say(fact)

    told = await here.say("/about alice")

    assert told.index("Bruno") < told.index("Lisbon")
    assert "`memory/2026-11-21.md#L4`" in told
    assert "Peter" not in told
    assert "2 facts about Alice" in told


@pytest.mark.parametrize(
    "question", ["What do you remember about Alice?", "tell me about alice", "Was weißt du über Alice?", "说说Alice"]
)
async def test_the_plain_question_asks_the_same(here: Conversation, question: str) -> None:
    for fact in ALICE:
        await here.say(fact)

    told = await here.say(question)

    assert "Bruno" in told
    assert "Lisbon" in told


@pytest.mark.parametrize(
    "question", ["What do you remember about me?", "Was weißt du über mich?", "你还记得我什么？", "/about", "/about me"]
)
async def test_the_owner_is_meant_by_facts_in_the_first_person(here: Conversation, question: str) -> None:
    await here.say("/remember I am allergic to nuts.")
    await here.say("/remember Ich wohne in Lissabon.")
    await here.say("/remember @Peter likes tea.")

    told = await here.say(question)

    assert "nuts" in told
    assert "Lissabon" in told
    assert "likes tea" not in told


async def test_who_asks_for_their_name_is_told_it_and_nothing_of_somebody_whose_name_means_my(
    here: Conversation,
) -> None:
    await here.say("My name is Carla.")
    await here.say("Mia has football on Tuesdays.")

    told = await here.say("Who am I?")

    assert "Carla" in told
    assert "football" not in told


async def test_what_is_said_in_private_is_not_told_in_a_group(here: Conversation) -> None:
    await here.say("/remember I am allergic to nuts.")
    await here.say("/remember @Alice has a dog.")
    group = chat("-100", kind=ChatKind.GROUP)

    for asked in ("/about", "/about Alice", "What do you know about me?", "What do you know about Alice?"):
        told = await here.say(asked, at=group)
        assert "nuts" not in told
        assert "dog" not in told


async def test_a_name_that_nobody_has_mentioned_is_said_to_be_unknown(here: Conversation) -> None:
    await here.say(ALICE[0])

    assert await here.say("/about Alise") == 'I know nothing about Alise yet. Did you mean "Alice"?'
    assert "I know nothing" in await here.say("What do you know about Bruno?")


async def test_who_was_written_of_by_hand_is_found_by_the_bare_name(here: Conversation) -> None:
    log = here.folder / "personal/memory/2026-11-20.md"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("# 2026-11-20\n\n## Retain\n- Maria called about the roof.\n", encoding="utf-8")
    await here.agents["personal"].memory.sync()

    assert "the roof" in await here.say("/about Maria")


async def test_many_facts_are_counted_and_the_newest_shown(here: Conversation) -> None:
    for number in range(15):
        await here.say(f"/remember @Alice read book number {number}.")

    told = await here.say("/about Alice")

    assert "15 facts about Alice" in told
    assert "number 14" in told
    assert "number 1." not in told
