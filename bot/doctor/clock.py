"""Check: the time is plausible, and the owner's time zone is known."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import Check, CheckContext, Finding, Severity

EARLIEST = 2026
"""The year this was written: a machine that reports an earlier one has lost its clock's battery."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The clock names the daily logs, so a wrong one scatters what is noted over wrong days."""
    owner = context.config().owner
    now = context.clock.now().astimezone(owner.zone)
    if now.year < EARLIEST:
        hint = "Set the clock of this machine, or switch network time on."
        yield Finding("clock.wrong", Severity.ERROR, "system clock", f"it is said to be {now:%Y-%m-%d}", hint)
    hint = ""
    if owner.timezone == "auto" and owner.zone.key in {"UTC", "Etc/UTC"}:
        hint = "This machine says UTC. If you live elsewhere, set owner.timezone, or your days begin at the wrong hour."
    yield Finding("clock.now", Severity.NOTE, owner.zone.key, f"{now:%Y-%m-%d %H:%M}", hint)


CHECK = Check("clock", "clock and time zone", detect)
