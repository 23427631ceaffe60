"""`/start`: what Telegram sends when somebody opens the bot: a greeting, and what it can do."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Greet, and say what to do next."""
    turn = call.turn
    name = f" {turn.principal.name}" if turn.principal.name else ""
    whose = "yours" if turn.principal.is_owner else "of this chat"
    return Reply(
        f"Hello{name}, I am {turn.agent.name}: an assistant that remembers.\n"
        f"Tell me something and I note it; ask, and I answer from a memory that is {whose}.\n"
        "For example: `/remember The spare key is at Anna's`, then ask where it is.\n"
        "`/help` lists what I can do, `/whoami` says what you may see here."
    )


COMMAND = Command(
    name="start",
    summary="a greeting, and what I can do",
    usage="/start",
    example="/start",
    run=run,
)
