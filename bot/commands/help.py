"""`/help`: the commands, one line each."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """All commands, or one in detail."""
    commands = call.desk.commands
    wanted = call.argument.removeprefix("/").lower()
    if wanted in commands:
        command = commands[wanted]
        return Reply(f"`{command.usage}`: {command.summary}.\nFor example: `{command.example}`")
    lines = [f"- `{command.usage}`: {command.summary}" for command in commands.values()]
    return Reply("\n".join(["Tell me something and I note it; ask and I look it up.", *lines]))


COMMAND = Command(
    name="help",
    summary="these lines",
    usage="/help [COMMAND]",
    example="/help forget",
    run=run,
)
