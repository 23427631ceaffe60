"""`/help`: the commands, one line each."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.port import Suggestion
from bot.agent.offline.offline import FOR_OTHERS, PRESENCE
from bot.commands.base import Call, Command, Parameter, Typed, beginning, no_command
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """All commands that the person may use, or one in detail."""
    commands = call.context.commands
    wanted = call.argument.lstrip("/／").lower()
    if not wanted:
        usable = [one for one in commands.values() if call.turn.principal.is_owner or not one.owner_only]
        lines = [f"- `{tr(command.usage)}`: {tr(command.summary)}" for command in usable]
        opening = tr(PRESENCE if call.turn.is_owners else FOR_OTHERS, agent=call.turn.agent.name)
        return Reply("\n".join([opening, *lines]))
    command = commands.get(wanted)
    if command is None:
        return Reply(no_command(wanted, commands))
    lines = [
        f"`{tr(command.usage)}`: {tr(command.summary)}.",
        tr(command.detail),
        tr("For example: {example}", example=f"`{tr(command.example or f'/{command.name}')}`"),
    ]
    return Reply("\n".join(filter(None, lines)))


async def suggest(typed: Typed) -> Sequence[Suggestion]:
    return beginning(typed.text, typed.context.commands)


COMMAND = Command(
    summary=mark("these lines"),
    usage=mark("/help [COMMAND]"),
    example="/help forget",
    run=run,
    parameter=Parameter("command", mark("one to be told more about"), suggest),
)
