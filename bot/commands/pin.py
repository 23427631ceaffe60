"""`/pin`: keep a fact from fading; `/pin ID off` lets it fade again."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import pinned
from bot.turn import Reply
from memory import OWNER
from memory.journal.records import Operation
from memory.life.reviews import pin


async def run(call: Call) -> Reply:
    """Pin one fact, or unpin it."""
    name, _, rest = call.argument.partition(" ")
    if rest and rest.strip().casefold() != "off":
        return Reply(tr("`/pin` takes the id of one fact, and `off` to let it fade again: `/pin ^k3f9a2mq off`"))
    if not name:
        return Reply(tr("Which fact? Type its id after the command, as `/recall` shows it: `/pin ^k3f9a2mq`"))
    turn = call.turn
    operation = Operation(turn.op_id(0), turn.principal.id, turn.origin, turn.scope)
    whose = turn.whose if turn.scope == OWNER else None  # what a group has of its own, everybody there may keep
    hit = await turn.agent.memory.run(pin, name, operation, is_pinned=not rest, whose=whose)
    return Reply(pinned(hit, call.turn.agent.zone), origins=frozenset({hit.origin}))


COMMAND = Command(
    summary=mark("keep a fact from fading"),
    usage=mark("/pin ID [off]"),
    example="/pin ^k3f9a2mq",
    run=run,
    detail=mark("Ids stand behind whatever `/recall` finds. `/pin ID off`, or `/unpin ID`, lets it fade again."),
    parameter=Parameter("fact", mark("the id of a fact, and off to let it fade again")),
)
