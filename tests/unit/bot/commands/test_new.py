from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from adapters.port import ChatKind
from bot.commands import new
from bot.commands.base import Call
from memory import OWNER, Origin
from tests.support.conversation import Conversation, TranscriptBuilder
from tests.support.factories import chat, session

TALK = (
    TranscriptBuilder()
    .turn("The spare key is with Mrs Okafor.", "Good to know.", shown_as="The spare key is with Mrs Okafor.")
    .turn("Where is the boat, then?", "I know nothing about that.", is_open=True)
)
GROUP = chat("-100", kind=ChatKind.GROUP)


async def test_the_conversation_becomes_a_file_of_memory_and_ends(here: Conversation) -> None:
    here.context.said.recorded[session()] = tuple(TALK.recorded)

    reply = await here.reply("/new")

    assert reply.ends_session
    assert "Saved as `memory/2026-11-21-the-spare-key-is-with.md` (1 told, 1 left open; `/undo`" in reply.text
    page = here.lines("memory/2026-11-21-the-spare-key-is-with.md")
    assert page[4:7] == ["open:", '  - "Where is the boat, then?"', "---"]
    assert any(line.endswith("**Ada**: The spare key is with Mrs Okafor.") for line in page)


async def test_conversations_that_end_at_the_same_moment_become_a_file_each(here: Conversation) -> None:
    places = [chat("one"), chat("two")]
    for place in places:
        here.context.said.recorded[session(at=place)] = tuple(TALK.recorded)

    told = await asyncio.gather(*(here.say("/new The boat", at=place) for place in places))

    saved = [re.findall(r"`(memory/.+?\.md)`", text) for text in told]
    assert sorted(saved) == [["memory/2026-11-21-the-boat-2.md"], ["memory/2026-11-21-the-boat.md"]]


@pytest.mark.parametrize(
    ("told", "question", "unknown"),
    [
        ("The spare key is with Mrs Okafor.", "Who has the spare key?", "Where is the blue bicycle?"),
        (
            "Merke dir: Der Ersatzschlüssel liegt bei Frau Okafor.",
            "Wer hat den Ersatzschlüssel?",
            "Wo ist das blaue Fahrrad?",
        ),
        ("备用钥匙在奥卡福太太那里。", "备用钥匙在哪里？", "蓝色的自行车在哪里？"),
    ],
)
async def test_asked_again_after_it_memory_answers_with_the_fact_and_not_with_the_question(
    here: Conversation, told: str, question: str, unknown: str
) -> None:
    told_reply = await here.say(told)
    answered, nothing = await here.say(question), await here.say(unknown)
    talk = TranscriptBuilder().turn(told, told_reply).turn(unknown, nothing, is_open=True)
    here.context.said.recorded[session()] = tuple(talk.recorded)

    assert re.search(r"1 (known|bekannt|项已知), 1 (left open|offen|项未完)", await here.say("/new"))

    assert await here.say(question) == answered
    assert await here.say(unknown) == nothing


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


async def test_what_memory_knows_already_is_saved_only_under_a_name_of_ones_choice(here: Conversation) -> None:
    told = "The spare key is with Mrs Okafor."
    here.context.said.recorded[session()] = tuple(TranscriptBuilder().turn(told, await here.say(told)).recorded)

    assert "nothing to save" in await here.say("/new")
    assert [path.name for path in (here.folder / "personal" / "memory").iterdir()] == ["2026-11-21.md"]
    assert "`memory/2026-11-21-the-key.md` (1 known;" in await here.say("/new The key")


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
    assert "I saved it as `memory/2026-11-21-the-spare-key-is-with.md` (1 told" in due.text


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


@pytest.mark.parametrize("shown_as", [{"shown_as": "…"}, {}])
async def test_of_what_was_taken_back_nothing_is_saved_and_what_else_was_said_then_is(
    here: Conversation, shown_as: dict[str, Any]
) -> None:
    born = "Ines has her birthday on 3 May."
    told = f"We decided to sell the boat. {born}" if shown_as else born
    talk = TranscriptBuilder().turn("Hi!", "Hello.").turn(f"{born} Where is the sail?", "Noted.", is_open=True)
    here.context.said.recorded[session()] = tuple(talk.turn(told, "Noted.", **shown_as).recorded)
    memory = here.agents["personal"].memory
    await memory.remember(born, origin=Origin.OWNER, scope=OWNER, op_id="t2:0", actor="owner")
    await memory.remember(f"{born} Yes.", origin=Origin.OWNER, scope=OWNER, op_id="t3:t0", actor="owner")
    await memory.undo(2, op_id="u:0", scope=OWNER, actor="owner")

    saved = await here.say("/new")

    (page,) = (here.folder / "personal" / "memory").glob("2026-11-21-*.md")
    text = page.read_text(encoding="utf-8")
    assert "May" not in text
    assert "May" not in saved
    assert '"Where is the sail?"' in text
    assert ("sell the boat" in text) == bool(shown_as)
