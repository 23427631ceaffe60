"""The backups in a folder: which there are, which of them are to be kept, and what is known of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from errno import EROFS
from pathlib import Path

from bot.backup.archive import ENCRYPTED, SUFFIX
from bot.config.options.jobs import BackupJobOptions
from bot.paths import Home, put

_NAME = re.compile(rf"scrubjay-(\d{{4}}-\d\d-\d\dT\d{{6}}){re.escape(SUFFIX)}(?:{re.escape(ENCRYPTED)})?")


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup in a folder: its file, its instant in UTC, its size in bytes."""

    path: Path
    at: datetime
    size: int

    @property
    def is_encrypted(self) -> bool:
        """Whether it takes a key to read it."""
        return self.path.suffix == ENCRYPTED


@dataclass(frozen=True, slots=True)
class LastBackup:
    """What this home knows of its newest backup: its file, its ISO instant, and when it was verified, if ever."""

    path: str
    at: str
    verified: str = ""


def backup_folder(home: Home, options: BackupJobOptions) -> Path:
    """Return where backups go: where the options say, or beside the workspaces."""
    return home.folder(options.folder) if options.folder else home.workspaces.with_name("backups")


def backups(folder: Path) -> list[Backup]:
    """Return the backups in a folder by their names, newest first; raises OSError."""
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if named := _NAME.fullmatch(path.name):
            at = datetime.strptime(named[1], "%Y-%m-%dT%H%M%S").replace(tzinfo=UTC)
            found.append(Backup(path, at, path.stat().st_size))
    return sorted(found, key=lambda one: one.at, reverse=True)


def superfluous(every: Sequence[Backup], *, daily: int, weekly: int, monthly: int) -> list[Backup]:
    """Return the backups that need not be kept: all but the newest of the last so many days, weeks and months.

    The newest of all, which comes first in `every`, is always kept. Days without a backup do not count.
    """
    kept = {one.path for one in every[:1]}
    periods: Sequence[tuple[int, Callable[[date], object]]] = (
        (daily, lambda day: day),
        (weekly, lambda day: day.isocalendar()[:2]),
        (monthly, lambda day: (day.year, day.month)),
    )
    for count, period in periods:
        newest = {period(one.at.date()): one for one in reversed(every)}
        kept.update(one.path for one in sorted(newest.values(), key=lambda one: one.at, reverse=True)[:count])
    return [one for one in every if one.path not in kept]


def note_last(home: Home, last: LastBackup) -> None:
    """Keep what is known of the newest backup, unless the home is on a disk that is read-only; raises OSError."""
    try:
        put(_record(home), json.dumps(asdict(last)))
    except OSError as error:
        if error.errno != EROFS:
            raise


def last_backup(home: Home) -> LastBackup | None:
    """Return what is known of the newest backup; None if nothing is."""
    try:
        told = json.loads(_record(home).read_text(encoding="utf-8"))
        return LastBackup(str(told["path"]), str(told["at"]), str(told["verified"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _record(home: Home) -> Path:
    return home.state / "backup.json"
