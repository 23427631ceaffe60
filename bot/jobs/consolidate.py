"""Consolidation: what was observed several times becomes one fact, and what is used again and again comes into bank/.

What was observed and became no fact is kept for a day; this job removes it then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.config.model import Config
from bot.config.options.memory import ConsolidateOptions
from bot.jobs.base import JobRun, RecurringJob
from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import truncate
from bot.texts.memory import of_memory
from memory.files.notation import parse_fact
from memory.journal.writer import CONSOLIDATED

if TYPE_CHECKING:
    from memory.life.consolidation.consolidate import Limits
    from memory.life.consolidation.plan import Consolidation

HOURS_A_DAY = 24
CALL_TOKENS = 4_000
"""Tokens that one request to the model may take, by a rough count."""
MAX_SHOWN_CHARS = 200


def planned(config: Config, agent: str) -> str:
    """Return when it comes: every `memory.consolidate.every_hours`, unless `memory.consolidate.enabled` is false."""
    options = config.memory_of(agent).consolidate
    if not options.enabled:
        return ""
    every = options.every_hours
    return f"20 */{every} * * *" if every < HOURS_A_DAY else f"20 5 */{every // HOURS_A_DAY} * *"


async def run(job: JobRun) -> Sequence[str]:
    """Consolidate once, if there is enough to do and nobody speaks."""
    options, memory = job.context.config.memory_of(job.agent.name).consolidate, job.agent.memory
    done = await memory.consolidate(actor=job.actor, limits=limits_of(options), writer=job.writer, dry_run=job.is_dry)
    expired = 0 if job.is_dry else await memory.run(lambda context: context.sensory.expire())
    lines = [*report(done)]
    if lines and options.report == "on" and not job.is_dry:
        heading = tr("{name} looked through what was observed:", name=job.agent.name)
        await job.context.tell("\n- ".join([heading, *lines]), f"consolidate:{job.agent.name}:{job.id}")
    lines += [tr("{expired:,} observations older than a day are gone.", expired=expired)] if expired else []
    return lines or [of_memory(done.reason) or tr("There was nothing to consolidate.")]


def limits_of(options: ConsolidateOptions, *, by_hand: bool = False) -> Limits:
    """Return when a run is worth it, and what it may cost; one that is asked for by hand is always worth it."""
    from memory.life.consolidation.consolidate import Limits  # here, since a service starts without what consolidates
    from memory.life.consolidation.episodes import Budget

    budget = Budget(options.max_calls, options.max_calls * CALL_TOKENS)
    if by_hand:
        return Limits(budget=budget)
    return Limits(options.min_entries, timedelta(minutes=options.idle_minutes), budget)


def report(done: Consolidation) -> Iterator[str]:
    """Yield what a run came to, or would come to, line by line; nothing if there is nothing to tell."""
    if done.is_resumed:
        yield tr("An earlier run, which had been interrupted, was finished.")
    plan = done.plan
    if done.op_id:
        for text in done.written.values():
            yield tr("noted: {fact}", fact=truncate(text, MAX_SHOWN_CHARS))
        if done.hidden:
            yield trn(
                "{count:,} statement represented by another.",
                "{count:,} statements represented by another.",
                done.hidden,
            )
    else:
        for episode in plan.episodes:
            yield tr("would be noted: {fact}", fact=truncate(parse_fact(episode.line).text, MAX_SHOWN_CHARS))
        hidden = sum(len(episode.hides) for episode in plan.episodes) + sum(len(one.targets) for one in plan.merges)
        if hidden:
            yield trn(
                "{count:,} statement would be represented by another.",
                "{count:,} statements would be represented by another.",
                hidden,
            )
    yield from (tr("promoted to bank/: {fact}", fact=truncate(one, MAX_SHOWN_CHARS)) for one in done.promoted.values())
    if not done.op_id and plan.promotions:
        yield trn(
            "{count:,} fact would be promoted to bank/.",
            "{count:,} facts would be promoted to bank/.",
            len(plan.promotions),
        )
    if done.op_id and (done.written or done.hidden or done.promoted):
        yield tr(
            "Take it back with: scrubjay memory consolidate --undo {run}", run=done.op_id.removeprefix(CONSOLIDATED)
        )


JOB = RecurringJob("consolidate", mark("makes one fact of what was observed several times"), planned, run)
