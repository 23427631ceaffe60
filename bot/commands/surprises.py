"""`/surprises`: what was observed and not to be expected."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import unexpected
from bot.turn import UNKNOWN, Reply
from memory.life import gate


async def run(call: Call) -> Reply:
    """Show what was new and matters, and what contradicts something known, newest first."""
    turn = call.turn
    found = await turn.agent.memory.run(gate.surprises, scope=turn.scope)
    if not found:
        return Reply(tr("Nothing that I have observed was a surprise."))
    return Reply("\n".join([tr("Not to be expected was:"), *map(unexpected, found)]), origins=UNKNOWN)


COMMAND = Command(
    summary=mark("what was observed and not to be expected"),
    usage="/surprises",
    run=run,
    detail=mark("New things that matter, and what contradicts something known; newest first."),
)
