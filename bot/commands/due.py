"""`/due`: which facts fade next."""

from __future__ import annotations

from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import due_summary, fading
from bot.turn import Reply
from memory.life.reviews import DUE_DAYS, due

MAX_DAYS = 3650


async def run(call: Call) -> Reply:
    """List the facts that fade within some days, the first to fade first."""
    argument, turn = call.argument.removesuffix("d"), call.turn
    is_small = argument.isdecimal() and len(argument) <= len(str(MAX_DAYS))
    if argument and not (is_small and 0 < int(argument) <= MAX_DAYS):
        usage = mark("How many days ahead? `/due` looks at {due_days}, `/due 90` at ninety, {max_days} at most.")
        return Reply(tr(usage, due_days=DUE_DAYS, max_days=MAX_DAYS))
    days = int(argument or DUE_DAYS)
    found = await turn.agent.memory.run(due, scope=turn.scope, days=days)
    shown = [*filter(None, ["\n".join(fading(found))]), due_summary(found, days)]
    return Reply("\n\n".join(shown), origins=frozenset(hit.origin for hit in found.facts))


COMMAND = Command(
    summary=mark("which facts fade next"),
    usage=mark("/due [DAYS]"),
    example="/due 90",
    run=run,
    detail=mark(
        "What has faded stays in its file, and is found by its own words and with `/recall --faded`. A fact that "
        "an answer cites, that you tell again or that you give a 👍 for fades later; one that you `/pin` does not."
    ),
    parameter=Parameter("days", mark("how many days ahead; without it, 30")),
)
