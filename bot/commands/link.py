"""`/link`: be known as the same person on another platform."""

from __future__ import annotations

from adapters.port import Button, ChatKind
from bot.access.pairing import TAKEN
from bot.commands.base import Call, Command, Parameter
from bot.storage.keys import Principal
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import plain_name
from bot.turn import Reply

NOT_HERE = mark(
    "Others read along here: write `/link` to me in a private chat. A code that was shown here holds no longer."
)
NOBODY = mark("Nobody has answered with your code yet, or ten minutes are over. `/link` begins anew.")
OFFERED = mark(
    "Within ten minutes, write `/link {code}` to me in a private chat on the other platform, "
    "then come back here and write `/link yes`."
)
NO_CODE = mark("There is no such code, or ten minutes are over. `/link` on the other platform begins anew.")


async def run(call: Call) -> Reply:
    """Offer a link, answer one with its code, or confirm it; in private only."""
    linking, who = call.context.linking, call.turn.principal
    if call.turn.session.address.kind is not ChatKind.PRIVATE:
        linking.expose(call.argument)
        return Reply(tr(NOT_HERE))
    match call.argument.casefold().split():
        case []:
            return Reply(tr(OFFERED, code=linking.offer(who)))
        case ["no"]:
            linking.decline(who)
            return Reply(tr("Nothing was linked, and the code holds no longer."))
        case ["yes" | "also"]:
            return _ask_to_confirm(linking.pending(who))
        case ["yes" | "also" as how, identity]:
            return await _confirm(call, identity, also=how == "also")
    offered = linking.take(call.argument, who)
    return Reply(tr(TAKEN, id=offered.id) if offered else tr(NO_CODE))


def _ask_to_confirm(other: Principal | None) -> Reply:
    if other is None:
        return Reply(tr(NOBODY))
    yes = f"/link yes {other.id}"
    return Reply(
        tr(
            'The {platform} account `{number}`, called "{name}", has sent your code. From then on it could do '
            "everything that you can. Is it yours? Then write `{yes}`, otherwise `/link no`.",
            **_described(other),
            yes=yes,
        ),
        buttons=(Button(tr("It is mine"), yes), Button(tr("It is not"), "/link no")),
    )


async def _confirm(call: Call, identity: str, *, also: bool) -> Reply:
    linking, who = call.context.linking, call.turn.principal
    other = linking.pending(who)
    if other is None or other.id != identity:
        text = tr("`{identity}` has not answered with your code. Nothing was linked.", identity=plain_name(identity))
        return Reply(f"{text} {tr(NOBODY)}")
    accounts = linking.accounts(who, other)
    if accounts and not also:
        known = ", ".join(f"`{one}`" for one in accounts)
        return Reply(
            tr(
                'You have an account there already: {known}. The {platform} account `{number}`, called "{name}", '
                "would be a second one: whoever writes from it would be you, with your memory and your rights. Only "
                "if both are yours, write `/link also {id}`; otherwise `/link no`.",
                **_described(other),
                known=known,
                id=other.id,
            )
        )
    await linking.confirm(who, identity)
    name = plain_name(other.name)
    text = tr("From now on, `{id}` ({name}) is you. What they may do is what you may do.", id=identity, name=name)
    undo = tr("To undo it: scrubjay pair revoke {who}", who=identity)
    return Reply(f"{text} {undo}" if who.is_owner else text)


def _described(other: Principal) -> dict[str, str]:
    """Describe an account by its platform, name and number, none of which can pass for something else."""
    platform, _, number = other.id.partition(":")
    return {"platform": platform.title(), "number": number, "name": plain_name(other.name)}


COMMAND = Command(
    summary=mark("be known as the same person on another platform"),
    usage=mark("/link [CODE | yes | no]"),
    run=run,
    is_shared=True,
    detail=mark(
        "Both sides have to agree, in private chats: the first asks for a code, the second sends it, the "
        "first looks whose account that is and confirms it. A code holds for ten minutes, once. A second "
        "account on a platform on which you have one needs `/link also ID`."
    ),
    parameter=Parameter("code", mark("the code that the other platform gave you, or yes, or no")),
)
