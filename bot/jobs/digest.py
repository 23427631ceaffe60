"""Digest: once a day the owner hears what was noted the day before, and what waits for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.jobs.base import JobRun, RecurringJob
from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import truncate
from memory import OWNER, Kind
from memory.knowledge.proposals import waiting

MAX_LISTED = 10
MAX_LINE_CHARS = 160


async def run(job: JobRun) -> Sequence[str]:
    """Tell it, unless there is nothing to tell."""
    today = job.context.clock.now().astimezone(job.context.zone).date()
    yesterday = await job.agent.memory.day((today - timedelta(days=1)).isoformat(), scope=OWNER)
    noted = [one for one in yesterday if one.kind is not Kind.NOTE]
    proposals = await job.agent.memory.run(waiting)
    lines = []
    if noted:
        lines.append(trn("Yesterday I noted {count:,} fact:", "Yesterday I noted {count:,} facts:", len(noted)))
        lines += [f"- {truncate(one.content, MAX_LINE_CHARS)}" for one in noted[:MAX_LISTED]]
    if proposals:
        wait = trn(
            "{count:,} proposal to USER.md or MEMORY.md waits: `/review`.",
            "{count:,} proposals to USER.md or MEMORY.md wait: `/review`.",
            len(proposals),
        )
        lines.append(f"{wait} {job.way_there}".rstrip())
    if lines and not job.is_dry:
        whose = [f"**{job.agent.name}**"] if len(job.context.agents) > 1 else []
        await job.context.tell("\n".join([*whose, *lines]), f"digest:{job.agent.name}:{today.isoformat()}")
    return lines or [tr("There was nothing to tell.")]


JOB = RecurringJob("digest", mark("tells you in the morning what was noted, and what waits"), "0 7 * * *", run)
