"""Turns of an agent with a real memory, for the loop, the broker and the tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from adapters.port import Address
from bot.access.permissions import origin_and_scope
from bot.agent.tools import ToolRunner
from bot.app import tools
from bot.storage.effect_log import EffectLog
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal, SessionKey
from bot.tools.base import Result, Tool, Work
from bot.turn import SILENT, Agent, ProgressSink, Turn
from memory import FrozenClock, Memory
from tests.samples import HOME, NOON, OWNER

ZONE = ZoneInfo("Europe/Berlin")
TODAY = "memory/2026-11-21.md"


def characters(text: str) -> int:
    """Counts a token for each character (`bot.llm.tokens.CountText`)."""
    return len(text)


@dataclass
class Seen:
    """A view that keeps what it is shown (`bot.turn.ProgressSink`)."""

    shown: list[str] = field(default_factory=list)

    async def text(self, so_far: str) -> None:
        self.shown.append(so_far)

    async def doing(self, what: str) -> None:
        self.shown.append(f"[{what}]")


@dataclass(frozen=True, slots=True)
class Desk:
    """An agent whose turns are made by hand."""

    folder: Path
    agent: Agent
    coordinator: InMemoryCoordinator
    toolbox: ToolRunner

    async def turn(
        self,
        text: str = "hello",
        *,
        at: Address = HOME,
        who: Principal = OWNER,
        id: str = "t1",
        live: ProgressSink = SILENT,
    ) -> Turn:
        """One turn; two of one id are attempts at the same."""
        (grant,) = await self.coordinator.claim("test", [self.agent.name])
        origin, scope = origin_and_scope(who, at)
        session = SessionKey(self.agent.name, at)
        effects = EffectLog(self.coordinator, grant, id)
        return Turn(id, self.agent, session, who, origin, scope, text, NOON, effects, live)

    async def call(self, name: str, turn: Turn | None = None, /, **arguments: Any) -> Result:
        """Run a tool as the broker does, without the broker; its op_id is the tool's name."""
        return await self.tool(name).call(Work(turn or await self.turn(), f"{name}:1"), arguments)

    def tool(self, name: str) -> Tool:
        return tools()[name]

    def read(self, path: str) -> str:
        """A file of the workspace."""
        return (self.folder / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Edit a file as its owner."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    """An agent at noon of 21 November 2026, with nothing in its memory."""
    clock = FrozenClock(NOON)
    async with await Memory.open(folder / "w", index=folder / "i.sqlite", clock=clock, zone=ZONE) as memory:
        agent = Agent("personal", "everyday life", memory, ZONE, clock)
        yield Desk(folder / "w", agent, InMemoryCoordinator(), ToolRunner(tools()))
