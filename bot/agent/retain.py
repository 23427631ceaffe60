"""Retain for one agent: a day's facts, made of what the owner told in private and wrote into the log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import date

from bot.sessions.archive import Told
from memory import OWNER, Memory
from memory.knowledge.composing import compose
from memory.knowledge.retain import RetainedFact, Statement, choose, keep, pending, telling, unknown
from memory.ports import Writer
from memory.privacy.secrets import holds_secrets


async def retain(
    memory: Memory, told: Iterable[Told], day: date, *, writer: Writer | None, actor: str, dry_run: bool = False
) -> tuple[RetainedFact, ...]:
    """Write down what was told in private on a day and is not noted yet; return the facts.

    The writer makes them; rules do without one, or where it fails.

    Raises:
        Error: as reading and writing memory do.
    """
    trails = [one.traces for one in await memory.trails() if one.reach == OWNER]

    def is_barred(text: str) -> bool:
        return any(one.is_spoken_of(text) for one in trails)

    said = [Statement(one.text, one.turn) for one in told]
    whole = await memory.run(pending, day, said)
    statements = await memory.run(unknown, await asyncio.to_thread(telling, whole, day, is_barred))
    composed = await compose(statements, day, writer) if writer and statements else None
    found = await asyncio.to_thread(choose, statements, day) if composed is None else composed
    fit = tuple(one for one in found if not is_barred(one.fact.text) and not holds_secrets(one.fact.text))
    if fit and not dry_run:
        await memory.run(keep, day, fit, actor=actor)
    return fit
