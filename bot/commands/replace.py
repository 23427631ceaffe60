"""`/replace`: write a fact in the place of an earlier one."""

from __future__ import annotations

from bot.agent.offline.notes import Proposal, answer, ask_about_secret, replace_fact
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply
from memory.errors import SecretFound


async def run(call: Call) -> Reply:
    """Carry out what was offered, or replace the fact with an id by a new text."""
    first, _, rest = call.argument.partition(" ")
    match [first.lower(), rest.strip()]:
        case ["yes" | "no", token] if token:
            asked = (first.lower(), token, call.context.offers, call.context.transcript)
            return await answer(call.turn, *asked, declined=tr("Nothing was changed."), keep_secrets=False)
        case [_, ""]:
            return Reply(tr("What by what? Give an id and the new text: `/replace ^k3f9a2mq The gate code is 4712.`"))
    offer = Proposal(rest.strip(), call.turn.origin, replaces=first)
    try:
        return await replace_fact(call.turn, offer, keep_secrets=False)
    except SecretFound as found:
        return ask_about_secret(call.turn, offer, found, call.context.offers)


COMMAND = Command(
    summary=mark("put a new text in the place of a fact"),
    usage=mark("/replace ID TEXT"),
    example=mark("/replace ^k3f9a2mq The gate code is 4712."),
    run=run,
    detail=mark("The earlier fact is taken away, the new one is noted today; `/undo` takes both back together."),
    parameter=Parameter("change", mark("the fact's id, then its new text")),
)
