"""Fires reminders, and keeps the schedule as the facts say, whoever has written them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from zoneinfo import ZoneInfo

import structlog

from adapters.port import Address, Button, ChatKind
from bot.access.permissions import origin_and_scope
from bot.errors import BotError
from bot.reminders import REMINDER, SNOOZE, SNOOZED, Quiet, first_due, next_due, quiet_end, reminder_job
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SCHEDULE, Principal
from bot.storage.port import Grant, Job
from bot.texts.catalogue import current_language, in_language, tr, trn
from bot.turn import Agent, Reply, Turn
from bot.waiting import pause
from memory import OWNER, Clock, Error, Origin
from memory.capture.wishes.reminders import called
from memory.life.intentions import Intention, find_intention, intentions, may_return

CHECK_S = 60.0
"""Seconds between two comparisons of facts and schedule."""

LONG_PAST = timedelta(days=1)
"""What was due before that and never on the schedule is told of, all together and once, and not fired."""

MAX_TOLD = 5

NOTHING = Reply("", is_silent=True, by_command=True)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class Reminders:
    """Carries out the jobs of reminders, and compares them with the facts at the start and every minute.

    Attributes:
        coordinator: its marks keep which ones have fired.
        zone: the owner's.
        home: the owner's chat, for what was not asked for in one; None while none is known.
        serves: whether messages to a chat are delivered by this process.
        may_read: whether what somebody asked for, or the schedule, may still be said in a private chat.
        tell: tells the owner a line, and what it is about.
        quiet: when what repeats waits; None for never.
    """

    agents: Mapping[str, Agent]
    coordinator: Coordinator
    _: KW_ONLY
    clock: Clock
    zone: ZoneInfo
    home: Callable[[], Address | None]
    serves: Callable[[Address], bool]
    may_read: Callable[[str, Address], bool]
    language: Callable[[], str] = current_language
    tell: Callable[[str, str], Awaitable[None]]
    quiet: Quiet | None = None

    async def __call__(self, turn: Turn) -> Reply:
        """Fire one reminder, if its fact still stands and is due at the same time."""
        by, to = turn.principal, turn.session.address
        if self.serves(to) and not self._reaches(to, by):
            return NOTHING
        _, name, instants = turn.text.split(maxsplit=2)
        intention = await turn.agent.memory.run(find_intention, name, turn.scope)
        if intention is None or intention.instants != instants:
            if intention is None and not await turn.agent.memory.run(may_return, name):
                await turn.effects.reschedule(without=[f"{REMINDER} {name}"])
            return NOTHING
        ends = quiet_end(self.clock.now().astimezone(self.zone), self.quiet) if intention.every else None
        if ends and first_due(intention.due, intention.every, self.zone, after=ends - timedelta.resolution) == ends:
            return NOTHING  # it comes then anyway
        if ends:
            job = reminder_job(intention, ends, agent=turn.agent.name, by=by, to=to, zone=self.zone)
            await turn.effects.reschedule(replace(job, name=job.name + SNOOZED, repeats=""))
            return NOTHING
        if not intention.every:
            await self.coordinator.marks.save(account(turn.agent.name), name, instants, lasting=True)
        snooze = f"{SNOOZE} {name}"
        buttons = (
            Button(tr("10 minutes"), f"{snooze} 10m"),
            Button(tr("1 hour"), f"{snooze} 1h"),
            Button(tr("Tomorrow"), f"{snooze} tomorrow"),
            Button(tr("Done"), f"/reminders done {name}"),
        )
        rings = Reply(tr("⏰ {what}", what=intention.text), buttons, by_command=True, is_awaited=True)
        return replace(rings, origins=frozenset({intention.origin}), calls=called(intention.text))

    async def run(self, grant: Grant) -> None:
        """Compare facts and schedule again and again, until cancelled."""
        while True:
            try:
                await self.reconcile(grant)
            except (BotError, Error) as error:
                log.warning("reminders.not_compared", agent=grant.agent, reason=str(error))
            await pause(CHECK_S)

    async def finish(self, grant: Grant) -> None:
        """Do nothing: what is due later stays on the schedule."""

    async def reconcile(self, grant: Grant) -> None:
        """Schedule what facts say and is not on the schedule, and correct what stands there otherwise."""
        agent, now = self.agents[grant.agent], self.clock.now()
        jobs = {job.name: job for job in await self.coordinator.jobs(grant.agent)}
        waiting, _ = await self.coordinator.unfinished()  # in this order, nothing that goes on is seen nowhere
        fired = await self.coordinator.marks.load(account(grant.agent))
        overdue: list[Intention] = []
        known = await agent.memory.run(intentions, OWNER)
        for intention in (*known, *await self._in_former_zones(agent, jobs.values())):
            job, instants = jobs.get(f"{REMINDER} {intention.id}"), intention.instants
            has_fired = job is None and fired.get(intention.id) == instants
            is_others = job is None and intention.origin is Origin.GUEST  # who is reminded where they ordered it alone
            if not instants or has_fired or is_others or self._is_kept(job, intention):
                continue
            if job is None and any(f":job:{grant.agent}:{REMINDER} {intention.id}@" in turn for turn in waiting):
                continue
            at = next_due(intention, self.zone, after=now)
            if at is None:
                continue
            is_late = job is None and at <= now
            # a late one's own instant may have been fired for nothing, while the fact was away; now it is fired once
            instant = at + is_late * timedelta.resolution
            if is_late and at < now - LONG_PAST:
                overdue.append(intention)
            elif renewed := self._make_job(grant.agent, intention, instant, job):
                await self.coordinator.schedule(grant, renewed)
                if is_late:
                    await self.coordinator.marks.save(account(grant.agent), intention.id, instants, lasting=True)
        if overdue:
            with in_language(self.language()):
                text = describe_overdue(overdue)
            named = "\n".join(f"{one.id} {one.instants}" for one in overdue)
            await self.tell(text, f"{REMINDER}:{grant.agent}:{sha256(named.encode()).hexdigest()[:16]}")
            for intention in overdue:
                await self.coordinator.marks.save(account(grant.agent), intention.id, intention.instants)

    async def _in_former_zones(self, agent: Agent, jobs: Iterable[Job]) -> list[Intention]:
        """Return what groups and guests are reminded of in a zone that the owner has left."""
        found = []
        for job in [job for job in jobs if job.name.startswith(f"{REMINDER} ") and job.zone != self.zone.key]:
            to = job.envelope.inbound.address
            _, scope = origin_and_scope(job.envelope.principal, to)
            if scope != OWNER and self._reaches(to, job.envelope.principal):
                found.append(await agent.memory.run(find_intention, job.name.removeprefix(f"{REMINDER} "), scope))
        return [intention for intention in found if intention]

    def _is_kept(self, job: Job | None, intention: Intention) -> bool:
        """Return whether a job is as the fact says, and somebody is there to get its message."""
        if job is None or job.zone != self.zone.key:  # the owner has moved
            return False
        if not job.envelope.inbound.text.endswith(f" {intention.id} {intention.instants}"):
            return False
        return self._reaches(job.envelope.inbound.address, job.envelope.principal) or self.home() is None

    def _make_job(self, agent: str, intention: Intention, at: datetime, job: Job | None) -> Job | None:
        """Return the job of an intention, in the chat of the one before it if there is one; None without any chat."""
        to, by = self.home(), Principal(SCHEDULE, "", is_owner=True)
        if job and (to is None or self._reaches(job.envelope.inbound.address, job.envelope.principal)):
            to, by = job.envelope.inbound.address, job.envelope.principal
        return reminder_job(intention, at, agent=agent, by=by, to=to, zone=self.zone) if to else None

    def _reaches(self, to: Address, by: Principal) -> bool:
        """Return whether this process delivers messages to a chat, and who asked for them may still read them there."""
        return self.serves(to) and (to.kind is not ChatKind.PRIVATE or self.may_read(by.id, to))


def account(agent: str) -> str:
    """Return the account under which it is kept which reminders of an agent have fired."""
    return f"reminders.{agent}"


def describe_overdue(overdue: list[Intention]) -> str:
    """Return what the owner is told of reminders that were long past when they were found."""
    lines = [f"- {one.due}: {one.text} (`{one.source}`)" for one in overdue[:MAX_TOLD]]
    more = len(overdue) - len(lines)
    head = trn(
        "I found {count:,} reminder in the notes whose time is long past. I do not fire them:",
        "I found {count:,} reminders in the notes whose time is long past. I do not fire them:",
        len(overdue),
    )
    return "\n".join([head, *lines, *([tr("… and {count} more", count=more)] if more else [])])
