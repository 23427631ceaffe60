"""`read_file`: a file of the workspace, with what is needed to change it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.texts.catalogue import mark
from bot.tools.base import Result, Work, as_json, tool

MAX_CHARS = 12_000


async def read_file(
    work: Work, path: Annotated[str, Field(max_length=500)], start: Annotated[int, Field(alias="from", ge=0)] = 0
) -> Result:
    """Read a Markdown file of the workspace. `hash` is needed to rewrite or edit it.

    Args:
        path: relative to the workspace, for example USER.md or bank/world.md.
        start: the character to begin with; `next` says where to read on.
    """
    page = await work.turn.agent.memory.page(path)
    text = page.text[start : start + MAX_CHARS]
    end = start + len(text)
    answer = {"path": path, "hash": page.state, "text": text} | ({"next": end} if end < len(page.text) else {})
    return Result(as_json(answer), origins=page.origins)


TOOL = tool(read_file, doing=mark("reading a file"))
