"""Opening SQLite with sqlite-vec inside, on every build of Python that allows it in one way or another."""

from __future__ import annotations

import ctypes
import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import apsw

from memory.errors import LinkUnavailable
from memory.model import Link

Value = int | float | str | bytes | None

_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}
_HINT = "Leave out the low-memory store: the vectors are then searched in memory."


class Connection(Protocol):
    """What the drivers have in common."""

    def execute(self, sql: str, bindings: tuple[Value, ...] = (), /) -> Iterable[tuple[Value, ...]]:
        """Run one statement."""
        ...

    def executemany(self, sql: str, rows: Iterable[tuple[Value, ...]], /) -> object:
        """Run one statement for each row."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def connect(path: Path, link: Link) -> Connection:
    """Open a file with `vec0` tables.

    Raises:
        LinkUnavailable: this Python, this SQLite or this system does not take the extension in this way.
    """
    try:
        import sqlite_vec
    except ImportError as error:
        raise LinkUnavailable(f"sqlite-vec is not installed: {error}.", hint=_HINT) from error
    extension: str = sqlite_vec.loadable_path()
    if link is Link.VEC_APSW:
        return _through_apsw(path, extension)
    if link is Link.VEC_SQLITE3:
        return _through_sqlite3(path, extension)
    return _through_ctypes(path, extension)


def _through_apsw(path: Path, extension: str) -> Connection:
    db = apsw.Connection(str(path))
    try:
        db.enable_load_extension(True)
        db.load_extension(extension)
        db.enable_load_extension(False)
    except (AttributeError, apsw.Error) as error:
        db.close()
        raise LinkUnavailable(f"apsw cannot load sqlite-vec: {error}.", hint=_HINT) from error
    return db


def _through_sqlite3(path: Path, extension: str) -> Connection:
    db = _opened(path)
    try:
        db.enable_load_extension(True)
        db.load_extension(extension)
        db.enable_load_extension(False)
    except (AttributeError, sqlite3.Error) as error:  # many builds leave the method out
        db.close()
        raise LinkUnavailable(f"This Python's sqlite3 cannot load sqlite-vec: {error}.", hint=_HINT) from error
    return db


def _through_ctypes(path: Path, extension: str) -> Connection:
    """Register the extension with the very library that `sqlite3` runs on, for the time of one connect."""
    try:
        import _sqlite3

        host = ctypes.CDLL(_sqlite3.__file__)
        host.sqlite3_libversion.restype = ctypes.c_char_p
        if host.sqlite3_libversion().decode() != sqlite3.sqlite_version:
            raise LinkUnavailable("The library behind sqlite3 is another one than it reports.", hint=_HINT)
        guest = ctypes.CDLL(extension + _SUFFIX.get(sys.platform, ".so"))
        entry = ctypes.cast(guest.sqlite3_vec_init, ctypes.c_void_p)
        host.sqlite3_auto_extension.argtypes = host.sqlite3_cancel_auto_extension.argtypes = [ctypes.c_void_p]
        host.sqlite3_auto_extension(entry)
    except (AttributeError, ImportError, OSError) as error:  # linked statically, hidden symbols, a foreign binary
        raise LinkUnavailable(f"sqlite-vec cannot be registered with sqlite3: {error}.", hint=_HINT) from error
    try:
        return _opened(path)
    finally:
        host.sqlite3_cancel_auto_extension(entry)


def _opened(path: Path) -> sqlite3.Connection:
    # One thread at a time is the store's business, and it has a lock for it.
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)
