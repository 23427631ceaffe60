"""Reindex: the index is compared with the files once a week, and built anew if it does not answer for them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.formatting import plural
from bot.jobs.base import JobRun, RecurringJob


async def run(job: JobRun) -> Sequence[str]:
    """Bring the index up to date, and say what there is for a person to look at."""
    memory = job.agent.memory
    status = await memory.status()
    if job.is_dry:
        return [f"{plural(status.pending, 'file')} to be read; the index is {status.state}. {status.reason}".rstrip()]
    synced = await (memory.sync() if status.state == "ready" else memory.rebuild())
    problems = await memory.problems()
    return [
        f"{plural(synced.files, 'file')}, {plural(synced.units, 'passage')}; {synced.changed:,} written anew.",
        *(f"{one.path}:{one.line or 1}: {one.message}" for one in problems[:MAX_PROBLEMS]),
    ]


MAX_PROBLEMS = 10

JOB = RecurringJob("reindex", "compares the index with the files, and mends it", "15 5 * * 0", run)
