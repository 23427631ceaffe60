"""Opening the state file, to write or only to read, and saying in words what SQLite reports in codes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import quote

import aiosqlite

from bot.durable import schema
from bot.errors import StateError

LOOKED_THROUGH_S = 60
"""How long a look at every page of the file may take; a file of some hundred megabytes takes seconds."""


@asynccontextmanager
async def read_write(path: Path) -> AsyncIterator[aiosqlite.Connection]:
    """The one connection that writes; makes the file and brings its schema up to date.

    Raises:
        StateError: the file is not ours, of a newer schema, damaged, or its folder cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        raise StateError(f"{path} cannot be written: {error.strerror}.", hint="Check the folder's owner.") from error
    async with aiosqlite.connect(path, isolation_level=None) as db:
        with failures(path, "Opening"):
            await schema.check(db, path)
            await db.execute("PRAGMA journal_mode = WAL")
            await db.execute("PRAGMA synchronous = FULL")
            await db.execute("PRAGMA secure_delete = ON")
            await schema.migrate(db, path)
            await db.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")  # what a killed process had still to clear
        yield db


@asynccontextmanager
async def read_only(path: Path) -> AsyncIterator[aiosqlite.Connection]:
    """A connection that cannot change the file; any process may have one beside the writer.

    Raises:
        StateError: there is no such file, it is not ours, of a newer schema, or damaged.
    """
    with failures(path, "Opening"):
        db = await aiosqlite.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)
    async with _closing(db):
        with failures(path, "Opening"):
            await schema.check(db, path)
        yield db


async def damage(path: Path) -> str:
    """What is wrong with the file, in SQLite's words, after a look at every page; empty if nothing is.

    A look that takes longer than `LOOKED_THROUGH_S` ends there, with what it has found: nothing.

    Raises:
        StateError: as `read_only` does.
    """
    async with read_only(path) as db:
        try:
            async with asyncio.timeout(LOOKED_THROUGH_S):
                with failures(path, "Checking"):
                    rows = await db.execute_fetchall("PRAGMA integrity_check(3)")
        except TimeoutError:
            await db.interrupt()
            return ""
    found = "; ".join(" ".join(str(told).split()) for (told,) in rows)
    return "" if found == "ok" else found[:300]


@contextmanager
def failures(path: Path, doing: str) -> Iterator[None]:
    """Turn what SQLite raises into a `StateError`; its `__cause__` keeps the code.

    A damaged file can make it speak of names that are no text, which its driver cannot put into an error of its own.
    """
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise StateError(
            f"{doing} {path} failed: {error}.",
            hint="Nothing that failed was acknowledged. Make room on the disk or repair it, and start again. If the "
            "file itself is damaged, move it aside: it holds messages under way and transcripts, no memory.",
        ) from error


@asynccontextmanager
async def _closing(db: aiosqlite.Connection) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await db.close()
