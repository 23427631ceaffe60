"""`wander`: a walk over what is remembered, by chance."""

from __future__ import annotations

from bot.texts.catalogue import mark
from bot.texts.receipts import carried
from bot.tools.base import Result, Work, as_json, tool
from memory.life.wander import wander as walk


async def wander(work: Work) -> Result:
    """Walk over memory by chance: a few facts, each linked to the one before where it can be.

    Use it when nothing in particular is asked for, to bring up what has not been thought of for long.
    """
    turn = work.turn
    hits = await turn.agent.memory.run(walk, scope=turn.scope, seed=work.op_id)
    results = [
        {
            "content": hit.content,
            "citation": str(hit.source),
            "id": hit.id,
            "time": hit.time,
            **{name: value for name, value in carried(hit).items() if value},
        }
        for hit in hits
    ]
    return Result(as_json({"results": results}), origins=frozenset(hit.origin for hit in hits))


TOOL = tool(wander, doing=mark("wandering over memory"))
