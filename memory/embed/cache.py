"""Vectors that have been computed once, in a file of their own that outlives every rebuild of the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import apsw

from memory.errors import WriteFailed
from memory.ports import Clock, Purpose
from memory.sqlite import immediate

T = TypeVar("T")

UNUSED_DAYS = 90
MAX_BYTES = 1 << 30
PATIENCE_MS = 5000

_VERSION = 1
_DAMAGED = (apsw.CorruptError, apsw.NotADBError)
_SCHEMA = """
CREATE TABLE vectors(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, v BLOB NOT NULL, used INT NOT NULL);
"""


_FORM = "8 bits"
"""The form of the rows, as `Packed.blobs` writes them. A row's key says it: who knows another one finds nothing."""


def cache_key(identity: str, purpose: Purpose, text: str) -> bytes:
    """Return the 16 bytes that stand for one text, embedded for one purpose by one embedder."""
    digest = blake2b(digest_size=16)
    for part in (identity, purpose, text, _FORM):
        written = part.encode("utf-8", "surrogatepass")
        digest.update(len(written).to_bytes(8, "little"))
        digest.update(written)
    return digest.digest()


def damage_of(path: Path) -> str:
    """Return what SQLite says is wrong with a cache's file; empty if nothing is, or it is not there, or in use.

    It is asked with the copy of SQLite that has the file open in a running service: another one in the same process
    would not see its locks, and remove the files beside it that it has mapped.
    """
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
            rows = db.execute("PRAGMA quick_check(1)").fetchall()
    except _DAMAGED as error:
        return str(error)
    except apsw.Error:
        return ""
    return "" if rows == [("ok",)] else " ".join(str(rows[0][0]).split())


class VectorCache:
    """Rows of bytes by key.

    A damaged file is set aside as `<name>.broken` and begun anew, for its rows can be computed again. For one thread at
    a time; several processes may have the file open at once.
    """

    def __init__(self, path: Path, *, clock: Clock, read_only: bool = False) -> None:
        """Open the file, or make it in a folder that exists; raises `WriteFailed` if neither can be done.

        The clock tells on which day a row is used. To readers beside a running service (`read_only`) a file that is
        missing or damaged is empty.
        """
        self._path = path
        self._clock = clock
        self._read_only = read_only
        try:
            self._db = self._open()
        except apsw.Error as error:
            raise self._failed(error) from error

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the rows that are known."""
        wanted = [(key,) for key in keys]
        return self._run(lambda db: dict(db.executemany("SELECT key, v FROM vectors WHERE key = ?", wanted)))

    def put(self, rows: Mapping[bytes, bytes]) -> None:
        """Keep rows, all of them or none; a known key gets the new row."""
        today = self._today()
        values = [(key, row, today) for key, row in rows.items()]
        self._write(lambda db: db.executemany("INSERT OR REPLACE INTO vectors(key, v, used) VALUES(?, ?, ?)", values))

    def touch(self, keys: Iterable[bytes]) -> None:
        """Note that these are in use today, so that pruning passes them by. What is noted already costs no write."""
        today = self._today()
        values = [(today, key, today) for key in keys]
        self._write(lambda db: db.executemany("UPDATE vectors SET used = ? WHERE key = ? AND used < ?", values))

    def drop(self, keys: Iterable[bytes], *, compact: bool = False) -> None:
        """Let go of rows, so that nothing of them is left in the file; `compact` rewrites all of it, for older ones."""
        self._write(lambda db: db.executemany("DELETE FROM vectors WHERE key = ?", [(key,) for key in keys]))
        if compact:
            self._run(lambda db: db.execute("VACUUM").fetchall())
        self._run(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())

    def prune(self) -> int:
        """Drop rows not used for `UNUSED_DAYS`, then the longest unused until `MAX_BYTES` are enough; how many."""
        oldest = self._today() - UNUSED_DAYS

        def drop(db: apsw.Connection) -> None:
            db.execute("DELETE FROM vectors WHERE used < ?", (oldest,))
            used = (db.pragma("page_count") - db.pragma("freelist_count")) * db.pragma("page_size")
            if used > MAX_BYTES:
                rows = int(db.execute("SELECT count(*) FROM vectors").get)
                excess = -(-rows * (used - MAX_BYTES) // used)
                sql = "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY used, id LIMIT ?)"
                db.execute(sql, (excess,))

        gone = self._write(drop)
        if gone:
            self._run(lambda db: db.execute("PRAGMA incremental_vacuum").fetchall())
        return gone

    def __len__(self) -> int:
        return self._run(lambda db: int(db.execute("SELECT count(*) FROM vectors").get))

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _write(self, change: Callable[[apsw.Connection], object]) -> int:
        """Carry out a change as one transaction; answers with how many rows it touched."""

        def counted(db: apsw.Connection) -> int:
            before = db.total_changes()
            with immediate(db):
                change(db)
            return db.total_changes() - before

        return self._run(counted)

    def _run(self, operation: Callable[[apsw.Connection], T]) -> T:
        try:
            try:
                return operation(self._db)
            except _DAMAGED:
                self._db.close()
                self._db = self._begin_anew()
                return operation(self._db)
        except apsw.Error as error:
            raise self._failed(error) from error

    def _open(self) -> apsw.Connection:
        try:
            db = self._connect()
            version = int(db.execute("PRAGMA user_version").get)
        except _DAMAGED:
            return self._begin_anew()
        if version == _VERSION:
            return db
        db.close()
        return self._begin_anew()

    def _connect(self) -> apsw.Connection:
        if self._read_only and not self._path.exists():
            return _prepared(apsw.Connection(":memory:"))
        flags = apsw.SQLITE_OPEN_READONLY if self._read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        db = apsw.Connection(str(self._path), flags=flags)
        db.set_busy_timeout(PATIENCE_MS)
        self._file = _file_number(self._path)
        return db if self._read_only else _prepared(db)

    def _begin_anew(self) -> apsw.Connection:
        if self._read_only:
            return _prepared(apsw.Connection(":memory:"))
        if _file_number(self._path) == self._file:  # else another process has set it aside already
            self._path.replace(self._path.with_name(f"{self._path.name}.broken"))
            for suffix in ("-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        return self._connect()

    def _failed(self, error: apsw.Error) -> WriteFailed:
        message = f"The vector cache {self._path} cannot be used: {error}."
        return WriteFailed(message, hint="Check the disk's space and the folder's rights.")

    def _today(self) -> int:
        return self._clock.now().toordinal()


def _prepared(db: apsw.Connection) -> apsw.Connection:
    if int(db.execute("PRAGMA user_version").get) == 0:
        db.execute("PRAGMA page_size = 8192")  # less is left over than with 4096; it is said before anything else
        db.execute("PRAGMA auto_vacuum = incremental")
    db.execute("PRAGMA journal_mode = wal").fetchall()  # the statements after one with a row need their own call
    db.execute("PRAGMA journal_size_limit = 16777216").fetchall()
    db.execute("PRAGMA synchronous = normal")
    db.execute("PRAGMA secure_delete = on").fetchall()
    with immediate(db):
        if int(db.execute("PRAGMA user_version").get) == 0:
            db.execute(_SCHEMA)
            db.execute(f"PRAGMA user_version = {_VERSION}")
    return db


def _file_number(path: Path) -> int | None:
    return path.stat().st_ino if path.exists() else None
