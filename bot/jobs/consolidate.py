"""Consolidation: what was observed several times becomes one fact, and what is used again and again comes into bank/.

What was observed and became no fact is kept for a day; this job removes it then.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.config.model import Config
from bot.jobs.base import JobRun, RecurringJob
from bot.texts.catalogue import mark, tr
from bot.texts.memory import of_memory

HOURS_A_DAY = 24


def planned(config: Config, agent: str) -> str:
    """Return when it comes: every `memory.consolidate.every_hours`, unless `memory.consolidate.enabled` is false."""
    options = config.memory_of(agent).consolidate
    if not options.enabled:
        return ""
    every = options.every_hours
    return f"20 */{every} * * *" if every < HOURS_A_DAY else f"20 5 */{every // HOURS_A_DAY} * *"


async def run(job: JobRun) -> Sequence[str]:
    """Consolidate once, if there is enough to do and nobody speaks."""
    from bot.agent.consolidate import limits_of, report  # here, since a service starts without what consolidates

    options, memory = job.context.config.memory_of(job.agent.name).consolidate, job.agent.memory
    done = await memory.consolidate(actor=job.actor, limits=limits_of(options), writer=job.writer, dry_run=job.is_dry)
    expired = 0 if job.is_dry else await memory.run(lambda context: context.sensory.expire())
    lines = [*report(done)]
    if lines and options.report == "on" and not job.is_dry:
        heading = tr("{name} looked through what was observed:", name=job.agent.name)
        await job.context.tell("\n- ".join([heading, *lines]), f"consolidate:{job.agent.name}:{job.id}")
    lines += [tr("{expired:,} observations older than a day are gone.", expired=expired)] if expired else []
    return lines or [of_memory(done.reason) or tr("There was nothing to consolidate.")]


JOB = RecurringJob(
    "consolidate", mark("makes one fact of what was observed several times"), "20 */12 * * *", run, planned
)
