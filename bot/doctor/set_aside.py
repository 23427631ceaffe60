"""Check: nothing was given up that somebody should look at."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.storage.dead_letters import read_dead_letters, read_quarantine

LATELY = timedelta(days=7)
"""For how long something is worth a look of which nothing is left to be cleared away."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Events that could not be taken, then messages and answers that were given up."""
    found = False
    place = str(context.home.database)
    for one in await read_quarantine(context.home.database):
        if one.kept and Path(one.kept).exists():
            found = True
            message = f"an event of {one.account} could not be taken ({one.reason})"
            hint = "Look at the file, answer whoever wrote, report the error that the log tells, and delete the file."
            yield Finding("set_aside.event", Severity.WARNING, one.kept, message, hint)
        elif not one.update and context.clock.now() - one.at < LATELY:
            found = True
            message = f"{one.count} of strangers' events of {one.account} could not be taken ({one.reason})"
            hint = "Report the error that the log tells. Nothing of them is kept; this ends a week after the last one."
            yield Finding("set_aside.strangers", Severity.WARNING, place, message, hint)
    lately = [one for one in await read_dead_letters(context.home.database) if context.clock.now() - one.at < LATELY]
    for letter in lately:
        found = True
        hint = f"To try it again: scrubjay sessions dead retry {letter.id}. This ends a week after it came."
        message = f"a {letter.kind} was given up: {letter.reason}"
        yield Finding("set_aside.dead", Severity.WARNING, letter.id, message, hint)
    if not found:
        yield Finding("set_aside.nothing", Severity.NOTE, place, "nothing was given up")


CHECK = Check("set_aside", "given up", detect)
