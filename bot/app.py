"""The composition root: builds everything out of a home and a configuration. Only here are concrete classes known."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from secrets import token_hex

import bot.commands
from adapters.port import Adapter
from adapters.terminal import TerminalAdapter, open_screen
from bot import registry
from bot.agent.dispatch import Dispatch
from bot.agent.offline import Offline
from bot.commands.base import Command
from bot.config import Config
from bot.desk import ServiceDesk
from bot.door import Door
from bot.durable.sqlite import SqliteCoordinator
from bot.outbox import Outbox
from bot.paths import Home, terminal_look
from bot.pause import pause
from bot.platforms import Platforms
from bot.rendering import Renderer
from bot.service import Service
from bot.session.transcript import Transcript
from bot.signals import ending
from bot.trust.access import Access
from bot.trust.routing import Routing
from bot.turn import Agent
from bot.worker import Worker
from memory import Clock, Memory, Mode

ONE_BY_ONE = 1
"""Offline, every message is noted or answered by itself: joined, a question would swallow the statement before it."""


def commands() -> dict[str, Command]:
    """Every slash command by name."""
    return {command.name: command for _, command in registry.load_all(bot.commands, "COMMAND", Command)}


@asynccontextmanager
async def open_agents(home: Home, config: Config, *, clock: Clock) -> AsyncIterator[Mapping[str, Agent]]:
    """Every agent with its memory open; files that have changed since are indexed meanwhile."""
    async with AsyncExitStack() as stack:
        agents = {}
        for name, options in config.agents.items():
            opened = await Memory.open(
                _workspace(home, config, name),
                index=home.index(name),
                clock=clock,
                zone=config.owner.zone,
                mode=Mode.AT_ONCE,
            )
            agents[name] = Agent(name, options.about, await stack.enter_async_context(opened), config.owner.zone)
        yield agents


@asynccontextmanager
async def build(
    home: Home,
    config: Config,
    *,
    clock: Clock,
    adapters: Sequence[Adapter],
    agent: str,
    owners: Sequence[str],
) -> AsyncIterator[Service]:
    """A service that is ready to `run`.

    Args:
        home: where everything lives; the instance lock is held.
        config: the options.
        clock: source of time.
        adapters: the bot accounts to serve.
        agent: who answers a chat that has chosen nobody.
        owners: who is let in, as `platform:id`.
    """
    async with (
        open_agents(home, config, clock=clock) as agents,
        SqliteCoordinator.open(home.database, clock=clock) as coordinator,
    ):
        routing = Routing(agent, tuple(agents))
        known = commands()
        desk = ServiceDesk(agents, known, transcript=Transcript(coordinator), routing=routing)
        platforms = Platforms(adapters)
        yield Service(
            coordinator,
            door=Door(coordinator, access=Access(owners), routing=routing),
            worker=Worker(
                coordinator,
                agents=agents,
                respond=Dispatch(desk, otherwise=Offline(known), notice=True),
                renderer=Renderer(platforms, clock=clock),
                burst=ONE_BY_ONE,
            ),
            outbox=Outbox(coordinator, platforms=platforms, pause=pause),
            adapters=adapters,
        )


async def run_chat(home: Home, config: Config, agent: str, *, clock: Clock) -> int:
    """Talk to an agent on the standard streams until the person leaves or the process is asked to end.

    The caller holds the instance lock, has made the folders and starter files, and has set the log up.

    Returns:
        The exit code.
    """
    look = terminal_look()
    screen = open_screen(
        sys.stdin,
        sys.stdout,
        term=look.term,
        color=look.color,
        commands=tuple(commands()),
        history=home.state / "history",
    )
    adapter = TerminalAdapter(
        screen,
        run=token_hex(8),
        now=clock.now,
        person=config.owner.name,
        greeting=f"{agent} is here, and keeps what you tell it in `{_workspace(home, config, agent)}`.\n"
        "`/help` lists commands, Ctrl-D leaves.",
    )
    async with build(home, config, clock=clock, adapters=[adapter], agent=agent, owners=["terminal:owner"]) as service:
        with ending(service.stop):
            await service.run(tuple(config.agents), owner=f"chat-{os.getpid()}")
    return 0


def _workspace(home: Home, config: Config, agent: str) -> Path:
    return home.workspace(agent, config.agents[agent].workspace)
