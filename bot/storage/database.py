"""Connections to the state file: readers, and the one writer with group commit."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import structlog

from bot.errors import BotError, StateError, Unstorable
from bot.storage import schema
from bot.storage.statements import Operation, State, StatementReader
from bot.texts.catalogue import mark, tr
from bot.waiting import Pause, backoff, either
from memory.sqlite import to_read

MAX_CHECK_S = 60
"""How long `damage` may read; a file of some hundred megabytes takes seconds."""


T = TypeVar("T")

_READ = partial(sqlite3.connect, uri=True, isolation_level=None)
_REFUSED = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY})


class Connection:
    """A connection to the state file with a thread of its own, to which whole operations are handed, not statements.

    `interrupt` lets the statement under way fail.
    """

    def __init__(self, db: sqlite3.Connection, thread: ThreadPoolExecutor) -> None:
        self.interrupt = db.interrupt
        self._db = db
        self._thread = thread

    @classmethod
    @asynccontextmanager
    async def open(
        cls, path: Path, connect: Callable[[], sqlite3.Connection], prepare: Callable[[sqlite3.Connection], object]
    ) -> AsyncIterator[Self]:
        """Connect, as `connect` does, and `prepare` it; leaving the block ends what was begun and closes it.

        Raises:
            StateError: there is no such file, or it cannot be opened or prepared.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="state")
        async with AsyncExitStack() as stack:
            stack.callback(thread.shutdown, wait=False)
            with failures(path, mark("Opening")):
                connection = cls(await asyncio.get_running_loop().run_in_executor(thread, connect), thread)
                stack.push_async_callback(lambda: asyncio.shield(connection.run(sqlite3.Connection.close)))
                await connection.run(prepare)
            yield connection

    async def run(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Carry out an operation, to its end even if its caller is cancelled; raises `sqlite3.Error`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, operation, self._db)


def read_write(path: Path) -> AbstractAsyncContextManager[Connection]:
    """Open the one connection that writes; make the file and bring its schema up to date.

    Raises:
        StateError: the file is not ours, of a newer schema, damaged, or its folder cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        message = tr("{path} cannot be written: {reason}.", path=path, reason=error.strerror)
        raise StateError(message, hint=tr("Check the folder's owner.")) from error

    def prepare(db: sqlite3.Connection) -> None:
        schema.check(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON")
        schema.migrate(db, path)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # what a killed process had still to clear

    return Connection.open(path, partial(sqlite3.connect, path, isolation_level=None), prepare)


def read_only(path: Path) -> AbstractAsyncContextManager[Connection]:
    """Open a connection that cannot change the file; any process may have one beside the writer.

    Raises:
        StateError: there is no such file, it is not ours, of a newer schema, or damaged.
    """
    return Connection.open(path, partial(to_read, path, _READ), partial(schema.check, path=path))


async def damage(path: Path) -> str | None:
    """Read every page of the file and return what is wrong with it, in SQLite's words.

    Returns:
        Nothing (`""`) if all is well; None if the file could not be read to its end within `MAX_CHECK_S`.

    Raises:
        StateError: as `read_only` does.
    """
    async with read_only(path) as db:
        try:
            async with asyncio.timeout(MAX_CHECK_S):
                with failures(path, mark("Checking")):
                    rows = await db.run(lambda reading: reading.execute("PRAGMA integrity_check(3)").fetchall())
        except TimeoutError:
            db.interrupt()
            return None
    problems = "; ".join(" ".join(str(problem).split()) for (problem,) in rows)
    return "" if problems == "ok" else problems[:300]


@contextmanager
def failures(path: Path, doing: str) -> Iterator[None]:
    """Turn SQLite's errors into a `StateError` whose `__cause__` keeps the code.

    In a damaged file, names may be no valid text; then the driver raises `UnicodeDecodeError` instead of its own error.
    """
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        message = tr("{doing} {path} failed: {error}.", doing=tr(doing), path=path, error=error)
        if _code(error) in _REFUSED:
            hint = tr(
                "Check that it is in its place and a file, that it and the files beside it (-wal, -shm) may be written "
                "to, and that the disk takes more files; then start again."
            )
        elif _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            hint = tr("Another program holds it, perhaps one that browses or saves it: close that, then try again.")
        else:
            hint = tr(
                "Nothing that failed was acknowledged. Make room on the disk or repair it, and start again. If the "
                "file itself is damaged, move it aside: it holds messages under way and transcripts, no memory."
            )
        raise StateError(message, hint=hint) from error


class Reader:
    """Reads the state file. Every read sees all that was committed before it.

    Args:
        near: another one, of the event loop's thread: to hand a query to a thread and its rows back takes several times
            as long as a query that finds few.
    """

    def __init__(self, db: Connection, near: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._near = near
        self._path = path

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[Self]:
        """Open the file for reading; raises `StateError` as `read_only` does."""
        async with read_only(path) as db:
            with closing(to_read(path, partial(_READ, timeout=0))) as near:
                yield cls(db, near, path)

    async def rows(self, sql: str, *parameters: str | int) -> list[Any]:
        """Return the rows of a query; raises `StateError`."""
        with failures(self._path, mark("Reading")):
            return await self._db.run(lambda db: _fetch(db, sql, parameters))

    async def few_rows(self, sql: str, *parameters: str | int) -> list[Any]:
        try:
            return self._near.execute(sql, parameters).fetchall()
        except sqlite3.Error:  # the file is busy, or spoilt: there it may wait, and read what is left
            return await self.rows(sql, *parameters)

    async def has(self, table: str) -> bool:
        return bool(await self.rows("SELECT 1 FROM sqlite_schema WHERE name = ?", table))


@asynccontextmanager
async def open_reader(state: State) -> AsyncIterator[StatementReader]:
    """Open the state for reading, beside a running service or without one; raises `StateError` as `read_only` does."""
    async with Reader.open(state) if isinstance(state, Path) else state.reading() as reader:
        yield reader


def is_there(state: State) -> bool:
    """Return whether there is a state to be read."""
    return not isinstance(state, Path) or state.exists()


async def read_state(state: State, listing: Callable[[StatementReader], Awaitable[tuple[T, ...]]]) -> tuple[T, ...]:
    """Return what a function lists of a state, which is opened as `open_reader` does; nothing if there is none yet."""
    if not is_there(state):
        return ()
    async with open_reader(state) as reader:
        return await listing(reader) if await reader.has("inbox") else ()


def _fetch(db: sqlite3.Connection, sql: str, parameters: Sequence[str | int]) -> list[Any]:
    """Return the rows of a query; where the disk has spoiled a letter of a text, the rest of it is read."""
    try:
        return db.execute(sql, parameters).fetchall()
    except sqlite3.OperationalError as error:
        if not str(error).startswith("Could not decode to UTF-8"):
            raise
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        return db.execute(sql, parameters).fetchall()
    finally:
        db.text_factory = str


_UNTRUSTWORTHY = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary result codes after which nothing more may be written: trying again does not repair a failed sync."""

_TRANSIENT = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    }
)
"""Primary result codes of a disk that is full, failing or read-only for the moment: worth another try later."""

_UNSTORABLE = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
"""What SQLite raises because of a value, whatever the state of the disk."""

FIRST_WAIT_S = 0.5
MAX_WAIT_S = 10.0

SOON_S = 0.02
"""How long a write that is not urgent waits for another one to take it along."""

LATER_S = 0.1
"""How long a write for which nobody waits is left for another one to take it along."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Durability:
    """How a writer waits for a disk that cannot be written: it tries again until it succeeds.

    `stalled` is called with the reason when the waiting begins, and with "" when writing succeeds again.
    """

    pause: Pause
    stalled: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Write:
    operation: Callable[[sqlite3.Connection], object]
    flush: bool
    then: Callable[[], None]
    alone: bool
    done: asyncio.Future[object] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def resolve(self, result: object) -> None:
        self.then()
        if not self.done.done():  # the caller may have been cancelled meanwhile
            self.done.set_result(result)

    def fail(self, error: BotError) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class Writer:
    """The only writer of the file: a `bot.storage.statements.StatementWriter` with group commit.

    Use it as `async with Writer(db, path) as writer`; leaving the block writes what still waits. Without `endurance`,
    writing to a disk that is full or failing fails at once; with it, it waits, and `stalled` says why.
    """

    def __init__(self, db: Connection, path: Path, endurance: Durability | None = None) -> None:
        self._db = db
        self._path = path
        self._endurance = endurance
        self._ends = asyncio.Event()
        self.stalled = ""
        self._waiting: list[_Write] = []
        self._woken = asyncio.Event()
        self._left = 0  # writes for which nobody waits
        self._timer: asyncio.TimerHandle | None = None  # for these
        self._group = asyncio.TaskGroup()
        self._synchronous = ""
        self._refusal: StateError | None = None

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._group.create_task(self._run(), name="state writer")
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._ends.set()
        self._woken.set()
        await self._group.__aexit__(None, None, None)  # with the failure, it would cancel the writing

    async def write(
        self,
        operation: Operation[T],
        *,
        flush: bool = True,
        is_urgent: bool = True,
        then: Callable[[], None] = lambda: None,
        lane: str = "",
    ) -> T:
        del lane  # one writer: all of them are carried out in order
        write = _Write(operation, flush, then, alone=False)
        self._waiting.append(write)
        if is_urgent:
            self._woken.set()
        else:
            asyncio.get_running_loop().call_later(SOON_S, self._woken.set)
        return cast("T", await write.done)

    async def execute_later(self, sql: str, rows: Sequence[Sequence[str | int]]) -> None:
        def settled(done: asyncio.Future[object]) -> None:
            self._left -= 1
            if error := done.exception():
                log.error("state.not_written", reason=str(error))

        write = _Write(lambda db: db.executemany(sql, rows).close(), False, lambda: None, alone=False)
        write.done.add_done_callback(settled)
        self._left += 1
        self._waiting.append(write)
        if self._timer is None:  # else that takes this one along
            self._timer = asyncio.get_running_loop().call_later(LATER_S, self._woken.set)

    async def settle(self) -> None:
        if self._left and not self.stalled:  # while the disk refuses, who reads does without the last of it
            await self.write(lambda _: None, flush=False)

    async def scrub(self, *, compact: bool) -> bool:
        """Clear what was rewritten or removed from the file; False if a reader holds on to an older state.

        SQLite overwrites freed pages (`secure_delete`); `compact` writes all pages anew, for what was removed before
        that was so.
        """

        def clear(db: sqlite3.Connection) -> bool:
            if compact:
                db.execute("VACUUM")
            ((busy, _, _),) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return not busy

        write = _Write(clear, True, lambda: None, alone=True)
        self._waiting.append(write)
        self._woken.set()
        return bool(await write.done)

    async def _run(self) -> None:
        while self._waiting or not self._ends.is_set():
            await self._woken.wait()
            self._woken.clear()
            if self._timer:
                self._timer.cancel()
                self._timer = None
            waiting, self._waiting = self._waiting, []
            for alone, group in groupby(waiting, key=lambda write: write.alone):
                for batch in [[write] for write in group] if alone else [list(group)]:
                    await self._settle(batch)

    async def _settle(self, batch: Sequence[_Write]) -> None:
        """Commit a batch; if that fails, each of its writes by itself, so that only the faulty one fails."""
        try:
            results = await self._commit_with_retries(batch)
        except BotError as error:
            if len(batch) == 1:
                batch[0].fail(error)
                return
            for write in batch:
                await self._settle([write])
        else:
            for write, result in zip(batch, results, strict=True):
                write.resolve(result)

    async def _commit_with_retries(self, batch: Sequence[_Write]) -> list[object]:
        """Commit; while the disk cannot be written, try again until the writer is to end."""
        waits, needs_checkpoint, endurance = backoff(MAX_WAIT_S, first_s=FIRST_WAIT_S), False, self._endurance
        while True:
            try:
                if needs_checkpoint:
                    await self._db.run(self._checkpoint)
                results = await self._db.run(partial(self._commit, batch))
            except StateError as error:
                if endurance is None or _code(error) not in _TRANSIENT or self._ends.is_set():
                    raise
                needs_checkpoint = needs_checkpoint or _code(error) == sqlite3.SQLITE_IOERR
                self._set_stalled(endurance, str(error.__cause__))
                await either(endurance.pause(next(waits)), self._ends.wait())
            else:
                if endurance:
                    self._set_stalled(endurance, "")
                return results

    def _set_stalled(self, endurance: Durability, reason: str) -> None:
        if bool(reason) != bool(self.stalled):
            endurance.stalled(reason)
        self.stalled = reason

    def _checkpoint(self, db: sqlite3.Connection) -> None:
        """Write the whole log into the file: after a failed sync nobody knows what of the log is on the disk."""
        with failures(self._path, mark("Writing")):
            ((busy, _, _),) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if busy:
                error = sqlite3.OperationalError("the log is in use")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error

    def _commit(self, batch: Sequence[_Write], db: sqlite3.Connection) -> list[object]:
        if self._refusal:
            raise self._refusal
        try:
            with failures(self._path, mark("Writing")):
                level = "FULL" if any(write.flush for write in batch) else "NORMAL"
                if level != self._synchronous:
                    db.execute(f"PRAGMA synchronous = {level}")
                    self._synchronous = level
                if batch[0].alone:
                    return [batch[0].operation(db)]
                with transaction(db):
                    return [write.operation(db) for write in batch]
        except StateError as error:
            if isinstance(error.__cause__, _UNSTORABLE):
                raise unstorable(self._path, error.__cause__) from error.__cause__
            if _code(error) in _UNTRUSTWORTHY and not (self._endurance and _code(error) in _TRANSIENT):
                self._refusal = error
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise unstorable(self._path, error) from error


def unstorable(place: Path | str, cause: Exception) -> Unstorable:
    """Return the error for a value that a state file or a database refuses."""
    message = tr("{path} cannot hold a value: {reason}.", path=place, reason=cause)
    return Unstorable(message, hint=tr("Nothing else is affected. The log tells where the value came from."))


def _code(error: Exception) -> int:
    """Return SQLite's primary result code of an error, or of the one behind it; 0 if there is none."""
    return int(getattr(error.__cause__ or error, "sqlite_errorcode", 0)) & 0xFF


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of the block or nothing; the write lock is taken first."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.rollback()
