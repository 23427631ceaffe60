"""`/agent`: which agent answers here, and changing to another."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.port import Suggestion
from bot.commands.base import Call, Command, Parameter, Typed, beginning
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import did_you_mean
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """List the agents, or switch this chat to one of them."""
    agents, here = call.context.agents, call.turn.agent.name
    wanted = call.argument.casefold()
    if not wanted:
        lines = [
            f"- {tr('**{name}** (here)', name=name) if name == here else name}"
            + (f": {agent.about}" if agent.about else "")
            for name, agent in agents.items()
        ]
        return Reply("\n".join([*lines, "", tr("`/agent NAME` changes to another; their memories stay apart.")]))
    if wanted == here:
        return Reply(tr("{here} answers here already.", here=here))
    if wanted not in agents:
        hint = did_you_mean(wanted, agents) or tr("There are: {names}.", names=", ".join(agents))
        return Reply(tr("There is no agent called `{argument}`. {hint}", argument=call.argument, hint=hint))
    await call.context.routing.choose(call.turn.session.address, wanted)
    other = mark("From now on, {wanted} answers here. It has its own memory and does not see what {here} knows.")
    return Reply(tr(other, wanted=wanted, here=here))


async def suggest(typed: Typed) -> Sequence[Suggestion]:
    return beginning(typed.text, typed.context.agents)


COMMAND = Command(
    summary=mark("show the agents, or change to another"),
    usage=mark("/agent [NAME]"),
    example="/agent work",
    run=run,
    private=False,
    owner_only=True,
    is_shared=True,
    parameter=Parameter("agent", mark("who is to answer here; without one, all are listed"), suggest),
)
