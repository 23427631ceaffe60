"""`memory_get`: read lines of a memory file."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.sessions.told import path_within, source_of
from bot.texts.catalogue import mark
from bot.tools.base import Result, Work, as_json, tool
from memory.errors import NotFound

DEFAULT_LINES = 120


async def memory_get(
    work: Work,
    path: Annotated[str, Field(max_length=500)],
    start: Annotated[int, Field(alias="from", ge=1)] = 1,
    lines: Annotated[int, Field(ge=1, le=2000)] = DEFAULT_LINES,
) -> Result:
    """Read lines of a memory file, for example around a passage that memory_search has found.

    Args:
        path: of a file, memory/2026-01-20.md, or a citation, memory/2026-01-20.md#L12, which is read from its line on.
        start: the first line, counted from 1.
        lines: how many; at most 12,000 characters come back, and `next` says where to read on.
    """
    turn = work.turn
    memory, name = turn.agent.memory, path
    if turn.session_memory and source_of(path) == "sessions":
        memory, name = turn.session_memory.memory, path_within(path)
    try:
        passage = await memory.get(name, scope=turn.scope, start=start, lines=lines)
    except NotFound:
        return Result(as_json({"path": path, "text": "", "note": "There is no such file."}))
    answer = {
        "path": path if name != path else passage.path,
        "from": passage.start,
        "to": passage.end,
        "text": passage.text,
    }
    following = {"next": passage.next_start} if passage.next_start else {}
    return Result(as_json(answer | following), origins=passage.origins if passage.text else frozenset())


TOOL = tool(memory_get, doing=mark("reading notes"))
