"""`/remember`: write one fact down, exactly as said."""

from __future__ import annotations

from adapters.port import ChatKind
from bot.agent.offline.notes import Proposal, note, quoted_fact
from bot.agent.offline.words import word_list
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import plain_name
from bot.turn import Reply
from memory import OWNER
from memory.language.guidance import is_first_person


async def run(call: Call) -> Reply:
    """Write the fact; the receipt is what is on disk. Nothing, or "that", stands for the message replied to."""
    turn, typed = call.turn, call.verbatim
    points = word_list("pointing").issuperset(typed.casefold().strip(" .!。！").split())
    fact = quoted_fact(turn) if points and (turn.quote or not typed.strip()) else Proposal(typed, turn.origin)
    is_read_by_others = turn.scope == OWNER or turn.session.address.kind is not ChatKind.PRIVATE
    if fact.text == typed and is_read_by_others and not turn.is_owners and is_first_person(typed):
        fact = Proposal(f"{plain_name(turn.principal.name)} said: {typed}", turn.origin)  # else it is of no one's "I"
    if not fact.text.strip():
        return Reply(
            tr("What should I remember? Type it after the command: `/remember The spare key is under the blue pot.`")
        )
    return await note(turn, fact, call.context.offers)


COMMAND = Command(
    summary=mark("write a fact down"),
    usage=mark("/remember TEXT"),
    example=mark("/remember The spare key is under the blue pot."),
    run=run,
    detail=mark("In answer to a message it keeps that, to the letter; of somebody else's, that they said it."),
    on_message=mark("Remember this"),
    parameter=Parameter("text", mark("what to write down; without it, a form opens"), is_long=True),
)
