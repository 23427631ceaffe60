"""Guests, and the people of a group."""

from __future__ import annotations

import pytest

from adapters.port import ChatKind
from bot.storage.keys import Principal
from tests.support.conversation import Conversation
from tests.support.factories import chat
from tests.support.texts import ENGLISH

GROUP = chat("-100", kind=ChatKind.GROUP)
GUEST = Principal("volatile:7", "Grace", is_owner=False)


async def test_nobody_is_told_that_a_word_is_enough_where_noting_takes_an_order(here: Conversation) -> None:
    for asked in ("hi", "are you there?", "/help"):
        opening = (await here.say(asked, who=GUEST, at=GROUP)).splitlines()[0]
        assert opening == "I am personal. `/remember TEXT` keeps something for this chat; ask and I look it up."
    assert "I note it" not in await here.say("/start", at=GROUP)


async def test_what_guests_state_is_not_noted_and_they_are_told_how_to_keep_it(here: Conversation) -> None:
    assert await here.say("The picnic is on Sunday.", who=GUEST, at=GROUP) == ENGLISH.not_owner
    assert not (here.folder / "personal" / "memory").exists()


@pytest.mark.parametrize("told", ["I am allergic to nuts.", "Ich bin allergisch gegen Nüsse.", "我对坚果过敏。"])
async def test_what_somebody_tells_a_group_of_themselves_is_kept_as_what_they_said(
    here: Conversation, told: str
) -> None:
    await here.say(f"/remember {told}", who=GUEST, at=GROUP)
    await here.say("/remember The office has no lift.", who=GUEST, at=GROUP)
    await here.say(f"/remember {told}", who=GUEST, at=chat("7"))

    kept = (here.folder / "personal" / "memory" / "guests").glob("*.md")
    lines = [
        line.partition(": ")[2].partition(" #")[0] for file in kept for line in file.read_text("utf-8").splitlines()
    ]

    assert [line for line in lines if line] == [f"Grace said: {told}", "The office has no lift.", told]


async def test_a_group_is_answered_from_its_own_words_only(here: Conversation) -> None:
    await here.say("My safe opens with 4711.")
    await here.say("/remember The safe of the club opens with 1234.", who=GUEST, at=GROUP)

    answer = await here.say("How does the safe open?", who=GUEST, at=GROUP)

    assert "1234" in answer
    assert "4711" not in answer


async def test_in_a_group_a_time_completes_only_what_the_same_person_has_left_open(here: Conversation) -> None:
    bob = Principal("volatile:8", "Bob", is_owner=False)
    asked = await here.say("remind me to call mum", who=GUEST, at=GROUP)

    assert "call mum" not in await here.say("tomorrow at 9", who=bob, at=GROUP)
    assert await here.say("remind me to call mum", who=GUEST, at=GROUP) == asked
    assert "call mum" in await here.say("tomorrow at 9", who=GUEST, at=GROUP)


async def test_people_of_a_group_remind_and_forget_in_words_as_by_commands(here: Conversation) -> None:
    await here.say("/remember Mia has shoes of size 33.", who=GUEST, at=GROUP)

    assert "fetch Mia" in await here.say("remind me tomorrow at 5 to fetch Mia", who=GUEST, at=GROUP)
    assert "Mia has shoes of size 33." in await here.say("forget Mia has shoes", who=GUEST, at=GROUP)
    assert "fetch Mia" in await here.say("delete the last one", who=GUEST, at=GROUP)


async def test_the_owner_is_not_told_in_a_group_that_somebody_else_is(here: Conversation) -> None:
    assert await here.say("The picnic is on Sunday.", at=GROUP) == ENGLISH.not_noted


async def test_whoever_corrects_what_somebody_else_wrote_is_told_at_once_that_they_cannot(here: Conversation) -> None:
    bob = Principal("volatile:8", "Bob", is_owner=False)
    await here.say("/remember The gate code is 4711.", who=bob, at=GROUP)

    refused = await here.reply("Actually it is 8841.", who=GUEST, at=GROUP)

    assert "Somebody else wrote that." in refused.text
    assert not refused.buttons
    assert (await here.reply("Actually it is 8841.", who=bob, at=GROUP)).buttons


async def test_a_mere_where_is_answered_to_who_has_asked_and_for_a_while(here: Conversation) -> None:
    await here.say("/remember The club meets in the hall.", at=GROUP)
    quoted = await here.say("where does the club meet?", at=GROUP)

    assert "in the hall" in quoted
    assert "in the hall" not in await here.say("where?", at=GROUP, who=GUEST)
    await here.say("where does the club meet?", at=GROUP)
    here.clock.advance(hours=2)
    assert "in the hall" not in await here.say("where?", at=GROUP)


async def test_a_reminder_that_a_command_has_set_is_moved_by_who_set_it(here: Conversation) -> None:
    await here.say("/remind tomorrow at 9 call Ana", at=GROUP)
    await here.say("make it 10", at=GROUP, who=GUEST)
    assert "09:00: call Ana" in await here.say("/reminders", at=GROUP)

    await here.say("/remind tomorrow at 9 call Tom", at=GROUP)
    assert "10:00: call Tom" in await here.say("make it 10", at=GROUP)
