"""Retention: what was said long ago is removed, from the state file and from what is derived from it.

Memory is not touched: what was noted of a conversation stands in Markdown and stays there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta

from bot.jobs.base import JobRun, RecurringJob
from bot.storage.port import Session
from bot.texts.catalogue import mark, tr, trn


async def run(job: JobRun) -> Sequence[str]:
    """Remove what is older than it may be; what cannot be removed now is tried again in the next night."""
    options, now, agent = job.context.config.session.retention, job.context.clock.now(), job.agent.name
    gone, left = list[Session](), set[str]()
    if options.transcripts_days is not None:  # a session that goes on is kept whole
        oldest = now - timedelta(days=options.transcripts_days)
        sessions = await job.context.coordinator.sessions(agent)
        gone = [one for one in sessions if one.used < oldest]
        left = {one.key for one in sessions if one.used >= oldest}
    if job.is_dry:
        return [
            trn("{count:,} conversation would go.", "{count:,} conversations would go.", len(gone)),
            *(f"{one.key}, of {one.used:%Y-%m-%d}" for one in gone),
        ]
    if gone:  # what is derived goes first, so that after a crash nothing is left of it alone
        await _remove_derived(job, gone, left)
        await job.context.coordinator.remove_sessions(agent, gone)
        await _remove_derived(job, gone, left)  # what was written out meanwhile
    delivered, seen = timedelta(days=options.delivered_days), timedelta(days=options.seen_days)
    rows = await job.context.coordinator.expire(agent, delivered=now - delivered, seen=now - seen)
    return [
        tr(
            "{conversations} and {rows} of the state file are gone.",
            conversations=trn("{count:,} conversation", "{count:,} conversations", len(gone)),
            rows=trn("{count:,} row", "{count:,} rows", rows),
        )
    ]


async def _remove_derived(job: JobRun, gone: Sequence[Session], left: Collection[str]) -> None:
    for derived in job.context.derived:
        await derived.remove(job.agent.name, gone, left=left)


JOB = RecurringJob("retention", mark("removes what was said longer ago than it may be kept"), "30 3 * * *", run)
