from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace

from structlog.testing import capture_logs

from bot.access.permissions import Taint
from bot.agent.tools import MAX_KEPT_CHARS, Outcome, ToolRunner
from bot.app import tools
from bot.llm.types import ToolCall
from bot.tools.base import Result, Work, tool
from memory import Origin
from tests.support.conversation import TODAYS_LOG, ToolHarness

NOTES = ToolCall("c1", "remember", {"text": "The key hangs in the shed."})


async def now(work: Work) -> Result:
    """Break, hang, or flood, as the op_id says."""
    raise ZeroDivisionError(work.op_id)


async def flood(work: Work) -> Result:
    return Result("x" * 50_000_000 + work.op_id, origins=frozenset({Origin.GUEST}))


async def hang(work: Work) -> Result:
    await asyncio.Event().wait()
    return Result(work.op_id)


BREAKS = tool(now, doing="breaking")


async def called(
    at: ToolHarness, call: ToolCall, *, toolbox: ToolRunner | None = None, taint: Taint = Taint.CLEAN
) -> Outcome:
    return await (toolbox or at.toolbox).call(call, await at.turn(), taint=taint)


def error_of(outcome: Outcome) -> str:
    error = json.loads(outcome.message.text)["error"]
    assert isinstance(error, str)
    return error


async def test_what_is_not_on_offer_is_refused_in_words(at: ToolHarness) -> None:
    unknown = await called(at, ToolCall("c1", "format_disk"))
    faulty = await called(at, replace(NOTES, fault="The arguments are not valid JSON."))
    tainted = await called(at, NOTES, taint=Taint.FOREIGN)

    assert "There is no tool 'format_disk'. There are: edit_file, forget" in error_of(unknown)
    assert error_of(faulty) == "The arguments are not valid JSON."
    assert error_of(tainted) == "remember may not be used here."
    assert {unknown.message.call_id, tainted.message.call_id} == {"c1"}
    assert not (at.folder / TODAYS_LOG).exists()


async def test_tools_are_offered_in_the_same_order_each_time(at: ToolHarness) -> None:
    names = [offer.name for offer in at.toolbox.tools_for(await at.turn(), Taint.CLEAN)]

    assert names == sorted(tools())


async def test_the_person_is_told_where_a_note_cannot_be_written_for_no_fault_of_the_models(at: ToolHarness) -> None:
    (at.folder / TODAYS_LOG).mkdir(parents=True)

    outcome = await called(at, NOTES)

    assert outcome.told == (f"⚠ {error_of(outcome)}",)


async def test_a_tool_that_breaks_is_logged_and_the_person_is_told(at: ToolHarness) -> None:
    with capture_logs() as log:
        outcome = await called(at, ToolCall("c1", "now"), toolbox=ToolRunner({"now": BREAKS}))

    assert "broke" in error_of(outcome)
    assert outcome.told == ("⚠ `now` broke; see the log.",)
    # Whether what is only for debugging is logged, too, depends on the level that was set before.
    assert [event["event"] for event in log if event["log_level"] != "debug"] == ["tool.failed"]


async def test_a_tool_that_does_not_end_is_given_up(at: ToolHarness) -> None:
    toolbox = ToolRunner({"now": replace(BREAKS, run=hang)}, timeout_s=0.01)

    assert "did not end within 0.01 seconds" in error_of(await called(at, ToolCall("c1", "now"), toolbox=toolbox))


async def test_a_tool_that_may_have_written_and_does_not_end_is_told(at: ToolHarness) -> None:
    hanging = replace(tool(hang, doing="hanging", changes=True), name="remember")

    (told,) = (
        await called(at, ToolCall("c1", "remember"), toolbox=ToolRunner({"remember": hanging}, timeout_s=0.01))
    ).told

    assert "It may still write; `/undo` takes that back." in told


async def test_what_changes_something_is_carried_out_to_its_end_though_its_turn_is_stopped(at: ToolHarness) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(work: Work, text: str) -> Result:
        begun.set()
        await go_on.wait()
        return Result(work.op_id, told=(f"wrote {text}",))

    turn = await at.turn()
    toolbox = ToolRunner({"remember": replace(at.tool("remember"), run=slow)})
    with suppress(asyncio.CancelledError):
        async with asyncio.TaskGroup() as group:
            call = group.create_task(toolbox.call(NOTES, turn, taint=Taint.CLEAN))
            await begun.wait()
            call.cancel()
            go_on.set()

    assert await turn.effects.receipts() == ("wrote The key hangs in the shed.",)


async def test_of_a_result_of_fifty_megabytes_a_part_is_kept_and_it_says_so(at: ToolHarness) -> None:
    toolbox = ToolRunner({"now": replace(BREAKS, run=flood)})

    outcome = await called(at, ToolCall("c1", "now"), toolbox=toolbox)

    assert len(outcome.message.text) < MAX_KEPT_CHARS + 100
    assert "49,800,000 more characters were not kept" in outcome.message.text
    assert outcome.taint is Taint.FOREIGN


async def test_a_call_in_a_repeated_turn_is_not_carried_out_again(at: ToolHarness) -> None:
    first = await called(at, NOTES)
    at.write(TODAYS_LOG, at.read(TODAYS_LOG) + "- and a line by hand\n")
    again = await called(at, replace(NOTES, id="another"))
    other = await called(at, replace(NOTES, arguments={"text": "The bike stands in the shed."}))

    assert again.told == first.told
    assert again.message.text == first.message.text
    assert again.message.call_id == "another"
    assert other.told != first.told
    assert at.read(TODAYS_LOG).count("The key hangs in the shed.") == 1


async def test_a_call_that_was_begun_and_not_ended_is_carried_out_under_the_same_id(at: ToolHarness) -> None:
    turn = await at.turn()
    text = 'remember {"text": "The key hangs in the shed."}'
    begun = await turn.effects.begin(text)
    await at.agent.memory.remember(
        "The key hangs in the shed.", origin=Origin.AGENT, scope=turn.scope, op_id=begun.op_id, actor="agent:personal"
    )

    outcome = await called(at, NOTES)

    assert outcome.told[0].startswith(f"Noted in {TODAYS_LOG}:4")
    assert at.read(TODAYS_LOG).count("The key hangs in the shed.") == 1


async def test_what_is_told_while_tools_run_names_each_kind_once(at: ToolHarness) -> None:
    calls = (ToolCall("1", "memory_search"), ToolCall("2", "nothing"), ToolCall("3", "memory_search"), NOTES)

    assert at.toolbox.doing(calls) == "searching memory, noting something"
