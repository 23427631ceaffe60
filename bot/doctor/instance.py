"""Check: who serves this home."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot import instance
from bot.doctor.base import Check, CheckContext, Finding, Severity


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The holder of the instance lock. A lock that nobody holds any more is free, whatever was left behind."""
    holder = instance.holder(context.home)
    message = f"running: {holder}" if holder else "not running"
    yield Finding("instance.holder", Severity.NOTE, str(context.home.lock), message)


CHECK = Check("instance", "running instance", detect)
