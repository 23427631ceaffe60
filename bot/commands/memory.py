"""`/memory`: what is known here, in about ten lines."""

from __future__ import annotations

from bot.commands.base import Call, Command
from bot.receipts import listed
from bot.turn import Reply

RECENT = 5
NAMES = 8


async def run(call: Call) -> Reply:
    """Counts, the names that occur most, and the newest facts."""
    turn = call.turn
    stats = await turn.agent.memory.stats(scope=turn.scope)
    if not stats.units:
        return Reply("I remember nothing here yet. Tell me something, or type `/remember` and a fact.")
    recent = await turn.agent.memory.recent(RECENT, scope=turn.scope)
    kinds = ", ".join(f"{count} {kind}" for kind, count in stats.by_kind.items())
    names = ", ".join(f"{name} ({count})" for name, count in stats.entities[:NAMES])
    lines = [
        f"{stats.facts} facts and {stats.units - stats.facts} notes in {stats.files} files ({kinds}).",
        f"From {stats.first_day} to {stats.last_day}." if stats.first_day else "",
        f"Named most: {names}." if names else "",
        "Newest:" if recent else "",
        *(listed(hit) for hit in recent),
    ]
    return Reply("\n".join(filter(None, lines)))


COMMAND = Command(
    name="memory",
    summary="what I know, in ten lines",
    usage="/memory",
    example="/memory",
    run=run,
)
