"""The composition root: builds everything out of a home and a configuration. Only here are concrete classes known."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Self

import bot.commands
import bot.tools
from adapters.port import Adapter
from adapters.terminal import TerminalAdapter, open_screen
from bot import registry
from bot.agent.context import ContextLog
from bot.agent.dispatch import Dispatch
from bot.agent.offline import Offline
from bot.agent.receiving import Receiving
from bot.agent.toolbox import Toolbox
from bot.brains import Brain, ByAgent, WarmUp, Workbench
from bot.cabinet import Cabinet
from bot.commands.base import Command, Desk
from bot.config import Config
from bot.counter import Clear
from bot.desk import People, ServiceDesk, Spoken
from bot.door import Door
from bot.durable.register import Register
from bot.durable.sqlite import SqliteCoordinator
from bot.errors import Missing
from bot.forgetting import Forgetting
from bot.journal_ends import JournalEnds
from bot.limits import Limiter
from bot.llm.meter import Meter
from bot.memories import Memories
from bot.models import Models
from bot.notices import Notices
from bot.offers import Offers
from bot.outbox import Outbox
from bot.owner import Disk, OwnerChats
from bot.paths import Home, terminal_look
from bot.pause import pause
from bot.platforms import Platforms
from bot.quarantine import Quarantine
from bot.quiet import Quiet
from bot.redaction import Keeper, Records, Typed
from bot.rendering import Renderer
from bot.service import Service
from bot.session.projection import Endings, Projection
from bot.session.transcript import Transcript
from bot.signals import ending
from bot.stoppable import Stopping
from bot.tools.base import Tool
from bot.trust.access import Access, AccessRules
from bot.trust.limiting import Limiting
from bot.trust.linking import Linking
from bot.trust.pairing import Pairings
from bot.trust.reception import Reception
from bot.trust.routing import Routing, Rule
from bot.turn import Agent, Responder
from bot.watcher import Watched, Watcher
from bot.worker import Worker
from memory import Clock, Mode, Scope

Opening = Callable[[SqliteCoordinator], AbstractAsyncContextManager[Sequence[Adapter]]]
"""Opens the bot accounts; they may keep things in the state file."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """Who is let in, and who answers them.

    Attributes:
        agent: who answers where nothing else is said.
        access: who is let in by configuration.
        routes: who answers where.
        keeps: remember who was let in by a code, and which agent a chat has chosen; else only until the end.
    """

    agent: str
    access: AccessRules
    routes: tuple[Rule, ...] = ()
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Assembled:
    """A service, and what others may ask beside it."""

    service: Service
    coordinator: SqliteCoordinator
    access: Access
    pairings: Pairings
    clear: Clear


@dataclass(frozen=True, slots=True)
class _Front:
    """What stands between the adapters and the agents."""

    access: Access
    pairings: Pairings
    people: People
    limiter: Limiter
    door: Door
    owner: OwnerChats

    @classmethod
    async def open(
        cls,
        coordinator: SqliteCoordinator,
        rules: HouseRules,
        config: Config,
        *,
        clock: Clock,
        home: Home,
        disk: Disk,
    ) -> Self:
        register = coordinator.register if rules.keeps else Register()
        routing = Routing(rules.agent, tuple(config.agents), rules=rules.routes, register=register)
        limiter = await Limiter.open(config.limits.limits, coordinator.counts, clock=clock, zone=config.owner.zone)
        access, pairings = Access(rules.access, register=register), Pairings(register, clock=clock)
        reception = Reception(coordinator, pairings=pairings, routing=routing) if rules.keeps else None
        owner = OwnerChats(coordinator, marks=coordinator.marks, routing=routing)
        await disk.tells(owner)
        folder = home.state / "unreadable"
        quarantine = Quarantine(coordinator.quarantine, folder=folder, access=access, owner=owner, pause=pause)
        door = Door(
            coordinator,
            access=access,
            routing=routing,
            register=register,
            reception=reception,
            limiting=Limiting(coordinator, limiter),
            quarantine=quarantine if rules.keeps else None,
            owner=owner if rules.keeps else None,
        )
        people = People(routing, Linking(register, clock=clock, owners=access.owners), register, limiter)
        return cls(access, pairings, people, limiter, door, owner)


def commands() -> dict[str, Command]:
    """Every slash command by name."""
    return {command.name: command for _, command in registry.load_all(bot.commands, "COMMAND", Command)}


def tools() -> dict[str, Tool]:
    """Every tool by name."""
    return {tool.name: tool for _, tool in registry.load_all(bot.tools, "TOOL", Tool)}


@asynccontextmanager
async def open_agents(memories: Memories, config: Config, *, clock: Clock) -> AsyncIterator[Mapping[str, Agent]]:
    """Every agent with its memory open; files that have changed since are indexed meanwhile."""
    async with AsyncExitStack() as stack:
        agents = {}
        for name, options in config.agents.items():
            memory = await stack.enter_async_context(memories.open(name, mode=Mode.AT_ONCE))
            agents[name] = Agent(name, options.about, memory, config.owner.zone, clock)
        yield agents


@asynccontextmanager
async def build(
    home: Home,
    config: Config,
    *,
    clock: Clock,
    opening: Opening,
    rules: HouseRules,
) -> AsyncIterator[Assembled]:
    """A service that is ready to `run`.

    An agent without a model takes every message for itself: joined, a question would swallow the statement before it.

    Args:
        home: where everything lives; the instance lock is held.
        config: the options.
        clock: source of time.
        opening: opens the bot accounts to serve.
        rules: who is let in, and who answers them.
    """
    endings, notices, disk = Endings(), Notices(), Disk()
    async with (
        Memories(home, config, clock=clock, say=notices.say) as memories,
        open_agents(memories, config, clock=clock) as agents,
        SqliteCoordinator.open(
            home.database, clock=clock, ended=endings.note, endurance=disk.endurance if rules.keeps else None
        ) as coordinator,
        Models(clock) as models,
        opening(coordinator) as adapters,
    ):
        known, platforms, offers, stopping = commands(), Platforms(adapters), Offers(), Stopping()
        front = await _Front.open(coordinator, rules, config, clock=clock, home=home, disk=disk)
        contexts, transcript = ContextLog(home.state / "sessions"), Transcript(coordinator)
        projection = Projection(coordinator, endings, folder=home.sessions)
        forgetting = Forgetting(_records(home, coordinator, projection, contexts), coordinator.marks)
        await forgetting.start(agents.values())
        offline = stopping.to_its_end(Offline(known, offers, transcript.just_quoted))
        bench = Workbench(Toolbox(tools()), coordinator, offline, contexts, front.limiter.charge)
        meters = [await Meter.open(name, coordinator.tallies, clock=clock, zone=config.owner.zone) for name in agents]
        brains = {meter.agent: bench.brain(await models.open(config.model_of(meter.agent)), meter) for meter in meters}
        spoken = Spoken(transcript, contexts, forgetting)
        desk = ServiceDesk(agents, known, brains=brains, spoken=spoken, people=front.people, offers=offers)
        ends = JournalEnds(agents, coordinator.marks, pause=pause, say=notices.say)
        service = Service(
            coordinator,
            door=front.door,
            worker=Worker(
                coordinator,
                agents=agents,
                respond=responder(desk, brains, Cabinet(home.files, platforms=platforms, pause=pause), stopping),
                renderer=Renderer(platforms, clock=clock, masking=forgetting),
                stopping=stopping,
                guests_at_once=front.limiter.limits.guests_at_once,
                one_by_one={name for name, brain in brains.items() if brain.model is None},
            ),
            outbox=Outbox(coordinator, platforms=platforms, pause=pause),
            adapters=adapters,
            companions=[projection, WarmUp(brains, pause=pause), ends],
            supervised=pause if rules.keeps else None,
        )
        service.beside(_watcher(memories, agents, config).run, partial(notices.run, adapters))
        service.beside(partial(front.owner.run, platforms), *(one.memory.keep_embedding for one in agents.values()))
        yield Assembled(service, coordinator, front.access, front.pairings, partial(clear, forgetting, agents))


def _records(home: Home, coordinator: SqliteCoordinator, *derived: Keeper) -> Records:
    """All that is kept of conversations: the state file, what is derived from it, and what was typed."""
    return Records(coordinator, [*derived, Typed(home.history)], backups=home.database)


async def clear(
    forgetting: Forgetting, agents: Mapping[str, Agent], agent: str, *, wholly: bool, scope: str, op_id: str
) -> int:
    """Carry into the records what another process has forgotten (`bot.counter.Clear`).

    Returns:
        How many messages and answers were masked, or how many facts and lines cannot be put back any more.
    """
    if agent not in agents:
        raise Missing(f"This service has no agent {agent}.", hint="Was the configuration changed? Restart it.")
    found = agents[agent]
    if wholly:
        return await forgetting.purge(found, scope=Scope(scope) if scope else None, op_id=op_id)
    return await forgetting.catch_up(found)


def responder(desk: Desk, brains: Mapping[str, Brain], cabinet: Cabinet, stopping: Stopping) -> Responder:
    """What answers every agent's turns: commands by themselves, the rest, with its files, by the agent's brain."""
    dispatching = {
        name: Dispatch(
            desk, otherwise=stopping.stoppable(Receiving(brain.respond, cabinet)), notice=brain.model is None
        )
        for name, brain in brains.items()
    }
    return Quiet(ByAgent(dispatching), (agent.memory for agent in desk.agents.values()))


def _watcher(memories: Memories, agents: Mapping[str, Agent], config: Config) -> Watcher:
    """One watch over the folders of all agents."""
    watched = [
        Watched(name, agent.memory, memories.folders(name), config.memory_of(name).watch)
        for name, agent in agents.items()
    ]
    return Watcher(watched, pause=pause)


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
        history=home.history,
    )
    adapter = TerminalAdapter(
        screen,
        run=token_hex(8),
        now=clock.now,
        person=config.owner.name,
        greeting=f"{agent} is here, and keeps what you tell it in `{_workspace(home, config, agent)}`.\n"
        "`/help` lists commands, Ctrl-D leaves.",
    )
    rules = HouseRules(agent, AccessRules(owners=frozenset({"terminal:owner"})))
    async with build(home, config, clock=clock, opening=lambda _: nullcontext([adapter]), rules=rules) as built:
        with ending(built.service.stop):
            await built.service.run(tuple(config.agents), owner=f"chat-{os.getpid()}")
    return 0


def _workspace(home: Home, config: Config, agent: str) -> Path:
    return home.workspace(agent, config.agents[agent].workspace)
