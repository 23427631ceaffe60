"""`/unpin`: let a fact fade again."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Do what `/pin ID off` does."""
    if not call.argument:
        return Reply(tr("Which fact? Type its id after the command: `/unpin ^k3f9a2mq`"))
    pin = call.context.commands["pin"]
    return await pin.run(Call(call.turn, f"{call.argument.split()[0]} off", call.context))


COMMAND = Command(
    summary=mark("let a pinned fact fade again"),
    usage=mark("/unpin ID"),
    example="/unpin ^k3f9a2mq",
    run=run,
    parameter=Parameter("fact", mark("the id of a fact")),
)
