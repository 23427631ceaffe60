"""Makes a backup: a copy of what cannot be derived, taken while the service may be running."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from platform import node
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel, SecretStr

from bot import __version__
from bot.backup.archive import ENCRYPTED, FORMAT, SUFFIX, Key, Manifest, write_archive
from bot.config.model import Config
from bot.errors import BotError, Refused
from bot.paths import PRIVATE, Home, make_private, reason
from bot.texts import tr
from memory.files.workspace import Workspace, WorkspaceLock

LEFT_OUT = frozenset({"lock"})
"""Of `.memory/`: what means something only to the process that made it."""
_REFERENCE = re.compile(r"\$\{file:([^}]+)\}")


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made: its file, what is in it, and how large it is packed, in bytes."""

    path: Path
    manifest: Manifest
    size: int


def create(
    home: Home, config: Config, origins: Mapping[str, str], *, folder: Path, now: datetime, key: Key, secrets: bool
) -> Made:
    """Back a home up into an archive of that instant.

    First the state file is copied, then the workspaces: their journals then end where the state file says, or later.

    Args:
        home: what is backed up.
        config: its options.
        origins: who set them, as `bot.config.loader` tells.
        folder: where the archive goes; made if it is not there.
        now: the instant, which names it.
        key: to encrypt it with.
        secrets: tokens and keys are to be in it.

    Raises:
        BotError: a folder or file cannot be read or written; there is no half archive then.
        Error: another process keeps writing to a workspace.
    """
    make_private(folder)
    name = f"scrubjay-{now.astimezone(UTC):%Y-%m-%dT%H%M%S}{SUFFIX}{ENCRYPTED if key else ''}"
    target = folder / name
    if target.exists():
        raise Refused(tr("{path} exists.", path=target), hint=tr("Wait a second, and try again."))
    workspaces = {name: home.workspace(name, options.workspace) for name, options in config.agents.items()}
    try:
        with TemporaryDirectory(dir=folder, prefix=".scrubjay-") as scratch:
            staging = Path(scratch)
            _copy_state(home, staging / "state")
            for agent, workspace in workspaces.items():
                if workspace.is_dir():
                    copy_workspace(workspace, staging / "workspaces" / agent)
            left_out = _copy_config(home, config, origins, staging, secrets=secrets)
            extra = {str(path) for name in config.agents for path in config.memory_of(name).extra_paths.values()}
            manifest = Manifest(
                FORMAT, __version__, now.astimezone(UTC).isoformat(timespec="seconds"), node(),
                {agent: str(workspace) for agent, workspace in workspaces.items()}, left_out, tuple(sorted(extra)),
            )  # fmt: skip
            manifest = write_archive(target, staging, manifest, key=key)
    except OSError as error:
        raise BotError(
            tr("The backup could not be made in {folder}: {reason}.", folder=folder, reason=reason(error)),
            hint=tr("Is the disk full? Another folder can be named with --to."),
        ) from error
    return Made(target, manifest, target.stat().st_size)


def copy_workspace(source: Path, target: Path) -> None:
    """Copy a folder of Markdown as it is between two writes.

    It is copied twice: first all, while writers go on; then, when they are kept out, what has changed meanwhile.

    Raises:
        OSError: something cannot be read or written.
        Error: another process keeps writing.
    """
    seen = _copy_changed(source, target, {})
    with Workspace(source, create=False) as workspace, WorkspaceLock(workspace).hold():
        now = _copy_changed(source, target, seen)
    for gone in seen.keys() - now.keys():
        (target / gone).unlink()


def _copy_changed(source: Path, target: Path, seen: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Copy the files that are not as they were seen; return all with their size and time."""
    found = {}
    for path in _files(source):
        name = path.relative_to(source).as_posix()
        try:
            told = path.stat()
            found[name] = (told.st_size, told.st_mtime_ns)
            if seen.get(name) != found[name]:
                (target / name).parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
                shutil.copy2(path, target / name)
        except FileNotFoundError:  # removed this very moment
            found.pop(name, None)
    return found


def _files(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder; links lead elsewhere, and what is there is not ours."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            is_ours = Path(root) == folder / ".memory" and name in LEFT_OUT
            if not is_ours and stat.S_ISREG(path.lstat().st_mode):
                yield path


def _copy_state(home: Home, target: Path) -> None:
    target.mkdir(parents=True)
    if home.database.exists():
        address = f"{home.database.absolute().as_uri()}?mode=ro"
        try:
            with (
                closing(sqlite3.connect(address, uri=True)) as source,
                closing(sqlite3.connect(target / home.database.name)) as copy,
            ):
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        except sqlite3.Error as error:
            raise BotError(
                tr("The state file cannot be copied: {reason}.", reason=error), hint=tr("Run: scrubjay doctor")
            ) from error
    for folder in (home.state / "sessions", home.files):
        for path in _files(folder):
            name = path.relative_to(home.state)
            if "told" not in name.parts[:3]:  # derived from the transcripts
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target / name)
    if home.mcp_tokens.exists():
        shutil.copy2(home.mcp_tokens, target / home.mcp_tokens.name)


def _copy_config(
    home: Home, config: Config, origins: Mapping[str, str], staging: Path, *, secrets: bool
) -> tuple[str, ...]:
    """Copy the configuration; return the options whose secrets it lacks in the copy."""
    if not home.config.exists():
        return ()
    lines = home.config.read_text(encoding="utf-8").split("\n")
    missing = []
    for option, secret in _secrets(config):
        file, _, number = origins.get(option, "").rpartition(":")
        if file != home.config.name or not number.isdecimal() or int(number) > len(lines):
            continue  # from the environment, which is not ours to copy
        line = lines[int(number) - 1]
        referred = _REFERENCE.search(line)
        if referred:
            kept = home.config.parent / referred[1]
            inside = kept.parent == home.config.parent
            if secrets and inside and kept.is_file():
                (staging / "secrets").mkdir(exist_ok=True)
                shutil.copy2(kept, staging / "secrets" / kept.name)
            else:
                missing.append(option)
        elif secret in line and not secrets:
            lines[int(number) - 1] = re.sub(rf"([\"']?){re.escape(secret)}\1", lambda _: '""', line)
            missing.append(option)
    (staging / home.config.name).write_text("\n".join(lines), encoding="utf-8")
    return tuple(missing)


def _secrets(section: BaseModel, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield the options that hold a secret, by their dotted names, each with it."""
    for name in type(section).model_fields:
        yield from _secrets_in(getattr(section, name), f"{before}{name}")


def _secrets_in(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, SecretStr):
        if value.get_secret_value():
            yield name, value.get_secret_value()
    elif isinstance(value, BaseModel):
        yield from _secrets(value, f"{name}.")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _secrets_in(inner, f"{name}.{key}")
    elif isinstance(value, tuple | list):
        for number, inner in enumerate(value):
            yield from _secrets_in(inner, f"{name}.{number}")
