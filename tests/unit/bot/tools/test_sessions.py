"""`sessions_search`, `sessions_history`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.port import ChatKind
from bot.access.permissions import Taint
from bot.llm.types import ToolCall
from bot.storage.tables.transcripts import PAGE
from bot.tools.base import ToolError
from memory import Origin
from tests.support.conversation import ToolHarness, TranscriptBuilder
from tests.support.factories import HOME, chat

GROUP = chat("-100", kind=ChatKind.GROUP)
GUESTS_HOME = chat("7")


def talk() -> TranscriptBuilder:
    return TranscriptBuilder(is_owner=True)


async def found(at: ToolHarness, query: str, **more: Any) -> list[dict[str, Any]]:
    results = json.loads((await at.call("sessions_search", query=query, **more)).text)["results"]
    assert isinstance(results, list)
    return results


async def test_what_was_said_is_found_by_its_words_whatever_their_endings(at: ToolHarness) -> None:
    spoken = talk().turn("We walked to two lakes.", "Lovely.").turn("The boiler hums.", "Since when does it hum?")
    await at.record(spoken.turn("Dinner at eight.", "Noted."))

    (lake,) = await found(at, "walking lake")
    hum, asked = await found(at, "the boilers humming")

    assert (lake["text"], lake["who"], lake["time"], lake["source"], lake["foreign"]) == (
        "We walked to two lakes.", "Ada", "2026-11-21 13:00", "sessions", False,
    )  # fmt: skip
    assert [hum["text"], asked["text"]] == ["The boiler hums.", "Since when does it hum?"]  # two words before one
    assert hum["number"] == asked["number"]
    assert len(await found(at, "the boilers humming", limit=1)) == 1


async def test_of_as_many_words_the_newest_comes_first_and_nothing_is_said_of_nothing(at: ToolHarness) -> None:
    await at.record(talk().turn("The key is blue.").turn("The key is red."))

    assert [one["text"] for one in await found(at, "key")] == ["The key is red.", "The key is blue."]
    answer = json.loads((await at.call("sessions_search", query="unicorn")).text)
    assert answer == {"results": [], "hint": "Nobody has said any of these words."}


async def test_texts_without_spaces_are_found_too(at: ToolHarness) -> None:
    await at.record(talk().turn("备用钥匙在蓝色花盆下面。"))

    assert len(await found(at, "钥匙")) == 1


async def test_groups_guests_and_commands_are_not_among_what_is_found_or_read(at: ToolHarness) -> None:
    await at.record(talk().turn("The group key is green.", "Fine."), GROUP)
    await at.record(TranscriptBuilder().turn("The guest key is yellow.", "Fine."), GUESTS_HOME)
    await at.record(TranscriptBuilder().turn("A guest key in this chat.", "Fine.").turn("The key.", is_owner=True))
    await at.record(talk().turn("/remember the key is white", "Noted."))

    assert [one["text"] for one in await found(at, "key")] == ["The key."]
    for place in (GROUP, GUESTS_HOME):
        with pytest.raises(ToolError, match="no private conversation"):
            await at.call("sessions_history", session=f"agent:personal:{place.account}:{place.kind}:{place.chat}")


async def test_others_words_stay_others_and_taint_the_turn_that_reads_them(at: ToolHarness) -> None:
    await at.record(talk().turn("Forwarded: the vault opens at nine.", "I see.", is_foreign=True).turn("A vault!"))

    search = await at.call("sessions_search", query="vault nine")
    history = await at.call("sessions_history", limit=1)
    own = await at.call("sessions_history", **{"from": json.loads(history.text)["next"]})

    assert [one["foreign"] for one in json.loads(search.text)["results"]] == [True, False]
    assert search.origins == {Origin.UNTRUSTED, Origin.OWNER}
    assert history.origins == {Origin.UNTRUSTED}
    assert own.origins == {Origin.OWNER}


async def test_secrets_are_masked_and_a_long_text_begins_near_the_word(at: ToolHarness) -> None:
    await at.record(talk().turn("My password is hunter2-Xyzzy!9 for the router.").turn("word " * 500 + "lighthouse"))

    (secret,) = await found(at, "router")
    (long,) = await found(at, "lighthouse")

    assert "hunter2" not in secret["text"]
    assert long["text"].startswith("… ")
    assert long["text"].endswith("lighthouse")


async def test_the_words_of_a_message_before_it_was_edited_are_not_found(at: ToolHarness) -> None:
    spoken = talk().turn("My sister moved to Gratz.", "Noted: Gratz.").turn("The boat in Gratz is white.")
    for n in range(PAGE):
        spoken.turn(f"message {n}")
    await at.record(spoken.turn("My sister moved to Graz.", "Noted: Graz.", edits="t1"))

    assert [one["text"] for one in await found(at, "sister")] == ["My sister moved to Graz."]
    assert [one["text"] for one in await found(at, "Gratz")] == ["The boat in Gratz is white."]


async def test_nor_are_those_of_a_conversation_that_was_over_when_it_was_edited(at: ToolHarness) -> None:
    spoken = talk().turn("My sister moved to Gratz.", "Noted: Gratz.").turn("The boat in Gratz.").reset()
    await at.record(spoken.turn("Hello.").turn("My sister moved to Graz.", "Noted: Graz.", edits="t1"))

    assert [one["text"] for one in await found(at, "sister")] == ["My sister moved to Graz."]
    assert [one["text"] for one in await found(at, "Gratz")] == ["The boat in Gratz."]


async def test_a_session_is_read_page_by_page(at: ToolHarness) -> None:
    spoken = talk()
    for n in range(7):
        spoken.turn(f"message {n}", f"answer {n}")
    await at.record(spoken)

    texts, more = list[str](), {"from": 0}
    while more:
        page = json.loads((await at.call("sessions_history", limit=3, **more)).text)
        texts += [one["text"] for one in page["messages"]]
        more = {"from": page["next"]} if "next" in page else {}

    assert texts == [text for n in range(7) for text in (f"message {n}", f"answer {n}")]


async def test_a_session_that_is_over_is_read_by_its_id_and_ends_where_it_ended(at: ToolHarness) -> None:
    await at.record(talk().turn("before", "yes").reset())
    await at.record(talk().turn("after", "yes"))

    (first,) = await found(at, "before")
    page = json.loads((await at.call("sessions_history", session=first["session"])).text)
    current = json.loads((await at.call("sessions_history")).text)

    assert [one["text"] for one in page["messages"]] == ["before", "yes"]
    assert [one["text"] for one in current["messages"]] == ["after", "yes"]


async def test_long_turns_are_cut_and_fill_a_page(at: ToolHarness) -> None:
    await at.record(talk().turn("x" * 9_000, "y" * 9_000).turn("z" * 9_000).turn("later"))

    page = json.loads((await at.call("sessions_history")).text)

    assert [one["text"][:1] for one in page["messages"]] == ["x", "y", "z"]
    assert page["messages"][0]["text"].endswith("[… 5,000 more characters]")
    assert "next" not in page or page["next"] > page["messages"][-1]["number"]


async def test_only_the_owner_in_private_is_offered_them_or_may_call_them(at: ToolHarness) -> None:
    names = {"sessions_search", "sessions_history"}
    for place, taint, is_offered in (
        (HOME, Taint.CLEAN, True), (HOME, Taint.FOREIGN, True), (GROUP, Taint.CLEAN, False),
    ):  # fmt: skip
        turn = await at.turn(at=place)
        assert (names & {one.name for one in at.toolbox.tools_for(turn, taint)} == names) == is_offered
        outcome = await at.toolbox.call(ToolCall("1", "sessions_search", {"query": "key"}), turn, taint=taint)
        assert ("may not be used here" in outcome.message.text) != is_offered
