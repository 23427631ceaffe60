"""`/wander`: a few facts by way of chance, each linked to the one before where it can be."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import quoted
from bot.turn import Reply
from memory.life.wander import wander


async def run(call: Call) -> Reply:
    """Walk over what is remembered; each `/wander` takes another way."""
    turn = call.turn
    hits = await turn.agent.memory.run(wander, scope=turn.scope, seed=turn.id)
    if not hits:
        return Reply(tr("There are no facts to wander over yet."))
    lines = [quoted(hit, number) for number, hit in enumerate(hits, 1)]
    return Reply("\n".join(lines), origins=frozenset(hit.origin for hit in hits))


COMMAND = Command(
    summary=mark("a walk over facts that are linked, by chance"),
    usage="/wander",
    run=run,
    detail=mark("It begins where nobody has been for long, goes on to what is linked, and jumps now and then."),
)
