"""One call of the command line: the collaborators of every command, each made when it is first needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.cli.terminal import Terminal
from bot.paths import Home

if TYPE_CHECKING:
    from bot.config import Config
    from bot.config_file import Loaded
    from memory import Clock, Memory


class Invocation:
    """What a command is handed beside its arguments."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock = clock
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
        from memory import Memory, Mode

        name = self.config.agent(agent)
        self.home.prepare()
        workspace = self.home.workspace(name, self.config.agents[name].workspace)
        read_only = look or (not writes and instance.holder(self.home) is not None)
        with self.terminal.progress(f"Reading {name}'s files") as progress:
            opened = await Memory.open(
                workspace,
                index=self.home.index(name),
                clock=self.clock,
                zone=self.config.owner.zone,
                mode=Mode.READ_ONLY if read_only else Mode.COMPLETE,
                progress=progress,
            )
        async with opened as memory:
            yield memory

    @asynccontextmanager
    async def scratch(self, workspace: Path, *, index: Path, zone: ZoneInfo) -> AsyncIterator[Memory]:
        """Open a memory of nobody, for a test of the machine."""
        from memory import Memory

        opened = await Memory.open(workspace, index=index, clock=self.clock, zone=zone)
        async with opened as memory:
            yield memory
