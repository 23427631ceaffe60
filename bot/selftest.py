"""The proof that memory works here: on a scratch folder, write a fact, find it, take it away, find it no more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.errors import BotError
from memory import OWNER, Memory, Origin

FACT = "The jay hid seven acorns under the third oak."
QUESTION = "where are the acorns?"

OpenScratch = Callable[[Path, Path], AbstractAsyncContextManager[Memory]]
"""Opens a memory from a workspace's folder and the place of its index."""


async def prove(open_scratch: OpenScratch, *, beside: Path) -> str:
    """Put memory through its paces in a folder that is gone afterwards.

    Args:
        open_scratch: opens the memory.
        beside: a folder on the disk that will be used.

    Returns:
        Where the fact was found.

    Raises:
        BotError: something that was written was not found, or something forgotten was.
    """
    with TemporaryDirectory(dir=beside, prefix="selftest-") as folder:
        scratch = Path(folder)
        async with open_scratch(scratch / "workspace", scratch / "index.sqlite") as memory:
            return await _paces(memory)


async def _paces(memory: Memory) -> str:
    written = await memory.remember(FACT, origin=Origin.OWNER, scope=OWNER, op_id="selftest:1", actor="owner")
    found = await memory.recall(QUESTION, scope=OWNER)
    places = [str(hit.source) for hit in found.hits if FACT in hit.content]
    if not places:
        raise _failed("what was written was not found", found.remark)
    preview = await memory.preview_forget(f"^{written.fact.id}", scope=OWNER, actor="owner")
    await memory.forget(preview.token, op_id="selftest:2", scope=OWNER, actor="owner")
    after = await memory.recall(QUESTION, scope=OWNER)
    if any(FACT in hit.content for hit in after.hits):
        raise _failed("what was forgotten was still found", after.remark)
    return places[0]


def _failed(what: str, why: str) -> BotError:
    return BotError(f"The memory self-test failed: {what}. {why}".rstrip(), hint="Run: scrubjay doctor")
