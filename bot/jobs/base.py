"""What a job is, when it comes, and how it is carried out and written down."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from adapters.port import Address, ChatKind
from bot.config.model import Config
from bot.config.options.jobs import JobOptions
from bot.errors import BotError, Missing
from bot.llm.types import Payer
from bot.paths import Home
from bot.sessions.redaction import DerivedSessions
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SCHEDULE, Principal, SessionKey
from bot.storage.port import CatchUp, Envelope, Job
from bot.storage.tables.jobs import RUNS, next_instant
from bot.supervision import Done, outcome
from bot.texts.catalogue import tr
from bot.texts.formatting import did_you_mean, split_command
from bot.turn import Agent, Reply, Turn, job_event
from memory import Clock, Error
from memory.ports import Writer

MAX_RUNS = 50
"""Runs of a job for an agent that are kept."""

ACCOUNT = Address(SCHEDULE, "upkeep", "", ChatKind.PRIVATE)
"""Where jobs happen that are in no chat; `chat` is the job's name."""

ASKED = "asked"
"""The account of those that somebody has asked for."""

_PRINCIPAL = Principal(ACCOUNT.platform, "", is_owner=True)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Basics:
    """What all parts of a service are made with."""

    home: Home
    config: Config
    clock: Clock
    coordinator: Coordinator
    agents: Mapping[str, Agent]

    @property
    def zone(self) -> ZoneInfo:
        """The owner's time zone."""
        return self.config.owner.zone


@dataclass(frozen=True, slots=True)
class JobContext(Basics):
    """The service, as far as jobs see it.

    Attributes:
        tell: tells the owner a line, and what it is about, once.
        writer: returns the model that writes for an agent on somebody's account; None where there is none.
    """

    derived: Sequence[DerivedSessions]
    tell: Callable[[str, str], Awaitable[None]]
    writer: Callable[[str, Payer], Writer | None]


@dataclass(frozen=True, slots=True)
class JobRun:
    """One time that a job is carried out for one agent.

    Attributes:
        id: the same when the run is repeated after a crash, so that what it writes is recognised (`op_id`).
        is_dry: it says what it would do, and writes nothing.
    """

    job: str
    agent: Agent
    id: str
    is_dry: bool
    context: JobContext

    @property
    def actor(self) -> str:
        """Who writes, for the journal."""
        return f"agent:{self.agent.name}"

    @property
    def way_there(self) -> str:
        """How the agent is asked from a chat in which another one may answer; empty where it is the only one."""
        way = tr("`/agent {agent}` first, where another agent answers.", agent=self.agent.name)
        return way if len(self.context.agents) > 1 else ""

    @property
    def writer(self) -> Writer | None:
        """The agent's model, on the owner's account; None without one."""
        session = SessionKey(self.agent.name, replace(ACCOUNT, chat=self.job))
        return self.context.writer(self.agent.name, Payer(self.id, session, _PRINCIPAL))


@dataclass(frozen=True, slots=True)
class RecurringJob:
    """A kind of job.

    Attributes:
        name: one word; `config.jobs` has options of that name.
        summary: what it does, in one line.
        at: the cron expression that holds if `config.jobs` has none; where other options decide, what returns it for an
            agent, empty if it does not come.
        run: carries it out and returns what there is to say of it, a line each; raises `BotError`, `Error`, `OSError`.
    """

    name: str
    summary: str
    at: str | Callable[[Config, str], str]
    run: Callable[[JobRun], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class JobLogEntry:
    """A run that is over.

    Attributes:
        begun, ended: ISO instants.
        outcome: `done` or `failed`.
    """

    id: str
    begun: str
    ended: str
    outcome: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job stands for an agent: its next instant, if it comes, the expression and zone of that, the last run."""

    job: RecurringJob
    agent: str
    due: datetime | None
    repeats: str
    zone: str
    last: JobLogEntry | None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "name": self.job.name,
            "agent": self.agent,
            "about": self.job.summary,
            "due": self.due.isoformat() if self.due else None,
            "at": self.repeats,
            "zone": self.zone,
            "last": asdict(self.last) if self.last else None,
        }


class JobRunner:
    """Carries jobs out, one run after the other, and keeps a log of them."""

    def __init__(self, known: Mapping[str, RecurringJob], context: JobContext) -> None:
        self.known = known
        self.context = context

    def standing(self, agent: str) -> Sequence[Job]:
        """Return what is to be on an agent's schedule, as it is configured."""
        return [job for name in self.known if (job := self._scheduled(name, agent))]

    async def __call__(self, turn: Turn) -> Reply:
        """Carry out the job whose command a turn is; it answers nobody."""
        name, _ = split_command(turn.text) or ("", "")
        is_asked_for = turn.session.address.bot == ASKED
        # it may have been switched off since it was scheduled
        if is_asked_for or self._scheduled(name, turn.agent.name):
            await self.run(name, turn.agent.name, id=turn.id)
        return Reply("", is_silent=True, by_command=True)

    async def run(self, name: str, agent: str, *, id: str, is_dry: bool = False) -> JobLogEntry:
        """Carry a job out for an agent and write that down, unless it is only to say what it would do.

        A run that fails is told to the owner. Raises `Missing` if there is no such job.
        """
        self._check(name)
        begun = self.context.clock.now()
        log.debug("job.started", job=name, agent=agent)
        run = JobRun(name, self.context.agents[agent], id, is_dry, self.context)
        ended = await outcome(self.known[name].run(run), f"job {name}", foreseen=())
        if isinstance(ended, Done):
            result, lines = "done", tuple(ended.result)
        else:
            reason = str(ended) if isinstance(ended, BotError | Error | OSError) else type(ended).__name__
            result, lines = "failed", (reason,)
        now = self.context.clock.now()
        entry = JobLogEntry(id, begun.isoformat(timespec="seconds"), now.isoformat(timespec="seconds"), result, lines)
        if is_dry:
            return entry
        earlier = [logged for logged in await self.log(name, agent) if logged.id != id]
        runs = [asdict(logged) for logged in [*earlier, entry][-MAX_RUNS:]]
        await self.context.coordinator.marks.save(RUNS, f"{agent} {name}", json.dumps(runs, ensure_ascii=False))
        log.info("job.ended", job=name, agent=agent, outcome=result, lines=len(lines))
        if result == "failed":
            failed = tr("My job {name} for {agent} failed: {reason}", name=name, agent=agent, reason=lines[0])
            text = f"{failed}\n\n{tr('It comes again. `/jobs log {name}` tells more.', name=name)}"
            await self.context.tell(text, f"job:{name}:{agent}:{begun.date().isoformat()}")
        return entry

    async def request(self, name: str, agent: str) -> None:
        """Have the service carry a job out as soon as it can; raises as `run` does."""
        self._check(name)
        now = self.context.clock.now()
        event = job_event(replace(ACCOUNT, bot=ASKED, chat=name), name, at=now, update=now.isoformat())
        await self.context.coordinator.publish(Envelope(agent, _PRINCIPAL, event))

    def _check(self, name: str) -> None:
        if name not in self.known:
            hint = did_you_mean(name, self.known) or tr("There are: {names}.", names=", ".join(self.known))
            raise Missing(tr('There is no job "{name}".', name=name), hint=hint)

    async def log(self, name: str, agent: str) -> list[JobLogEntry]:
        """Return the last runs of a job for an agent, oldest first; raises as `run` does."""
        self._check(name)
        runs = json.loads((await self.context.coordinator.marks.load(RUNS)).get(f"{agent} {name}", "[]"))
        return [JobLogEntry(**{**fields, "lines": tuple(fields["lines"])}) for fields in runs]

    async def states(self, agent: str) -> list[JobState]:
        """Return how all jobs stand for an agent."""
        scheduled = {job.name: job for job in await self.context.coordinator.jobs(agent)}
        states = []
        for name, job in self.known.items():
            planned, runs = self._scheduled(name, agent), await self.log(name, agent)
            due = scheduled.get(name, planned).due if planned else None
            repeats, zone = (planned.repeats, planned.zone) if planned else ("", "")
            states.append(JobState(job, agent, due, repeats, zone, runs[-1] if runs else None))
        return states

    def _scheduled(self, name: str, agent: str) -> Job | None:
        """Return a job as it is to be on the schedule; None if it does not come by itself."""
        job, context = self.known.get(name), self.context
        options = getattr(context.config.jobs, name, JobOptions())
        if job is None or not options.enabled:
            return None
        repeats = options.at or (job.at if isinstance(job.at, str) else job.at(context.config, agent))
        if not repeats:
            return None
        zone = (ZoneInfo(options.zone) if options.zone else context.zone).key
        due = next_instant(repeats, zone, after=context.clock.now())
        event = job_event(replace(ACCOUNT, chat=name), name, at=due)
        return Job(name, due, Envelope(agent, _PRINCIPAL, event), repeats, zone, CatchUp(options.catch_up))
