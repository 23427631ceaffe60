"""Check: nothing was given up that somebody should look at."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import StateError
from bot.storage.database import read_state
from bot.storage.tables.dead_letters import list_dead_letters, list_quarantined
from bot.texts.catalogue import mark, tr

LATELY = timedelta(days=7)
"""For how long something is worth a look of which nothing is left to be cleared away."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Events that could not be taken, then messages and answers that were given up."""
    place = str(context.state)
    try:
        quarantine = await read_state(context.state, list_quarantined)
        letters = await read_state(context.state, list_dead_letters)
    except StateError:
        return  # the check of the state file tells
    findings = list[Finding]()
    for event in quarantine:
        known = {"count": event.count, "account": event.account, "why": event.reason}
        if event.kept and Path(event.kept).exists():
            message = tr("an event of {account} could not be taken ({why})", **known)
            hint = tr(
                "Look at the file, answer whoever wrote, report the error that the log tells, and delete the file."
            )
            findings.append(Finding("set_aside.event", Severity.WARNING, event.kept, message, hint))
        elif not event.update and context.clock.now() - event.at < LATELY:
            message = tr("{count} of strangers' events of {account} could not be taken ({why})", **known)
            hint = tr(
                "Report the error that the log tells. Nothing of them is kept; this ends a week after the last one."
            )
            findings.append(Finding("set_aside.strangers", Severity.WARNING, place, message, hint))
    for letter in (letter for letter in letters if context.clock.now() - letter.at < LATELY):
        hint = tr(
            "To try it again: {command}. This ends a week after it came.",
            command=f"scrubjay sessions dead retry {letter.id}",
        )
        message = tr("a {kind} was given up: {why}", kind=letter.kind, why=letter.reason)
        findings.append(Finding("set_aside.dead", Severity.WARNING, letter.id, message, hint))
    for finding in findings or [Finding("set_aside.nothing", Severity.NOTE, place, tr("nothing was given up"))]:
        yield finding


CHECK = Check(
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
