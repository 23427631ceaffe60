"""`/stop`: end the answer that is under way. It does not wait in line: the worker stops the turn when it arrives."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """By now the turn has ended, one way or the other."""
    return Reply(f"Nothing is under way any more in this conversation with {call.turn.agent.name}.")


COMMAND = Command(
    name="stop",
    summary="stop the answer that is under way",
    usage="/stop",
    example="/stop",
    run=run,
)
