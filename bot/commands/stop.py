"""`/stop`: end the answer that is under way. It does not wait in line: the worker stops the turn when it arrives."""

from __future__ import annotations

from adapters.port import ChatKind
from bot.commands.base import Call, Command
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """By now the turn has ended, one way or the other."""
    turn = call.turn
    where = f"in this conversation with {turn.agent.name}"
    if turn.session.address.kind is ChatKind.PRIVATE or turn.principal.is_owner:
        return Reply(f"Nothing is under way any more {where}.")
    return Reply(f"Nothing that you began is under way any more {where}.")


COMMAND = Command(
    name="stop",
    summary="stop the answer that is under way",
    usage="/stop",
    example="/stop",
    run=run,
    detail=(
        "In a group you stop what you began yourself; my owner stops anything. What was shown by then stays, and what "
        "was written is told."
    ),
)
