"""Runs the tools that a model calls, if the turn may use them, and puts every failure into words for the model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import structlog

import memory
from bot.access.permissions import Taint, allowed_tools
from bot.agent.context.untrusted import neutralize
from bot.errors import BotError
from bot.llm import types
from bot.texts.catalogue import tr
from bot.tools.base import Result, Tool, ToolError, Work
from bot.turn import Turn

TIMEOUT_S = 60.0

MAX_KEPT_CHARS = 200_000
"""Of a result, in the record; a request takes less (`bot.agent.context.history.cut_result`)."""

DONE_BEFORE = (
    "Not carried out again: exactly this call was carried out before for this message, and others since. Look at how "
    "things stand now; if it is still needed, say it in other words, or tell the person what is left to do."
)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a tool call ended: the message for the model, lines and files for the person, how it taints the turn.

    `is_failure`: it was not carried out, or not to its end. `has_changed`: it was, and may have changed something.
    """

    message: types.Message
    told: tuple[str, ...] = ()
    taint: Taint = Taint.CLEAN
    files: tuple[Path, ...] = ()
    is_failure: bool = False
    has_changed: bool = False


class ToolRunner:
    """The tools of a service; a call may take `timeout_s` seconds."""

    def __init__(self, tools: Mapping[str, Tool], *, timeout_s: float = TIMEOUT_S) -> None:
        self._tools = tools
        self._timeout_s = timeout_s

    def tools_for(self, turn: Turn, taint: Taint) -> tuple[types.Tool, ...]:
        """Return the tools that this turn may use at this moment, in a fixed order."""
        allowed = allowed_tools(taint, is_owners=turn.is_owners)
        return tuple(tool.signature.offer for name, tool in sorted(self._tools.items()) if name in allowed)

    def doing(self, calls: tuple[types.ToolCall, ...]) -> str:
        """Describe these calls for the person who waits."""
        phrases = [tr(self._tools[call.name].doing) for call in calls if call.name in self._tools]
        return ", ".join(dict.fromkeys(phrases))

    def not_done(self, name: str) -> str:
        """Return what a person is told if nothing comes of a call of a tool; empty if nothing need."""
        tool = self._tools.get(name)
        return tr(tool.not_done) if tool else ""

    async def call(self, call: types.ToolCall, turn: Turn, *, taint: Taint, is_trial: bool = False) -> Outcome:
        """Carry out one call, if the turn may at this moment. Whatever goes wrong comes back as the call's result.

        On trial, what would change something is not carried out.
        """
        tool, allowed = self._tools.get(call.name), allowed_tools(taint, is_owners=turn.is_owners)
        if call.fault:
            return _failure(call, call.fault)
        if tool is None:
            names = ", ".join(sorted(allowed & self._tools.keys()))
            return _failure(call, f"There is no tool {call.name!r}. There are: {names}.")
        if call.name not in allowed:
            return _failure(call, f"{call.name} may not be used here.")
        if tool.changes and is_trial:
            return _failure(call, "Not carried out: this is a trial, and nothing is written. Answer as if it was done.")
        work = self._run(tool, call, turn)
        began = perf_counter()
        try:
            return await (to_its_end(work) if tool.changes else work)
        finally:
            ms = round((perf_counter() - began) * 1000)
            log.debug("tool.called", agent=turn.agent.name, turn=turn.id, tool=call.name, ms=ms)

    async def _run(self, tool: Tool, call: types.ToolCall, turn: Turn) -> Outcome:
        """Run a tool within its time, its errors put into words; the edge at which a tool's bug ends."""
        try:
            async with asyncio.timeout(self._timeout_s):
                result = await _run_once(tool, call, turn)
        except ToolError as error:
            return _failure(call, str(error))
        except (BotError, memory.Error) as error:
            return _failure(call, str(error), told=(f"⚠ {error}",))
        except TimeoutError:
            why = tr("`{name}` did not end within {timeout_s:g} seconds.", name=call.name, timeout_s=self._timeout_s)
            told = tr("⚠ {why} It may still write; `/undo` takes that back.", why=why)
            return _failure(call, why, told=(told,) if tool.changes else ())
        except Exception:
            log.exception("tool.failed", tool=call.name, turn=turn.id)
            told = tr("⚠ `{name}` broke; see the log.", name=call.name)
            return _failure(call, f"{call.name} broke. Go on without it.", told=(told,))
        text, left_out = result.text[:MAX_KEPT_CHARS], len(result.text) - MAX_KEPT_CHARS
        text += f"\n[{left_out:,} more characters were not kept.]" if left_out > 0 else ""
        message = types.Message(types.Role.TOOL, neutralize(text), call_id=call.id)
        taint = Taint.of(result.origins, is_owners=turn.is_owners)
        return Outcome(message, result.told, taint, result.files, has_changed=tool.changes)


async def _run_once(tool: Tool, call: types.ToolCall, turn: Turn) -> Result:
    """Run a tool; one that changes something is journalled, and not run again in a turn that is repeated."""
    if not tool.changes:
        return await tool.call(Work(turn, ""), call.arguments)
    same = f"{call.name} {json.dumps(call.arguments, sort_keys=True, ensure_ascii=False)}"
    begun = await turn.effects.begin(same, only_adds=tool.only_adds)
    if begun.is_outdated:
        raise ToolError(DONE_BEFORE)
    if begun.result is not None:
        kept = json.loads(begun.result)
        return Result(kept["text"], told=tuple(kept["told"]))
    result = await tool.call(Work(turn, begun.op_id), call.arguments)
    await turn.effects.done(same, json.dumps({"text": result.text, "told": result.told}), only_adds=tool.only_adds)
    return result


async def to_its_end(work: Coroutine[None, None, Outcome]) -> Outcome:
    """Wait for work that changes something, even if cancelled meanwhile: what it writes has to be recorded."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise


def _failure(call: types.ToolCall, why: str, *, told: tuple[str, ...] = ()) -> Outcome:
    text = neutralize(json.dumps({"error": why}, ensure_ascii=False))
    return Outcome(types.Message(types.Role.TOOL, text, call_id=call.id), told, is_failure=True)
