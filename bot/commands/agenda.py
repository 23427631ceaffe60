"""`/agenda`: what is coming up and to be done, the reminders first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import chain

from bot.agent.offline.quoting import list_ahead
from bot.agent.offline.timeline import each_once, entry, read_repeating
from bot.commands.base import Call, Command
from bot.reminders import list_reminders
from bot.texts.catalogue import mark
from bot.turn import Reply


async def run(call: Call) -> Reply:
    """List the reminders, and what memory has of the days ahead."""
    turn, today = call.turn, call.turn.local.date()
    repeated = await read_repeating(turn.agent.memory, today, today + timedelta(days=6), scope=turn.scope)
    ahead = each_once(chain.from_iterable(await list_ahead(turn, also=repeated)))
    reminders = await list_reminders(turn)
    shown, origins = "\n".join(map(entry, ahead)), frozenset(hit.origin for hit in ahead)
    is_all = ahead and not reminders.evidence  # then nobody need be told that there are no reminders
    return Reply(shown, origins=origins) if is_all else replace(reminders.with_note(shown), origins=origins)


COMMAND = Command(
    summary=mark("what is coming up and to be done"),
    usage="/agenda",
    run=run,
    private=False,
    detail=mark(
        "Your reminders, then what you told me of the next month and what is to be done. To see one day, ask for it: "
        "“what do I have on Friday?”"
    ),
)
