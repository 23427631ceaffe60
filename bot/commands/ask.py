"""`/ask`: say something to the agent, from a platform's menu. The intake makes an ordinary message of its text."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Ask for the text that is missing."""
    usage = mark("What shall I tell {name}? Type it after the command: `/ask Where is the spare key?`")
    return Reply(tr(usage, name=call.turn.agent.name))


COMMAND = Command(
    summary=mark("say something to the agent, as without a command"),
    usage=mark("/ask TEXT"),
    example=mark("/ask Where is the spare key?"),
    run=run,
    private=False,
    detail=mark(
        "It is what you would write without it; where a platform has a menu of commands, it saves the mention."
    ),
    parameter=Parameter("text", mark("what to say to the agent")),
)
