"""Consolidation for one agent: its limits by the options, and what it came to in words for a person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from bot.config.options.memory import ConsolidateOptions
from bot.texts.catalogue import tr, trn
from bot.texts.formatting import truncate
from memory.files.notation import parse_fact
from memory.journal.writer import CONSOLIDATED
from memory.life.consolidation.consolidate import Limits
from memory.life.consolidation.episodes import Budget
from memory.life.consolidation.plan import Consolidation

CALL_TOKENS = 4_000
"""Tokens that one request to the model may take, by a rough count."""
MAX_SHOWN_CHARS = 200


def limits_of(options: ConsolidateOptions, *, by_hand: bool = False) -> Limits:
    """Return when a run is worth it, and what it may cost; one that is asked for by hand is always worth it."""
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
