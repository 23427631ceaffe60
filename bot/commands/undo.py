"""`/undo`: take the last writes back."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import UNKNOWN, Reply
from memory import Undone

MOST = 20


async def run(call: Call) -> Reply:
    """Undo one write, or as many as the argument says."""
    count = _count(call.argument)
    if count is None:
        return Reply(
            f"How many writes should I take back? `/undo` is one, `/undo 3` is three, {MOST} at most. "
            "Nothing has changed."
        )
    turn = call.turn
    undone = await turn.agent.memory.undo(count, op_id=turn.op_id(0), scope=turn.scope, actor=turn.principal.id)
    return Reply("\n".join(map(_told, undone)), origins=UNKNOWN)


def _count(argument: str) -> int | None:
    if not argument:
        return 1
    is_small = argument.isdecimal() and len(argument) <= len(str(MOST))
    return int(argument) if is_small and 1 <= int(argument) <= MOST else None


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
    detail="What was noted goes, what was forgotten less than a day ago comes back; newest first.",
    private=True,
)
