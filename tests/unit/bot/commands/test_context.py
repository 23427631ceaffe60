from __future__ import annotations

from dataclasses import replace

from bot.agent.context.context_log import Piece
from bot.llm.retry import ModelState
from tests.support.conversation import Conversation
from tests.support.factories import RECORDED_CONTEXT, SYSTEM_RULES, session

STATE = ModelState("qwen3:8b at localhost", None)


async def test_without_a_model_or_before_its_first_answer_there_is_nothing_to_show(here: Conversation) -> None:
    assert "no language model" in await here.say("/context")

    here.context.known_models["personal"] = [STATE]

    assert "has not seen anything" in await here.say("/context")


async def test_the_table_has_a_line_for_each_piece_and_each_file(here: Conversation) -> None:
    here.context.known_models["personal"], here.context.last_contexts[session()] = [STATE], RECORDED_CONTEXT

    reply = await here.reply("/context")

    assert reply.private
    assert reply.text.startswith("What qwen3:8b at localhost saw last (Sat 2026-11-21 13:00):")
    assert "| 1 | system | 80 | `Answer briefly. '''code''' \\| pipes` |" in reply.text
    assert "| | · MEMORY.md | 30 | 1,234 characters had no room |" in reply.text
    assert "| 3 | user | 10 | `where is the key?` |" in reply.text
    assert "1 earlier exchange had no room." in reply.text
    assert reply.text.endswith("In all 100 tokens as counted here, 150 as the model counts: 15 % of 1,000.")


async def test_in_full_every_word_is_there_and_a_fence_in_it_does_not_end_it(here: Conversation) -> None:
    here.context.known_models["personal"], here.context.last_contexts[session()] = [STATE], RECORDED_CONTEXT

    told = await here.say("/context full")

    assert f"````text\n{SYSTEM_RULES}\n````" in told
    assert "**3. user**, 10 tokens" in told


async def test_what_is_too_long_for_a_chat_is_said_and_where_to_see_it(here: Conversation) -> None:
    huge = replace(RECORDED_CONTEXT, pieces=(*RECORDED_CONTEXT.pieces, Piece("tool", 90_000, "x" * 200_000)))
    here.context.known_models["personal"], here.context.last_contexts[session()] = [STATE], huge

    told = await here.say("/context full")

    assert "scrubjay sessions context --full" in told
    assert len(told) < 10_000


async def test_another_word_is_answered_with_the_two_that_there_are(here: Conversation) -> None:
    assert "`/context full`" in await here.say("/context everything")
