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
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from platform import node
from tempfile import TemporaryDirectory

import structlog

from bot import __version__
from bot.backup.archive import ENCRYPTED, FORMAT, SUFFIX, Key, Manifest, write_archive
from bot.config.edit import parse, with_options
from bot.config.loader import examine
from bot.config.model import Config, keyed_secrets
from bot.config.yaml_tree import Key as OptionKey
from bot.config.yaml_tree import dotted
from bot.errors import BotError, Missing, Refused
from bot.paths import PRIVATE, Home, make_private, reason
from bot.texts.catalogue import tr
from memory.files.workspace import Workspace
from memory.sqlite import to_read

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

LEFT_OUT = frozenset({"lock"})
"""Of `.memory/`: what means something only to the process that made it."""
ABANDONED = timedelta(hours=12)
"""The age at which what a killed backup has left in the folder, a copy that nothing encrypts, goes with the next."""
LONG = 16
"""Characters of a secret that stands nowhere by chance."""
_REFERENCE = re.compile(r"\$\{file:([^}]+)\}")


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made: its file, what is in it, and how large it is packed, in bytes."""

    path: Path
    manifest: Manifest
    size: int


def create(home: Home, config: Config, *, folder: Path, now: datetime, key: Key, secrets: bool) -> Made:
    """Back a home up into an archive of that instant.

    First the state file is copied, then the workspaces: their journals then end where the state file says, or later.

    Args:
        config: its options; those that are backed up are read anew, since they may have changed since a start.
        folder: where the archive goes; made if it is not there.
        now: the instant, which names it.
        secrets: tokens and keys are to be in it.

    Raises:
        BotError: a folder or file cannot be read or written, or there are secrets in the configuration that cannot be
            left out; there is no half archive then.
        Missing: there is nothing in the home.
        Error: another process keeps writing to a workspace.
    """
    workspaces = config.workspaces(home)
    if not any(map(os.path.lexists, (home.config, home.state, *workspaces.values()))):
        message = tr(
            "There is nothing to back up: {home} holds no configuration and no agent.", home=home.config.parent
        )
        raise Missing(message, hint=tr("Is it the right home? See: scrubjay paths"))
    home.prepare()
    make_private(folder)
    name = f"scrubjay-{now.astimezone(UTC):%Y-%m-%dT%H%M%S}{SUFFIX}{ENCRYPTED if key else ''}"
    target = folder / name
    if target.exists():
        raise Refused(tr("{path} exists.", path=target), hint=tr("Wait a second, and try again."))
    try:
        _remove_abandoned(folder, before=(now - ABANDONED).timestamp())
        with TemporaryDirectory(dir=folder, prefix=f".{name}.") as scratch:
            staging = Path(scratch)
            _copy_state(home, staging / "state")
            for agent, workspace in workspaces.items():
                if workspace.is_dir():
                    copy_workspace(workspace, staging / "workspaces" / agent)
                elif os.path.lexists(workspace) or config.has_lost(agent, home):
                    raise BotError(
                        tr("{agent} has lost its folder: {folder} is none.", agent=agent, folder=workspace),
                        hint=tr("Put it back, and try again: without it nothing is left of that memory in a backup."),
                    )
            left_out = _copy_config(home, staging, secrets=secrets)
            extra = {str(path) for name in config.agents for path in config.memory_of(name).extra_paths.values()}
            manifest = Manifest(
                FORMAT, __version__, now.astimezone(UTC).isoformat(timespec="seconds"), node(),
                {agent: str(workspace) for agent, workspace in workspaces.items()}, left_out, tuple(sorted(extra)),
            )  # fmt: skip
            manifest = write_archive(target, staging, manifest, key=key)
    except OSError as error:
        message = tr("The backup could not be made in {folder}: {reason}.", folder=folder, reason=reason(error))
        raise BotError(message, hint=tr("Is the disk full? Another folder can be named with --to.")) from error
    return Made(target, manifest, target.stat().st_size)


def _remove_abandoned(folder: Path, *, before: float) -> None:
    """Remove what killed backups left before an instant; what cannot be removed keeps no backup from being made."""
    for left in folder.glob(f".scrubjay-*T*{SUFFIX}*"):
        try:
            if left.lstat().st_mtime < before:
                shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
        except OSError as error:  # another user made it, or another backup removes it, too
            log.warning("backup.left", path=str(left), reason=reason(error))


def copy_workspace(source: Path, target: Path) -> None:
    """Copy a folder of Markdown as it is between two writes.

    It is copied twice: first all, while writers go on; then, when they are kept out, what has changed meanwhile.

    Raises:
        OSError: something cannot be read or written.
        Error: another process keeps writing.
    """
    seen = _copy_changed(source, target, {})
    with Workspace(source, create=False) as workspace, workspace.lock():
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
        try:
            with (
                closing(to_read(home.database, partial(sqlite3.connect, uri=True))) as source,
                closing(sqlite3.connect(target / home.database.name)) as copy,
            ):
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        except sqlite3.Error as error:
            message = tr("The state file cannot be copied: {reason}.", reason=error)
            raise BotError(message, hint=tr("Run: scrubjay doctor")) from error
    for folder in (home.state / "sessions", home.files):
        for path in _files(folder):
            name = path.relative_to(home.state)
            if "told" not in name.parts[:3]:  # derived from the transcripts
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target / name)
    if home.mcp_tokens.exists():
        shutil.copy2(home.mcp_tokens, target / home.mcp_tokens.name)


def _copy_config(home: Home, staging: Path, *, secrets: bool) -> tuple[str, ...]:
    """Copy the configuration; return the options whose secrets it lacks in the copy.

    Where its secrets are to stay behind, and it cannot be read at the moment, the last one that could be used is taken.
    """
    if not home.config.exists():
        return ()
    text = home.config.read_text(encoding="utf-8")
    found = examine(home, draft=text)
    if found.config is None and not secrets and home.config_good.exists():
        text = home.config_good.read_text(encoding="utf-8")
        found = examine(home, draft=text)
    if found.config is None and not secrets:
        message = tr("{path} cannot be used, so that its tokens cannot be left out of a backup.", path=home.config)
        raise BotError(message, hint=tr("Run: scrubjay doctor"))
    missing, written = [], dict[OptionKey, str]()
    for key, secret in keyed_secrets(found.config) if found.config else ():
        value = str(parse(text).get(key) or "")
        option, referred = dotted(key), _REFERENCE.search(value)
        if not value or (referred is None and "${" in value):
            continue  # from the environment, which is not ours to copy
        if referred is None and not secrets:
            written[key] = secret
            missing.append(option)
        elif referred:
            kept = home.config.parent / referred[1]
            if secrets and kept.parent == home.config.parent and kept.is_file():
                (staging / "secrets").mkdir(exist_ok=True)
                shutil.copy2(kept, staging / "secrets" / kept.name)
            else:
                missing.append(option)
    text = with_options(text, dict.fromkeys(written, '""'))
    for secret in (one for one in written.values() if len(one) >= LONG):
        text = text.replace(secret, "")  # in a remark, or under an old name
    (staging / home.config.name).write_text(text, encoding="utf-8")
    return tuple(missing)
