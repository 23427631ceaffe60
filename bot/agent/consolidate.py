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
    """Return when a run is worth it, and what it may cost; whoever asks for it by hand need not wait."""
    budget = Budget(options.max_calls, options.max_calls * CALL_TOKENS)
    return Limits(budget=budget) if by_hand else Limits(
        options.min_entries, timedelta(minutes=options.idle_minutes), budget
    )  # fmt: skip


def report(done: Consolidation) -> Iterator[str]:
    """Yield what a run came to, or would come to, line by line; nothing if there is nothing to tell."""
    if done.is_resumed:
        yield tr("An earlier run, which had been interrupted, was finished.")
    plan = done.plan
    hidden = [name for one in plan.episodes for name in one.hides]
    hidden += [name for one in plan.merges for name in one.targets]
    count = done.hidden if done.op_id else len(hidden)
    for text in done.written.values() if done.op_id else [parse_fact(one.line).text for one in plan.episodes]:
        short = truncate(text, MAX_SHOWN_CHARS)
        yield tr("noted: {fact}", fact=short) if done.op_id else tr("would be noted: {fact}", fact=short)
    if count and done.op_id:
        yield trn("{count:,} statement represented by another.", "{count:,} statements represented by another.", count)
    elif count:
        yield trn(
            "{count:,} statement would be represented by another.",
            "{count:,} statements would be represented by another.",
            count,
        )
    yield from (tr("promoted to bank/: {fact}", fact=truncate(one, MAX_SHOWN_CHARS)) for one in done.promoted.values())
    if not done.op_id and plan.promotions:
        yield trn(
            "{count:,} fact would be promoted to bank/.",
            "{count:,} facts would be promoted to bank/.",
            len(plan.promotions),
        )
    if done.op_id and (done.written or count or done.promoted):
        yield tr(
            "Take it back with: scrubjay memory consolidate --undo {run}", run=done.op_id.removeprefix(CONSOLIDATED)
        )
