"""What a check is, what it finds and may look at, and how all checks are run at once."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.config.loader import Examined
from bot.config.model import Config
from bot.errors import BotError
from bot.paths import Home, reason
from bot.postgresql.state import state_of
from bot.storage.statements import State
from bot.texts.catalogue import mark, tr
from memory import Clock, Embedding, Error, Memory

LIMIT_S = 75.0
"""How long one check may take; all run at the same time, and none may keep the others waiting for ever."""

REINSTALL = mark("Install Scrubjay again, with the versions that it asks for.")


class Severity(StrEnum):
    """Notes tell how things are; warnings want a look; with an error something does not work."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair that loses nothing and need not guess.

    Attributes:
        description: what it does, for the person who is asked.
        apply: does it; raises `BotError`, `memory.Error` or `OSError`.
    """

    description: str
    apply: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check saw.

    Attributes:
        id: the check's id and a word for the finding: `disk.low`. It never changes, so that scripts can rely on it.
        place: a file, a line, a folder, a variable.
        hint: what to do; empty for a note.
        fix: the repair, where there is a safe one.
    """

    id: str
    severity: Severity
    place: str
    message: str
    hint: str = ""
    fix: Fix | None = field(default=None, compare=False)

    @property
    def is_wrong(self) -> bool:
        """Whether it wants a look."""
        return self.severity is not Severity.NOTE

    @property
    def as_json(self) -> dict[str, Any]:
        """Return it as `--json` shows it."""
        words = {"id": self.id, "severity": self.severity.value, "place": self.place, "message": self.message}
        return {**words, "hint": self.hint, "fixable": self.fix is not None}


def misplaced(id: str, folder: Path) -> Finding:
    """A finding of what is no folder and stands where one belongs, with what moves it away."""
    message = tr("{folder} is not a folder.", folder=folder)
    hint = tr("Run: {command}", command=f'mv "{folder}" "{folder}.old"')
    return Finding(id, Severity.ERROR, str(folder), message, hint)


def permission_hint(folder: Path) -> str:
    """Return what lets this user write in a folder: its permissions, or the mount of a file system that has none."""
    if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
        return tr("Run: {command}", command=f'sudo mount -o remount,rw "{mount_of(folder)[0]}"')
    return tr("Run: {command}", command=f'chmod u+rwx "{folder}"')


def existing(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists: it is on the same disk."""
    return next(one for one in (path, *path.parents) if one.exists())


def mount_of(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> tuple[str, str]:
    """Return where the file system that a folder is on begins, and its kind; (folder, "") where nobody tells."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    fields = [line.split() for line in lines]
    kinds = {entry[1].replace("\\040", " "): entry[2] for entry in fields if len(entry) > 2}
    above = [point for point in kinds if folder.resolve().is_relative_to(point)]
    point = max(above, key=len, default=str(folder))
    return point, kinds.get(point, "")


NETWORK = frozenset(
    {"9p", "afs", "ceph", "cifs", "davfs", "fuse.davfs2", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs"}
)
"""File systems whose locks other machines may not see, or that have none."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the system says of this machine.

    Attributes:
        free: bytes that can still be written where a folder is; raises OSError.
        filesystem: the kind of file system that a folder is on; empty if that is not known.
        user: the number of the user who runs this; None where users have none.
    """

    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free
    filesystem: Callable[[Path], str] = lambda folder: mount_of(folder)[1]
    user: int | None = os.getuid() if hasattr(os, "getuid") else None

    def network_drive(self, folder: Path) -> str:
        """Return the kind of file system of a folder if it is one of another machine; else nothing."""
        kind = self.filesystem(folder)
        return kind if kind in NETWORK else ""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What checks look at.

    Attributes:
        open_memory: opens an agent's memory as it is, without writing.
        embedding: what an agent's memory is searched by meaning with; None where words are to be searched alone.
        ask: asks the running service (`bot.service.control.ask`); raises `BotError`.
        rebuild: makes an agent's index anew from its files.
        is_offline: no other machine and no model is to be asked.
    """

    home: Home
    clock: Clock
    examined: Examined
    open_memory: Callable[[str], AbstractAsyncContextManager[Memory]]
    embedding: Callable[[str], Embedding | None]
    ask: Callable[..., Awaitable[Mapping[str, Any]]]
    rebuild: Callable[[str], Awaitable[None]]
    is_offline: bool = False
    machine: Machine = field(default_factory=Machine)

    @property
    def agents(self) -> tuple[str, ...]:
        """Those whose workspace exists; none while the configuration cannot be used."""
        config = self.examined.config
        return tuple(name for name in config.agents if self.workspace(name).is_dir()) if config else ()

    def workspace(self, agent: str) -> Path:
        """The folder of an agent that the configuration has."""
        return self.config().workspaces(self.home)[agent]

    @property
    def state(self) -> State:
        """Where messages under way and conversations are kept."""
        return state_of(self.home, self.config())

    def config(self) -> Config:
        """The options in use; the defaults while the configuration cannot be used."""
        return self.examined.config or Config()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at.

    Attributes:
        detect: looks, changes nothing, and yields what it sees.
        explains: what each finding means and what to do, in Markdown, by id without the check's own: for
            docs/troubleshooting.md.
    """

    title: str
    detect: Callable[[CheckContext], AsyncIterator[Finding]]
    explains: Mapping[str, str] = field(default_factory=dict)


async def run_checks(
    checks: Mapping[str, Check], context: CheckContext
) -> AsyncIterator[tuple[Check, tuple[Finding, ...]]]:
    """Run checks, all at the same time; yield each with what it found, in their order, nothing twice.

    `checks`: by their names, those of their modules.
    """
    seen = set[Finding]()
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [(check, group.create_task(_findings(name, check, context))) for name, check in checks.items()]
            for check, task in tasks:
                new = tuple(finding for finding in await task if finding not in seen)
                seen.update(new)
                yield check, new
    except* GeneratorExit:  # nobody wants the rest, which is no failure
        pass


async def _findings(name: str, check: Check, context: CheckContext) -> list[Finding]:
    """A check's findings; one that the system hinders is a finding itself and does not stop the others."""
    findings = dict[Finding, None]()  # in their order, nothing twice
    try:
        async with asyncio.timeout(LIMIT_S):
            async for finding in check.detect(context):
                findings[finding] = None
        return [*findings]
    except (BotError, Error) as error:
        hindered = Finding(f"{name}.refused", Severity.ERROR, tr(check.title), error.message, error.hint)
    except OSError as error:
        if isinstance(error, TimeoutError) and error.filename is None:
            message = tr(
                "this was not done within {seconds} seconds, so what it looks at is not known", seconds=LIMIT_S
            )
            hint = tr("Look again when the machine has less to do.")
            hindered = Finding(f"{name}.slow", Severity.WARNING, tr(check.title), message, hint)
        else:
            place = str(error.filename or tr(check.title))
            hint = tr("Check who owns it and its permissions.")
            hindered = Finding(f"{name}.refused", Severity.ERROR, place, reason(error), hint)
    return [*findings, hindered]
