"""`/guests`: let people in who have asked; hear nobody but the owner, at once, and everybody again."""

from __future__ import annotations

from adapters.port import Button
from bot.commands.base import Call, Command, Parameter
from bot.errors import Missing
from bot.storage.tables.people import Role
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import plain_name
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Say how it stands, or change it."""
    register = call.context.register
    match call.argument.casefold().split():
        case ["off"]:
            await register.close(closed=True)
            return Reply(
                tr(
                    "From now on I hear nobody but you, in no chat, and give no codes to strangers. `/guests on` "
                    "ends that."
                )
            )
        case ["on"]:
            await register.close(closed=False)
            return Reply(tr("Whoever was let in is heard again."))
        case ["approve", wanted]:
            return await _approve(call, wanted)
        case ["ignore", wanted]:
            text = tr("They are not let in, and the code that they got holds no longer.")
            if any(one.identity == wanted for one in register.people):  # by now, some other way
                text = tr("`{wanted}` is let in already. `scrubjay pair revoke {wanted}` ends that.", wanted=wanted)
            await call.context.pairings.ignore(wanted)
            return Reply(text)
    stands = tr("I hear nobody but you.") if register.is_closed else tr("I hear you and whoever was let in.")
    text = tr("{stands} `/guests off` shuts everybody else out, `/guests on` ends that.", stands=stands)
    waiting = call.context.pairings.open if call.turn.is_owners else ()
    if not waiting:
        return Reply(text)
    lines, buttons = [text, "", tr("These wait to be let in:")], []
    for number, one in enumerate(waiting, 1):
        who = {"identity": one.identity, "name": plain_name(one.name), "code": one.code}
        lines.append(tr("{number}. `{identity}`, called `{name}`, with the code `{code}`", number=number, **who))
        buttons.append(Button(tr("Approve {number}", number=number), f"/guests approve {one.identity}"))
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
    return Reply(tr("{who} is let in. `scrubjay pair revoke {identity}` ends that.", who=who, identity=person.identity))


COMMAND = Command(
    summary=mark("let people in, hear nobody but my owner, or everybody again"),
    usage=mark("/guests [approve CODE | ignore CODE | off | on]"),
    example="/guests off",
    run=run,
    owner_only=True,
    is_shared=True,
    detail=mark(
        "Alone, in a private chat, it shows who waits. Instead of the code, `platform:id` names them for a "
        "day. `off` is for emergencies: it works at once and outlives a restart; what was heard before is "
        "still answered."
    ),
    parameter=Parameter.one_of("what", mark("approve CODE, ignore CODE, on or off"), "on", "off"),
)
