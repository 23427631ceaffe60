"""The broker: carries out what a model asks for, if the turn may, and puts every failure into words for the model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass

import structlog

import memory
from bot.access.permissions import Taint, allowed_tools
from bot.agent.untrusted import harmless
from bot.errors import BotError
from bot.llm import types
from bot.tools.base import Result, Tool, ToolError, Work
from bot.turn import Turn

TIMEOUT_S = 60.0

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a tool call ended: the message for the model, lines for the person, and how the result taints the turn."""

    message: types.Message
    told: tuple[str, ...] = ()
    taint: Taint = Taint.CLEAN


class ToolRunner:
    """The tools of a service; a call may take `timeout_s` seconds."""

    def __init__(self, tools: Mapping[str, Tool], *, timeout_s: float = TIMEOUT_S) -> None:
        self._tools = tools
        self._timeout_s = timeout_s

    def offered(self, turn: Turn, taint: Taint) -> tuple[types.Tool, ...]:
        """What this turn may use at this moment, in a fixed order."""
        allowed = allowed_tools(turn.scope, taint)
        return tuple(tool.offer for name, tool in sorted(self._tools.items()) if name in allowed)

    def doing(self, calls: tuple[types.ToolCall, ...]) -> str:
        """What a person is told while these calls are carried out."""
        phrases = [self._tools[call.name].doing for call in calls if call.name in self._tools]
        return ", ".join(dict.fromkeys(phrases))

    async def call(self, call: types.ToolCall, turn: Turn, *, taint: Taint, longest: int) -> Outcome:
        """Carry out one call. Whatever goes wrong comes back as the call's result."""
        tool = self._tools.get(call.name)
        refusal = self._refusal(call, allowed_tools(turn.scope, taint))
        if tool is None or refusal:
            return _failed(call, refusal)
        work = self._tried(tool, call, turn, longest=longest)
        return await (to_its_end(work) if tool.changes else work)

    async def _tried(self, tool: Tool, call: types.ToolCall, turn: Turn, *, longest: int) -> Outcome:
        try:
            async with asyncio.timeout(self._timeout_s):
                result = await self._carried_out(tool, call, turn)
        except ToolError as error:
            return _failed(call, str(error))
        except (BotError, memory.Error) as error:
            return _failed(call, str(error), told=(f"⚠ {error}",))
        except TimeoutError:
            why = f"`{call.name}` did not end within {self._timeout_s:g} seconds."
            told = f"⚠ {why} It may still write; `/undo` takes that back."
            return _failed(call, why, told=(told,) if tool.changes else ())
        except Exception:
            log.exception("tool.failed", tool=call.name, turn=turn.id)
            return _failed(
                call, f"{call.name} broke. Go on without it.", told=(f"⚠ `{call.name}` broke; see the log.",)
            )
        message = types.Message(types.Role.TOOL, harmless(_cut(result.text, longest)), call_id=call.id)
        return Outcome(message, result.told, Taint.of(result.origins, turn.scope))

    def _refusal(self, call: types.ToolCall, allowed: frozenset[str]) -> str:
        """Why a call is not carried out; empty if it is."""
        if call.fault:
            return call.fault
        if call.name not in self._tools:
            return f"There is no tool {call.name!r}. There are: {', '.join(sorted(allowed & self._tools.keys()))}."
        return "" if call.name in allowed else f"{call.name} may not be used here."

    async def _carried_out(self, tool: Tool, call: types.ToolCall, turn: Turn) -> Result:
        if not tool.changes:
            return await tool.call(Work(turn, ""), call.arguments)
        same = f"{call.name} {json.dumps(call.arguments, sort_keys=True, ensure_ascii=False)}"
        begun = await turn.effects.begin(same)
        if begun.result is not None:
            kept = json.loads(begun.result)
            return Result(kept["text"], told=tuple(kept["told"]))
        result = await tool.call(Work(turn, begun.op_id), call.arguments)
        await turn.effects.done(same, json.dumps({"text": result.text, "told": result.told}))
        return result


async def to_its_end(work: Coroutine[None, None, Outcome]) -> Outcome:
    """Wait for what changes something, also if nobody wants the outcome any more: what it writes is to be known."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise


def _failed(call: types.ToolCall, why: str, *, told: tuple[str, ...] = ()) -> Outcome:
    text = harmless(json.dumps({"error": why}, ensure_ascii=False))
    return Outcome(types.Message(types.Role.TOOL, text, call_id=call.id), told)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[{len(text) - longest:,} more characters were cut. Ask for less at a time.]"
