"""`/undo`: take the last writes back."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import Reply
from memory import Undone

MOST = 20


async def run(call: Call) -> Reply:
    """Undo one write, or as many as the argument says."""
    if call.argument and not call.argument.isdecimal():
        return Reply("How many writes should I take back? `/undo` is one, `/undo 3` is three.")
    count = min(MOST, int(call.argument or 1))
    turn = call.turn
    undone = await turn.agent.memory.undo(count, op_id=turn.op_id(0), scope=turn.scope, actor=turn.principal.id)
    return Reply("\n".join(map(_told, undone)))


def _told(undone: Undone) -> str:
    if undone.restored:
        return f"Back in `{undone.path}`: {undone.restored}"
    return f"Taken out of `{undone.path}`: {undone.removed}"


COMMAND = Command(
    name="undo",
    summary="take the last memory writes back",
    usage="/undo [HOW MANY]",
    example="/undo",
    run=run,
)
