"""`/remember`: write one fact down, exactly as said."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.receipts import noted
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Write the fact; the receipt is printed from what is on disk."""
    if not call.argument:
        return Reply(
            "What should I remember? Type it after the command: `/remember The spare key is under the blue pot.`"
        )
    turn = call.turn
    written = await turn.agent.memory.remember(
        call.argument, origin=turn.origin, scope=turn.scope, op_id=turn.op_id(0), actor=turn.principal.id
    )
    return Reply(noted(written))


COMMAND = Command(
    name="remember",
    summary="write a fact down",
    usage="/remember TEXT",
    example="/remember The spare key is under the blue pot.",
    run=run,
    private=True,
    on_message="Remember this",
)
