"""In a group, what changes something acts on one's own things; the owner acts on all."""

from __future__ import annotations

import pytest

from adapters.port import ChatKind
from bot.storage.keys import Principal
from bot.storage.port import TokenTotals, UsageEntry
from bot.tools.base import Work
from tests.support.conversation import Conversation, TranscriptBuilder
from tests.support.factories import NOON, OWNER, chat, session

TEAM = chat("-100", kind=ChatKind.GROUP)
ANA, BO = Principal("volatile:1", "Ana", is_owner=False), Principal("volatile:2", "Bo", is_owner=False)


async def remember(here: Conversation, who: Principal, text: str) -> str:
    told = await here.say(f"/remember {text}", who=who, at=TEAM)
    return "^" + told.partition("^")[2][:8]


async def test_who_wrote_a_fact_is_told_by_name(here: Conversation) -> None:
    theirs = await remember(here, ANA, "Ana brings salad.")
    assert "Written by volatile:1 on" in await here.say(f"/why {theirs}", who=BO, at=TEAM)

    said = TranscriptBuilder().turn("Ana brings salad.", name="Ana", sender=ANA.id).recorded
    here.context.said.recorded[here.turn("", at=TEAM).session] = tuple(said)

    assert "Written by Ana on" in await here.say(f"/why {theirs}", who=BO, at=TEAM)


async def test_undo_takes_back_the_newest_of_ones_own_and_the_owner_takes_back_anything(here: Conversation) -> None:
    await remember(here, ANA, "Ana brings salad.")
    await remember(here, BO, "Bo brings bread.")

    assert "Ana brings salad." in await here.say("/undo", who=ANA, at=TEAM)
    assert "nothing of yours to undo" in await here.say("/undo", who=ANA, at=TEAM)
    assert "Bo brings bread." in await here.say("/undo", who=OWNER, at=TEAM)


async def test_forget_takes_away_ones_own_and_says_whose_the_rest_is(here: Conversation) -> None:
    theirs = await remember(here, ANA, "Ana brings salad.")
    await remember(here, BO, "Bo brings salad, too.")
    said = TranscriptBuilder().turn("Ana brings salad.", name="Ana", sender=ANA.id).recorded
    here.context.said.recorded[here.turn("", at=TEAM).session] = tuple(said)

    refused = await here.reply(f"/forget {theirs}", who=BO, at=TEAM)
    by_words = await here.reply("/forget salad", who=BO, at=TEAM)

    assert refused.shown == "Ana wrote that; only they or my owner can take it away."
    assert refused.buttons == ()
    assert "Bo brings salad" in by_words.text
    assert "Ana brings" not in by_words.text
    assert "Ana wrote some of that" in by_words.shown
    assert "Ana brings salad" in (await here.reply(f"/forget {theirs}", who=OWNER, at=TEAM)).text
    assert "Ana brings salad" in (await here.reply(f"/forget {theirs}", who=ANA, at=TEAM)).text


async def test_a_reminder_is_cancelled_by_whoever_set_it_or_the_owner(here: Conversation) -> None:
    await here.say("/remind tomorrow at 9 bring the salad", who=ANA, at=TEAM)
    cancel = (await here.reply("/reminders", who=BO, at=TEAM)).buttons[0].data

    assert "Somebody else wrote that." in await here.say(cancel, who=BO, at=TEAM)
    assert "bring the salad" in await here.say("/reminders", who=ANA, at=TEAM)
    assert "Cancelled" in await here.say(cancel, who=ANA, at=TEAM)


async def test_a_reminder_that_was_put_off_is_put_off_further_or_done_by_whoever_set_it(here: Conversation) -> None:
    await here.say("/remind tomorrow at 9 bring the salad", who=ANA, at=TEAM)
    name = (await here.reply("/reminders", who=BO, at=TEAM)).buttons[0].data.split()[-1]
    here.clock.advance(days=1)
    await here.say(f"/reminders snooze {name} 1h", who=BO, at=TEAM)
    put_off = dict(here.jobs)

    for what in (f"done {name}", f"snooze {name} tomorrow"):
        assert "Somebody else wrote that." in await here.say(f"/reminders {what}", who=BO, at=TEAM)
    assert here.jobs == put_off
    assert "✓ bring the salad" in await here.say(f"/reminders done {name}", who=ANA, at=TEAM)
    assert len(here.jobs) == len(put_off) - 1


async def test_where_others_read_along_the_owner_is_told_nothing_of_other_people(here: Conversation) -> None:
    await here.say("/remember The key hangs by the door.")
    totals = TokenTotals(1, 700)
    await here.context.used.add(UsageEntry(NOON.date(), "personal", "small", ANA.id, str(session()), "t", totals), NOON)

    in_private = await here.say("/usage") + await here.say("/status")
    in_group = await here.say("/usage", at=TEAM) + await here.say("/status", at=TEAM)

    for told in (ANA.id, "700 tokens", "1 fact"):
        assert (told in in_private, told in in_group) == (True, False)
    assert "What models have taken for you" in in_group


async def test_nobody_replaces_what_somebody_else_wrote(here: Conversation) -> None:
    theirs = await remember(here, ANA, "Ana brings salad.")

    assert "Somebody else wrote that." in await here.say(f"/replace {theirs} Ana brings nothing.", who=BO, at=TEAM)
    assert "nothing" not in await here.say("/today", who=BO, at=TEAM)
    assert "It replaces" in await here.say(f"/replace {theirs} Ana brings soup.", who=ANA, at=TEAM)


async def test_what_a_model_notes_for_somebody_is_theirs(here: Conversation) -> None:
    for who, text in ((ANA, "Ana brings salad."), (BO, "Bo brings bread.")):
        turn = here.turn(text, who=who, at=TEAM)
        await turn.agent.memory.remember(
            text, origin=turn.origin, scope=turn.scope, op_id=turn.op_id(9), actor=Work(turn, "").actor
        )

    assert "Ana brings salad." in await here.say("/undo", who=ANA, at=TEAM)
    assert Work(here.turn("hello"), "").actor == "agent:personal", "in private it needs no name"


async def test_a_question_is_answered_and_declined_by_whoever_was_asked(here: Conversation) -> None:
    asked = await here.reply("/remember The password is hunter2-Marigold.", who=ANA, at=TEAM)
    yes, no = (button.data for button in asked.buttons)

    for answer in (no, yes, "yes", "no"):
        assert "Somebody else was asked" in await here.say(answer, who=BO, at=TEAM)
        here.context.said.replies[here.turn("", at=TEAM).session].pop()
    assert "Noted in" in await here.say(yes, who=ANA, at=TEAM)


async def test_a_correction_is_confirmed_and_declined_by_whoever_was_asked(here: Conversation) -> None:
    await remember(here, ANA, "The meeting is on Tuesday.")
    offered = await here.reply("Actually the meeting is on Friday.", who=ANA, at=TEAM)

    for button in offered.buttons:
        assert "Somebody else was asked" in await here.say(button.data, who=BO, at=TEAM)
    assert "It replaces" in await here.say(offered.buttons[0].data, who=ANA, at=TEAM)


@pytest.mark.parametrize("command", ["/new", "/reset"])
async def test_a_conversation_is_ended_by_whoever_spoke_alone_in_it_or_the_owner(
    here: Conversation, command: str
) -> None:
    talk, place = TranscriptBuilder().turn("Hello.", "Hello.", sender=ANA.id), here.turn("", at=TEAM).session
    here.context.said.recorded[place] = tuple(talk.turn("/remind", "Salad.", sender="schedule").recorded)
    assert (await here.reply(command, who=ANA, at=TEAM)).ends_session

    here.context.said.recorded[place] = tuple(talk.turn("Hello.", "Hello.", sender=BO.id).recorded)
    refused = await here.reply(command, who=ANA, at=TEAM)

    assert not refused.ends_session
    assert "only my owner ends it" in refused.shown
    assert (await here.reply(command, who=OWNER, at=TEAM)).ends_session


async def test_whoever_spoke_with_another_account_of_theirs_is_nobody_else(here: Conversation) -> None:
    place, private = here.turn("", at=TEAM).session, chat("1")
    talk = TranscriptBuilder().turn("Hello.", "Hello.", sender="discord:1")
    here.context.said.recorded[place] = here.context.said.recorded[here.turn("", at=private).session] = tuple(
        talk.recorded
    )
    assert (await here.reply("/new", who=ANA, at=private)).ends_session, "nobody else speaks in a private chat"
    assert not (await here.reply("/new", who=ANA, at=TEAM)).ends_session

    await here.context.register.link("discord:1", ANA.id, at=NOON)

    assert (await here.reply("/new", who=ANA, at=TEAM)).ends_session


async def test_a_preview_is_confirmed_by_whoever_was_shown_it(here: Conversation) -> None:
    theirs = await remember(here, ANA, "Ana brings salad.")
    preview = await here.reply(f"/forget {theirs}", who=ANA, at=TEAM)

    assert "asked for that preview" in await here.say(preview.buttons[0].data, who=BO, at=TEAM)
    here.context.said.replies[here.turn("", at=TEAM).session].pop()
    assert "asked for that preview" in await here.say("yes", who=BO, at=TEAM)
    assert "Forgotten" in await here.say(preview.buttons[0].data, who=ANA, at=TEAM)
