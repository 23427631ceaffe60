"""`/timeline`: what memory has of some days, day by day."""

from __future__ import annotations

from bot.agent.timeline import by_day, read_days
from bot.commands.base import Call, Command, Parameter
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """Show the entries of the days that were asked for, or of the last week."""
    turn = call.turn
    today = turn.at.astimezone(turn.agent.zone).date()
    found = await read_days(turn.agent.memory, call.argument, today=today, scope=turn.scope)
    span = found.span
    days = f"{span.first} to {span.last}" if span.first != span.last else f"{span.first}"
    about = f" about {span.subject}" if span.subject else ""
    if not found.hits:
        return Reply(f"There is nothing{about} from {days}. For example: `/timeline last month kitchen`")
    more = "There is more: ask for fewer days, or name a subject." if found.is_cut else ""
    lines = [f"From {days}{about}:", *by_day(found.hits), *filter(None, [more])]
    return Reply("\n".join(lines), origins=frozenset(hit.origin for hit in found.hits))


COMMAND = Command(
    name="timeline",
    summary="what was said of some days, day by day",
    usage="/timeline [DAYS] [SUBJECT]",
    example="/timeline last week",
    run=run,
    detail="Days in your own words: `yesterday`, `November`, `2026-01-01 to 2026-01-31`; without any, the last seven. "
    "A subject narrows it: `/timeline last month kitchen`.",
    private=True,
    parameter=Parameter("days", "days and a subject, both in your own words"),
)
