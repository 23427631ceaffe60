"""Check: the configuration can be read, and everything in it is known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from bot.config.retired import rewritten
from bot.doctor.base import Check, CheckContext, Finding, Fix, Severity
from bot.errors import BotError
from bot.paths import put
from bot.texts.catalogue import mark, tr


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Every problem of the file and of the variables that set options."""
    path = str(context.home.config)
    if not context.home.config.exists():
        yield Finding("config.absent", Severity.NOTE, path, tr("no file; the defaults hold"))
    elif not context.examined.problems:
        yield Finding("config.valid", Severity.NOTE, path, tr("no mistakes"))
    fix = _renaming(context.home.config) if any(problem.is_retired for problem in context.examined.problems) else None
    for problem in context.examined.problems:
        where = f"{problem.source}:{problem.place.line}" if problem.place else problem.source
        named = f"{problem.key}: " if problem.key else ""
        if problem.is_retired:
            is_in_file = problem.place is not None
            told = f"{named}{problem.message}"
            yield Finding("config.retired", Severity.WARNING, where, told, problem.hint, fix if is_in_file else None)
        elif problem.fatal:
            yield Finding("config.invalid", Severity.ERROR, where, f"{named}{problem.message}", problem.hint)
        else:
            yield Finding("config.unknown", Severity.WARNING, where, f"{named}{problem.message}", problem.hint)


def _renaming(path: Path) -> Fix | None:
    """The repair that writes the new names into the file and keeps the old file; None if that cannot be done safely."""
    try:
        _, renamed = rewritten(path.read_text(encoding="utf-8"))
    except (BotError, OSError, UnicodeDecodeError):
        return None

    async def write() -> None:
        before = path.read_text(encoding="utf-8")
        put(path.with_name(f"{path.name}.bak"), before)
        put(path, rewritten(before)[0])

    changes = "; ".join(renamed)
    return Fix(tr("write the new names into {path} ({changes})", path=path, changes=changes), write)


CHECK = Check(
    mark("configuration"),
    detect,
    {
        "absent": "There is no config.yaml. The defaults hold; `scrubjay init` writes one.",
        "valid": "Every line of config.yaml is understood.",
        "invalid": "A value cannot be used, a reference such as `${TOKEN}` leads nowhere, or the file is no YAML. The "
        "finding names the line, what was found and what is allowed; nothing starts until it is mended.",
        "retired": "An option that has another name now. It is still understood; `scrubjay doctor --fix` writes the "
        "new name, keeps comments and order, and leaves the file as it was beside it (`config.yaml.bak`).",
        "unknown": "An option that nothing knows, or a value that is hardly meant. It is left out, and everything "
        "else holds. Most often it is a misspelling: the hint names the nearest option.",
    },
)
