"""`/memory`: what is known here, in about ten lines."""

from __future__ import annotations

from collections.abc import Iterator

from bot.commands.base import Call, Command
from bot.receipts import listed
from bot.turn import Reply
from memory import Hit, Kind, Stats

RECENT = 5
NAMES = 8


async def run(call: Call) -> Reply:
    """Counts, the names that occur most, and the newest facts."""
    turn = call.turn
    stats = await turn.agent.memory.stats(scope=turn.scope)
    if not stats.units:
        return Reply("I remember nothing here yet. Tell me something, or type `/remember` and a fact.")
    recent = await turn.agent.memory.recent(RECENT, scope=turn.scope)
    return Reply("\n".join(_told(stats, recent)))


def _told(stats: Stats, recent: tuple[Hit, ...]) -> Iterator[str]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in stats.by_kind.items() if kind != Kind.NOTE)
    facts = f"{_counted(stats.facts, 'fact')} ({kinds})" if kinds else "No facts yet"
    notes = _counted(stats.units - stats.facts, "passage")
    yield f"{facts}, and {notes} of other notes, in {_counted(stats.files, 'file')}."
    if stats.first_day:
        is_one_day = stats.first_day == stats.last_day
        yield f"All from {stats.first_day}." if is_one_day else f"From {stats.first_day} to {stats.last_day}."
    if stats.entities:
        yield f"Named most: {', '.join(f'{name} ({count})' for name, count in stats.entities[:NAMES])}."
    if recent:
        yield "Newest:"
        yield from map(listed, recent)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


COMMAND = Command(
    name="memory",
    summary="what I know, in ten lines",
    usage="/memory",
    example="/memory",
    run=run,
    private=True,
)
