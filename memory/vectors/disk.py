"""Vectors on disk through sqlite-vec, where memory is dear."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from memory.errors import BackendUnavailable, IndexBroken, WriteFailed
from memory.ports import Vectors
from memory.sqlite import immediate
from memory.types import VectorBackend
from memory.vectors.store import WIDER, Allow, Ids, Near, Packed, Score, direction, distinct, in_order

_HINT = "Leave out the low-memory store: the vectors are then searched in memory."
_MAX_ANSWERED = 4096  # what a vec0 table answers at once


def connect(path: Path) -> apsw.Connection:
    """Open a file with `vec0` tables.

    Raises `BackendUnavailable` if sqlite-vec is not installed, or if the SQLite of this apsw takes no extension.
    """
    try:
        import sqlite_vec
    except ImportError as error:
        raise BackendUnavailable(f"sqlite-vec is not installed: {error}.", hint=_HINT) from error
    db = apsw.Connection(str(path))
    try:
        db.enable_load_extension(True)
        db.load_extension(sqlite_vec.loadable_path())
        db.enable_load_extension(False)
    except (AttributeError, apsw.Error) as error:  # some builds leave the method out
        db.close()
        raise BackendUnavailable(f"apsw cannot load sqlite-vec: {error}.", hint=_HINT) from error
    return db


class DiskVectors:
    """A `VectorStore` in a file of its own: 8 bytes of memory a row, float32 on disk.

    The file is derived: when it is damaged, or holds rows of another size, it is begun anew and is empty.
    """

    backend = VectorBackend.SQLITE_VEC

    def __init__(self, path: Path, dims: int) -> None:
        """Open an embedder's own file, or make it; raises `BackendUnavailable` if sqlite-vec cannot be loaded here."""
        self._path = path
        self._dims = dims
        try:
            self._db = self._prepared()
        except apsw.Error:
            for suffix in ("", "-journal"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            self._db = self._prepared()
        self.ids: Ids = np.array(list(self._db.execute("SELECT rowid FROM v ORDER BY rowid")), np.int64).reshape(-1)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, ids: Iterable[int], rows: Packed) -> None:
        numbers = distinct(ids, rows, self._dims)
        wanted: list[int] = numbers.tolist()
        with self._transaction():
            self._db.executemany("DELETE FROM v WHERE rowid = ?", ((number,) for number in wanted))
            values = ((number, row.tobytes()) for number, row in zip(wanted, rows.floats(), strict=True))
            self._db.executemany("INSERT INTO v(rowid, e) VALUES(?, ?)", values)
        self.ids = np.union1d(self.ids, numbers)

    def remove(self, ids: Iterable[int]) -> None:
        numbers = np.fromiter(ids, np.int64)
        with self._transaction():
            self._db.executemany("DELETE FROM v WHERE rowid = ?", ((number,) for number in numbers.tolist()))
        self.ids = np.setdiff1d(self.ids, numbers)

    def search(
        self, toward: Vectors, limit: int, *, allow: Allow | None = None, score: Score | None = None
    ) -> list[Near]:
        """See `VectorStore.search`. Never more than 4,096 rows; with a `score`, the best of so many by cosine.

        Raises `IndexBroken` if the file is damaged; a new store begins it anew.
        """
        query = direction(toward, self._dims)
        wanted = self.ids if allow is None else self.ids[allow(self.ids)]
        count = min(limit if score is None else limit * WIDER, _MAX_ANSWERED, len(wanted))
        if count < 1:
            return []
        sql = "SELECT rowid, distance FROM v WHERE e MATCH ? AND k = ?"
        bindings: tuple[bytes | int | str, ...] = (query.tobytes(), count)
        if len(wanted) < len(self.ids):
            sql += " AND rowid IN (SELECT value FROM json_each(?))"
            bindings = (*bindings, json.dumps(wanted.tolist()))
        found = self._read(sql, bindings)
        ids = np.array([number for number, _ in found], np.int64)
        cosines = 1 - np.array([distance for _, distance in found], np.float32)
        return in_order(ids, score(ids, cosines) if score else cosines, limit)

    def rows(self, ids: Ids) -> tuple[Ids, Vectors]:
        """See `VectorStore.rows`; raises `IndexBroken` for a damaged file."""
        wanted = json.dumps(ids.tolist())
        read = dict(self._read("SELECT rowid, e FROM v WHERE rowid IN (SELECT value FROM json_each(?))", (wanted,)))
        there = np.array([number for number in ids.tolist() if number in read], np.int64)
        rows = np.frombuffer(b"".join([read[number] for number in there.tolist()]), np.float32)
        return there, rows.reshape(len(there), self._dims)

    def close(self) -> None:
        self._db.close()

    def _read(self, sql: str, bindings: tuple[bytes | int | str, ...]) -> list[tuple[Any, ...]]:
        try:
            return list(self._db.execute(sql, bindings))
        except apsw.Error as error:
            raise IndexBroken(f"{self._path} cannot be searched: {error}.", hint="Rebuild the index.") from error

    def _prepared(self) -> apsw.Connection:
        """Return a connection to a table of this size; one of another size gives way."""
        db = connect(self._path)
        table = f"CREATE VIRTUAL TABLE v USING vec0(e float[{self._dims}] distance_metric=cosine)"
        present = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_schema WHERE name = 'v'")]
        if present and present != [table]:
            db.execute("DROP TABLE v")
            present = []
        if not present:
            db.execute(table)
        return db

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with immediate(self._db):
                yield
        except apsw.Error as error:
            raise WriteFailed(f"{self._path} cannot be written: {error}.", hint="Check the disk's space.") from error
