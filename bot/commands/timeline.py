"""`/timeline`: what memory has of some days, day by day."""

from __future__ import annotations

from bot.agent.offline.timeline import by_day, read_days
from bot.commands.base import Call, Command, Parameter
from bot.texts.catalogue import mark, tr
from bot.turn import Reply

NARROWED = mark("/timeline last month kitchen")


async def run(call: Call) -> Reply:
    """Show the entries of the days that were asked for, or of the last week."""
    turn = call.turn
    found = await read_days(turn.agent.memory, call.argument, today=turn.local.date(), scope=turn.scope)
    span = found.span
    is_one = span.first == span.last
    days = f"{span.first}" if is_one else tr("{first} to {last}", first=span.first, last=span.last)
    if not found.hits:
        if span.subject:
            none = tr("There is nothing about {subject} from {days}.", subject=span.subject, days=days)
        else:
            none = tr("There is nothing from {days}.", days=days)
        return Reply(f"{none} {tr('For example: {example}', example=f'`{tr(NARROWED)}`')}")
    more = tr("There is more: ask for fewer days, or name a subject.") if found.is_cut else ""
    if found.is_near:
        head = tr("Nothing from {days} has “{subject}”; nearest in meaning is:", days=days, subject=span.subject)
    elif span.subject:
        head = tr("From {days} about {subject}:", days=days, subject=span.subject)
    else:
        head = tr("From {days}:", days=days)
    lines = [head, *by_day(found.hits), *filter(None, [more])]
    return Reply("\n".join(lines), origins=frozenset(hit.origin for hit in found.hits))


COMMAND = Command(
    summary=mark("what was said of some days, day by day"),
    usage=mark("/timeline [DAYS] [SUBJECT]"),
    example=mark("/timeline last week"),
    run=run,
    detail=mark(
        "Days in your own words: `yesterday`, `November`, `2026-01-01 to 2026-01-31`; without any, the last "
        "seven. A subject narrows it: `/timeline last month kitchen`."
    ),
    parameter=Parameter("days", mark("days and a subject, both in your own words")),
)
