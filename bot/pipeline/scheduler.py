"""The scheduler: fires an agent's jobs when they are due; the jobs that end conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import structlog

from adapters.port import ChatKind, Happening, Inbound
from bot.agent.auto_capture import CAPTURE
from bot.config.options.sessions import SessionOptions
from bot.jobs.base import ACCOUNT
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SCHEDULE, Principal
from bot.storage.port import CatchUp, Envelope, Firing, Grant, Job
from bot.storage.tables.jobs import next_instant
from bot.texts.formatting import split_command
from bot.turn import job_event
from bot.waiting import Pause
from memory import Clock

CHECK_S = 5.0
"""Seconds between two looks at the clock: it may be set, and a machine may sleep."""

ON_TIME = timedelta(minutes=2)
"""What begins no later than this after its instant is on time."""

RESET = "reset "
"""With what the names of jobs begin that end conversations."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class Scheduler:
    """Fires the jobs of the agents that this process holds.

    Attributes:
        resets: makes the job that ends the conversation of a message by itself; None if it goes on.
        standing: what there is to do for every agent again and again; one that is there stays as it is.
    """

    coordinator: Coordinator
    _: KW_ONLY
    clock: Clock
    pause: Pause
    resets: Callable[[Envelope], Job | None] | None = None
    standing: Callable[[str], Sequence[Job]] = field(default=lambda _: ())

    async def run(self, grant: Grant) -> None:
        """Fire what is due, again and again, until cancelled."""
        await self.drop_obsolete(grant)
        await self.install(grant)
        latest = datetime.max.replace(tzinfo=UTC)
        while True:
            latest, before = self.clock.now(), latest
            if latest < before:
                await self.bring_forward(grant)
            await self.fire(grant)
            await self.pause(CHECK_S)

    async def fire(self, grant: Grant) -> None:
        now = self.clock.now()
        for job in await self.coordinator.fire_due(grant, now, partial(plan, now=now)):
            log.info("job.fired", agent=grant.agent, job=job.name, late_s=round((now - job.due).total_seconds()))

    async def bring_forward(self, grant: Grant) -> None:
        """Undo what a clock that was ahead has put off: what repeats is due at its next instant from now.

        One that was fired meanwhile is known by its instant, and is not fired again.
        """
        now = self.clock.now()
        for job in await self.coordinator.jobs(grant.agent):
            with suppress(ValueError):  # no expression: `fire` sets it aside
                if job.repeats and (due := next_instant(job.repeats, job.zone, after=now)) < job.due:
                    await self.coordinator.schedule(grant, replace(job, due=due))

    async def drop_obsolete(self, grant: Grant) -> None:
        """Drop the jobs that end conversations which, as it is configured now, go on."""
        for job in await self.coordinator.jobs(grant.agent):
            if self.resets and job.name.startswith(RESET) and self.resets(job.envelope) is None:
                await self.coordinator.cancel(grant, job.name)

    async def install(self, grant: Grant) -> None:
        """Schedule what there is to do again and again, unless it is."""
        known = {job.name: (job.repeats, job.zone) for job in await self.coordinator.jobs(grant.agent)}
        for job in self.standing(grant.agent):
            if known.get(job.name) != (job.repeats, job.zone):
                await self.coordinator.schedule(grant, job)

    async def finish(self, grant: Grant) -> None:
        """Do nothing: what was fired waits in the inbox, and what is due later stays."""


def is_background(inbound: Inbound) -> bool:
    """Return whether a message is that of a job which answers nobody: no message waits for it.

    One that says nothing leaves no record.
    """
    if inbound.happening is not Happening.JOB:
        return False
    command = split_command(inbound.text)
    return inbound.address.platform == ACCOUNT.platform or (command is not None and command[0] == CAPTURE)


def plan(job: Job, *, now: datetime) -> Firing:
    """Decide about a job that is due: of several missed instants one is made up for, or only one that is not late.

    Raises:
        ValueError: its expression is none.
    """
    again = next_instant(job.repeats, job.zone, after=now) if job.repeats else None
    if now - job.due <= ON_TIME or job.catch_up is CatchUp.LATE:
        return Firing(job.due, again)
    newest = next_instant(job.repeats, job.zone, after=now - ON_TIME - timedelta.resolution) if job.repeats else None
    return Firing(newest if newest and newest <= now else None, again)


def reset_job(envelope: Envelope, options: SessionOptions, *, clock: Clock, zone: ZoneInfo) -> Job | None:
    """Return the job that ends a message's conversation, if nothing more is said; None if it goes on for ever."""
    to, now = envelope.inbound.address, clock.now()
    kind = "private" if to.kind is ChatKind.PRIVATE else "group"
    reset, instants = options.reset_of(to.platform, "thread" if to.thread else kind), list[datetime]()
    if reset.idle_minutes:
        instants.append(now + timedelta(minutes=reset.idle_minutes))
    if reset.daily is not None:
        instants.append(next_instant(f"0 {reset.daily} * * *", zone.key, after=now))
    if not instants:
        return None
    return Job(f"{RESET}{envelope.session}", min(instants), ending(envelope, "new", at=now))


def ending(envelope: Envelope, command: str, *, at: datetime, update: str = "") -> Envelope:
    """Return what ends a message's conversation by a command that nobody there has typed."""
    principal = Principal(SCHEDULE, "", is_owner=envelope.principal.is_owner)
    event = job_event(envelope.inbound.address, command, at=at, update=update)
    return Envelope(envelope.agent, principal, event)
