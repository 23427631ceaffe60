"""Decay report: once a week the owner hears which facts fade within the next month."""

from __future__ import annotations

from collections.abc import Sequence

from bot.jobs.base import JobRun, RecurringJob
from bot.texts.catalogue import mark, tr
from bot.texts.receipts import due_summary, fading
from memory import OWNER
from memory.life.reviews import DUE_DAYS, due

MAX_LISTED = 5


async def run(job: JobRun) -> Sequence[str]:
    """Tell it, unless nothing fades."""
    found = await job.agent.memory.run(due, scope=OWNER, limit=MAX_LISTED)
    lines = fading(found)
    if lines and not job.is_dry:
        text = "\n".join([tr("These facts fade next; `/pin` keeps one:"), *lines, due_summary(found, DUE_DAYS)])
        await job.context.tell(text, f"decay:{job.agent.name}:{job.id}")
    return [*lines, due_summary(found, DUE_DAYS)]


JOB = RecurringJob("decay", mark("tells you once a week which facts fade next"), "30 7 * * 1", run)
