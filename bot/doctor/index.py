"""Check: every agent's index is there, whole, and up to date."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from bot import receipts
from bot.doctor.base import Check, CheckContext, Finding, Severity
from memory import Error, Status


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The state of each index; a missing one is no fault, it is made when it is needed."""
    for name in context.agents:
        try:
            async with context.open_memory(name) as memory:
                stands = await memory.status()
                yield _finding(name, stands)
                damage = await asyncio.to_thread(_damage, Path(stands.path)) if stands.state == "ready" else ""
                if damage:
                    message = f"{name}: the file is damaged: {damage}"
                    yield Finding("index.damaged", Severity.ERROR, stands.path, message, _rebuild(name))
                if stands.embedder:
                    yield Finding("index.meaning", Severity.NOTE, stands.path, f"{name}: {receipts.told(stands)}")
        except Error as error:
            place = str(context.home.index(name))
            yield Finding("index.unusable", Severity.ERROR, place, error.message, error.hint or _rebuild(name))


def _damage(path: Path) -> str:
    """What a look at its pages finds, those too that no question has read."""
    from memory.index.sqlite import SqliteIndex

    index = SqliteIndex.open(path, read_only=True)
    try:
        return index.damage(whole=True)
    finally:
        index.close()


def _finding(name: str, stands: Status) -> Finding:
    if stands.state == "broken":
        return Finding("index.broken", Severity.ERROR, stands.path, stands.reason, _rebuild(name))
    if stands.state == "missing":
        message = f"{name}: none yet, it is made when it is first needed"
        return Finding("index.missing", Severity.NOTE, stands.path, message)
    counted = f"{name}: {stands.state}, {stands.facts} facts, {stands.units} passages"
    return Finding("index.state", Severity.NOTE, stands.path, f"{counted}. {stands.reason}".rstrip(". "))


def _rebuild(name: str) -> str:
    return f"Nothing is lost, it is derived from the files. Run: scrubjay memory index --rebuild --agent {name}"


CHECK = Check("index", "index", detect)
