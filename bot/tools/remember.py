"""`remember`: write one fact down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from bot.texts.catalogue import mark
from bot.texts.receipts import noted
from bot.tools.base import ASK_FOR_SECRETS, Result, ToolError, Work, tool
from memory import Fact, Origin
from memory.capture.draft import read_fact
from memory.errors import SecretFound
from memory.files.notation import MAX_FACT_CHARS
from memory.journal.records import Operation
from memory.life.reviews import restate_same


async def remember(work: Work, text: Annotated[str, Field(min_length=1, max_length=MAX_FACT_CHARS)]) -> Result:
    """Write one fact into today's log, so that it is there in every later conversation.

    Args:
        text: one self-contained statement: who, what, when with the date written out; it is kept to the letter, over
            several lines if it has them. One line may be in Retain notation, for example
            `O(c=0.9) @Peter: Prefers short replies. #preference`.
    """
    work.check_secrets(text)
    return await write_fact(work, text)


async def write_fact(work: Work, text: str, shape: Callable[[Fact], Fact] = lambda fact: fact) -> Result:
    """Write down for a model what a text says, as `shape` makes its fact; tell the person where.

    Raises:
        ToolError: it looks like it holds a secret, or is no fact.
    """
    turn = work.turn
    memory, origin = turn.agent.memory, Origin.AGENT if turn.is_owners else turn.origin
    try:
        fact = shape(read_fact(text))
        if not await memory.is_done(work.op_id):
            known = await memory.find_same(text, origin=origin, scope=turn.scope)
            if known:
                counting = Operation(f"{work.op_id}/restated", work.actor, origin, turn.scope)
                await memory.run(restate_same, known.content, counting)
                return Result(
                    f"That is known already: {known.source}, ^{known.id}. It was counted, and not written again."
                )
        done = await memory.remember(fact, origin=origin, scope=turn.scope, op_id=work.op_id, actor=work.actor)
    except SecretFound as found:
        raise ToolError(f"{found.message} {ASK_FOR_SECRETS}") from found
    return Result(f"Written to {done.at} as ^{done.fact.id}.", told=(noted(done),))


NOT_NOTED = mark("Nothing new was noted with this answer.")  # it may be known, or auto-capture may note it afterwards
TOOL = tool(remember, doing=mark("noting something"), changes=True, only_adds=True, not_done=NOT_NOTED)
