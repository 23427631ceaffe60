"""`memory_recall`, `memory_store`, `memory_forget`: the names of OpenClaw's LanceDB plugin."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.access.permissions import Taint
from bot.agent.aliases import aliases
from bot.agent.flush import noting as flush_noting
from bot.agent.tools import ToolRunner
from bot.llm.types import ToolCall
from bot.tools.base import Result, Tool, ToolError, Work
from tests.support.conversation import TODAYS_LOG, ToolHarness

Used = Callable[..., Awaitable[Result]]


@pytest.fixture
def used(at: ToolHarness) -> Used:
    async def use(name: str, /, n: int = 0, **arguments: Any) -> Result:
        return await aliases()[name].call(Work(await at.turn(), f"{name}:{n}"), arguments)

    return use


async def test_what_is_stored_is_recalled_and_forgotten_by_its_id(at: ToolHarness, used: Used) -> None:
    stored = await used("memory_store", text="Ada likes her tea without milk.", importance=0.9, category="preference")
    (found,) = json.loads((await used("memory_recall", query="How does Ada like her tea?", limit=3)).text)["results"]

    assert stored.told[0].startswith("Noted in")
    assert "#preference" in at.read(TODAYS_LOG)
    assert found["snippet"] == "Ada likes her tea without milk."

    await used("memory_forget", memoryId=found["id"])
    assert json.loads((await used("memory_recall", query="How does Ada like her tea?")).text)["results"] == []


async def test_importance_is_kept_and_what_is_stored_twice_is_one_fact(at: ToolHarness, used: Used) -> None:
    await used("memory_store", text="Ada's boat lies at pier 4.", importance=0.9)
    again = await used("memory_store", 1, text="Ada's boat lies at pier 4.", category="fact")

    (line,) = [line for line in at.read(TODAYS_LOG).splitlines() if "pier 4" in line]
    assert line.startswith("- W(i=0.9)")
    assert again.text.startswith("That is known already")


async def test_a_fact_in_notation_stays_what_it_says_beside_its_importance(at: ToolHarness, used: Used) -> None:
    await used("memory_store", text="O(c=0.8) @Ada: The shed is ugly.", importance=0.00001, category="preference")

    assert "- O(i=0, c=0.8) @Ada: The shed is ugly. #preference ^" in at.read(TODAYS_LOG)


async def test_words_that_mean_one_fact_forget_it_and_words_that_mean_several_list_them(
    at: ToolHarness, used: Used
) -> None:
    for n, what in enumerate(("blue bike", "red bike", "umbrella")):
        await used("memory_store", n, text=f"The {what} is in the cellar.")

    several = json.loads((await used("memory_forget", query="bike")).text)
    one = json.loads((await used("memory_forget", 1, query="umbrella in the cellar")).text)

    assert several["forgotten"] == []
    assert sum("bike is in the cellar." in candidate["text"] for candidate in several["candidates"]) == 2
    assert len(one["forgotten"]) == 1
    assert "umbrella" not in at.read(TODAYS_LOG)
    assert at.read(TODAYS_LOG).count("bike") == 2


@pytest.mark.parametrize("noting", [flush_noting(()), aliases()["memory_store"]], ids=lambda noting: str(noting.name))
async def test_notes_by_whatever_name_undo_no_other_ones(at: ToolHarness, noting: Tool) -> None:
    turn, runner = await at.turn(), ToolRunner({noting.name: noting})
    said = [ToolCall(what, noting.name, {"text": f"The {what} is in the shed."}) for what in ("rake", "hoe", "rake")]

    first, _, again = [(await runner.call(call, turn, taint=Taint.CLEAN)).message.text for call in said]

    assert again == first


async def test_without_an_id_and_without_words_nothing_is_forgotten(used: Used) -> None:
    with pytest.raises(ToolError, match="memoryId or query"):
        await used("memory_forget")


async def test_a_secret_is_not_stored(used: Used) -> None:
    with pytest.raises(ToolError, match="/remember"):
        await used("memory_store", text="My password is hunter2-hunter2-9!")
