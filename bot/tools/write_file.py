"""`write_file`: add to a file of the workspace, or rewrite one that was read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.texts.catalogue import mark, tr
from bot.tools.base import Result, Work, check_writable, tool
from memory import Origin

MAX_TEXT_CHARS = 100_000


async def write_file(
    work: Work,
    path: Annotated[str, Field(max_length=500)],
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)],
    hash: str = "",
) -> Result:
    """Add text at the end of a Markdown file of the workspace; a missing file is made. Everything can be undone.

    Args:
        path: relative to the workspace, for example bank/recipes.md.
        text: whole lines.
        hash: only to replace the whole content: the hash that read_file gave for it.
    """
    check_writable(work.turn, path, adds=not hash)
    work.check_secrets(text)
    memory = work.turn.agent.memory
    if hash:
        await memory.rewrite(path, text, expected=hash, origin=Origin.AGENT, op_id=work.op_id, actor=work.actor)
        return Result(f"{path} has been rewritten.", told=(tr("Rewrote `{path}`. `/undo` takes it back.", path=path),))
    at = await memory.append(path, text, origin=Origin.AGENT, op_id=work.op_id, actor=work.actor)
    return Result(f"Added at {at}.", told=(tr("Added to `{place}`. `/undo` takes it back.", place=at),))


TOOL = tool(write_file, doing=mark("writing a file"), changes=True, not_done=mark("No file was changed."))
