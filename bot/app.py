"""Builds the application: stores, agents with their responders, and what commands may use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import structlog

import bot.commands
import bot.jobs
import bot.tools
from adapters.port import Adapter
from adapters.terminal import HERE, TerminalAdapter
from bot import plugins
from bot.access.access import Access, AccessRules
from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks, Pairings
from bot.access.routing import Routing, Rule
from bot.accounts import Accounts
from bot.agent.aliases import aliases
from bot.agent.auto_capture import CAPTURE, AutoCapture, capture_job
from bot.agent.context.context_log import ContextLog
from bot.agent.context.session_news import SessionNews
from bot.agent.loop import AgentLoop, Budget
from bot.agent.offline.notes import Proposals
from bot.agent.offline.offline import OfflineResponder
from bot.agent.responder import ModelResponder
from bot.agent.runtime import AgentRuntime
from bot.agent.tools import ToolRunner
from bot.agent.window import WindowManager
from bot.agent.writer import ModelWriter
from bot.commands.base import Command, CommandContext
from bot.config.model import Config
from bot.errors import Missing, Refused
from bot.events import Events
from bot.jobs.base import DerivedSessions, JobContext, JobRunner, RecurringJob
from bot.llm.pool import Candidate, FailoverModel, Models, OpenModel
from bot.llm.types import Payer
from bot.llm.usage import MeteredModel, UsageLedger
from bot.log import shared_with
from bot.media.reader import MediaReader
from bot.media.speech import SpeechService
from bot.memories import Memories
from bot.paths import Home
from bot.pipeline.attachments import AttachmentStore, FileSweeper
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.owner import Disk, OwnerChats
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.group_context import GroupContext
from bot.pipeline.intake import Intake, LimitGate, StrangerHandler
from bot.pipeline.quarantine import Quarantine
from bot.pipeline.reminders import ReminderChats, Reminders
from bot.pipeline.responder import TurnResponder
from bot.pipeline.reviews import FactReviews
from bot.pipeline.scheduler import Resets, Scheduler
from bot.pipeline.worker import Worker
from bot.postgresql.coordinator import PostgresCoordinator
from bot.postgresql.state import open_state
from bot.reminders import REMINDER, Triggers
from bot.service.service import Background, MakeService, Service
from bot.service.shared import SharedService, Sharing, make_sharing
from bot.service.watcher import Watched, Watcher
from bot.sessions.files import ChangedSessions, Projection
from bot.sessions.forgetting import Forgetting
from bot.sessions.language import Languages, compile_phrases
from bot.sessions.redaction import ConversationRecords, DerivedTexts, TypedHistory
from bot.sessions.statements import Statements
from bot.sessions.transcript import Transcript
from bot.storage.coordinator import SqlCoordinator
from bot.storage.journal_check import JournalCheck
from bot.storage.objects import SharedFiles
from bot.storage.port import Job
from bot.storage.tables.people import AccessStore
from bot.texts.catalogue import tr
from bot.tools.base import Tool
from bot.turn import Agent, Reply, Responder, Turn
from bot.waiting import pause
from memory import Clock, Mode, Scope
from memory.ports import Writer

OpenDashboard = Callable[["Application", TerminalAdapter], AbstractAsyncContextManager["DashboardLinks"]]
"""Opens the dashboard of a service beside the chats of this machine."""

Opening = Callable[[SqlCoordinator], AbstractAsyncContextManager[Sequence[Adapter]]]
"""Opens the bot accounts; they may keep things in the state file."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class DashboardLinks(Protocol):
    """Makes addresses that let browsers in."""

    def link(self, agent: str = "", page: str = "") -> str:
        """Return one, for one agent or all, that leads to a page; raises `BotError` if it cannot be served."""


@dataclass(frozen=True, slots=True)
class Application:
    """A service that is ready to run, and what others may ask beside it."""

    service: Service
    context: CommandContext
    coordinator: SqlCoordinator
    home: Home
    config: Config
    clock: Clock
    events: Events

    async def clear(self, agent: str, *, wholly: bool, scope: str, op_id: str) -> int:
        """Carry into the records what another process has forgotten (`bot.service.control.Clear`).

        Returns:
            How many messages and answers were masked, or how many facts and lines cannot be put back any more.
        """
        found = self.context.agents.get(agent)
        if found is None:
            raise Missing(
                tr("This service has no agent {agent}.", agent=agent),
                hint=tr("Was the configuration changed? Restart it."),
            )
        if wholly:
            return await self.context.forgetting.purge(found, scope=Scope(scope) if scope else None, op_id=op_id)
        return await self.context.forgetting.catch_up(found)


@dataclass(frozen=True, slots=True)
class Basics:
    """What the parts of a service are made with."""

    home: Home
    config: Config
    clock: Clock
    coordinator: SqlCoordinator
    agents: Mapping[str, Agent]


async def make_runtime(
    name: str, basics: Basics, *, models: Models, context: CommandContext, offline: Responder, reader: MediaReader
) -> AgentRuntime:
    """Make what answers for one agent, with its model or without one.

    Args:
        models: opens its models.
        context: what is kept of its requests, and what they have taken.
        offline: answers without a model, or while it does not answer.
        reader: opens the files that came with a message.
    """
    config, coordinator = basics.config, basics.coordinator
    opened = [await models.open(options) for options in config.model_of(name).in_order]
    own, every = ToolRunner(tools() | (aliases() if config.tools.aliases == "lancedb" else {})), tuple(tools().values())

    def failover(first: OpenModel) -> FailoverModel:
        order = sorted(opened, key=lambda one: one is not first)
        metered = [MeteredModel(one.model, one.info.counter, context.usage, name) for one in order]
        return FailoverModel(
            [Candidate(model, one.info, one.breaker) for model, one in zip(metered, order, strict=True)]
        )

    def answer_with(first: OpenModel) -> ModelResponder:
        model, budget, session = failover(first), Budget(seconds=first.options.timeouts.total), config.session_of(name)
        return ModelResponder(
            AgentLoop(model, own, budget=budget, output_tokens=first.options.output_tokens),
            first.info,
            window=WindowManager(coordinator, model, first.info, tools=every, options=session, clock=basics.clock),
            otherwise=offline,
            contexts=context.contexts,
            reader=reader,
            recall=options,
            news=SessionNews(coordinator.marks),
            model=model,
        )

    named = {one.info.model: one for one in reversed(opened)}  # of two with one name, which have other keys, the first
    named = {label: named[label] for label in dict.fromkeys(one.info.model for one in opened)}
    capture, options, asked = None, config.memory_of(name), failover(opened[0]) if opened else None
    if asked and options.auto_capture != "off":
        is_reviewed = options.auto_capture == "review"
        capture = AutoCapture(asked, is_reviewed=is_reviewed, coordinator=coordinator)
    responders = {label: answer_with(one) for label, one in named.items()}
    return AgentRuntime(coordinator, models=named, responders=responders, capture=capture, model=asked, offline=offline)


def log_notice(text: str) -> None:
    """Tell something that answers nobody where there is no screen for it."""
    log.info("notice", text=text)


def commands() -> dict[str, Command]:
    """Every slash command by name."""
    return {command.name: command for _, command in plugins.load_all(bot.commands, "COMMAND", Command)}


def jobs() -> dict[str, RecurringJob]:
    """Every job by name."""
    return {job.name: job for _, job in plugins.load_all(bot.jobs, "JOB", RecurringJob)}


def tools() -> dict[str, Tool]:
    """Every tool by name."""
    return {tool.name: tool for _, tool in plugins.load_all(bot.tools, "TOOL", Tool)}


@asynccontextmanager
async def open_agents(
    memories: Memories, config: Config, coordinator: SqlCoordinator, *, clock: Clock
) -> AsyncIterator[Mapping[str, Agent]]:
    """Every agent with its memory open; files that have changed since are indexed meanwhile."""
    async with AsyncExitStack() as stack:
        agents = {}
        for name, options in config.agents.items():
            memory = await stack.enter_async_context(memories.open(name, mode=Mode.AT_ONCE))
            told = await stack.enter_async_context(memories.open_told(name, mode=Mode.AT_ONCE))
            memory.changed = partial(log.debug, "memory.changed", agent=name)
            agents[name] = Agent(name, options.about, memory, config.owner.zone, clock, coordinator, told)
        yield agents


@asynccontextmanager
async def build(
    home: Home,
    config: Config,
    *,
    clock: Clock,
    opening: Opening,
    default_agent: str,
    access: AccessRules,
    routes: Sequence[Rule] = (),
    is_service: bool = False,
    say: Callable[[str], None] = log_notice,
) -> AsyncIterator[Application]:
    """Build a service that is ready to `run`.

    An agent without a model takes every message for itself: joined, a question would swallow the statement before it.

    Args:
        home: where everything lives; the instance lock is held.
        opening: opens the bot accounts to serve; in a service, chats of this machine are none, and go on beside them.
        default_agent: who answers where nothing else is said.
        access: who is let in by configuration.
        routes: who answers where.
        is_service: run for a long time and for several people: remember who was let in by a code, and which agent a
            chat has chosen, set aside what cannot be taken, tell the owner, and begin anew what fails. Otherwise the
            first failure ends everything, and nothing about people is kept.
        say: told in one line what takes a while, or is not as it was left.
    """
    changed, disk, resets = ChangedSessions(), Disk(), Resets(config.session, clock=clock, zone=config.owner.zone)
    endurance = disk.endurance if is_service else None
    async with (
        Memories(home, config, clock=clock, say=say) as memories,
        open_state(home, config, clock=clock, ended=changed.add, endurance=endurance) as coordinator,
        open_agents(memories, config, coordinator, clock=clock) as agents,
        Models(clock, at_once=is_service) as models,
        aclosing(SpeechService(config.voice, clock=clock, pause=pause)) as speech,
        opening(coordinator) as accounts,
        shared_with(Events()) as events,
    ):
        basics = Basics(home, config, clock, coordinator, agents)
        register, marks = coordinator.register if is_service else AccessStore(), coordinator.marks
        routing = Routing(default_agent, tuple(config.agents), rules=routes, register=register)
        limiter = await Limiter.open(config.limits, coordinator.counts, clock=clock, zone=config.owner.zone)
        runtimes, adapters, people = dict[str, AgentRuntime](), Adapters(accounts), Access(access, register=register)
        transcript, spoken = Transcript(coordinator), Languages(config.owner.language, coordinator)
        chats = await disk.tells(OwnerChats(coordinator, spoken.owners, marks=marks, routing=routing, clock=clock))
        owner, report, given_up = (chats, chats.report_account, chats.report_dead) if is_service else (None,) * 3
        bots = Accounts(accounts, clock=clock, zone=config.owner.zone, report=report, is_service=is_service)
        contexts, said, tell = ContextLog(home.state / "sessions"), GroupContext(people), _tell(owner, say)
        projection, statements = make_session_files(basics, changed)
        forgetting = await start_forgetting(basics, [projection, statements, contexts, said])
        kept = AttachmentStore(home.files, platforms=adapters, pause=pause, shared=SharedFiles.at(config.store.objects))
        runner = make_jobs(basics, runtimes, (projection, statements, contexts), tell)
        context = CommandContext(
            agents=agents,
            commands=commands(),
            offers=Proposals(),
            linking=IdentityLinks(register, clock=clock, owners=people.owners),
            forgetting=forgetting,
            register=register,
            access=people,
            limiter=limiter,
            usage=await open_usage(basics, limiter),
            routing=routing,
            transcript=transcript,
            contexts=contexts,
            models=lambda session: runtimes[session.agent].states(session),
            responder=lambda session: runtimes[session.agent].responder(session),
            accounts=lambda: bots.statuses,
            pairings=Pairings(register, clock=clock, coordinator=coordinator, marks=marks),
            dead_letters=coordinator.dead_letters,
            jobs=runner,
        )
        reminders = make_reminders(basics, adapters, owner, tell, spoken)
        jobs: dict[str, Responder] = {**dict.fromkeys(runner.known, runner), REMINDER: reminders}
        check = JournalCheck(lambda name: agents[name].memory, marks, pause=pause, tell=tell, language=spoken.owners)
        responder = await make_responder(basics, context, runtimes, models, kept, speech, jobs, spoken)
        scheduler = Scheduler(coordinator, clock=clock, pause=pause, resets=resets, standing=runner.standing)
        sharing = make_sharing(config, coordinator, agents, scheduler, bots)
        service = make_service(coordinator, sharing, is_service=is_service)(
            intake=make_intake(basics, context, owner, said, spoken),
            worker=make_worker(basics, context, responder, adapters, owner, resets, spoken),
            outbox=Outbox(coordinator, platforms=adapters, pause=pause, given_up=given_up, find_files=kept.here),
            accounts=bots,
            companions=[projection, statements, check, reminders, *([] if sharing else [scheduler]), contexts],
            background=[*_upkeep(basics, chats, adapters, memories, runtimes)],
        )
        yield Application(service, context, coordinator, home, config, clock, events)


def make_service(coordinator: SqlCoordinator, sharing: Sharing | None, *, is_service: bool) -> MakeService:
    """Return what makes the service of its parts: one of several processes on a database, or the only one.

    Raises:
        Refused: a chat of this terminal alone cannot be one of several.
    """
    if not isinstance(coordinator, PostgresCoordinator):
        return partial(Service, coordinator, supervised=pause if is_service else None)
    if not (sharing and is_service):
        raise Refused(
            tr(
                "The agents of this home live in {place}, where other processes work for them.",
                place=coordinator.pool.place,
            ),
            hint=tr("Talk to them on their platforms, while this runs: scrubjay run"),
        )
    return partial(SharedService, coordinator, sharing=sharing, supervised=pause)


async def open_usage(basics: Basics, limiter: Limiter) -> UsageLedger:
    """Open what counts the models' tokens; those for people count towards the limits of these as well."""

    async def charge(payer: Payer, tokens: int) -> None:
        await limiter.charge(payer.principal, payer.session.address, tokens)

    config, usage = basics.config, basics.coordinator.usage
    return await UsageLedger(config.usage, usage, clock=basics.clock, zone=config.owner.zone, charge=charge).load()


def make_session_files(basics: Basics, changed: ChangedSessions) -> tuple[Projection, Statements]:
    """Make what writes the sessions out, and what was told in them for those memories that are to find it."""
    home, coordinator, zone = basics.home, basics.coordinator, basics.config.owner.zone
    memories = {name: agent.told for name, agent in basics.agents.items() if agent.told}
    statements = Statements(coordinator, folder=home.told, memories=memories, zone=zone, pause=pause)
    tokens = coordinator.usage.tokens
    return Projection(coordinator, changed, folder=home.sessions, told=statements.add, tokens=tokens), statements


def make_jobs(
    basics: Basics,
    runtimes: Mapping[str, AgentRuntime],
    derived: Sequence[DerivedSessions],
    tell: Callable[[str, str], Awaitable[None]],
) -> JobRunner:
    """Make what carries out the jobs that come again and again."""

    def write_for(agent: str, payer: Payer) -> Writer | None:
        model = runtimes[agent].model
        return ModelWriter(model, payer=payer) if model else None

    context = JobContext(
        basics.agents,
        basics.config,
        basics.home,
        basics.clock,
        basics.coordinator,
        basics.coordinator.expire,
        basics.coordinator.marks,
        derived,
        tell,
        write_for,
    )
    return JobRunner(jobs(), context)


def make_reminders(
    basics: Basics,
    adapters: Adapters,
    owner: OwnerChats | None,
    tell: Callable[[str, str], Awaitable[None]],
    spoken: Languages,
) -> Reminders:
    """Make what fires reminders, and keeps the schedule as the facts say."""
    chats = ReminderChats(lambda: owner.latest if owner else HERE, adapters.reaches, spoken.owners)
    return Reminders(
        basics.agents,
        basics.coordinator,
        basics.coordinator.marks,
        clock=basics.clock,
        zone=basics.config.owner.zone,
        chats=chats,
        tell=tell,
        quiet=basics.config.reminders.quiet_hours,
    )


async def start_forgetting(basics: Basics, copies: Sequence[DerivedTexts]) -> Forgetting:
    """Make what carries forgetting into all copies of what was said, and finish what it had begun."""
    home, coordinator = basics.home, basics.coordinator
    records = ConversationRecords(coordinator, [*copies, TypedHistory(home.history)], backups=home.database)
    forgetting = Forgetting(records, coordinator.marks)
    await forgetting.start(basics.agents.values())
    return forgetting


async def make_responder(
    basics: Basics,
    context: CommandContext,
    runtimes: dict[str, AgentRuntime],
    models: Models,
    attachments: AttachmentStore,
    speech: SpeechService,
    jobs: Mapping[str, Responder],
    languages: Languages,
) -> TurnResponder:
    """Make what answers all turns and carries out `jobs`, and what it asks of each agent: that goes into `runtimes`."""
    responders: dict[str, Responder] = {}

    async def capture(turn: Turn) -> Reply:
        run = runtimes[turn.agent.name].capture
        return await run(turn) if run else Reply("", is_silent=True)

    responder = TurnResponder(
        context,
        responders,
        attachments=attachments,
        offline=_without_model(basics.config),
        speech=speech,
        jobs={CAPTURE: capture, **jobs},
        triggers=Triggers(basics.coordinator.marks, clock=basics.clock, quiet=basics.config.reminders.quiet_hours),
        languages=languages,
    )
    offline = OfflineResponder(context.commands, context.offers, context.transcript)
    reader = MediaReader()
    for name in basics.config.agents:
        runtimes[name] = await make_runtime(
            name, basics, models=models, context=context, offline=responder.uncancellable(offline), reader=reader
        )
        responders[name] = runtimes[name]
    return responder


def make_reviews(basics: Basics, context: CommandContext) -> FactReviews:
    """Make what learns from answers, and from what people think of them, which facts are of use."""
    return FactReviews(
        context.transcript,
        context.agents,
        basics.coordinator.ratings,
        shares=context.routing.shares,
        on_recall=lambda agent: basics.config.memory_of(agent).strength.review_on == "recall",
    )


def make_worker(
    basics: Basics,
    context: CommandContext,
    responder: TurnResponder,
    adapters: Adapters,
    owner: OwnerChats | None,
    resets: Resets,
    spoken: Languages,
) -> Worker:
    """Make what takes the turns up, one after the other in a session."""
    config = basics.config

    def capture(turn: Turn, reply: Reply) -> Job | None:
        is_wanted = config.memory_of(turn.agent.name).auto_capture != "off"
        return capture_job(turn, reply) if is_wanted else None

    return Worker(
        basics.coordinator,
        agents=context.agents,
        respond=make_reviews(basics, context).reviewing(responder.respond),
        cancel=responder.cancel,
        renderer=Renderer(adapters, clock=basics.clock),
        adapters=adapters,
        forgetting=context.forgetting,
        settings=context.access.settings,
        one_by_one=_without_model(config),
        guests_at_once=config.limits.guests_at_once,
        given_up=owner.prepare_dead if owner else None,
        resets=resets.job,
        shares=context.routing.shares,
        captures=capture,
        language=spoken.of_turn,
    )


def make_intake(
    basics: Basics, context: CommandContext, owner: OwnerChats | None, said: GroupContext, spoken: Languages
) -> Intake:
    """Make what takes events from the adapters; with the owner's chats, it sets aside what cannot be taken, too."""
    coordinator, quarantine = basics.coordinator, None
    if owner:
        folder = basics.home.state / "unreadable"
        quarantine = Quarantine(coordinator.quarantine, folder=folder, access=context.access, owner=owner, pause=pause)
    reception = StrangerHandler(coordinator, pairings=context.pairings, routing=context.routing, owner=owner)
    return Intake(
        coordinator,
        access=context.access,
        routing=context.routing,
        register=context.register,
        reception=reception if owner else None,
        limiting=LimitGate(coordinator, context.limiter),
        quarantine=quarantine,
        owner=owner,
        context=said,
        rate=make_reviews(basics, context).rate,
        parts=coordinator.ratings.parts,
        suggester=context.suggest,
        language=spoken.of_event,
    )


def _without_model(config: Config) -> list[str]:
    return [name for name in config.agents if not config.model_of(name).is_configured]


def _tell(owner: OwnerChats | None, say: Callable[[str], None]) -> Callable[[str, str], Awaitable[None]]:
    """Return what tells the owner a line that is about something: in their chat, or where nobody has one, at once."""

    async def tell(text: str, about: str) -> None:
        if owner:
            await owner.tell(text, about=about)
        else:
            say(text)

    return tell


def _upkeep(
    basics: Basics, chats: OwnerChats, adapters: Adapters, memories: Memories, runtimes: Mapping[str, AgentRuntime]
) -> Iterator[Background]:
    """Yield what runs beside: urgent news for the owner, one watch over all folders, embedding, removing files."""
    config, agents = basics.config, basics.agents
    yield partial(chats.run, adapters)
    yield partial(asyncio.to_thread, compile_phrases)
    for first in filter(None, (runtime.first for runtime in runtimes.values())):
        yield first.warm_up
    shared = SharedFiles.at(config.store.objects)
    files = basics.home.files
    yield FileSweeper(files, config.files, basics.coordinator, clock=basics.clock, pause=pause, shared=shared).run
    watched = [
        Watched(name, agent.memory, memories.folders(name), config.memory_of(name).watch)
        for name, agent in agents.items()
    ]
    yield Watcher(watched, pause=pause).run
    yield partial(memories.watch_embedders, pause)
    for agent in agents.values():
        yield agent.memory.keep_embedding
        if agent.told:
            yield agent.told.memory.keep_embedding
