"""Reindex: the index is compared with the files once a week, and built anew if it does not answer for them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.jobs.base import JobRun, RecurringJob
from bot.texts.catalogue import mark, tr, trn
from bot.texts.memory import of_memory
from bot.texts.receipts import INDEX_STATES

MAX_PROBLEMS = 10


async def run(job: JobRun) -> Sequence[str]:
    """Bring the index up to date, and say what there is for a person to look at."""
    memory = job.agent.memory
    status = await memory.status()
    if job.is_dry:
        text = trn(
            "{count:,} file to be read; the index is {state}.",
            "{count:,} files to be read; the index is {state}.",
            status.pending,
            state=tr(INDEX_STATES.get(status.state, status.state)),
        )
        return [f"{text} {of_memory(status.reason)}".rstrip()]
    synced = await (memory.sync() if status.state == "ready" else memory.rebuild())
    problems = await memory.problems()
    return [
        tr(
            "{files}, {passages}; {changed:,} written anew.",
            files=trn("{count:,} file", "{count:,} files", synced.files),
            passages=trn("{count:,} passage", "{count:,} passages", synced.units),
            changed=synced.changed,
        ),
        *(f"{one.path}:{one.line or 1}: {one.message}" for one in problems[:MAX_PROBLEMS]),
    ]


JOB = RecurringJob("reindex", mark("compares the index with the files, and mends it"), "15 5 * * 0", run)
