"""What the model is told when a private session of the owner begins: surprises, each once, and a fact by chance."""

from __future__ import annotations

import structlog

from adapters.port import AdapterState
from bot.access.permissions import OWN
from bot.agent.context.history import History
from bot.agent.context.untrusted import boundary, fence
from bot.config.options.memory import MemoryOptions
from bot.texts.receipts import unexpected
from bot.turn import Turn
from memory import Error, Hit, Recall
from memory.life import gate
from memory.life.wander import wander

SURPRISES = "surprises"
"""The account of the marks: by agent, up to which record was told before the last time, up to which then, and by which
turn."""

MAX_NEWS = 5

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class SessionNews:
    """Tells the surprises since the last session that began, each once."""

    def __init__(self, marks: AdapterState) -> None:
        self._marks = marks

    async def tell(self, turn: Turn) -> str:
        """Return the newest surprises, fenced as data; empty for nothing. A turn that is repeated gets them again.

        Others' words are left out: they would taint a conversation in which nobody has asked for them.
        """
        if not turn.is_owners:
            return ""
        before, last, by = (await self._marks.load(SURPRISES)).get(turn.agent.name, "0 0 -").split(" ", 2)
        after = int(before) if by == turn.id else int(last)
        try:
            news = await turn.agent.memory.run(gate.surprises, scope=turn.scope, after=after, limit=MAX_NEWS)
        except Error as error:  # the answer does not depend on it
            log.warning("surprises.not_read", agent=turn.agent.name, reason=str(error))
            return ""
        if not news:
            return ""
        await self._marks.save(SURPRISES, turn.agent.name, f"{after} {max(fact.seq for fact in news)} {turn.id}")
        own = [unexpected(fact) for fact in news if fact.origin in OWN]
        return fence("\n".join(own), label="observed lately, and not to be expected", mark=boundary()) if own else ""


async def one_by_chance(turn: Turn, found: Recall, history: History, options: MemoryOptions) -> Hit | None:
    """Return a fact that a session of the owner's begins with: one that nobody else has written, and not yet found.

    None if the session has begun, or that is not wanted.
    """
    if options.wander == "off" or not options.auto_recall.enabled or not turn.is_owners or history.snapshot:
        return None
    known = frozenset(hit.id for hit in found.hits)
    hits = await turn.agent.memory.run(wander, scope=turn.scope, seed=turn.id)
    return next((hit for hit in hits if hit.origin in OWN and hit.id not in known), None)
