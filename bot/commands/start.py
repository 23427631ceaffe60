"""`/start`: what Telegram sends when somebody opens the bot: a greeting, and what it can do."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Greet, and say what to do next."""
    turn = call.turn
    agent, name = turn.agent.name, turn.principal.name
    if name:
        hello = tr("Hello {name}, I am {agent}: an assistant that remembers.", name=name, agent=agent)
    else:
        hello = tr("Hello, I am {agent}: an assistant that remembers.", agent=agent)
    if turn.principal.is_owner:
        tell = tr("Tell me something and I note it; ask, and I answer from a memory that is yours.")
    else:
        tell = tr("Tell me something and I note it; ask, and I answer from a memory that is of this chat.")
    example = tr("For example: `/remember The spare key is at Anna's`, then ask where it is.")
    more = tr("`/help` lists what I can do, `/whoami` says what you may see here.")
    return Reply(f"{hello}\n{tell}\n{example}\n{more}")


COMMAND = Command(
    name="start",
    summary=mark("a greeting, and what I can do"),
    usage="/start",
    example="/start",
    run=run,
    private=False,
)
