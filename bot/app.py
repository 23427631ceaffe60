"""Builds the application: stores, agents with their responders, and what commands may use."""

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
from adapters.port import Adapter, Button
from adapters.terminal import TerminalAdapter, open_screen
from bot import plugins
from bot.access.access import Access, AccessRules
from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks, Pairings
from bot.access.routing import Routing, Rule
from bot.agent.context_log import Context, ContextLog
from bot.agent.loop import AgentLoop, Budget, Charge
from bot.agent.notes import Proposals
from bot.agent.offline import OfflineResponder
from bot.agent.responder import ModelResponder
from bot.agent.tools import ToolRunner
from bot.commands.base import Command, CommandContext
from bot.config.model import Config
from bot.control import Clear
from bot.errors import Missing
from bot.journal_check import JournalCheck
from bot.llm.pool import Models, OpenModel
from bot.llm.retry import ModelState
from bot.llm.usage import MeteredModel, UsageMeter
from bot.memories import Memories
from bot.paths import Home, terminal_look
from bot.pipeline.attachments import AttachmentStore
from bot.pipeline.intake import Intake, LimitGate, StrangerHandler
from bot.pipeline.outbox import Outbox
from bot.pipeline.owner import Disk, OwnerChats
from bot.pipeline.quarantine import Quarantine
from bot.pipeline.rendering import Renderer
from bot.pipeline.responder import Dispatch, Quiet, Receiving, Stopping
from bot.pipeline.sending import Adapters
from bot.pipeline.worker import Worker
from bot.service import Notices, Service, ending
from bot.sessions.files import ChangedSessions, Projection
from bot.sessions.forgetting import Forgetting
from bot.sessions.redaction import ConversationRecords, DerivedTexts, TypedHistory
from bot.sessions.transcript import Transcript
from bot.storage.keys import SessionKey
from bot.storage.people import AccessStore
from bot.storage.port import Coordinator, Grant, Recorded, Session
from bot.storage.sqlite import SqliteCoordinator
from bot.tools.base import Tool
from bot.turn import Agent, Reply, Responder, Turn
from bot.waiting import Pause, pause
from bot.watcher import Watched, Watcher
from memory import Clock, Mode, Recall, Scope

WARM_UP_AFTER_S = 0.5
"""Seconds after the start: by then the first prompt is there, and reading it takes longer than loading."""


@dataclass(frozen=True, slots=True)
class AgentRuntime:
    """One agent's.

    Attributes:
        respond: answers a turn that is no command.
        model: the model that it asks; None offline.
        meter: what the model has taken for this agent.
    """

    respond: Responder
    model: OpenModel | None
    meter: UsageMeter

    @property
    def state(self) -> ModelState | None:
        """How the model stands; None if there is none."""
        if self.model is None:
            return None
        mind = self.model.info
        return ModelState(mind.model, mind.window.tokens, mind.health.outage, self.meter.today)


@dataclass(frozen=True, slots=True)
class RuntimeFactory:
    """What brains are made with: the tools, the transcripts, the answers without a model, what models saw and took."""

    toolbox: ToolRunner
    coordinator: Coordinator
    offline: Responder
    contexts: ContextLog
    charge: Charge

    def brain(self, model: OpenModel | None, meter: UsageMeter) -> AgentRuntime:
        """A brain with this model, or without one."""
        if model is None:
            return AgentRuntime(self.offline, None, meter)
        options = model.options
        loop = AgentLoop(
            MeteredModel(model.model, meter),
            self.toolbox,
            budget=Budget(seconds=options.timeouts.total),
            output_tokens=options.output_tokens,
            charge=self.charge,
        )
        thinking = ModelResponder(
            loop, model.info, coordinator=self.coordinator, otherwise=self.offline, contexts=self.contexts
        )
        return AgentRuntime(thinking, model, meter)


class RuntimeByAgent:
    """The responder of a service: each agent's own."""

    def __init__(self, responders: Mapping[str, Responder]) -> None:
        self._responders = responders

    async def __call__(self, turn: Turn) -> Reply:
        """Answer one turn."""
        return await self._responders[turn.agent.name](turn)


class WarmUp:
    """Loads what a model's first answer needs, a moment after the start (`bot.service.Companion`)."""

    def __init__(self, brains: Mapping[str, AgentRuntime], *, pause: Pause) -> None:
        self._brains = brains
        self._pause = pause

    async def run(self, grant: Grant) -> None:
        """Get one agent's model ready."""
        model = self._brains[grant.agent].model
        if model:
            await self._pause(WARM_UP_AFTER_S)
            await model.warm_up()

    async def finish(self, grant: Grant) -> None:
        """Nobody waits for it."""


@dataclass(frozen=True, slots=True)
class People:
    """Who answers whom, who is who, and what they have asked."""

    routing: Routing
    linking: IdentityLinks
    register: AccessStore
    limiter: Limiter


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said, what models saw of it, and how it is forgotten."""

    transcript: Transcript
    contexts: ContextLog
    forgetting: Forgetting


class ServiceContext:
    """Agents, commands, models, transcripts and routing of a running service."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        commands: Mapping[str, Command],
        *,
        brains: Mapping[str, AgentRuntime],
        spoken: Spoken,
        people: People,
        offers: Proposals,
    ) -> None:
        self.agents = agents
        self.forgetting = spoken.forgetting
        self.linking = people.linking
        self.limiter = people.limiter
        self.register = people.register
        self.commands = commands
        self.offers = offers
        self._brains = brains
        self._transcript = spoken.transcript
        self._contexts = spoken.contexts
        self._routing = people.routing

    async def last_evidence(self, session: SessionKey) -> Recall | None:
        return await self._transcript.last_recall(session)

    async def last_choices(self, session: SessionKey) -> tuple[Button, ...]:
        return await self._transcript.last_choices(session)

    async def has_answered(self, session: SessionKey) -> bool:
        return await self._transcript.has_replies(session)

    async def current(self, session: SessionKey) -> Session | None:
        return await self._transcript.current(session)

    async def conversation(self, session: SessionKey, *, before: int | None = None) -> tuple[Recorded, ...]:
        return await self._transcript.newest(session, before=before)

    async def seen(self, session: SessionKey) -> Context | None:
        context = await self._contexts.last(session.agent, str(session))
        return context if context and await self._transcript.holds(session, context.turn) else None

    def model(self, agent: str) -> ModelState | None:
        return self._brains[agent].state

    async def switch(self, session: SessionKey, agent: str) -> None:
        await self._routing.choose(session.address, agent)


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
    door: Intake
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
        register = coordinator.register if rules.keeps else AccessStore()
        routing = Routing(rules.agent, tuple(config.agents), rules=rules.routes, register=register)
        limiter = await Limiter.open(config.limits, coordinator.counts, clock=clock, zone=config.owner.zone)
        access, pairings = Access(rules.access, register=register), Pairings(register, clock=clock)
        reception = StrangerHandler(coordinator, pairings=pairings, routing=routing) if rules.keeps else None
        owner = OwnerChats(coordinator, marks=coordinator.marks, routing=routing)
        await disk.tells(owner)
        folder = home.state / "unreadable"
        quarantine = Quarantine(coordinator.quarantine, folder=folder, access=access, owner=owner, pause=pause)
        door = Intake(
            coordinator,
            access=access,
            routing=routing,
            register=register,
            reception=reception,
            limiting=LimitGate(coordinator, limiter),
            quarantine=quarantine if rules.keeps else None,
            owner=owner if rules.keeps else None,
        )
        people = People(routing, IdentityLinks(register, clock=clock, owners=access.owners), register, limiter)
        return cls(access, pairings, people, limiter, door, owner)


def commands() -> dict[str, Command]:
    """Every slash command by name."""
    return {command.name: command for _, command in plugins.load_all(bot.commands, "COMMAND", Command)}


def tools() -> dict[str, Tool]:
    """Every tool by name."""
    return {tool.name: tool for _, tool in plugins.load_all(bot.tools, "TOOL", Tool)}


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
    changed, notices, disk = ChangedSessions(), Notices(), Disk()
    async with (
        Memories(home, config, clock=clock, say=notices.say) as memories,
        open_agents(memories, config, clock=clock) as agents,
        SqliteCoordinator.open(
            home.database, clock=clock, ended=changed.add, endurance=disk.endurance if rules.keeps else None
        ) as coordinator,
        Models(clock) as models,
        opening(coordinator) as adapters,
    ):
        known, platforms, offers, stopping = commands(), Adapters(adapters), Proposals(), Stopping()
        front = await _Front.open(coordinator, rules, config, clock=clock, home=home, disk=disk)
        contexts, transcript = ContextLog(home.state / "sessions"), Transcript(coordinator)
        projection = Projection(coordinator, changed, folder=home.sessions)
        forgetting = Forgetting(_records(home, coordinator, projection, contexts), coordinator.marks)
        await forgetting.start(agents.values())

        async def charge(turn: Turn, tokens: int) -> None:
            await front.limiter.charge(turn.principal, turn.session.address, tokens)

        offline = stopping.to_its_end(OfflineResponder(known, offers, transcript.just_quoted))
        bench = RuntimeFactory(ToolRunner(tools()), coordinator, offline, contexts, charge)
        meters = [
            await UsageMeter.open(name, coordinator.tallies, clock=clock, zone=config.owner.zone) for name in agents
        ]
        brains = {meter.agent: bench.brain(await models.open(config.model_of(meter.agent)), meter) for meter in meters}
        spoken = Spoken(transcript, contexts, forgetting)
        desk = ServiceContext(agents, known, brains=brains, spoken=spoken, people=front.people, offers=offers)
        ends = JournalCheck(agents, coordinator.marks, pause=pause, say=notices.say)
        service = Service(
            coordinator,
            door=front.door,
            worker=Worker(
                coordinator,
                agents=agents,
                respond=responder(
                    desk, brains, AttachmentStore(home.files, platforms=platforms, pause=pause), stopping
                ),
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


def _records(home: Home, coordinator: SqliteCoordinator, *derived: DerivedTexts) -> ConversationRecords:
    """All that is kept of conversations: the state file, what is derived from it, and what was typed."""
    return ConversationRecords(coordinator, [*derived, TypedHistory(home.history)], backups=home.database)


async def clear(
    forgetting: Forgetting, agents: Mapping[str, Agent], agent: str, *, wholly: bool, scope: str, op_id: str
) -> int:
    """Carry into the records what another process has forgotten (`bot.control.Clear`).

    Returns:
        How many messages and answers were masked, or how many facts and lines cannot be put back any more.
    """
    if agent not in agents:
        raise Missing(f"This service has no agent {agent}.", hint="Was the configuration changed? Restart it.")
    found = agents[agent]
    if wholly:
        return await forgetting.purge(found, scope=Scope(scope) if scope else None, op_id=op_id)
    return await forgetting.catch_up(found)


def responder(
    desk: CommandContext, brains: Mapping[str, AgentRuntime], cabinet: AttachmentStore, stopping: Stopping
) -> Responder:
    """What answers every agent's turns: commands by themselves, the rest, with its files, by the agent's brain."""
    dispatching = {
        name: Dispatch(
            desk, otherwise=stopping.stoppable(Receiving(brain.respond, cabinet)), notice=brain.model is None
        )
        for name, brain in brains.items()
    }
    return Quiet(RuntimeByAgent(dispatching), (agent.memory for agent in desk.agents.values()))


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
