"""Check: there is room on the disk, and it is one that databases can be on."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.doctor.base import Check, CheckContext, Finding, Severity, existing
from bot.paths import reason
from bot.texts.catalogue import localized, mark, tr

MB = 1024 * 1024
TIGHT = 500 * MB
FULL = 100 * MB
"""Bytes. A home of some years with its index is smaller than TIGHT; a rebuild doubles the index for a moment."""


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Free space where state is kept, and where workspaces are; whether a database could be written there."""
    home, machine = context.home, context.machine
    folders = [existing(home.state), existing(home.workspaces)]
    for folder in {folder.stat().st_dev: folder for folder in reversed(folders)}.values():
        free = await asyncio.to_thread(machine.free, folder)
        told = tr("{free} MB free", free=localized(free // MB, ","))
        if free < FULL:
            hint = tr("Make room: below this, writes will soon be refused.")
            yield Finding("disk.full", Severity.ERROR, str(folder), told, hint)
        elif free < TIGHT:
            yield Finding("disk.low", Severity.WARNING, str(folder), told, tr("Make room before it runs out."))
        else:
            yield Finding("disk.free", Severity.NOTE, str(folder), told)
    if kind := machine.network_drive(folders[0]):
        message = tr("the state is on a network drive ({kind}), where locks may not hold", kind=kind)
        hint = tr("Keep the state on a disk of this machine: set SCRUBJAY_HOME. Workspaces may stay where they are.")
        yield Finding("disk.network", Severity.WARNING, str(folders[0]), message, hint)
    if home.state.is_dir() and (trouble := await asyncio.to_thread(_trouble_with_databases, home.state)):
        message = tr("a database cannot be kept here: {why}", why=trouble)
        hint = tr("Is the disk full or read-only? If it is a drive without locks, set SCRUBJAY_HOME to another folder.")
        yield Finding("disk.unusable", Severity.ERROR, str(home.state), message, hint)


def _trouble_with_databases(folder: Path) -> str:
    """Write a small database with a write-ahead log, and say what is in the way; empty if nothing is."""
    try:
        with (
            TemporaryDirectory(prefix="doctor-", dir=folder) as scratch,
            closing(sqlite3.connect(Path(scratch, "trial.sqlite"), isolation_level=None)) as db,
        ):
            ((mode,),) = db.execute("PRAGMA journal_mode = WAL").fetchall()
            db.execute("CREATE TABLE trial (word TEXT)")
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO trial VALUES ('ready')")
            db.execute("COMMIT")
    except (OSError, sqlite3.Error) as error:
        return reason(error) if isinstance(error, OSError) else str(error)
    return "" if mode == "wal" else tr("it has no write-ahead log")


CHECK = Check(
    mark("disk space"),
    detect,
    {
        "full": "Less than 100 MB are free where state or workspaces are. Messages are kept back and writes refused "
        "until there is room. Empty the bin, remove old backups, or enlarge the disk.",
        "low": "Less than 500 MB are free; an index that is built anew takes its own size once more.",
        "free": "How much room there is.",
        "network": "The state folder is on a drive of another machine. Two machines could then both believe that they "
        "hold the lock. Keep the state on a local disk (`SCRUBJAY_HOME`); workspaces may be anywhere.",
        "unusable": "A small database was tried in the state folder and could not be written: the disk is full, "
        "read-only, or knows no locks. Nothing can be answered until that is mended.",
    },
)
