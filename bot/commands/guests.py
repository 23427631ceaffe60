"""`/guests`: let people in who have asked; hear nobody but the owner, at once, and everybody again."""

from __future__ import annotations

from adapters.port import Button
from bot.commands.base import Call, Command, Parameter
from bot.errors import Missing
from bot.formatting import plain_name
from bot.storage.people import Role
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Say how it stands, or change it."""
    register = call.context.register
    match call.argument.casefold().split():
        case ["off"]:
            await register.close(closed=True)
            return Reply(
                "From now on I hear nobody but you, in no chat, and give no codes to strangers. `/guests on` ends that."
            )
        case ["on"]:
            await register.close(closed=False)
            return Reply("Whoever was let in is heard again.")
        case ["approve", wanted]:
            return await _approve(call, wanted)
        case ["ignore", wanted]:
            text = "They are not let in, and the code that they got holds no longer."
            if any(one.identity == wanted for one in register.people):  # by now, some other way
                text = f"`{wanted}` is let in already. `scrubjay pair revoke {wanted}` ends that."
            await call.context.pairings.ignore(wanted)
            return Reply(text)
    stands = "I hear nobody but you." if register.is_closed else "I hear you and whoever was let in."
    text = f"{stands} `/guests off` shuts everybody else out, `/guests on` ends that."
    waiting = call.context.pairings.open if call.turn.is_owners else ()
    if not waiting:
        return Reply(text)
    lines, buttons = [text, "", "These wait to be let in:"], []
    for number, one in enumerate(waiting, 1):
        lines.append(f"{number}. `{one.identity}`, called `{plain_name(one.name)}`, with the code `{one.code}`")
        buttons.append(Button(f"Approve {number}", f"/guests approve {one.identity}"))
    return Reply("\n".join(lines), buttons=tuple(buttons))


async def _approve(call: Call, wanted: str) -> Reply:
    """Let somebody in; a second time it says the same, so that a double tap does."""
    try:
        person = await call.context.pairings.approve(wanted, Role.GUEST)
    except Missing:
        known = [one for one in call.context.register.people if one.identity == wanted]
        if not known:
            raise
        person = known[0]
    who = f"`{person.identity}`, called `{plain_name(person.name)}`,"
    return Reply(f"{who} is let in. `scrubjay pair revoke {person.identity}` ends that.")


COMMAND = Command(
    name="guests",
    summary="let people in, hear nobody but my owner, or everybody again",
    usage="/guests [approve CODE | ignore CODE | off | on]",
    example="/guests off",
    run=run,
    owner_only=True,
    detail=(
        "Alone, in a private chat, it shows who waits. Instead of the code, `platform:id` names them for a day. "
        "`off` is for emergencies: it works at once and outlives a restart; what was heard before is still answered."
    ),
    private=True,
    parameter=Parameter.one_of("what", "approve CODE, ignore CODE, on or off", "on", "off"),
)
