"""`/agent`: which agent answers here, and changing to another."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """List the agents, or switch this chat to one of them."""
    agents = call.desk.agents
    wanted = call.argument.casefold()
    if not wanted:
        here = call.turn.agent.name
        lines = [
            f"- {'**' if name == here else ''}{name}{'** (here)' if name == here else ''}: {agent.about}"
            for name, agent in agents.items()
        ]
        return Reply("\n".join([*lines, "`/agent NAME` changes to another; their memories stay apart."]))
    if wanted not in agents:
        return Reply(f"There is no agent called {call.argument!r}. There are: {', '.join(agents)}.")
    await call.desk.switch(call.turn.session, wanted)
    return Reply(
        f"From now on, {wanted} answers here. It has its own memory and does not see what {call.turn.agent.name} knows."
    )


COMMAND = Command(
    name="agent",
    summary="show the agents, or change to another",
    usage="/agent [NAME]",
    example="/agent work",
    run=run,
    owner_only=True,
)
