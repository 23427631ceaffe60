"""`/dead`: what was given up, and trying it again."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import in_code
from bot.turn import Reply

MAX_LISTED = 10


async def run(call: Call) -> Reply:
    """List, or with `retry ID` put back into the queue; a second time it says that this has been done."""
    if not call.turn.is_owners:
        return Reply(tr("Others read along here: ask me in a private chat what was given up."))
    letters = call.context.dead_letters
    match call.argument.split():
        case ["retry", *wanted] if wanted:
            retried = await letters.retry(*wanted)
            return Reply(
                tr("Tried again: {retried}.", retried=", ".join(f"`{one}`" for one in retried))
                if retried
                else tr("Nothing is given up under that, or it has been tried again already. `/dead` lists what is.")
            )
        case ["ignore", *_]:
            return Reply(tr("Left as it is; `/dead` lists it."))
    given_up = await letters.list()
    if not given_up:
        return Reply(tr("Nothing was given up."))
    lines = [
        f"- `{one.id}`, {one.kind}, {one.at.astimezone(call.turn.agent.zone):%Y-%m-%d %H:%M}: {in_code(one.reason)}"
        for one in given_up[-MAX_LISTED:]
    ]
    count = len(given_up)
    if count > MAX_LISTED:
        heading = tr("{count:,} things given up, the newest:", count=count)
    else:
        heading = trn("{count:,} thing given up:", "{count:,} things given up:", count)
    return Reply("\n".join([heading, *lines, "", tr("`/dead retry ID` or `/dead retry all` tries it again.")]))


COMMAND = Command(
    summary=mark("what I could not answer or deliver, and trying it again"),
    usage=mark("/dead [retry ID | retry all]"),
    example="/dead retry personal:17",
    run=run,
    owner_only=True,
    is_shared=True,
    detail=mark(
        "A message is given up when its turn breaks again and again, a part of an answer when its platform "
        "refuses it for good. Nothing of it is thrown away."
    ),
    parameter=Parameter.one_of("what", mark("retry ID or retry all"), "retry all"),
)
