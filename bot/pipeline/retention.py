"""Retention: what was said long ago is removed, from the state file and from what is derived from it.

Memory is not touched: what was noted of a conversation stands in Markdown and stays there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

import structlog

from bot.config.sessions import RetentionOptions
from bot.errors import StateError
from bot.pipeline.scheduler import recurring_job
from bot.storage.port import Job, Session
from bot.storage.sqlite import SqliteCoordinator
from bot.turn import Reply, Turn
from memory import Clock, Error

RETENTION = "retention"
"""The job and its command."""

EVERY_NIGHT = "30 3 * * *"

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class DerivedSessions(Protocol):
    """Files that are derived from transcripts."""

    async def remove(self, agent: str, gone: Sequence[Session], *, left: Collection[str]) -> None:
        """Remove those of sessions; of the conversations with the keys `left` there are others. Raises OSError."""
        ...


class Retention:
    """Carries the job out, agent by agent.

    Args:
        coordinator: the state file.
        options: how long what is kept.
        derived: what is derived from transcripts; first gone, so that after a crash nothing is left of it alone.
        clock: source of time.
        zone: the owner's.
    """

    def __init__(
        self,
        coordinator: SqliteCoordinator,
        options: RetentionOptions,
        *,
        derived: Sequence[DerivedSessions],
        clock: Clock,
        zone: ZoneInfo,
    ) -> None:
        self._coordinator = coordinator
        self._options = options
        self._derived = derived
        self._clock = clock
        self._zone = zone

    def jobs(self, agent: str) -> Sequence[Job]:
        """Return the job of an agent, which comes every night."""
        return [recurring_job(RETENTION, agent, EVERY_NIGHT, clock=self._clock, zone=self._zone)]

    async def __call__(self, turn: Turn) -> Reply:
        """Remove what is older than it may be; what cannot be removed now is tried again in the next night."""
        agent, now = turn.agent.name, self._clock.now()
        try:
            sessions = await self._remove_sessions(agent, now)
            delivered, seen = timedelta(days=self._options.delivered_days), timedelta(days=self._options.seen_days)
            rows = await self._coordinator.expire(agent, delivered=now - delivered, seen=now - seen)
        except (StateError, Error, OSError) as error:
            log.warning("retention.failed", agent=agent, reason=str(error))
        else:
            log.info("retention.done", agent=agent, sessions=sessions, rows=rows)
        return Reply("", is_silent=True, by_command=True)

    async def _remove_sessions(self, agent: str, now: datetime) -> int:
        """Remove sessions whose last message is older than they are kept; one that goes on is kept whole."""
        if self._options.transcripts_days is None:
            return 0
        oldest = now - timedelta(days=self._options.transcripts_days)
        sessions = await self._coordinator.sessions(agent)
        gone = [one for one in sessions if one.used < oldest]
        left = {one.key for one in sessions if one.used >= oldest}
        if gone:
            await self._remove_derived(agent, gone, left)
            await self._coordinator.remove_sessions(agent, gone)
            await self._remove_derived(agent, gone, left)  # what was written out meanwhile
        return len(gone)

    async def _remove_derived(self, agent: str, gone: Sequence[Session], left: Collection[str]) -> None:
        for derived in self._derived:
            await derived.remove(agent, gone, left=left)
