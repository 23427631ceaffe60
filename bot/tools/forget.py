"""`forget`: take facts away."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.texts.catalogue import mark, tr
from bot.tools.base import Result, ToolError, Work, as_json, tool
from memory.errors import NotFound


async def forget(work: Work, ids: Annotated[list[str], Field(min_length=1, max_length=20)]) -> Result:
    """Take facts out of memory, only when you are asked to. They can be brought back for a day.

    Args:
        ids: the ids of the facts as memory_search gives them. Search first, and name in your answer what goes.
    """
    turn = work.turn
    try:
        gone = await turn.agent.memory.forget_facts(
            ids, op_id=work.op_id, scope=turn.scope, actor=work.actor, reach=turn.reach
        )
    except NotFound as error:
        raise ToolError("There is nothing with one of these ids. Nothing was forgotten.") from error
    places = ", ".join(f"`{line.path}:{line.number}`" for line in gone)
    told = tr(
        "Forgotten: {places}. `/undo` brings it back until this time tomorrow; messages that repeat it are masked.",
        places=places,
    )
    return Result(as_json({"forgotten": [f"{line.path}:{line.number}" for line in gone]}), told=(told,))


TOOL = tool(forget, doing=mark("forgetting something"), changes=True, not_done=mark("Nothing was forgotten."))
