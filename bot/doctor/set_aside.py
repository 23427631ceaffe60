"""Check: nothing was given up that somebody should look at."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import StateError
from bot.storage.tables.dead_letters import read_dead_letters, read_quarantine
from bot.texts.catalogue import mark, tr

LATELY = timedelta(days=7)
"""For how long something is worth a look of which nothing is left to be cleared away."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Events that could not be taken, then messages and answers that were given up."""
    found = False
    place = str(context.state)
    try:
        quarantine = await read_quarantine(context.state)
        letters = await read_dead_letters(context.state)
    except StateError:
        return  # the check of the state file tells
    for one in quarantine:
        if one.kept and Path(one.kept).exists():
            found = True
            message = tr("an event of {account} could not be taken ({why})", account=one.account, why=one.reason)
            hint = tr(
                "Look at the file, answer whoever wrote, report the error that the log tells, and delete the file."
            )
            yield Finding("set_aside.event", Severity.WARNING, one.kept, message, hint)
        elif not one.update and context.clock.now() - one.at < LATELY:
            found = True
            message = tr(
                "{count} of strangers' events of {account} could not be taken ({why})",
                count=one.count,
                account=one.account,
                why=one.reason,
            )
            hint = tr(
                "Report the error that the log tells. Nothing of them is kept; this ends a week after the last one."
            )
            yield Finding("set_aside.strangers", Severity.WARNING, place, message, hint)
    lately = [one for one in letters if context.clock.now() - one.at < LATELY]
    for letter in lately:
        found = True
        hint = tr(
            "To try it again: {command}. This ends a week after it came.",
            command=f"scrubjay sessions dead retry {letter.id}",
        )
        message = tr("a {kind} was given up: {why}", kind=letter.kind, why=letter.reason)
        yield Finding("set_aside.dead", Severity.WARNING, letter.id, message, hint)
    if not found:
        yield Finding("set_aside.nothing", Severity.NOTE, place, tr("nothing was given up"))


CHECK = Check(
    "set_aside",
    mark("given up"),
    detect,
    {
        "event": "A message of a platform could not be read and was put into a file, so that those after it go on. "
        "Look at it, answer whoever wrote, and delete the file.",
        "strangers": "The same with messages of people who were not let in. Nothing of them is kept.",
        "dead": "A message could not be answered, or an answer not delivered, after many tries. `scrubjay sessions "
        "dead list` shows all, `scrubjay sessions dead retry` tries one again.",
        "nothing": "Nothing was given up.",
    },
)
