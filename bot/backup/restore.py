"""Restores a backup into an empty home, whole or not at all; and tries one out in a folder that is gone again.

What is restored is written beside its place first. Then a file, the plan, says that it is complete, and the parts are
moved into their places one by one. Whoever is killed before the plan is there has restored nothing; after it, the next
command moves the rest.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from bot.backup.archive import Key, Manifest, open_archive
from bot.config.edit import parse, without_option
from bot.errors import BotError, ConfigError, Refused
from bot.paths import Home, create, flush, make_private, reason
from bot.storage.database import damage
from bot.texts.catalogue import tr
from memory import OWNER, Memory

STAGED = ".restoring"
"""How the names of parts end until they are in their places."""
MANY = 5
"""Facts that a backup is asked for when it is verified."""

OpenMemory = Callable[[Path, Path], AbstractAsyncContextManager[Memory]]
"""Opens a memory from the folder of a workspace and the place of its index."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification found: facts that were asked for in a rebuilt memory, and how many of them were found."""

    manifest: Manifest
    asked: int
    found: int


def restore(archive: Path, home: Home, *, key: Key) -> Manifest:
    """Restore a backup into a home in which nothing is kept yet.

    Workspaces that lay elsewhere on the old machine come under this home, and the configuration says so.

    Raises:
        Refused: something is kept in this home, or the backup is of a newer version.
        BackupDamaged: the archive is not whole.
        BotError: it cannot be read or written; nothing was restored then.
    """
    notes = sorted(home.workspaces.rglob("*.md")) if home.workspaces.is_dir() else ()
    if kept := next((path for path in (home.config, home.database, *notes) if path.exists()), None):
        raise Refused(
            tr("Something is kept here already: {path}", path=kept),
            hint=tr("A backup is restored into an empty home. Move that one away, or name another folder with --to."),
        )
    staged = {path: _staged(path) for path in (home.config, home.workspaces)}
    try:
        make_private(home.state)
        for path in (*staged.values(), *home.state.glob(f"*{STAGED}"), *home.config.parent.glob(f"*{STAGED}")):
            _remove(path)  # of a process that was killed
            make_private(path.parent)
        with open_archive(archive, key=key) as opened:
            manifest = opened.manifest
            with TemporaryDirectory(dir=home.config.parent, suffix=STAGED) as unpacked:
                opened.extract(Path(unpacked))
                _stage(Path(unpacked), home, manifest, staged)
        parts = {str(path): str(place) for path, place in staged.items() if place.exists()}
        complete = _staged(home.restored)
        create(complete, json.dumps(parts))
        complete.replace(home.restored)
        flush(home.restored.parent)
        finish(home)
    except OSError as error:
        for path in staged.values():
            _remove(path)
        message = tr("The backup could not be restored: {reason}.", reason=reason(error))
        raise BotError(message, hint=tr("Nothing was changed. Is there room for it on the disk?")) from error
    return manifest


def _staged(path: Path) -> Path:
    """Return where a part is until it is in its place."""
    return path.with_name(path.name + STAGED)


def finish(home: Home) -> bool:
    """Move what of a restored home is not in its place; return whether there was something. Raises `BotError`."""
    plan = home.restored
    try:
        kept = json.loads(plan.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise BotError(tr("{path} cannot be read: {reason}.", path=plan, reason=error)) from error
    try:
        for place, staged in kept.items():
            if Path(staged).exists():
                _remove(Path(place))  # nothing of a home is in it: that was looked at before
                Path(staged).replace(place)
        plan.unlink()
    except OSError as error:
        message = tr("A backup is restored, but {reason}.", reason=reason(error))
        raise BotError(message, hint=tr("Mend that, and try again.")) from error
    return True


async def verify(archive: Path, *, key: Key, open_memory: OpenMemory) -> Verified:
    """Restore a backup into a folder that is gone again, rebuild its memories, and ask them.

    Raises:
        BotError: as `restore` raises, and where the state file in it is damaged.
        Error: as memory raises.
    """
    with TemporaryDirectory(prefix="scrubjay-") as scratch:
        home = Home.at(Path(scratch, "home"))
        manifest = restore(archive, home, key=key)
        if home.database.exists() and (wrong := await damage(home.database)):
            raise BotError(tr("The state file in {path} is damaged: {wrong}", path=archive, wrong=wrong))
        asked = found = 0
        for agent in manifest.agents:
            workspace = home.workspace(agent)
            if not workspace.is_dir():
                continue
            async with open_memory(workspace, Path(scratch, f"{agent}.sqlite")) as memory:
                for hit in await memory.recent(MANY, scope=OWNER):
                    answer = await memory.recall(hit.content, scope=OWNER)
                    asked += 1  # what was noted twice is found once
                    found += any(one.id == hit.id or one.content == hit.content for one in answer.hits)
        return Verified(manifest, asked, found)


def _stage(unpacked: Path, home: Home, manifest: Manifest, staged: dict[Path, Path]) -> None:
    """Put what was unpacked beside the places where it belongs."""
    config = unpacked / "config.yaml"
    if config.exists():
        create(staged[home.config], _adapted(config.read_text(encoding="utf-8"), manifest))
    if (unpacked / "workspaces").exists():
        shutil.move(unpacked / "workspaces", staged[home.workspaces])
    state = unpacked / "state"
    for part in state.iterdir() if state.is_dir() else ():  # one by one: on macOS all the rest lies in this folder, too
        place = home.state / part.name
        staged[place] = _staged(place)
        shutil.move(part, staged[place])
    for agent in manifest.agents:
        (staged[home.workspaces] / agent).mkdir(parents=True, exist_ok=True)
    if (unpacked / "secrets").is_dir():
        for path in (unpacked / "secrets").iterdir():
            place = home.config.with_name(path.name)
            staged[place] = _staged(place)
            create(staged[place], path.read_text(encoding="utf-8"))


def _adapted(text: str, manifest: Manifest) -> str:
    """Return the configuration for the new place: workspaces lie in the home now, and the old places are remarks.

    What is no configuration stays as it is.
    """
    remarks = []
    for agent in manifest.agents:
        key = ("agents", agent, "workspace")
        try:
            folder = parse(text).get(key)
            text = without_option(text, key)
        except ConfigError as error:
            log.warning("backup.not_adapted", agent=agent, reason=str(error))
            continue
        if folder is not None:
            remarks.append(f"# {'.'.join(key)}: {json.dumps(folder)}  # as it was on {manifest.host}")
    return "\n".join([text.rstrip("\n"), *remarks, ""]) if remarks else text


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
