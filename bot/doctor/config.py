"""Check: the configuration can be read, and everything in it is known."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import Check, CheckContext, Finding, Severity


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Every problem of the file and of the variables that set options."""
    path = str(context.home.config)
    if not context.home.config.exists():
        yield Finding("config.absent", Severity.NOTE, path, "no file; the defaults hold")
    elif not context.examined.problems:
        yield Finding("config.valid", Severity.NOTE, path, "no mistakes")
    for problem in context.examined.problems:
        where = f"{problem.source}:{problem.place.line}" if problem.place else problem.source
        named = f"{problem.key}: " if problem.key else ""
        severity = Severity.ERROR if problem.fatal else Severity.WARNING
        finding = "config.invalid" if problem.fatal else "config.unknown"
        yield Finding(finding, severity, where, f"{named}{problem.message}", problem.hint)


CHECK = Check("config", "configuration", detect)
