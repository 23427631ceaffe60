"""`/stop`: end the answer that is under way. It does not wait in line: the worker stops the turn when it arrives."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """By now the turn has ended, one way or the other."""
    name = call.turn.agent.name
    if call.turn.principal.is_owner:
        return Reply(tr("Nothing is under way any more in this conversation with {name}.", name=name))
    text = mark("Nothing that you began is under way in this conversation with {name}. What still waits is answered.")
    return Reply(tr(text, name=name))


COMMAND = Command(
    summary=mark("stop the answer that is under way"),
    usage="/stop",
    run=run,
    private=False,
    detail=mark(
        "In a group you stop what you began yourself; my owner stops anything. What was shown by then stays, "
        "and what was written is told."
    ),
)
