"""Check: the folders are there, belong to one person, and are the ones that were meant."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Fix, Severity, misplaced, permission_hint
from bot.paths import Home, readable_by_others, writable_by_others
from bot.texts.catalogue import mark, tr


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Owner and permissions of the folders, and a second home that may have been left behind by mistake."""
    home = context.home
    yield Finding("home.place", Severity.NOTE, str(home.state), tr("chosen by {who}", who=home.chosen_by))
    secrets = [file for file in (home.config, home.config.with_name(".env")) if file.is_file()]
    folders = [folder for folder in (home.state, home.workspaces, home.config.parent) if folder.is_dir()]
    for path in (*folders, *secrets):
        if (mode := writable_by_others(path)) is not None:
            severity = Severity.ERROR if path in {home.state, *secrets} else Severity.WARNING
            message = tr("others on this machine may write here (mode {mode})", mode=f"{mode:04o}")
            yield _closed("home.shared", severity, path, message)
    for folder in dict.fromkeys(home.folders):
        if os.path.lexists(folder) and not folder.is_dir():
            yield misplaced("home.file", folder)
    if (options := home.config.parent).is_dir() and not os.access(options, os.W_OK | os.X_OK):
        message = tr("read-only, so no option can be changed")
        yield Finding("home.fixed", Severity.WARNING, str(options), message, permission_hint(options))
    for path in [*(folder for folder in reversed(folders) if folder != home.workspaces), *secrets]:
        if writable_by_others(path) is None and (mode := readable_by_others(path)) is not None:
            message = tr("others on this machine may read this (mode {mode})", mode=f"{mode:04o}")
            yield _closed("home.readable", Severity.WARNING, path, message)
    if foreign := next(_foreign(home, context.machine.user), None):
        message = tr("this belongs to another user (number {user})", user=foreign.lstat().st_uid)
        hint = tr(
            "Was Scrubjay run with sudo once? Run: sudo chown -R {user} {path}",
            user=context.machine.user,
            path=f'"{home.config.parent if foreign.is_relative_to(home.config.parent) else foreign}"',
        )
        yield Finding("home.owner", Severity.ERROR, str(foreign), message, hint)
    other = Home.of_system()
    if home != other and other.database.exists() and not home.database.exists():
        message = tr("another home is here, and the one in use is new")
        hint = tr("Was SCRUBJAY_HOME set by mistake? To use the other one: unset SCRUBJAY_HOME")
        yield Finding("home.other", Severity.WARNING, str(other.state), message, hint)


def _closed(id: str, severity: Severity, path: Path, message: str) -> Finding:
    """A finding of a path that others can get at, with what closes it to them."""
    mode = 0o700 if path.is_dir() else 0o600
    command = f'chmod {mode:o} "{path}"'
    fix = Fix(command, partial(asyncio.to_thread, path.chmod, mode))
    return Finding(id, severity, str(path), message, tr("Run: {command}", command=command), fix)


def _foreign(home: Home, user: int | None) -> Iterator[Path]:
    """What belongs to somebody else: folders of the home, and what lies directly in them."""
    tops = (home.config.parent, home.state, home.workspaces, home.cache, home.logs, home.state / "memory")
    for top in dict.fromkeys(tops):
        if user is not None and top.is_dir():
            inside = sorted(top.iterdir()) if os.access(top, os.R_OK | os.X_OK) else []
            yield from (path for path in (top, *inside) if path.lstat().st_uid != user)


CHECK = Check(
    mark("folders and permissions"),
    detect,
    {
        "place": "Where the home is, and what decided on it.",
        "file": "A file, or a link that leads nowhere, stands where a folder of the home belongs, so nothing starts. "
        "Move it away.",
        "shared": "Other users of the machine may write in a folder of the home, or change the configuration. With the "
        "state folder Scrubjay refuses to start. `scrubjay doctor --fix` closes it to them.",
        "readable": "Other users of the machine may read the configuration with its tokens, or the state with your "
        "conversations. `scrubjay doctor --fix` closes it to them.",
        "fixed": "The folder of config.yaml cannot be written to, so neither `scrubjay config` and `scrubjay init` nor "
        "the dashboard can change an option. Give yourself the right to write there, or mount it with it.",
        "owner": "A file of the home belongs to another user, mostly to root, because a command was run with sudo "
        "once. Give it back: `sudo chown -R` with your user's name and the folder.",
        "other": "The home in use is new, and the usual one has data. `SCRUBJAY_HOME` is probably set by mistake.",
    },
)
