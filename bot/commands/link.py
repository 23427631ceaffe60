"""`/link`: be known as the same person on another platform."""

from __future__ import annotations

from adapters.port import Button, ChatKind
from bot.commands.base import Call, Command, Parameter
from bot.formatting import plain_name
from bot.storage.keys import Principal
from bot.turn import Reply

NOT_HERE = "Others read along here: write `/link` to me in a private chat. A code that was shown here holds no longer."
NOBODY = "Nobody has answered with your code yet, or ten minutes are over. `/link` begins anew."
NO_CODE = "There is no such code, or ten minutes are over. `/link` on the other platform begins anew."


async def run(call: Call) -> Reply:
    """Offer a link, answer one with its code, or confirm it; in private only."""
    linking, who = call.context.linking, call.turn.principal
    if call.turn.session.address.kind is not ChatKind.PRIVATE:
        linking.expose(call.argument)
        return Reply(NOT_HERE)
    match call.argument.casefold().split():
        case []:
            code = linking.offer(who)
            return Reply(
                f"Within ten minutes, write `/link {code}` to me in a private chat on the other platform, then come "
                "back here and write `/link yes`."
            )
        case ["no"]:
            linking.decline(who)
            return Reply("Nothing was linked, and the code holds no longer.")
        case ["yes" | "also"]:
            return _ask_to_confirm(linking.pending(who))
        case ["yes" | "also" as how, identity]:
            return await _confirm(call, identity, also=how == "also")
    offered = linking.take(call.argument, who)
    asked = f"Now confirm it where you asked for the code: `{offered.id}` writes `/link yes`." if offered else NO_CODE
    return Reply(asked)


def _ask_to_confirm(other: Principal | None) -> Reply:
    if other is None:
        return Reply(NOBODY)
    yes = f"/link yes {other.id}"
    return Reply(
        f"{_name(other)} has sent your code. From then on it could do everything that you can. Is it yours? Then write "
        f"`{yes}`, otherwise `/link no`.",
        buttons=(Button("It is mine", yes), Button("It is not", "/link no")),
    )


async def _confirm(call: Call, identity: str, *, also: bool) -> Reply:
    linking, who = call.context.linking, call.turn.principal
    other = linking.pending(who)
    if other is None or other.id != identity:
        return Reply(f"`{plain_name(identity)}` has not answered with your code. Nothing was linked. {NOBODY}")
    accounts = linking.accounts(who, other)
    if accounts and not also:
        known = ", ".join(f"`{one}`" for one in accounts)
        return Reply(
            f"You have an account there already: {known}. {_name(other)} would be a second one: whoever writes from it "
            "would be you, with your memory and your rights. Only if both are yours, write "
            f"`/link also {other.id}`; otherwise `/link no`."
        )
    await linking.confirm(who, identity)
    return Reply(f"From now on, `{other.id}` ({plain_name(other.name)}) is you. What they may do is what you may do.")


def _name(other: Principal) -> str:
    """Describe an account by its platform, name and number, none of which can pass for something else."""
    platform, _, number = other.id.partition(":")
    return f'The {platform.title()} account `{number}`, called "{plain_name(other.name)}",'


COMMAND = Command(
    name="link",
    summary="be known as the same person on another platform",
    usage="/link [CODE | yes | no]",
    example="/link",
    run=run,
    detail=(
        "Both sides have to agree, in private chats: the first asks for a code, the second sends it, the first looks "
        "whose account that is and confirms it. A code holds for ten minutes, once. A second account on a platform on "
        "which you have one needs `/link also ID`."
    ),
    private=True,
    parameter=Parameter("code", "the code that the other platform gave you, or yes, or no"),
)
