"""`send_file`: a file of the workspace, or one that came with the message, goes out with the answer."""

from __future__ import annotations

import asyncio
import shutil
from hashlib import blake2b
from typing import Annotated

from pydantic import Field

from bot.texts.catalogue import mark
from bot.texts.formatting import sized
from bot.tools.base import Result, ToolError, Work, tool
from bot.turn import SENT


async def send_file(work: Work, path: Annotated[str, Field(min_length=1, max_length=500)]) -> Result:
    """Send a file to the person, with your answer: a picture, a document, a page of the workspace.

    Args:
        path: relative to the workspace, for example bank/recipes.md, or the name of a file that came with this message.
    """
    turn, limit = work.turn, work.turn.file_limit
    if turn.folder is None or not limit:
        raise ToolError("No files can be sent in this chat.")
    came = next((file for file in turn.files if file.path and file.name == path), None)
    digest = blake2b(path.encode("utf-8", "replace"), digest_size=4).hexdigest()  # others may have the same name
    target = turn.folder / f"{SENT}-{digest}" / path.rpartition("/")[2]  # as it is now, whatever becomes of it
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if came and came.path and came.size > limit:
        raise ToolError(f"{path} is larger than {sized(limit)}, which is the most that can be sent in this chat.")
    try:
        if came and came.path:
            await asyncio.to_thread(shutil.copyfile, came.path, target)
        else:
            await turn.agent.memory.copy_file(path, target, limit=limit)
    except OSError as error:
        raise ToolError(str(error)) from error
    if not target.stat().st_size:
        raise ToolError(f"{path} is empty: there is nothing to send.")
    return Result(f"{path} goes out with your answer.", files=(target,))


TOOL = tool(send_file, doing=mark("fetching a file"), not_done=mark("No file was sent."))
