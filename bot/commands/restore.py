"""`/restore`: take the summary of the conversation away, so that all of it counts again."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.storage.port import EntryKind
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

DONE = mark(
    "The conversation counts again from its beginning, as far as it fits into the window. When that is full, "
    "it is shortened anew."
)


async def run(call: Call) -> Reply:
    """Let the conversation count from its beginning."""
    from bot.agent.compaction import Compaction

    if not await call.context.transcript.is_compacted(call.turn.session):
        return Reply(tr("This conversation has not been shortened."))
    return Reply(tr(DONE), records=((EntryKind.COMPACTION, Compaction("", 0).body),))


COMMAND = Command(
    summary=mark("take back the shortening of this conversation"),
    usage="/restore",
    run=run,
    private=False,
    owner_only=True,
    detail=mark("What was noted when it was shortened stays; `/undo` takes that back."),
)
