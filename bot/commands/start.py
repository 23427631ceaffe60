"""`/start`: what Telegram sends when somebody opens the bot: a greeting, and what it can do."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Greet, and say what to do next."""
    turn = call.turn
    agent, name = turn.agent.name, turn.principal.name
    text = mark("Hello {name}, I am {agent}: an assistant that remembers.")
    hello = tr(text if name else mark("Hello, I am {agent}: an assistant that remembers."), name=name, agent=agent)
    tell = tr("Tell me something and I note it; ask, and I answer from a memory that is yours.")
    example = tr("For example: `/remember The spare key is at Anna's`, then ask where it is.")
    more = tr("`/help` lists what I can do, `/whoami` says what you may see here.")
    return Reply("\n".join([hello, *([tell] if turn.is_owners else ()), example, more]))


COMMAND = Command(summary=mark("a greeting, and what I can do"), usage="/start", run=run, private=False)
