"""Builds the application: stores, agents with their responders, and what commands may use."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog

import bot.commands
import bot.jobs
from adapters.port import Adapter, Address
from adapters.terminal import HERE, TerminalAdapter
from bot import plugins
from bot.access.access import Access, AccessRules
from bot.access.limits import Limiter
from bot.access.pairing import IdentityLinks, Pairings
from bot.access.routing import Routing, Rule
from bot.agent.auto_capture import CAPTURE, AutoCapture, capture_job
from bot.agent.context.context_log import ContextLog
from bot.agent.offline.notes import Proposals
from bot.agent.offline.offline import OfflineResponder
from bot.agent.runtime import AgentRuntime
from bot.agent.writer import ModelWriter
from bot.commands.base import Command, CommandContext
from bot.config.model import Config
from bot.errors import Missing
from bot.events import Events
from bot.jobs.base import Basics, JobContext, JobRunner, RecurringJob
from bot.llm.pool import Candidate, FailoverModel, Models, OpenModel
from bot.llm.types import Payer
from bot.llm.usage import MeteredModel, UsageLedger
from bot.log import shared_with
from bot.media.reader import MediaReader
from bot.media.speech import SpeechService
from bot.memories import Memories
from bot.paths import Home
from bot.pipeline.accounts import Accounts
from bot.pipeline.attachments import AttachmentStore, FileSweeper
from bot.pipeline.delivery.outbox import Adapters, Outbox
from bot.pipeline.delivery.owner import Disk, OwnerChats
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.group_context import GroupContext
from bot.pipeline.intake import Intake
from bot.pipeline.quarantine import Quarantine
from bot.pipeline.reminders import Reminders
from bot.pipeline.responder import TurnResponder
from bot.pipeline.reviews import FactReviews
from bot.pipeline.scheduler import Scheduler, reset_job
from bot.pipeline.worker import Worker
from bot.postgresql.state import open_state
from bot.reminders import REMINDER, Triggers
from bot.service.control import MakeLink
from bot.service.service import Background, Service, ServiceParts
from bot.service.shared import make_service
from bot.service.watcher import Watched, Watcher
from bot.sessions.files import ChangedSessions, Projection
from bot.sessions.forgetting import Forgetting
from bot.sessions.language import Languages, prepare_phrases
from bot.sessions.redaction import ConversationRecords, DerivedSessions, DerivedTexts, TypedHistory
from bot.sessions.told import ToldFiles
from bot.sessions.transcript import Transcript
from bot.storage.coordinator import Coordinator
from bot.storage.journal_check import JournalCheck
from bot.storage.keys import SCHEDULE
from bot.storage.objects import SharedFiles
from bot.storage.port import Envelope, Job
from bot.storage.tables.people import AccessStore
from bot.texts.catalogue import tr
from bot.turn import Agent, Reply, Responder, Turn
from bot.waiting import pause
from memory import Clock, Mode, Scope
from memory.ports import Writer

if TYPE_CHECKING:
    from bot.tools.base import Tool

OpenDashboard = Callable[["Application", TerminalAdapter], AbstractAsyncContextManager[MakeLink]]
"""Opens the dashboard of a service beside the chats of this machine, and gives what makes its addresses."""

Opening = Callable[[Coordinator], AbstractAsyncContextManager[Sequence[Adapter]]]
"""Opens the bot accounts; they may keep things in the state file."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Application(Basics):
    """A service that is ready to run, and what others may ask beside it."""

    service: Service
    context: CommandContext
    events: Events

    async def clear(self, agent: str, *, wholly: bool, scope: str, op_id: str) -> int:
        """Carry into the records what another process has forgotten (`bot.service.control.Clear`).

        Return how many messages and answers were masked, or how many facts and lines cannot be put back any more.
        """
        target = self.agents.get(agent)
        if target is None:
            message = tr("This service has no agent {agent}.", agent=agent)
            raise Missing(message, hint=tr("Was the configuration changed? Restart it."))
        if wholly:
            return await self.context.forgetting.purge(target, scope=Scope(scope) if scope else None, op_id=op_id)
        return await self.context.forgetting.catch_up(target)


async def make_runtime(
    name: str,
    basics: Basics,
    *,
    models: Models,
    context: CommandContext,
    offline: Responder,
    resumes: Callable[[Turn], Awaitable[bool]],
    reader: MediaReader,
) -> AgentRuntime:
    """Make what answers for one agent, with its model or, where that is none or silent, with `offline`."""
    config, coordinator = basics.config, basics.coordinator
    options, session = config.memory_of(name), config.session_of(name)
    opened = [await models.open(model_options) for model_options in config.model_of(name).in_order]
    if not opened:
        return AgentRuntime(coordinator, models={}, responders={}, capture=None, model=None, offline=offline)

    from bot.agent.aliases import aliases  # and the rest of what only a model needs
    from bot.agent.context.session_news import SessionNews
    from bot.agent.loop import AgentLoop, Budget
    from bot.agent.responder import ModelResponder
    from bot.agent.tools import ToolRunner
    from bot.agent.window import WindowManager

    known_tools = tools()
    toolbox = ToolRunner(known_tools | (aliases() if config.tools.aliases == "lancedb" else {}))

    def failover(first: OpenModel) -> FailoverModel:
        def candidate(model: OpenModel) -> Candidate:
            metered = MeteredModel(model.model, model.info.counter, context.usage, name)
            return Candidate(metered, model.info, model.breaker)

        return FailoverModel([candidate(model) for model in sorted(opened, key=lambda model: model is not first)])

    def answer_with(first: OpenModel) -> ModelResponder:
        model, all_tools = failover(first), tuple(known_tools.values())
        budget = Budget(seconds=first.options.timeouts.total)
        return ModelResponder(
            AgentLoop(model, toolbox, budget=budget, output_tokens=first.options.output_tokens),
            first.info,
            window=WindowManager(coordinator, model, first.info, tools=all_tools, options=session, clock=basics.clock),
            otherwise=offline,
            resumes=resumes,
            contexts=context.contexts,
            reader=reader,
            recall=options,
            news=SessionNews(coordinator.marks),
            model=model,
        )

    named: dict[str, OpenModel] = {}
    for model in opened:
        named.setdefault(model.info.model, model)  # of two with one name, which have other keys, the first counts
    default, capture = failover(opened[0]), None
    if options.auto_capture != "off":
        is_reviewed = options.auto_capture == "review"
        capture = AutoCapture(default, is_reviewed=is_reviewed, coordinator=coordinator)
    responders = {label: answer_with(model) for label, model in named.items()}
    return AgentRuntime(
        coordinator, models=named, responders=responders, capture=capture, model=default, offline=offline
    )


def log_notice(text: str) -> None:
    """Log a line that answers nobody, where there is no screen for it."""
    log.info("notice", text=text)


def commands() -> dict[str, Command]:
    """Return every slash command by name."""
    return plugins.load_all(bot.commands, "COMMAND", Command)


def jobs() -> dict[str, RecurringJob]:
    """Return every job by name."""
    return plugins.load_all(bot.jobs, "JOB", RecurringJob)


def tools() -> dict[str, Tool]:
    """Return every tool by name."""
    import bot.tools
    from bot.tools.base import Tool

    return plugins.load_all(bot.tools, "TOOL", Tool)


@asynccontextmanager
async def open_agents(
    memories: Memories, config: Config, coordinator: Coordinator, *, clock: Clock
) -> AsyncIterator[Mapping[str, Agent]]:
    """Yield every agent with its memory open; files that have changed since are indexed meanwhile."""
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
        is_service: run for a long time and for several people: remember who was let in by a code, and which agent a
            chat has chosen, set aside what cannot be taken, tell the owner, and begin anew what fails. Otherwise the
            first failure ends everything, and nothing about people is kept.
        say: told in one line what takes a while, or is not as it was left.
    """
    changed, disk = ChangedSessions(), Disk()
    endurance = disk.endurance if is_service else None
    async with (
        Memories(home, config, clock=clock, say=say) as memories,
        open_state(home, config, clock=clock, ended=changed.add, endurance=endurance) as coordinator,
        open_agents(memories, config, coordinator, clock=clock) as agents,
        Models(clock, at_once=is_service) as models,
        SpeechService(config.voice, clock=clock, pause=pause) as speech,
        opening(coordinator) as opened,
        shared_with(Events()) as events,
    ):
        basics = Basics(home, config, clock, coordinator, agents)
        register, marks = coordinator.register if is_service else AccessStore(), coordinator.marks
        routing = Routing(default_agent, tuple(config.agents), rules=routes, register=register)
        limiter = await Limiter.open(config.limits, coordinator.counts, clock=clock, zone=config.owner.zone)
        runtimes, adapters, people = dict[str, AgentRuntime](), Adapters(opened), Access(access, register=register)
        languages = Languages(config.owner.language, coordinator, register.principal)
        chats = await disk.tells(OwnerChats(coordinator, languages.owners, people.owns, routing=routing, clock=clock))
        owner, report, given_up = (chats, chats.report_account, chats.report_dead) if is_service else (None, None, None)
        accounts = Accounts(opened, clock=clock, zone=config.owner.zone, report=report, is_service=is_service)
        contexts, overheard = ContextLog(home.state / "sessions"), GroupContext(people)
        tell, shared = _tell(owner, say), SharedFiles.at(config.store.objects)
        projection, told_files = make_session_files(basics, changed)
        attachments = AttachmentStore(home.files, adapters=adapters, pause=pause, shared=shared)
        runner = make_jobs(basics, runtimes, (projection, told_files, contexts), tell)
        context = CommandContext(
            agents=agents,
            commands=commands(),
            offers=Proposals(),
            linking=IdentityLinks(register, clock=clock, owners=people.owners),
            forgetting=await start_forgetting(basics, [projection, told_files, contexts, overheard]),
            register=register,
            access=people,
            limiter=limiter,
            usage=await open_usage(basics, limiter),
            routing=routing,
            transcript=Transcript(coordinator),
            contexts=contexts,
            models=lambda session: runtimes[session.agent].states(session),
            responder=lambda session: runtimes[session.agent].responder(session),
            accounts=lambda: accounts.statuses,
            pairings=Pairings(register, clock=clock, coordinator=coordinator, marks=marks),
            dead_letters=coordinator.dead_letters,
            jobs=runner,
        )
        reminders = make_reminders(basics, adapters, owner, tell, languages, people)
        check = JournalCheck(lambda name: agents[name].memory, marks, pause=pause, tell=tell, language=languages.owners)
        responder = await make_responder(basics, context, runtimes, models, attachments, speech, reminders, languages)
        scheduler = Scheduler(coordinator, clock=clock, pause=pause, resets=_resets(basics), standing=runner.standing)
        reviews = make_reviews(basics, context)
        parts = ServiceParts(
            intake=make_intake(basics, context, responder, owner, overheard, languages, reviews),
            worker=make_worker(basics, context, responder, adapters, owner, languages, reviews),
            outbox=Outbox(coordinator, adapters=adapters, pause=pause, given_up=given_up, find_files=attachments.here),
            accounts=accounts,
            companions=[projection, told_files, check, reminders, contexts],
            background=[*_upkeep(basics, chats, adapters, memories, runtimes)],
        )
        service = make_service(config, coordinator, agents, scheduler, parts, is_service=is_service)
        yield Application(home, config, clock, coordinator, agents, service, context, events)


async def open_usage(basics: Basics, limiter: Limiter) -> UsageLedger:
    """Open the ledger of the models' tokens; those spent for a person count towards that person's limits as well."""

    async def charge(payer: Payer, tokens: int) -> None:
        await limiter.charge(payer.principal, payer.session.address, tokens)

    config, usage = basics.config, basics.coordinator.usage
    return await UsageLedger(config.usage, usage, clock=basics.clock, zone=config.owner.zone, charge=charge).load()


def make_session_files(basics: Basics, changed: ChangedSessions) -> tuple[Projection, ToldFiles]:
    """Make what writes the sessions into files, and what was told in them into files for the memories of sessions."""
    home, coordinator, zone = basics.home, basics.coordinator, basics.zone
    memories = {name: agent.session_memory for name, agent in basics.agents.items() if agent.session_memory}
    told_files = ToldFiles(coordinator, folder=home.told, memories=memories, zone=zone, pause=pause)
    tokens = coordinator.usage.tokens
    return Projection(coordinator, changed, folder=home.sessions, told=told_files.add, tokens=tokens), told_files


def make_jobs(
    basics: Basics,
    runtimes: Mapping[str, AgentRuntime],
    derived: Sequence[DerivedSessions],
    tell: Callable[[str, str], Awaitable[None]],
) -> JobRunner:
    """Make the runner of recurring jobs."""

    def write_for(agent: str, payer: Payer) -> Writer | None:
        model = runtimes[agent].model
        return ModelWriter(model, payer=payer) if model else None

    parts = basics.home, basics.config, basics.clock, basics.coordinator, basics.agents
    return JobRunner(jobs(), JobContext(*parts, derived, tell, write_for))


def _resets(basics: Basics) -> Callable[[Envelope], Job | None]:
    """Return the function that gives the job which is to reset a message's session."""
    return partial(reset_job, options=basics.config.session, clock=basics.clock, zone=basics.zone)


def make_reminders(
    basics: Basics,
    adapters: Adapters,
    owner: OwnerChats | None,
    tell: Callable[[str, str], Awaitable[None]],
    languages: Languages,
    people: Access,
) -> Reminders:
    """Make what fires reminders and keeps their schedule as the facts say."""

    def may_read(by: str, to: Address) -> bool:
        if by == SCHEDULE:
            return owner is None or not owner.is_former(to)
        return people.knows_on(by, to.platform)

    return Reminders(
        basics.agents,
        basics.coordinator,
        clock=basics.clock,
        zone=basics.zone,
        home=lambda: owner.latest if owner else HERE,
        serves=adapters.reaches,
        may_read=may_read,
        language=languages.owners,
        tell=tell,
        quiet=basics.config.reminders.quiet_hours,
    )


async def start_forgetting(basics: Basics, copies: Sequence[DerivedTexts]) -> Forgetting:
    """Make what masks forgotten facts in all copies of conversations, and let it finish what was interrupted."""
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
    reminders: Reminders,
    languages: Languages,
) -> TurnResponder:
    """Make what answers all turns and carries out all jobs; the agents' own responders go into `runtimes`, too."""
    responders: dict[str, Responder] = {}

    async def capture(turn: Turn) -> Reply:
        run = runtimes[turn.agent.name].capture
        return await run(turn) if run else Reply("", is_silent=True)

    responder = TurnResponder(
        context,
        responders,
        attachments=attachments,
        offline=_without_model(basics.config),
        looks_up=[name for name in basics.config.agents if basics.config.memory_of(name).auto_recall.enabled],
        speech=speech,
        jobs={CAPTURE: capture, **dict.fromkeys(context.jobs.known, context.jobs), REMINDER: reminders},
        triggers=Triggers(basics.coordinator.marks, clock=basics.clock, quiet=basics.config.reminders.quiet_hours),
        languages=languages,
    )
    offline = OfflineResponder(context.commands, context.offers, context.transcript)
    alike = partial(make_runtime, basics=basics, models=models, context=context, reader=MediaReader())
    for name in basics.config.agents:
        answer = responder.uncancellable(offline)
        responders[name] = runtimes[name] = await alike(name, offline=answer, resumes=offline.resumes)
    return responder


def make_reviews(basics: Basics, context: CommandContext) -> FactReviews:
    """Make what learns from answers, and from their ratings, which facts are of use."""
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
    languages: Languages,
    reviews: FactReviews,
) -> Worker:
    """Make the worker, which runs turns one after the other in a session."""
    config = basics.config

    def capture(turn: Turn, reply: Reply) -> Job | None:
        return capture_job(turn, reply) if config.memory_of(turn.agent.name).auto_capture != "off" else None

    return Worker(
        basics.coordinator,
        agents=context.agents,
        respond=reviews.reviewing(responder.respond),
        cancel=responder.cancel,
        renderer=Renderer(adapters, clock=basics.clock),
        adapters=adapters,
        forgetting=context.forgetting,
        settings=context.access.settings,
        one_by_one=_without_model(config),
        guests_at_once=config.limits.guests_at_once,
        given_up=owner.prepare_dead if owner else None,
        resets=_resets(basics),
        shares=context.routing.shares,
        captures=capture,
        language=languages.of_turn,
    )


def make_intake(
    basics: Basics,
    context: CommandContext,
    responder: TurnResponder,
    owner: OwnerChats | None,
    overheard: GroupContext,
    languages: Languages,
    reviews: FactReviews,
) -> Intake:
    """Make the intake; with the owner's chats it has a quarantine, and an answer for strangers."""
    coordinator, quarantine = basics.coordinator, None
    if owner:
        quarantine = Quarantine(
            coordinator.quarantine, folder=basics.home.unreadable, access=context.access, owner=owner, pause=pause
        )
    return Intake(
        coordinator,
        access=context.access,
        routing=context.routing,
        register=context.register,
        pairings=context.pairings if owner else None,
        linking=context.linking,
        limiter=context.limiter,
        quarantine=quarantine,
        owner=owner,
        context=overheard,
        rate=reviews.rate,
        parts=coordinator.ratings.parts,
        expect=responder.expect,
        suggester=context.suggest,
        language=languages.of_event,
    )


def _without_model(config: Config) -> list[str]:
    return [name for name in config.agents if not config.model_of(name).is_configured]


def _tell(owner: OwnerChats | None, say: Callable[[str], None]) -> Callable[[str, str], Awaitable[None]]:
    """Return what tells the owner a line about something: in their chat, or with `say` where they have none."""

    async def tell(text: str, about: str) -> None:
        if owner:
            await owner.tell(text, about=about)
        else:
            say(text)

    return tell


def _upkeep(
    basics: Basics, chats: OwnerChats, adapters: Adapters, memories: Memories, runtimes: Mapping[str, AgentRuntime]
) -> Iterator[Background]:
    """Yield the background tasks: urgent news for the owner, one watch over all folders, embedding, removing files."""
    config, agents = basics.config, basics.agents
    yield partial(chats.run, adapters)
    yield partial(prepare_phrases, pause)
    for first in filter(None, (runtime.first for runtime in runtimes.values())):
        yield first.warm_up
    files, shared = basics.home.files, SharedFiles.at(config.store.objects)
    yield FileSweeper(files, config.files, basics.coordinator, clock=basics.clock, pause=pause, shared=shared).run
    watched = [
        Watched(name, agent.memory, memories.folders(name), config.memory_of(name).watch)
        for name, agent in agents.items()
    ]
    yield Watcher(watched, pause=pause).run
    yield partial(memories.watch_embedders, pause)
    for agent in agents.values():
        yield agent.memory.keep_embedding
        if agent.session_memory:
            yield agent.session_memory.memory.keep_embedding
