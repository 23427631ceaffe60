"""`/memory`: what is known here, in about ten lines; `/memory profile`: what belongs into USER.md."""

from __future__ import annotations

from collections.abc import Iterator

from bot.commands.base import Call, Command, Parameter
from bot.texts import receipts
from bot.texts.catalogue import mark, tr, trn
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
        return Reply(f"{bullets}\n\n{receipts.offered(suggested)}".lstrip())
    if call.argument:
        usage = mark("`/memory` takes nothing but `{profile}`. To search, type `/recall {argument}`")
        return Reply(tr(usage, profile=PROFILE, argument=call.argument))
    stats = await turn.agent.memory.stats(scope=turn.scope)
    if not stats.units:
        return Reply(tr("I remember nothing here yet. Tell me something, or type `/remember` and a fact."))
    recent = await turn.agent.memory.recent(MAX_RECENT, scope=turn.scope)
    searched = f"\n\n{receipts.told(await turn.agent.memory.status())}" if turn.principal.is_owner else ""
    # The names are those of all facts: who named them is not known.
    origins = UNKNOWN if stats.entities else frozenset(hit.origin for hit in recent)
    return Reply("\n".join(_describe(stats, recent)) + searched, origins=origins)


def _describe(stats: Stats, recent: tuple[Hit, ...]) -> Iterator[str]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in stats.by_kind.items() if kind != Kind.NOTE)
    facts = f"{trn('{count:,} fact', '{count:,} facts', stats.facts)} ({kinds})" if kinds else tr("No facts yet")
    notes = trn("{count:,} passage", "{count:,} passages", stats.units - stats.facts)
    yield trn(
        "{facts}, and {notes} of other notes, in {count:,} file.",
        "{facts}, and {notes} of other notes, in {count:,} files.",
        stats.files,
        facts=facts,
        notes=notes,
    )
    if stats.first_day:
        is_one_day = stats.first_day == stats.last_day
        yield (
            tr("All from {first_day}.", first_day=stats.first_day)
            if is_one_day
            else tr("From {first_day} to {last_day}.", first_day=stats.first_day, last_day=stats.last_day)
        )
    if stats.entities:
        yield tr(
            "Named most: {entities}.",
            entities=", ".join(f"{name} ({count})" for name, count in stats.entities[:MAX_NAMES]),
        )
    if recent:
        yield tr("Newest:")
        yield from map(receipts.listed, recent)


COMMAND = Command(
    summary=mark("what I know, in ten lines"),
    usage="/memory [profile]",
    example="/memory profile",
    run=run,
    parameter=Parameter.one_of("part", mark("profile: what belongs into USER.md"), "profile"),
)
