"""`/remember`: write one fact down, exactly as said."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.noting import note
from bot.turn import Reply, Turn


async def run(call: Call) -> Reply:
    """Write the fact; the receipt is printed from what is on disk. Without a text, it is the message replied to."""
    fact = call.verbatim or _quoted(call.turn)
    if not fact.strip():
        return Reply(
            "What should I remember? Type it after the command: `/remember The spare key is under the blue pot.`"
        )
    return await note(call.turn, fact, call.desk.offers)


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
