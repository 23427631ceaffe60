"""`forget`: take facts away."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.tools.base import Result, ToolError, Work, as_json, tool
from memory.errors import Conflict


async def forget(work: Work, ids: Annotated[list[str], Field(min_length=1, max_length=20)]) -> Result:
    """Take facts out of memory, only when you are asked to. They can be brought back for a day.

    Args:
        ids: the ids of the facts as memory_search gives them. Search first, and name in your answer what goes.
    """
    turn = work.turn
    memory = turn.agent.memory
    wanted = [f"^{name.removeprefix('^')}" for name in ids]
    preview = await memory.preview_forget(" ".join(wanted), scope=turn.scope, actor=work.actor)
    unknown = set(wanted) - {f"^{line.id}" for line in preview.lines}
    if unknown:
        raise ToolError(f"There is nothing with the id {' '.join(sorted(unknown))}. Nothing was forgotten.")
    try:
        gone = await memory.forget(preview.token, op_id=work.op_id, scope=turn.scope, actor=work.actor)
    except Conflict as error:
        raise ToolError(str(error)) from error
    places = ", ".join(f"`{line.path}:{line.number}`" for line in gone)
    told = f"Forgotten: {places}. `/undo` brings it back until this time tomorrow."
    return Result(as_json({"forgotten": [line.text for line in gone]}), told=(told,))


TOOL = tool(forget, doing="forgetting something", changes=True)
