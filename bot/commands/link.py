"""`/link`: be known as the same person on another platform."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Offer a link, answer one with its code, or confirm it."""
    linking, who = call.desk.linking, call.turn.principal
    if not call.argument:
        code = linking.offer(who)
        return Reply(
            f"Within ten minutes, write `/link {code}` to me on the other platform, then come back here and write "
            "`/link yes`."
        )
    if call.argument.casefold() == "yes":
        other = await linking.confirm(who)
        if other is None:
            return Reply("Nobody has answered with your code yet, or ten minutes are over. `/link` begins anew.")
        return Reply(f"From now on, `{other.id}` ({other.name}) is you. What they may do is what you may do.")
    offered = linking.take(call.argument, who)
    if offered is None:
        return Reply("There is no such code, or ten minutes are over. `/link` on the other platform begins anew.")
    return Reply(f"Now confirm it where you asked for the code: `{offered.id}` writes `/link yes`.")


COMMAND = Command(
    name="link",
    summary="be known as the same person on another platform",
    usage="/link [CODE | yes]",
    example="/link",
    run=run,
    detail="Both sides have to agree: the first asks for a code, the second sends it, the first confirms.",
    private=True,
)
