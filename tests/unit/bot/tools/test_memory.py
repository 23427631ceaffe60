"""`memory_search`, `memory_get`, `remember`, `forget`, `now`."""

from __future__ import annotations

import json

import pytest

from adapters.port import ChatKind
from bot.storage.keys import Principal
from bot.tools.base import ToolError, Work
from memory import OWNER, Origin
from tests.support.conversation import TODAYS_LOG, ToolHarness
from tests.support.factories import chat

GROUP = chat("-100", kind=ChatKind.GROUP)
GRACE = Principal("volatile:7", "Grace", is_owner=False)
FACT = "The spare key hangs in the shed."


async def known(at: ToolHarness, *facts: str) -> list[str]:
    """Facts of the owner; their ids."""
    written = [
        await at.agent.memory.remember(fact, origin=Origin.OWNER, scope=OWNER, op_id=fact, actor="owner")
        for fact in facts
    ]
    return [one.fact.id or "" for one in written]


async def test_a_search_gives_places_scores_and_ids(at: ToolHarness) -> None:
    (name,) = await known(at, FACT)

    found = await at.call("memory_search", query="Where is the spare key?")

    answer = json.loads(found.text)
    (result,) = answer["results"]
    assert result.pop("score") > 0
    assert result.pop("time") == "2026-11-21"
    assert result == {
        "path": TODAYS_LOG, "startLine": 4, "endLine": 4, "snippet": FACT, "source": "memory",
        "citation": f"{TODAYS_LOG}#L4", "id": name, "kind": "world", "category": "fact", "since": "2026-11-21",
        "known": result["known"], "fact_source": "conversation",
    }  # fmt: skip
    assert (answer["mode"], answer["embedder"]) == ("words", None)
    assert found.origins == {Origin.OWNER}


async def test_as_many_results_as_wanted_and_none_below_the_score(at: ToolHarness) -> None:
    await known(at, *(f"The tent pole number {n} is bent." for n in range(9)))

    few = json.loads((await at.call("memory_search", query="tent pole", maxResults=2)).text)["results"]
    usual = json.loads((await at.call("memory_search", query="tent pole")).text)["results"]
    none = json.loads((await at.call("memory_search", query="tent pole", minScore=1e9)).text)["results"]

    assert (len(few), len(usual), len(none)) == (2, 6, 0)


async def test_a_search_is_narrowed_by_its_arguments(at: ToolHarness) -> None:
    await known(at, "O(c=0.8) @Peter: Prefers tea.", "W @Anna: Prefers coffee.")

    async def found(**narrowed: object) -> list[str]:
        answer = json.loads((await at.call("memory_search", query="prefers", **narrowed)).text)
        return [result["snippet"] for result in answer["results"]]

    assert await found(entity="peter") == await found(kind="opinion, intention") == ["Peter: Prefers tea."]
    assert await found(kind="world", since="yesterday", as_of="2026-11") == ["Anna: Prefers coffee."]
    assert await found(**{"in": "memory"}) == await found(**{"in": f"./{TODAYS_LOG}#L4"}) == await found()
    assert await found(**{"in": "bank/"}) == []
    assert await found(believed="2026-11-20") == await found(category="decision") == []
    with pytest.raises(ToolError, match="guess"):
        await found(kind="guess")


async def test_a_search_that_finds_nothing_says_why(at: ToolHarness) -> None:
    answer = json.loads((await at.call("memory_search", query="unicorn")).text)

    assert answer["results"] == []
    assert answer["reason"]


async def test_lines_are_read_and_the_next_one_is_said(at: ToolHarness) -> None:
    at.write("bank/long.md", "".join(f"line {n}\n" for n in range(1, 301)))

    first = json.loads((await at.call("memory_get", path="bank/long.md")).text)
    rest = json.loads((await at.call("memory_get", path="bank/long.md", **{"from": 299, "lines": 50})).text)

    assert (first["from"], first["to"], first["next"]) == (1, 120, 121)
    assert rest["text"].startswith("line 299\nline 300")
    assert "next" not in rest


async def test_a_file_that_is_not_there_is_no_error(at: ToolHarness) -> None:
    answer = json.loads((await at.call("memory_get", path="memory/2020-01-01.md")).text)

    assert answer["text"] == ""
    assert "no such file" in answer["note"]


async def test_a_fact_is_written_once_with_its_place(at: ToolHarness) -> None:
    written = [await at.call("remember", text="O(c=0.9) @Peter: Prefers short replies. #preference") for _ in range(2)]

    assert written[0].text.startswith(f"Written to {TODAYS_LOG}#L4 as ^")
    assert written[0].told[0].startswith(f"Noted in {TODAYS_LOG}:4 — ^")
    assert written[0].text == written[1].text
    assert at.read(TODAYS_LOG).count("Prefers short replies.") == 1


@pytest.mark.parametrize("text", ["O(c=", "   "])
async def test_what_cannot_be_written_is_told_in_words(at: ToolHarness, text: str) -> None:
    with pytest.raises(ToolError):
        await at.call("remember", text=text)


async def test_what_is_said_in_a_group_is_written_for_the_group(at: ToolHarness) -> None:
    turn = await at.turn(at=GROUP, who=GRACE)

    await at.call("remember", turn, text="The picnic is on Sunday.")

    assert not (at.folder / TODAYS_LOG).exists()
    assert "The picnic is on Sunday." in at.read("memory/guests/2026-11-21.md")
    assert json.loads((await at.call("memory_search", turn, query="picnic")).text)["results"]
    assert not json.loads((await at.call("memory_search", query="picnic")).text)["results"]


async def test_facts_are_forgotten_by_id_all_or_none(at: ToolHarness) -> None:
    key, bike = await known(at, FACT, "The bike stands in the shed.")

    with pytest.raises(ToolError, match="Nothing was forgotten"):
        await at.call("forget", ids=[key, "aaaaaaaa"])
    assert FACT in at.read(TODAYS_LOG)

    gone = await at.call("forget", ids=[f"^{key}"])
    assert FACT not in at.read(TODAYS_LOG)
    assert "The bike stands" in at.read(TODAYS_LOG)
    undo = "`/undo` brings it back until this time tomorrow; messages that repeat it are masked."
    told = f"Forgotten: `{TODAYS_LOG}:4`. {undo}"
    assert gone.told == (told,)
    assert "spare key" not in gone.text
    assert bike


async def test_nobody_forgets_for_another_chat(at: ToolHarness) -> None:
    (key,) = await known(at, FACT)

    with pytest.raises(ToolError):
        await at.call("forget", await at.turn(at=GROUP, who=GRACE), ids=[key])
    assert FACT in at.read(TODAYS_LOG)


async def test_the_clock_is_the_owners(at: ToolHarness) -> None:
    assert (await at.call("now")).text == "2026-11-21T13:00+01:00 (Saturday, Europe/Berlin)"


async def test_a_walk_gives_facts_of_the_chat_and_the_same_for_the_same_call(at: ToolHarness) -> None:
    await known(at, *(f"The tent pole number {n} is bent." for n in range(9)))

    one, again = [json.loads((await at.call("wander")).text)["results"] for _ in range(2)]
    theirs = json.loads((await at.call("wander", await at.turn(at=GROUP, who=GRACE))).text)["results"]

    assert len({result["id"] for result in one}) == 5
    assert [result["id"] for result in one] == [result["id"] for result in again]
    assert all("tent pole" in result["content"] and "#L" in result["citation"] for result in one)
    assert theirs == []


async def test_what_is_known_in_the_same_words_is_counted_and_not_written_again(at: ToolHarness) -> None:
    first = await at.call("remember", text="Ana lives in Graz.")
    again = await at.tool("remember").call(
        Work(await at.turn(id="t2"), "remember:2"), {"text": "W @Ana: Lives in Graz."}
    )
    assert first.text.startswith("Written to")
    assert again.text.startswith("That is known already: memory/2026-11-21.md#L4")
    assert again.told == ()
    assert at.read(TODAYS_LOG).count("lives in Graz") == 1
    other = await at.tool("remember").call(Work(await at.turn(id="t3"), "remember:3"), {"text": "Ana lives in Linz."})
    assert other.text.startswith("Written to")


async def test_the_words_of_a_stranger_do_not_keep_a_fact_from_being_written(at: ToolHarness) -> None:
    text = "Ana lives in Graz."
    await at.agent.memory.remember(text, origin=Origin.UNTRUSTED, scope=OWNER, op_id="w", actor="web")
    assert (await at.call("remember", text=text)).text.startswith("Written to")
