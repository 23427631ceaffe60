"""Connections to the state file, and its one writer with group commit."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Self, TypeVar, cast
from urllib.parse import quote

import aiosqlite

from bot.errors import BotError, StateError, Unstorable
from bot.storage import schema
from bot.waiting import Pause

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


T = TypeVar("T")
Operation = Callable[[aiosqlite.Connection], Awaitable[T]]
"""Statements that belong together. It may be carried out again if a neighbour in its transaction fails."""

_UNTRUSTWORTHY = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary result codes after which nothing more may be written: a failed sync is not repaired by trying again."""

_PASSING = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    }
)
"""Primary result codes that may be gone a while later: of a disk that is full, failing or read-only for the moment."""

_UNSTORABLE = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError)
"""What SQLite raises over a value, whatever the disk."""

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Durability:
    """How a writer gets over a disk that takes nothing: what waits is tried again until it does.

    Attributes:
        pause: waits between two tries.
        stalled: called with the reason when the waiting begins, and with nothing when the disk takes things again.
    """

    pause: Pause
    stalled: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Write:
    operation: Operation[object]
    flush: bool
    then: Callable[[], None]
    alone: bool
    done: asyncio.Future[object] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def resolve(self, result: object) -> None:
        self.then()
        if not self.done.done():  # whoever asked may have been cancelled meanwhile
            self.done.set_result(result)

    def fail(self, error: BotError) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class Writer:
    """The only one who writes. What it has begun, it ends: cancelling a caller stops the waiting, not the writing.

    Use it as `async with Writer(db, path) as writer`; leaving the block writes what still waits.

    Args:
        db: the connection.
        path: its file.
        endurance: how it waits for a disk that is full or failing; without it, what cannot be written fails at once.

    Attributes:
        stalled: why the disk takes nothing for the moment; empty if it does.
    """

    def __init__(self, db: aiosqlite.Connection, path: Path, endurance: Durability | None = None) -> None:
        self._db = db
        self._path = path
        self._endurance = endurance
        self._ends = asyncio.Event()
        self.stalled = ""
        self._waiting: asyncio.Queue[_Write | None] = asyncio.Queue()
        self._group = asyncio.TaskGroup()
        self._synchronous = ""
        self._refusal: StateError | None = None

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._group.create_task(self._run(), name="state writer")
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._ends.set()
        self._waiting.put_nowait(None)
        await self._group.__aexit__(None, None, None)  # told of a failure, it would cut the writing short

    async def write(
        self,
        operation: Operation[T],
        *,
        flush: bool = True,
        then: Callable[[], None] = lambda: None,
        alone: bool = False,
    ) -> T:
        """Carry an operation out and wait until it is committed.

        Args:
            operation: what to do.
            flush: wait for the disk too. Without it the change survives a kill of the process, but a power cut may
                take it back, together with everything that was written after it.
            then: called when it is committed, also if whoever asked for it has been cancelled meanwhile.
            alone: it is no transaction, and must not run inside one.

        Raises:
            StateError: the disk is full or failing; nothing of the operation was kept.
            Unstorable: SQLite refuses a value; nothing of the operation was kept.
        """
        write = _Write(operation, flush, then, alone)
        self._waiting.put_nowait(write)
        return cast("T", await write.done)

    async def _run(self) -> None:
        more = True
        while more:
            batch, more = await self._next()
            for alone, group in groupby(batch, key=lambda write: write.alone):
                for writes in [[write] for write in group] if alone else [list(group)]:
                    await self._settle(writes)

    async def _next(self) -> tuple[list[_Write], bool]:
        """Everything that waits, and whether more may come."""
        taken = [await self._waiting.get()]
        while not self._waiting.empty():
            taken.append(self._waiting.get_nowait())
        return [write for write in taken if write], None not in taken

    async def _settle(self, batch: Sequence[_Write]) -> None:
        try:
            results = await self._persistently(batch)
        except BotError as error:
            if len(batch) == 1:
                batch[0].fail(error)
                return
        else:
            for write, result in zip(batch, results, strict=True):
                write.resolve(result)
            return
        for write in batch:  # one of them failed: each for itself, so that it fails alone
            await self._settle([write])

    async def _persistently(self, batch: Sequence[_Write]) -> list[object]:
        """Commit, and if the disk takes nothing for the moment, again and again until the writer is to end."""
        wait_s, needs_checkpoint, endurance = FIRST_WAIT_S, False, self._endurance
        while True:
            try:
                if needs_checkpoint:
                    await self._checkpoint()
                results = await self._commit(batch)
            except StateError as error:
                if endurance is None or _code(error) not in _PASSING or self._ends.is_set():
                    raise
                needs_checkpoint = needs_checkpoint or _code(error) == sqlite3.SQLITE_IOERR
                self._stall(endurance, str(error.__cause__))
                await self._pause(endurance, wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            else:
                if endurance and self.stalled:
                    self._stall(endurance, "")
                return results

    def _stall(self, endurance: Durability, reason: str) -> None:
        if bool(reason) != bool(self.stalled):
            endurance.stalled(reason)
        self.stalled = reason

    async def _pause(self, endurance: Durability, seconds: float) -> None:
        """Wait, but not beyond the end."""
        async with asyncio.TaskGroup() as group:
            waits = [group.create_task(endurance.pause(seconds)), group.create_task(self._ends.wait())]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for one in waits:
                one.cancel()

    async def _checkpoint(self) -> None:
        """After a failed sync nobody knows what of the log is on the disk: all of it goes into the file itself."""
        with failures(self._path, "Writing"):
            ((busy, _, _),) = await self._db.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
            if busy:
                error = sqlite3.OperationalError("the log is in use")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error

    async def _commit(self, batch: Sequence[_Write]) -> list[object]:
        if self._refusal:
            raise self._refusal
        try:
            with failures(self._path, "Writing"):
                await self._choose(flush=any(write.flush for write in batch))
                if batch[0].alone:
                    return [await batch[0].operation(self._db)]
                async with _transaction(self._db):
                    return [await write.operation(self._db) for write in batch]
        except StateError as error:
            if isinstance(error.__cause__, _UNSTORABLE):
                raise self._unstorable(error.__cause__) from error.__cause__
            if _code(error) in _UNTRUSTWORTHY and not (self._endurance and _code(error) in _PASSING):
                self._refusal = error
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise self._unstorable(error) from error

    def _unstorable(self, cause: Exception) -> Unstorable:
        return Unstorable(
            f"{self._path} cannot hold a value: {cause}.",
            hint="Nothing else is affected. The log tells where the value came from.",
        )

    async def _choose(self, *, flush: bool) -> None:
        level = "FULL" if flush else "NORMAL"
        if level != self._synchronous:
            await self._db.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level


def _code(error: StateError) -> int:
    """The primary result code of SQLite's that is behind an error; 0 if none is."""
    return int(getattr(error.__cause__, "sqlite_errorcode", 0)) & 0xFF


@asynccontextmanager
async def _transaction(db: aiosqlite.Connection) -> AsyncIterator[None]:
    await db.execute("BEGIN IMMEDIATE")
    try:
        yield
        await db.execute("COMMIT")
    finally:
        if db.in_transaction:
            await db.rollback()
