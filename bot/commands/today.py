"""`/today`: what was written today."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import listed
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Today's facts and notes, in the order in which they came; the day is the owner's, in the owner's time zone."""
    turn = call.turn
    today = turn.local.date().isoformat()
    written = await turn.agent.memory.day(today, scope=turn.scope)
    if not written:
        return Reply(tr("Nothing has been written today ({today}).", today=today))
    origins = frozenset(hit.origin for hit in written)
    return Reply("\n".join([tr("Written on {today}:", today=today), *map(listed, written)]), origins=origins)


COMMAND = Command(summary=mark("what was written today"), usage="/today", run=run)
