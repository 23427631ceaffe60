from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from adapters.port import ChatKind
from bot.commands import new
from bot.commands.base import Call
from tests.support.conversation import Conversation, TranscriptBuilder
from tests.support.factories import chat, session

TALK = TranscriptBuilder().turn("Where is the spare key, then?", "With Mrs Okafor.").turn("Thanks # so much", "Gladly.")
GROUP = chat("-100", kind=ChatKind.GROUP)


async def test_the_conversation_becomes_a_file_of_memory_and_ends(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TALK.recorded)

    reply = await here.reply("/new")

    assert reply.ends_session
    assert "Saved as `memory/2026-11-21-where-is-the-spare-key.md` (4 messages" in reply.text
    page = here.lines("memory/2026-11-21-where-is-the-spare-key.md")
    assert "# Where is the spare key, then?" in page
    assert any(line.endswith("**personal**: With Mrs Okafor.") for line in page)


async def test_what_was_saved_is_found_again(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TALK.recorded)
    await here.say("/new")

    assert "Okafor" in await here.say("/recall who has the spare key?")


async def test_a_title_names_the_file_and_a_second_one_gets_a_number(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TALK.recorded)

    first, second = await here.say("/new boiler repair"), await here.say("/new Boiler repair!")

    assert "`memory/2026-11-21-boiler-repair.md`" in first
    assert "`memory/2026-11-21-boiler-repair-2.md`" in second


async def test_it_can_be_taken_back(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TALK.recorded)
    await here.say("/new keys")

    await here.say("/undo")

    assert "Okafor" not in await here.say("/recall who has the spare key?")


async def test_where_nothing_was_said_nothing_is_saved(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TranscriptBuilder().turn("/status", "fine").recorded)

    reply = await here.reply("/new")

    assert reply.ends_session
    assert "nothing to save" in reply.text
    assert not (here.folder / "personal" / "memory").exists()


async def test_of_a_group_nothing_is_saved(here: Conversation) -> None:
    here.context.said.recorded[session(at=GROUP)] = tuple(TALK.recorded)

    reply = await here.reply("/new", at=GROUP)

    assert reply.ends_session
    assert "Nothing of this chat was saved" in reply.text
    assert not list((here.folder / "personal").glob("memory/**/*.md"))


async def test_by_itself_it_ends_only_what_is_quiet_since_it_was_due(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TALK.recorded)
    used = TALK.recorded[-1].entry.at

    early = await new.run(
        Call(replace(here.turn("/new"), is_job=True, at=used - timedelta(seconds=1)), "", here.context)
    )
    due = await new.run(Call(replace(here.turn("/new"), is_job=True, at=used), "", here.context))

    assert (early.is_silent, early.ends_session) == (True, False)
    assert due.ends_session
    assert "I saved it as `memory/2026-11-21-where-is-the-spare-key.md` (4 messages" in due.text


async def test_by_itself_it_says_nothing_of_a_conversation_with_nothing_to_save(here: Conversation) -> None:
    recorded = tuple(TranscriptBuilder().turn("/status", "fine").recorded)
    here.context.said.recorded[session()] = recorded

    turn = replace(here.turn("/new"), is_job=True, at=recorded[-1].entry.at)
    reply = await new.run(Call(turn, "", here.context))

    assert (reply.is_silent, reply.ends_session) == (True, True)


async def test_by_itself_it_ends_the_conversation_of_a_group_and_saves_nothing(here: Conversation) -> None:
    here.context.said.recorded[session(at=GROUP)] = tuple(TALK.recorded)

    turn = replace(here.turn("/new", at=GROUP), is_job=True, at=TALK.recorded[-1].entry.at)
    reply = await new.run(Call(turn, "", here.context))

    assert reply.ends_session
    assert "this conversation is over" in reply.text
    assert not list((here.folder / "personal").glob("memory/**/*.md"))


async def test_a_reset_saves_nothing(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TALK.recorded)

    reply = await here.reply("/reset")

    assert reply.ends_session
    assert not (here.folder / "personal" / "memory").exists()
