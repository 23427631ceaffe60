"""Keeps in the state file how each agent's journal ends, so that an end that was changed or cut off is noticed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field

import structlog

from adapters.port import AdapterState
from bot.errors import BotError
from bot.storage.port import Grant
from bot.texts.catalogue import current_language, in_language, mark, tr
from bot.waiting import Pause
from memory import Error, Memory

NOTED_EVERY_S = 20.0
"""An end that is older than the journal is in it all the same, so it need not be noted with every write."""

HEAD = "head"
"""The name under which an end is kept."""

ADVICE = mark(
    "If you have put an older backup of the workspace in its place, that is why, and nothing is to be done. "
    "If you have not, compare `.memory/journal` and the notes with a backup or with git."
)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def account(agent: str) -> str:
    """Return the account under which the end of an agent's journal is kept in the state file."""
    return f"journal.{agent}"


@dataclass
class JournalCheck:
    """Notes how the journals end while the service runs, and tells which are not as they were left, before it or since.

    So an end that was changed or cut off is noticed; all other records are chained to the next, which `scrubjay doctor`
    follows. (`bot.service.service.Companion`)

    Attributes:
        marks: where the ends are kept.
        tell: told in one line what is not as it was left, and what the line is about.
    """

    memory_of: Callable[[str], Memory]
    marks: AdapterState
    _: KW_ONLY
    pause: Pause
    tell: Callable[[str, str], Awaitable[None]]
    language: Callable[[], str] = field(default=current_language)
    _noted: dict[str, str] = field(default_factory=dict, init=False)

    async def run(self, grant: Grant) -> None:
        """Look at one agent's journal as it was left, and note its end, again and again."""
        while True:
            await self._look(grant.agent)
            await self.pause(NOTED_EVERY_S)

    async def finish(self, grant: Grant) -> None:
        """Note the last end."""
        if grant.agent in self._noted:
            await self._look(grant.agent)

    async def _look(self, agent: str) -> None:
        """Check the end that was noted last, and note that of now. What fails is with the next look."""
        try:
            memory = self.memory_of(agent)
            left = self._noted.get(agent) or (await self.marks.load(account(agent))).get(HEAD, "")
            if not await memory.holds(left):
                log.error("journal.end_changed", agent=agent, record=left.partition(":")[0], hint=ADVICE)
                with in_language(self.language()):
                    changed = tr(
                        "The journal of {agent} does not end as it was left: records were changed or cut off.",
                        agent=agent,
                    )
                    text = f"{changed} {tr(ADVICE)}"
                await self.tell(text, f"{account(agent)}:{left}")
            head = await memory.head()
            if head != self._noted.get(agent):
                await self.marks.save(account(agent), HEAD, head)
                self._noted[agent] = head
        except (BotError, Error) as error:
            log.warning("journal.end_not_noted", agent=agent, reason=str(error))
