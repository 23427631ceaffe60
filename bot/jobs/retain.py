"""Retain at night: the days since the last time, at most a week of them, get the facts that nobody noted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.agent.retain import retain
from bot.config.model import Config
from bot.jobs.base import JobRun, RecurringJob
from bot.sessions.archive import told_on
from bot.texts.catalogue import mark, tr, trn

MAX_DAYS = 7


def planned(config: Config, agent: str) -> str:
    """Return when it comes: at the hour of `memory.retain.at`, unless `memory.retain.enabled` is false."""
    options = config.memory_of(agent).retain
    return f"0 {options.at} * * *" if options.enabled else ""


async def run(job: JobRun) -> Sequence[str]:
    """Do each day that is over and not done; what cannot be written now is tried again in the next night."""
    agent, context, lines = job.agent.name, job.context, list[str]()
    today = context.clock.now().astimezone(context.zone).date()
    done = (await context.coordinator.marks.load(job.job)).get(agent, "")
    days = [today - timedelta(days=back) for back in range(MAX_DAYS, 0, -1)]
    for day in [day for day in days if day.isoformat() > done]:
        told = await told_on(context.coordinator, agent, day, context.zone)
        found = await retain(job.agent.memory, told, day, writer=job.writer, actor=job.actor, dry_run=job.is_dry)
        if not job.is_dry:
            await context.coordinator.marks.save(job.job, agent, day.isoformat())
        if found:
            lines.append(f"{day}: {trn('{count:,} fact', '{count:,} facts', len(found))}")
            lines += [f"  {one.fact.text}" for one in found if job.is_dry]
    return lines or [tr("Nothing was told that is not noted.")]


JOB = RecurringJob("retain", mark("notes what was told on the last days and nobody noted"), "0 3 * * *", run, planned)
