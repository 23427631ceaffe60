"""`/undo`: take the last writes back."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import taken_back
from bot.turn import UNKNOWN, Reply

MAX_WRITES = 20


async def run(call: Call) -> Reply:
    """Undo one write, or as many as the argument says."""
    argument = call.argument or "1"
    is_small = argument.isdecimal() and len(argument) <= len(str(MAX_WRITES))
    if not is_small or not 1 <= int(argument) <= MAX_WRITES:
        return Reply(
            tr(
                "How many writes should I take back? `/undo` is one, `/undo 3` is three, {max_writes} at most. "
                "Nothing has changed.",
                max_writes=MAX_WRITES,
            )
        )
    turn = call.turn
    undone = await turn.agent.memory.undo(
        int(argument), op_id=turn.op_id(0), scope=turn.scope, actor=turn.principal.id, whose=turn.whose
    )
    return Reply("\n".join(map(taken_back, undone)), origins=UNKNOWN)


COMMAND = Command(
    summary=mark("take the last memory writes back"),
    usage=mark("/undo [HOW MANY]"),
    run=run,
    detail=mark(
        "What was noted goes, what was forgotten less than a day ago comes back; newest first. In a group that "
        "is what you wrote yourself; for my owner, what anybody did."
    ),
    parameter=Parameter("count", mark("how many writes; without it, the last one")),
)
