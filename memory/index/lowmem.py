"""Exact vector search on disk: a sqlite-vec table for machines whose memory is dear. Seven times slower."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import apsw
import numpy as np

from memory.errors import IndexBroken, WriteFailed
from memory.index.extension import Connection, Value, connect
from memory.index.nearest import Allow, Ids, Link, Near, allowed, new_rows, query_row
from memory.ports import Vectors

_MOST = 4096  # what a vec0 table answers at once
_ERRORS = (apsw.Error, sqlite3.Error)


class DiskVectors:
    """A `VectorStore` in a file of its own: 8 bytes of memory a row, float32 on disk.

    The file is derived: when it is damaged, or holds rows of another size, it is begun anew and is empty.
    """

    def __init__(self, path: Path, dims: int, *, link: Link = Link.VEC_APSW) -> None:
        """Open the file, or make it; one file per embedder.

        Raises:
            LinkUnavailable: sqlite-vec cannot be loaded in this way.
        """
        self.link = link
        self._path = path
        self._dims = dims
        self._lock = Lock()
        self._db = self._open()
        self._ids: Ids = np.array(list(self._db.execute("SELECT rowid FROM v ORDER BY rowid")), np.int64).reshape(-1)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, ids: Iterable[int], vectors: Vectors) -> None:
        """See `VectorStore.add`."""
        numbers, rows = new_rows(ids, vectors, self._dims)
        wanted: list[int] = numbers.tolist()
        with self._lock:
            with self._transaction(self._db):
                self._db.executemany("DELETE FROM v WHERE rowid = ?", ((number,) for number in wanted))
                values = ((number, row.tobytes()) for number, row in zip(wanted, rows, strict=True))
                self._db.executemany("INSERT INTO v(rowid, e) VALUES(?, ?)", values)
            self._ids = np.union1d(self._ids, numbers)

    def remove(self, ids: Iterable[int]) -> None:
        """See `VectorStore.remove`."""
        numbers = np.fromiter(ids, np.int64)
        with self._lock:
            with self._transaction(self._db):
                self._db.executemany("DELETE FROM v WHERE rowid = ?", ((number,) for number in numbers.tolist()))
            self._ids = np.setdiff1d(self._ids, numbers)

    def compact(self) -> None:
        """See `VectorStore.compact`. A vec0 table never gives room back, so its rows move into a new file."""
        with self._lock:
            fresh = self._path.with_name(f"{self._path.name}.new")
            _remove(fresh)
            copy = self._prepared(fresh)
            with self._transaction(copy):
                copy.executemany("INSERT INTO v(rowid, e) VALUES(?, ?)", self._db.execute("SELECT rowid, e FROM v"))
            copy.close()
            self._db.close()
            fresh.replace(self._path)
            self._db = self._prepared(self._path)

    def search(self, vector: Vectors, limit: int, *, allow: Allow | None = None) -> list[Near]:
        """See `VectorStore.search`; never more than 4,096 rows.

        Raises:
            IndexBroken: the file is damaged; a new store begins it anew.
        """
        query = query_row(vector, self._dims)
        with self._lock:
            mask = allowed(self._ids, allow)
            count = min(limit, _MOST, int(mask.sum()))
            if count < 1:
                return []
            sql = "SELECT rowid, distance FROM v WHERE e MATCH ? AND k = ?"
            bindings: tuple[Value, ...] = (query.tobytes(), count)
            if not mask.all():
                sql += " AND rowid IN (SELECT value FROM json_each(?))"
                bindings = (*bindings, json.dumps(self._ids[mask].tolist()))
            try:
                rows = np.array(list(self._db.execute(sql, bindings)), np.float64)
            except _ERRORS as error:
                raise IndexBroken(f"{self._path} cannot be searched: {error}.", hint="Rebuild the index.") from error
        near = [Near(int(number), 1 - distance) for number, distance in rows.tolist()]
        return sorted(near, key=lambda one: (-one.cosine, one.id))

    def close(self) -> None:
        """See `VectorStore.close`."""
        self._db.close()

    def _open(self) -> Connection:
        try:
            return self._prepared(self._path)
        except _ERRORS:
            _remove(self._path)
            return self._prepared(self._path)

    def _prepared(self, path: Path) -> Connection:
        """A connection to a table of this size; one of another size gives way."""
        db = connect(path, self.link)
        table = f"CREATE VIRTUAL TABLE v USING vec0(e float[{self._dims}] distance_metric=cosine)"
        present = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_schema WHERE name = 'v'")]
        if present and present != [table]:
            db.execute("DROP TABLE v")
            present = []
        if not present:
            db.execute(table)
        return db

    @contextmanager
    def _transaction(self, db: Connection) -> Iterator[None]:
        try:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        except _ERRORS as error:
            raise WriteFailed(f"{self._path} cannot be written: {error}.", hint="Check the disk's space.") from error


def _remove(path: Path) -> None:
    for suffix in ("", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
