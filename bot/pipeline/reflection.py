"""Reflection at night: each agent's pages and opinions follow what was said, and its owner is told of new proposals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from zoneinfo import ZoneInfo

import structlog

from bot.config.memory import ReflectOptions
from bot.formatting import plural
from bot.pipeline.scheduler import recurring_job
from bot.storage.port import Job
from bot.turn import Reply, Turn
from memory import Clock, Error
from memory.knowledge.reflect import reflect
from memory.knowledge.summaries import put, summarise
from memory.ports import Writer

REFLECT = "reflect"
"""The job and its command."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class NightlyReflection:
    """Carries the job out, agent by agent.

    Args:
        options: of an agent: whether, and when.
        clock: source of time.
        zone: the owner's.
        tell: tells the owner a line, and what it is about.
        writer: returns the model that sums pages up on a turn's account; None where there is none.
    """

    def __init__(
        self,
        options: Callable[[str], ReflectOptions],
        *,
        clock: Clock,
        zone: ZoneInfo,
        tell: Callable[[str, str], Awaitable[None]],
        writer: Callable[[Turn], Writer | None] = lambda _: None,
    ) -> None:
        self._options = options
        self._writer = writer
        self._clock = clock
        self._zone = zone
        self._tell = tell

    def jobs(self, agent: str) -> Sequence[Job]:
        """Return the job of an agent, which comes every night; none if it is switched off."""
        options = self._options(agent)
        if not options.enabled:
            return ()
        return (recurring_job(REFLECT, agent, f"0 {options.at} * * *", clock=self._clock, zone=self._zone),)

    async def __call__(self, turn: Turn) -> Reply:
        """Reflect once; what cannot be written now is tried again in the next night."""
        agent, nothing = turn.agent.name, Reply("", is_silent=True, by_command=True)
        if not self._options(agent).enabled:  # switched off since the job was made
            return nothing
        try:
            memory, writer = turn.agent.memory, self._writer(turn)
            found = await memory.run(reflect, op_id=turn.id, actor=turn.delegate)
            today = self._clock.now().astimezone(self._zone).date()
            for one in await summarise(found, writer, today) if writer else ():
                await memory.run(put, one, op_id=f"{turn.id}:summary", actor=turn.delegate)
        except Error as error:
            log.warning("reflect.failed", agent=agent, reason=str(error))
        else:
            moves, conflicts = len(found.moves), len(found.contradictions)
            log.info("reflect.done", agent=agent, pages=len(found.pages), moves=moves, conflicts=conflicts)
            for path, reason in found.left.items():
                log.warning("reflect.left", agent=agent, path=path, reason=reason)
            if found.proposals:
                what = plural(len(found.proposals), "change")
                text = f"{agent} proposes {what} to USER.md or MEMORY.md. `/review` shows them."
                await self._tell(text, f"{REFLECT}:{agent}:{turn.id}")
        return nothing
