"""Check: every workspace can be read and written, and every file in it is understood."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Severity
from memory import Error


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Folders, then what the memory library reports about the files in them."""
    config = context.examined.config
    for name, agent in config.agents.items() if config else ():
        folder = context.home.workspace(name, agent.workspace)
        if not folder.is_dir():
            hint = "Run: scrubjay init"
            yield Finding("workspaces.absent", Severity.NOTE, str(folder), f"{name} has no folder yet", hint)
        elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            message = f"the folder of {name} cannot be read and written"
            yield Finding("workspaces.refused", Severity.ERROR, str(folder), message, f'Run: chmod u+rwx "{folder}"')
        else:
            async for finding in _check_files(context, name, folder):
                yield finding


async def _check_files(context: CheckContext, name: str, folder: Path) -> AsyncIterator[Finding]:
    try:
        async with context.open_memory(name) as memory:
            problems = await memory.problems()
    except Error as error:
        yield Finding("workspaces.unusable", Severity.ERROR, str(folder), error.message, error.hint)
        return
    if not problems:
        yield Finding("workspaces.understood", Severity.NOTE, str(folder), f"{name}: every file is understood")
    for problem in problems:
        path = str(folder / problem.path)
        place = path if problem.line is None else f"{path}:{problem.line}"
        yield Finding("workspaces.file", Severity.WARNING, place, problem.message, problem.hint)


CHECK = Check("workspaces", "workspaces", detect)
