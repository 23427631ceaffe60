"""Check: the configuration can be read, and everything in it is known."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.config.loader import RETIRED
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.texts import mark, tr


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Every problem of the file and of the variables that set options."""
    path = str(context.home.config)
    if not context.home.config.exists():
        yield Finding("config.absent", Severity.NOTE, path, tr("no file; the defaults hold"))
    elif not context.examined.problems:
        yield Finding("config.valid", Severity.NOTE, path, tr("no mistakes"))
    for problem in context.examined.problems:
        where = f"{problem.source}:{problem.place.line}" if problem.place else problem.source
        named = f"{problem.key}: " if problem.key else ""
        if problem.key in RETIRED:
            message = tr("{option} is no longer used", option=problem.key)
            yield Finding("config.retired", Severity.WARNING, where, message, problem.hint)
        elif problem.fatal:
            yield Finding("config.invalid", Severity.ERROR, where, f"{named}{problem.message}", problem.hint)
        else:
            yield Finding("config.unknown", Severity.WARNING, where, f"{named}{problem.message}", problem.hint)


CHECK = Check(
    "config",
    mark("configuration"),
    detect,
    {
        "absent": "There is no config.yaml. The defaults hold; `scrubjay init` writes one.",
        "valid": "Every line of config.yaml is understood.",
        "invalid": "A value cannot be used, a reference such as `${TOKEN}` leads nowhere, or the file is no YAML. The "
        "finding names the line, what was found and what is allowed; nothing starts until it is mended.",
        "retired": "An option of an older version. It is understood for two minor versions more; the hint says what "
        "has taken its place.",
        "unknown": "An option that nothing knows, or a value that is hardly meant. It is left out, and everything "
        "else holds. Most often it is a misspelling: the hint names the nearest option.",
    },
)
