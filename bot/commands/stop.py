"""`/stop`: end the answer that is under way. It does not wait in line: the worker stops the turn when it arrives."""

from __future__ import annotations

from adapters.port import ChatKind
from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """By now the turn has ended, one way or the other."""
    turn = call.turn
    name = turn.agent.name
    if turn.session.address.kind is ChatKind.PRIVATE or turn.principal.is_owner:
        return Reply(tr("Nothing is under way any more in this conversation with {name}.", name=name))
    return Reply(tr("Nothing that you began is under way any more in this conversation with {name}.", name=name))


COMMAND = Command(
    name="stop",
    summary=mark("stop the answer that is under way"),
    usage="/stop",
    example="/stop",
    run=run,
    private=False,
    detail=mark(
        "In a group you stop what you began yourself; my owner stops anything. What was shown by then stays, "
        "and what was written is told."
    ),
)
