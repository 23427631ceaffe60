"""One call of the command line: the collaborators of every command, each made when it is first needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from zoneinfo import ZoneInfo

from bot.cli.terminal import Terminal
from bot.paths import Home

if TYPE_CHECKING:
    from bot.config import Config
    from bot.config_file import Loaded
    from memory import Clock, Memory
    from memory.memory import Progress


class OpenMemory(Protocol):
    """How a workspace's memory is opened; `memory.Memory.open` outside of tests."""

    async def __call__(
        self,
        workspace: Path,
        *,
        index: Path,
        clock: Clock | None,
        zone: ZoneInfo | None,
        read_only: bool,
        progress: Progress | None,
    ) -> Memory:
        """See `memory.Memory.open`."""
        ...


class Invocation:
    """What a command is handed beside its arguments."""

    def __init__(self, *, clock: Clock | None = None, open_memory: OpenMemory | None = None) -> None:
        self._clock = clock
        self._open = open_memory
        self.terminal = Terminal()

    @cached_property
    def clock(self) -> Clock:
        """The only source of time."""
        from memory import SystemClock

        return self._clock or SystemClock()

    @cached_property
    def home(self) -> Home:
        """Where everything lives."""
        return Home.find()

    @cached_property
    def loaded(self) -> Loaded:
        """The configuration; options that nothing knows are told once, on standard error."""
        from bot.config_file import load

        loaded = load(self.home)
        for warning in loaded.warnings:
            self.terminal.err(f"warning: {warning}")
        return loaded

    @property
    def config(self) -> Config:
        """The configuration's options."""
        return self.loaded.config

    @asynccontextmanager
    async def memory(self, agent: str | None, *, writes: bool = False, look: bool = False) -> AsyncIterator[Memory]:
        """Open the memory of an agent, the default one if none is named.

        Args:
            agent: whose memory.
            writes: the command is going to write. Others stay out of the way of a running service.
            look: take the index as it is: the command asks about the index itself.
        """
        from bot import instance

        name = self.config.agent(agent)
        self.home.prepare()
        workspace = self.home.workspace(name, self.config.agents[name].workspace)
        read_only = look or (not writes and instance.holder(self.home) is not None)
        with self.terminal.progress(f"Reading {name}'s files") as progress:
            opened = await self._opener(
                workspace,
                index=self.home.index(name),
                clock=self.clock,
                zone=self.config.owner.zone,
                read_only=read_only,
                progress=progress,
            )
        async with opened as memory:
            yield memory

    @asynccontextmanager
    async def scratch(self, workspace: Path, *, index: Path, zone: ZoneInfo) -> AsyncIterator[Memory]:
        """Open a memory of nobody, for a test of the machine."""
        opened = await self._opener(workspace, index=index, clock=self.clock, zone=zone, read_only=False, progress=None)
        async with opened as memory:
            yield memory

    @property
    def _opener(self) -> OpenMemory:
        if self._open is not None:
            return self._open
        from memory import Memory

        return Memory.open
