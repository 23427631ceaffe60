"""Retain at night: the days since the last time, at most a week of them, get the facts that nobody noted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from bot.config.model import Config
from bot.jobs.base import JobRun, RecurringJob
from bot.sessions.archive import Told, told_on
from bot.texts.catalogue import mark, tr, trn
from memory import OWNER, Memory
from memory.knowledge.composing import compose
from memory.knowledge.retain import RetainedFact, Statement, choose_facts, find_new, find_pending, most_telling, write
from memory.ports import Writer
from memory.privacy.secrets import holds_secrets

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


async def retain(
    memory: Memory, told: Iterable[Told], day: date, *, writer: Writer | None, actor: str, dry_run: bool = False
) -> tuple[RetainedFact, ...]:
    """Write down what was told in private on a day and is not noted yet; return the facts.

    The writer makes them; rules do without one, or where it fails. Raises `memory.Error` as reading and writing do.
    """
    trails = [one.traces for one in await memory.trails() if one.reach == OWNER]

    def is_barred(text: str) -> bool:
        return any(one.is_spoken_of(text) for one in trails)

    whole = await memory.run(find_pending, day, [Statement(one.text, one.turn) for one in told])
    statements = await memory.run(find_new, await asyncio.to_thread(most_telling, whole, day, is_barred))
    composed = await compose(statements, day, writer) if writer and statements else None
    found = await asyncio.to_thread(choose_facts, statements, day) if composed is None else composed
    fit = tuple(one for one in found if not is_barred(one.fact.text) and not holds_secrets(one.fact.text))
    if fit and not dry_run:
        await memory.run(write, day, fit, actor=actor)
    return fit


JOB = RecurringJob("retain", mark("notes what was told on the last days and nobody noted"), planned, run)
