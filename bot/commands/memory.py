"""`/memory`: what is known here, in about ten lines; `/memory profile`: what belongs into USER.md."""

from __future__ import annotations

from collections.abc import Iterator

from bot import receipts
from bot.commands.base import Call, Command, Parameter
from bot.formatting import plural
from bot.receipts import listed
from bot.receipts import offered as told_offer
from bot.turn import UNKNOWN, Reply
from memory import Hit, Kind, Stats

PROFILE = "profile"
MAX_RECENT = 5
MAX_NAMES = 8


async def run(call: Call) -> Reply:
    """Counts, the names that occur most, and the newest facts."""
    turn = call.turn
    if call.argument.casefold() == PROFILE:
        suggested = await turn.agent.memory.profile(scope=turn.scope)
        bullets = "\n".join(f"- {guide.text} (`{guide.source}`)" for guide in suggested.guides)
        return Reply(f"{bullets}\n\n{told_offer(suggested)}".lstrip())
    if call.argument:
        return Reply(f"`/memory` takes nothing but `{PROFILE}`. To search, type `/recall {call.argument}`")
    stats = await turn.agent.memory.stats(scope=turn.scope)
    if not stats.units:
        return Reply("I remember nothing here yet. Tell me something, or type `/remember` and a fact.")
    recent = await turn.agent.memory.recent(MAX_RECENT, scope=turn.scope)
    searched = receipts.told(await turn.agent.memory.status()) if turn.principal.is_owner else ""
    # The names are those of all facts: who named them is not known.
    origins = UNKNOWN if stats.entities else frozenset(hit.origin for hit in recent)
    return Reply("\n".join(filter(None, (*_describe(stats, recent), searched))), origins=origins)


def _describe(stats: Stats, recent: tuple[Hit, ...]) -> Iterator[str]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in stats.by_kind.items() if kind != Kind.NOTE)
    facts = f"{plural(stats.facts, 'fact')} ({kinds})" if kinds else "No facts yet"
    notes = plural(stats.units - stats.facts, "passage")
    yield f"{facts}, and {notes} of other notes, in {plural(stats.files, 'file')}."
    if stats.first_day:
        is_one_day = stats.first_day == stats.last_day
        yield f"All from {stats.first_day}." if is_one_day else f"From {stats.first_day} to {stats.last_day}."
    if stats.entities:
        yield f"Named most: {', '.join(f'{name} ({count})' for name, count in stats.entities[:MAX_NAMES])}."
    if recent:
        yield "Newest:"
        yield from map(listed, recent)


COMMAND = Command(
    name="memory",
    summary="what I know, in ten lines",
    usage="/memory [profile]",
    example="/memory profile",
    run=run,
    private=True,
    parameter=Parameter.one_of("part", "profile: what belongs into USER.md", "profile"),
)
