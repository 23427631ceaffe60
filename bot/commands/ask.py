"""`/ask`: say something to the agent, from a platform's menu. The intake makes an ordinary message of its text."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Ask for the text that is missing."""
    return Reply(f"What shall I tell {call.turn.agent.name}? Type it after the command: `/ask Where is the spare key?`")


COMMAND = Command(
    name="ask",
    summary="say something to the agent, as without a command",
    usage="/ask TEXT",
    example="/ask Where is the spare key?",
    run=run,
    detail="It is what you would write without it; where a platform has a menu of commands, it saves the mention.",
    parameter=Parameter("text", "what to say to the agent"),
)
