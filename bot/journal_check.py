"""Keeps in the state file how each agent's journal ends, so that an end that was changed or cut off is noticed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import structlog

from adapters.port import AdapterState
from bot.errors import BotError
from bot.storage.port import Grant
from bot.turn import Agent
from bot.waiting import Pause
from memory import Error

NOTED_EVERY_S = 20.0
"""An end that is older than the journal is in it all the same, so it need not be noted with every write."""

HEAD = "head"
"""The mark's name."""

ADVICE = (
    "If you have put an older backup of the workspace in its place, that is why, and nothing is to be done. If you "
    "have not, compare `.memory/journal` and the notes with a backup or with git."
)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def account(agent: str) -> str:
    """Under which an agent's mark is kept."""
    return f"journal.{agent}"


class JournalCheck:
    """Notes the ends while the service runs, and says at its start which of them are not as they were left.

    All other records are chained to the next, which `scrubjay doctor` follows. (`bot.service.Companion`)

    Args:
        agents: by name, with their memories.
        marks: where the ends are kept.
        pause: waits between two looks.
        say: told in one line what is not as it was left.
    """

    def __init__(
        self, agents: Mapping[str, Agent], marks: AdapterState, *, pause: Pause, say: Callable[[str], None]
    ) -> None:
        self._agents = agents
        self._marks = marks
        self._pause = pause
        self._say = say
        self._noted: dict[str, str] = {}

    async def run(self, grant: Grant) -> None:
        """Look at one agent's journal as it was left, then note its end again and again."""
        await self._tried(self._check, grant.agent)
        while True:
            await self._pause(NOTED_EVERY_S)
            await self._tried(self._note, grant.agent)

    async def finish(self, grant: Grant) -> None:
        """Note the last end."""
        await self._tried(self._note, grant.agent)

    async def _tried(self, look: Callable[[str], Awaitable[None]], agent: str) -> None:
        """What cannot be read or kept now is with the next look."""
        try:
            await look(agent)
        except (BotError, Error) as error:
            log.warning("journal.end_not_noted", agent=agent, reason=str(error))

    async def _check(self, agent: str) -> None:
        left = (await self._marks.load(account(agent))).get(HEAD, "")
        if not await self._agents[agent].memory.holds(left):
            log.error("journal.end_changed", agent=agent, record=left.partition(":")[0], hint=ADVICE)
            self._say(f"The journal of {agent} does not end as it was left: records were changed or cut off. {ADVICE}")
        await self._note(agent)

    async def _note(self, agent: str) -> None:
        head = await self._agents[agent].memory.head()
        if head != self._noted.get(agent):
            await self._marks.save(account(agent), HEAD, head)
            self._noted[agent] = head
