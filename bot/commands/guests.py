"""`/guests`: hear nobody but the owner, at once, and everybody again."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Say how it stands, or change it."""
    register = call.desk.register
    match call.argument.casefold():
        case "off":
            await register.close(closed=True)
            return Reply(
                "From now on I hear nobody but you, in no chat, and give no codes to strangers. `/guests on` ends that."
            )
        case "on":
            await register.close(closed=False)
            return Reply("Whoever was let in is heard again.")
    stands = "I hear nobody but you." if register.is_closed else "I hear you and whoever was let in."
    return Reply(f"{stands} `/guests off` shuts everybody else out, `/guests on` ends that.")


COMMAND = Command(
    name="guests",
    summary="hear nobody but my owner, or everybody again",
    usage="/guests [on | off]",
    example="/guests off",
    run=run,
    owner_only=True,
    detail="For emergencies: it works at once and outlives a restart. What was heard before is still answered.",
    private=True,
    parameter=Parameter.one_of("switch", "on or off", "on", "off"),
)
