"""Reflection at night: an agent's pages and opinions follow what was said, and its owner is told of new proposals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.config.model import Config
from bot.jobs.base import JobRun, RecurringJob
from bot.texts.catalogue import mark, tr, trn
from memory.knowledge.reflection.reflect import Reflection, prepare, reflect
from memory.knowledge.summaries import put, summarise


def planned(config: Config, agent: str) -> str:
    """Return when it comes: at the hour of `memory.reflect.at`, unless `memory.reflect.enabled` is false."""
    options = config.memory_of(agent).reflect
    return f"0 {options.at} * * *" if options.enabled else ""


async def run(job: JobRun) -> Sequence[str]:
    """Reflect once; what cannot be written now is tried again in the next night."""
    memory, context, agent = job.agent.memory, job.context, job.agent.name
    judge = await asyncio.to_thread(await memory.run(prepare))
    found = await memory.run(reflect, op_id=job.id, actor=job.actor, dry_run=job.is_dry, judge=judge)
    writer = None if job.is_dry else job.writer
    today = context.clock.now().astimezone(context.zone).date()
    for one in await summarise(found, writer, today) if writer else ():
        await memory.run(put, one, op_id=f"{job.id}:summary", actor=job.actor)
    if found.proposals and not job.is_dry:
        text = trn(
            "{agent} proposes {count:,} change to USER.md or MEMORY.md. `/review` shows them.",
            "{agent} proposes {count:,} changes to USER.md or MEMORY.md. `/review` shows them.",
            len(found.proposals),
            agent=agent,
        )
        await context.tell(f"{text} {job.way_there}".rstrip(), f"reflect:{agent}:{job.id}")
    return [
        counted(found),
        *(f"{change.path}" for change in found.pages if job.is_dry),
        *(tr("Left as it is: {path}: {reason}", path=path, reason=reason) for path, reason in found.left.items()),
    ]


def counted(found: Reflection) -> str:
    """Return what a reflection came to, or would come to, in a line."""
    done = [
        trn("{count:,} page written", "{count:,} pages written", len(found.pages)),
        trn("{count:,} opinion moved", "{count:,} opinions moved", len(found.moves)),
        trn("{count:,} conflict", "{count:,} conflicts", len(found.contradictions)),
        trn("{count:,} new proposal", "{count:,} new proposals", len(found.proposals)),
    ]
    return f"{', '.join(done)}."


JOB = RecurringJob("reflect", mark("brings pages in bank/ and opinions up to date"), planned, run)
