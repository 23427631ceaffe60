"""`edit_file`: replace one passage of a file that was read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bot.texts.catalogue import mark, tr
from bot.tools.base import Result, ToolError, Work, check_writable, tool
from memory import Origin


async def edit_file(
    work: Work,
    path: Annotated[str, Field(max_length=500)],
    old: Annotated[str, Field(min_length=1, max_length=50_000)],
    new: Annotated[str, Field(max_length=50_000)],
    hash: Annotated[str, Field(min_length=1)],
) -> Result:
    """Replace one passage of a Markdown file of the workspace by another.

    Args:
        path: relative to the workspace.
        old: the passage as it stands, long enough to occur only once.
        new: what takes its place.
        hash: the hash that read_file gave for the file.
    """
    check_writable(work.turn, path, adds=False)
    work.check_secrets(new)
    memory = work.turn.agent.memory
    page = await memory.page(path)
    if not page.is_text:
        raise ToolError(f"{path} holds bytes that are no text; an edit would destroy them. Leave it alone.")
    if page.text.count(old) != 1:
        raise ToolError(f"The passage occurs {page.text.count(old)} times in {path}; it has to occur once.")
    text = page.text.replace(old, new)
    await memory.rewrite(path, text, expected=hash, origin=Origin.AGENT, op_id=work.op_id, actor=work.actor)
    return Result(f"{path} has been edited.", told=(tr("Edited `{path}`. `/undo` takes it back.", path=path),))


TOOL = tool(edit_file, doing=mark("editing a file"), changes=True, not_done=mark("No file was changed."))
