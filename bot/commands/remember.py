"""`/remember`: write one fact down, exactly as said."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.receipts import noted
from bot.turn import Reply, Turn


async def run(call: Call) -> Reply:
    """Write the fact; the receipt is printed from what is on disk. Without a text, it is the message replied to."""
    turn = call.turn
    fact = call.argument or _quoted(turn)
    if not fact:
        return Reply(
            "What should I remember? Type it after the command: `/remember The spare key is under the blue pot.`"
        )
    written = await turn.agent.memory.remember(
        fact, origin=turn.origin, scope=turn.scope, op_id=turn.op_id(0), actor=turn.principal.id
    )
    return Reply(noted(written))


def _quoted(turn: Turn) -> str:
    """The message that is pointed at; of somebody else's, the fact is that they said it."""
    quote = turn.quote.strip()
    return f"{turn.quote_by} said: {quote}" if quote and turn.quote_by else quote


COMMAND = Command(
    name="remember",
    summary="write a fact down",
    usage="/remember TEXT",
    example="/remember The spare key is under the blue pot.",
    run=run,
    private=True,
    on_message="Remember this",
)
