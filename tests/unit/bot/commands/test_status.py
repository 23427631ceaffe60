from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.llm.errors import Unauthorised
from bot.llm.retry import ModelState, Outage
from bot.storage.port import TokenTotals, UsageEntry
from tests.support.conversation import Conversation, TranscriptBuilder
from tests.support.factories import NOON, RECORDED_CONTEXT, session

TODAY = NOON.date()
STATE = ModelState("qwen3:8b at localhost", None)


def line(text: str, about: str) -> str:
    """The line of a status that is about something."""
    (found,) = [line for line in text.splitlines() if line.startswith(f"- {about}: ")]
    return found.removeprefix(f"- {about}: ")


async def test_without_a_model_it_says_what_answers_and_how_to_change_that(here: Conversation) -> None:
    told = await here.say("/status")

    assert told.startswith("**personal**: personal matters\n")
    assert line(told, "Model") == "none; answers are quotes from memory. `scrubjay init` adds one."
    assert line(told, "Conversation") == "nothing has been said yet."
    assert "Tokens" not in told


async def test_the_conversation_is_counted_from_its_beginning(here: Conversation) -> None:
    talk = TranscriptBuilder(began=NOON - timedelta(days=1, hours=2)).turn("one", "1").turn("two", "2")
    here.context.said.recorded[session()] = tuple(talk.recorded)

    told = line(await here.say("/status"), "Conversation")

    assert told.startswith("2 messages since 2026-11-20 11:00 (1 d 2 h), `01")


async def test_memory_is_counted(here: Conversation) -> None:
    await here.say("/remember The key hangs by the door.")

    assert line(await here.say("/status"), "Memory").startswith("1 fact in 1 file, index ready.")


async def test_how_full_the_window_is_follows_from_what_the_model_saw(here: Conversation) -> None:
    here.context.known_models["personal"] = [STATE]
    assert line(await here.say("/status"), "Window") == "empty"

    here.context.last_contexts[session()] = RECORDED_CONTEXT

    assert line(await here.say("/status"), "Window") == "150 of 1,000 tokens (15 %)"


@pytest.mark.parametrize(
    ("tally", "told"),
    [
        (TokenTotals(), "none yet"),
        (TokenTotals(1, 900, 0, 12), "912 (900 read, 12 written) in 1 request"),
        (
            TokenTotals(3, 9000, 4000, 120, 1),
            (
                "9,120 (9,000 read, 120 written; 4,000 of the read ones from the provider's cache) in 3 requests, "
                "1 of them not counted"
            ),
        ),
        (TokenTotals(2, unreported=2), "unknown: the provider does not report them (requests: 2)"),
    ],
)
async def test_tokens_are_those_that_the_provider_reported(here: Conversation, tally: TokenTotals, told: str) -> None:
    here.context.known_models["personal"] = [STATE]
    await here.context.used.add(UsageEntry(TODAY, "personal", STATE.name, "owner", "", "t1", tally), NOON)

    assert line(await here.say("/status"), "Tokens today") == told


async def test_a_model_that_does_not_answer_says_since_when_and_why(here: Conversation) -> None:
    refused = Unauthorised("qwen3:8b at localhost refused the key.", hint="Check the model's api_key.")
    here.context.known_models["personal"] = [replace(STATE, outage=Outage(NOON, refused))]

    told = line(await here.say("/status"), "Model")

    assert told.startswith("qwen3:8b at localhost, no answer since 2026-11-21 13:00: ")
    assert told.endswith("refused the key. Check the model's api_key.")


async def test_files_are_counted_as_memory_does_those_in_which_something_stands(here: Conversation) -> None:
    (here.folder / "personal/MEMORY.md").write_text("<!-- nothing yet -->\n")
    await here.say("/remember The key is under the pot.")
    await here.agents["personal"].memory.sync()

    assert "1 fact in 1 file" in await here.say("/status")
    assert "in 1 file" in await here.say("/memory")
