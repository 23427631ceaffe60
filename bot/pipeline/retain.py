"""Retain at night: the days since the last time, at most a week of them, get the facts that nobody noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import structlog

from adapters.port import AdapterState
from bot.agent.retain import retain
from bot.config.memory import RetainOptions
from bot.errors import StateError
from bot.pipeline.scheduler import recurring_job
from bot.sessions.archive import told_on
from bot.sessions.transcript import TranscriptStore
from bot.storage.port import Job
from bot.turn import Reply, Turn
from memory import Clock, Error
from memory.ports import Writer

RETAIN = "retain"
"""The job and its command, and the name of the mark that says up to which day an agent's days are done."""

MAX_DAYS = 7

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class NightlyRetain:
    """Carries the job out, agent by agent.

    Args:
        transcripts: what was said.
        marks: up to which day it is done.
        options: of an agent: whether, and when.
        writer: makes facts for a turn; None where there is no model.
        clock: source of time.
        zone: the owner's.
    """

    def __init__(
        self,
        transcripts: TranscriptStore,
        marks: AdapterState,
        options: Callable[[str], RetainOptions],
        writer: Callable[[Turn], Writer | None],
        *,
        clock: Clock,
        zone: ZoneInfo,
    ) -> None:
        self._transcripts = transcripts
        self._marks = marks
        self._options = options
        self._writer = writer
        self._clock = clock
        self._zone = zone

    def jobs(self, agent: str) -> Sequence[Job]:
        """Return the job of an agent, which comes every night; none if it is switched off."""
        options = self._options(agent)
        if not options.enabled:
            return ()
        return (recurring_job(RETAIN, agent, f"0 {options.at} * * *", clock=self._clock, zone=self._zone),)

    async def __call__(self, turn: Turn) -> Reply:
        """Do each day that is over and not done; what cannot be written now is tried again in the next night."""
        agent = turn.agent.name
        try:
            for day in await self._days(agent) if self._options(agent).enabled else ():
                told = await told_on(self._transcripts, agent, day, self._zone)
                memory, actor = turn.agent.memory, turn.delegate
                found = await retain(memory, told, day, writer=self._writer(turn), actor=actor)
                await self._marks.save(RETAIN, agent, day.isoformat())
                if found:
                    log.info("retain.done", agent=agent, day=day.isoformat(), facts=len(found))
        except (StateError, Error) as error:
            log.warning("retain.failed", agent=agent, reason=str(error))
        return Reply("", is_silent=True, by_command=True)

    async def _days(self, agent: str) -> Sequence[date]:
        """Return the days to be done, oldest first."""
        today = self._clock.now().astimezone(self._zone).date()
        done = (await self._marks.load(RETAIN)).get(agent, "")
        days = [today - timedelta(days=back) for back in range(MAX_DAYS, 0, -1)]
        return [day for day in days if day.isoformat() > done]
