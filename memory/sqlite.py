"""Connections as the index uses them: transactions of apsw, and its errors as errors of the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from shutil import disk_usage
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import apsw

from memory.errors import Busy, IndexBroken, WriteFailed

_INDEX_BYTES = 32768
"""The index of a log has so many, at least; a shorter one, which a full disk leaves, is none."""
_LOG_BYTES = 2 * _INDEX_BYTES

P = ParamSpec("P")
T = TypeVar("T")


class Rows(Protocol):
    """What a statement returns."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """Return the next row; None at the end."""
        ...

    @property
    def get(self) -> Any:
        """The value of a single row with a single column."""
        ...


class Statements(Protocol):
    """A connection to an engine that understands the index's SQL; a connection of apsw is one."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    def execute(self, sql: str, values: Any = ..., /) -> Rows:
        """Carry out a statement: by itself, or in the open transaction."""
        ...

    def executemany(self, sql: str, values: Iterable[Any], /) -> object:
        """Carry out a statement for each row of values."""
        ...


C = TypeVar("C", bound=Any)


@contextmanager
def immediate(db: Statements) -> Iterator[None]:
    """All of it or nothing; not to be nested. The write lock is taken first: one taken later is not waited for.

    It stands in for apsw's own `with db`, which keeps the interpreter's lock while it waits for SQLite's: the thread
    that is to let go of the latter cannot go on then, nor can any other one (apsw 3.54). Raises as the statements do; a
    lock that another connection does not give back in time is an `apsw.BusyError`.
    """
    db.execute("BEGIN IMMEDIATE")
    is_done = False
    try:
        yield
        db.execute("COMMIT")
        is_done = True
    finally:
        if not is_done and db.in_transaction:  # a full disk, for one, has ended it already
            db.execute("ROLLBACK")


@contextmanager
def snapshot(db: Statements) -> Iterator[None]:
    """All reads of a block see one state; within a transaction, that transaction's."""
    is_own = not db.in_transaction
    if is_own:
        db.execute("BEGIN")
    try:
        yield
    finally:
        if is_own:
            db.execute("COMMIT")


def is_writable(folder: Path) -> bool:
    """Return whether SQLite can make a log in a folder, and the index of one: it may write there, and there is room.

    Some file systems over a network do not tell what room they have: there it is taken for enough.
    """
    room = disk_usage(folder)
    return os.access(folder, os.W_OK) and (not room.total or room.free >= _LOG_BYTES)


def to_read(path: Path, connect: Callable[[str], C]) -> C:
    """Open a file, whose address `connect` is given, for reading only.

    It can also be read where SQLite can make no log, nor the index of one: nobody writes there who had not begun.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    log, index = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    if is_writable(path.parent) or (log.exists() and index.exists() and index.stat().st_size >= _INDEX_BYTES):
        return connect(address)
    if not (log.exists() and log.stat().st_size):
        return connect(f"{address}&immutable=1")
    db = connect(f"{address}&vfs=unix-none")
    db.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()  # keeps the log's index in memory
    return db


_BROKEN = (apsw.CorruptError, apsw.NotADBError, apsw.SchemaChangeError, apsw.SQLError, apsw.FormatError)
_REFUSED = (
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.ConnectionClosedError,  # none could be opened in its place
)
_KNOWN = (*_BROKEN, *_REFUSED, apsw.BusyError, apsw.LockedError, ValueError)


def _as_own(error: Exception, path: Path) -> Exception:
    """Return one of SQLite's errors, or what came of the file's content, as one of the library's."""
    name = f"The memory index {path}"
    if isinstance(error, _BROKEN):
        return IndexBroken(f"{name} is damaged ({error}).", hint="It is rebuilt from the files.")
    if isinstance(error, ValueError):  # bytes that are no text, a kind that is none
        return IndexBroken(f"{name} holds what was never written ({error}).", hint="It is rebuilt from the files.")
    if isinstance(error, _REFUSED):
        message = f"{name} could not be used ({error})."
        return WriteFailed(message, hint="Check free space and permissions of its folder.")
    return Busy(f"{name} is in use by another process.", hint="Try again in a moment.")


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Translate SQLite's errors into the library's within a block.

    Raises:
        IndexBroken: the file is damaged, is no database, lacks a table, or holds what cannot be read.
        WriteFailed: the disk is full, read-only or failing.
        Busy: another process kept the file locked for five seconds.
    """
    try:
        yield
    except UnicodeEncodeError:  # the caller's text, not the file's
        raise
    except _KNOWN as error:
        raise _as_own(error, path) from error


class Table:
    """Tables of one open index file, whose methods are `translated`; `path` is the file, for messages."""

    def __init__(self, db: Statements, path: Path) -> None:
        self.path = path
        self._db = db


S = TypeVar("S", bound=Table)


def translated(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate a method so that it raises the errors of `sqlite_errors`, for the file in its object's `path`."""

    @wraps(method)
    def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:  # a question calls a dozen of these, and a block takes longer than some of them
            return method(self, *args, **kwargs)
        except UnicodeEncodeError:
            raise
        except _KNOWN as error:
            raise _as_own(error, self.path) from error

    return run
