"""What recall is given beside the message: what an answer might say, and a fact by chance where a session begins."""

from __future__ import annotations

import asyncio

import structlog

from bot.access.permissions import OWN
from bot.agent.context.history import History
from bot.config.options.memory import MemoryOptions
from bot.turn import Turn
from memory import Hit, Recall
from memory.errors import Error
from memory.life.wander import wander
from memory.ports import Writer

HYPOTHESIS_WAITS_S = 3.0
"""How long recall waits for what an answer might say: it is a help, and not worth more."""
MAX_HYPOTHESIS_CHARS = 400
HYPOTHESIS = (
    "Somebody asks their own notes the question between the marks. Write the one sentence that such a note might hold "
    "which answers it, in the language of the question. Make up what you do not know. Write the sentence and nothing "
    "else."
)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


async def one_by_chance(turn: Turn, found: Recall, history: History, options: MemoryOptions) -> Hit | None:
    """Return a fact that a session of the owner's begins with: one that nobody else has written, and not yet found.

    None if the session has begun, or that is not wanted.
    """
    if options.wander == "off" or not options.auto_recall.enabled or not turn.is_owners or history.snapshot:
        return None
    known = frozenset(hit.id for hit in found.hits)
    hits = await turn.agent.memory.run(wander, scope=turn.scope, seed=turn.id)
    return next((hit for hit in hits if hit.origin in OWN and hit.id not in known), None)


async def hypothesize(writer: Writer, question: str) -> str:
    """Return what a note might say that answers a question; empty if the model does not say so in time."""
    try:
        async with asyncio.timeout(HYPOTHESIS_WAITS_S):
            said = await writer.write(HYPOTHESIS, question)
    except (Error, TimeoutError) as error:
        log.info("recall.hypothesis_failed", error=str(error) or "It took too long.")
        return ""
    return said.strip()[:MAX_HYPOTHESIS_CHARS]
