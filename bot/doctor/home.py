"""Check: the folders are there, belong to one person, and are the ones that were meant."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.paths import Home, readable_by_others, writable_by_others


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Permissions of the folders, and a second home that may have been left behind by mistake."""
    home = context.home
    yield Finding("home.place", Severity.NOTE, str(home.state), f"chosen by {home.chosen_by}")
    for folder in (home.state, home.workspaces, home.config.parent):
        mode = writable_by_others(folder) if folder.is_dir() else None
        if mode is not None:
            yield Finding(
                "home.shared",
                Severity.ERROR if folder == home.state else Severity.WARNING,
                str(folder),
                f"others on this machine may write here (mode {mode:04o})",
                f'Run: chmod 700 "{folder}"',
            )
    secrets = (home.config, home.config.with_name(".env"))
    for path in dict.fromkeys((home.config.parent, home.state, *secrets)):
        mode = readable_by_others(path) if path.exists() and writable_by_others(path) is None else None
        if mode is not None:
            yield Finding(
                "home.readable",
                Severity.WARNING,
                str(path),
                f"others on this machine may read this (mode {mode:04o})",
                f'Run: chmod {700 if path.is_dir() else 600} "{path}"',
            )
    other = Home.of_system()
    if home != other and other.database.exists() and not home.database.exists():
        yield Finding(
            "home.other",
            Severity.WARNING,
            str(other.state),
            "another home is here, and the one in use is new",
            "Was SCRUBJAY_HOME set by mistake? To use the other one: unset SCRUBJAY_HOME",
        )


CHECK = Check("home", "folders and permissions", detect)
