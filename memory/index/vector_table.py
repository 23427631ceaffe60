"""The vectors of an index file, and which of its units wait for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import apsw

from memory.index.port import Stored
from memory.index.queries import noted, texts, waiting
from memory.index.writes import note
from memory.sqlite import transaction, translated
from memory.types import OWNER, Scope

P = ParamSpec("P")
T = TypeVar("T")

_BY = "embedder"
_TENDED = "tended"


class VectorRow(NamedTuple):
    """A unit's vector as it is kept, with what a search may be narrowed to.

    Attributes:
        seq: grows with every row that is written.
        vector: as `Packed.blobs` writes it.
        unit, file, scope, kind, first, last: as in `Placed`.
    """

    seq: int
    vector: bytes
    unit: int
    file: int
    scope: str
    kind: str
    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a copy has followed the table.

    Attributes:
        born: another value means another file: nothing of the copy holds any more.
        by: the identity of the embedder; as with `born`.
        vectors: the highest `seq` taken in.
        gone: the highest number of a removal taken in.
        rescoped: grows when units change hands.
    """

    born: str = ""
    by: str = ""
    vectors: int = 0
    gone: int = 0
    rescoped: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """Units with a vector, units that wait for one, and units that were refused one."""

    embedded: int = 0
    waiting: int = 0
    refused: int = 0


class VectorTable:
    """Raises what `SqliteIndex` raises."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def begin(self, identity: str) -> None:
        """Say which embedder the vectors are from. Those of another are dropped, and all units wait anew."""
        if self._run(noted, _BY) != identity:
            self._run_whole(_begin, identity)

    def mark(self) -> Mark:
        """Where the table stands."""
        return self._run(_mark)

    def counts(self) -> Counts:
        """How many units have a vector."""
        return self._run(_counts)

    def backlog(self, scope: Scope = OWNER) -> int:
        """How many units wait for a vector, of all that a scope may see."""
        return self._run(_backlog, scope)

    def waiting(self, limit: int) -> list[Stored]:
        """Units without a vector, those about the newest days first; without a day last."""
        return self._run(waiting, limit)

    def texts(self, after: int, limit: int, *, waiting: bool = False) -> list[Stored]:
        """Units with numbers above `after`, in the order of their numbers: all, or those that wait for a vector."""
        return self._run(texts, after, limit, waiting=waiting)

    def tended(self) -> str:
        """The ISO day on which the cache of vectors was last looked through for this index; empty if never."""
        return self._run(noted, _TENDED)

    def note_tended(self, day: str) -> None:
        """Note that day."""
        self._run_whole(note, _TENDED, day)

    def keep(self, rows: Mapping[int, bytes], *, refused: Iterable[int] = (), born: str) -> None:
        """Write vectors of units that wait; those that are not there any more are passed over.

        Args:
            rows: unit -> vector, as `Packed.blobs` writes it.
            refused: units that cannot be embedded; they wait no longer.
            born: the birth of the file that the units were taken from; in another one these numbers mean others.
        """
        self._run_whole(_keep, rows, [*refused], born)

    def since(self, seq: int, limit: int) -> list[VectorRow]:
        """Rows written after this one, in the order of writing."""
        return self._run(_since, seq, limit)

    def gone(self, seq: int) -> list[int]:
        """Units removed after this removal."""
        return self._run(_gone, seq)

    def scopes(self) -> dict[int, str]:
        """Whose each unit with a vector is."""
        return self._run(_scopes)

    def files_under(self, beginning: str) -> list[int]:
        """The numbers of the files whose paths begin like this."""
        return self._run(_files_under, beginning)

    def _run(self, operation: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        with translated(self._path):
            return operation(self._db, *args, **kwargs)

    def _run_whole(
        self, operation: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same in one transaction."""
        with transaction(self._db, self._path):
            return operation(self._db, *args, **kwargs)


def _begin(db: apsw.Connection, identity: str) -> None:
    note(db, _BY, identity)
    db.execute("DELETE FROM vectors")
    db.execute("INSERT OR IGNORE INTO waiting SELECT id FROM units")


def _mark(db: apsw.Connection) -> Mark:
    born = db.execute("SELECT value FROM meta WHERE key = 'born'").fetchone() or ("",)
    rescoped = db.execute("SELECT value FROM sums WHERE key = 'rescoped'").fetchone() or (0,)
    last = dict(db.execute("SELECT name, seq FROM sqlite_sequence"))
    return Mark(born[0], noted(db, _BY), last.get("vectors", 0), last.get("gone", 0), rescoped[0])


def _backlog(db: apsw.Connection, scope: Scope) -> int:
    if scope == OWNER:
        return int(db.execute("SELECT count(*) FROM waiting").get)
    own = "SELECT count(*) FROM waiting w CROSS JOIN units u ON u.id = w.unit WHERE u.scope = ?"
    return int(db.execute(own, (scope,)).get)


def _counts(db: apsw.Connection) -> Counts:
    row = db.execute(
        "SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM waiting), (SELECT count(*) FROM units)"
    ).fetchone()
    embedded, waiting, units = row or (0, 0, 0)
    return Counts(embedded, waiting, units - waiting - embedded)


def _keep(db: apsw.Connection, rows: Mapping[int, bytes], refused: Sequence[int], born: str) -> None:
    if _mark(db).born != born:
        return
    db.executemany(
        "INSERT INTO vectors(unit, v) SELECT unit, ?2 FROM waiting WHERE unit = ?1",
        [(unit, v) for unit, v in rows.items()],
    )
    db.executemany("DELETE FROM waiting WHERE unit = ?", [(unit,) for unit in (*rows, *refused)])


def _since(db: apsw.Connection, seq: int, limit: int) -> list[VectorRow]:
    rows = db.execute(
        "SELECT v.seq, v.v, u.id, u.file, u.scope, u.kind, u.first, u.last FROM vectors v "
        "CROSS JOIN units u ON u.id = v.unit WHERE v.seq > ? ORDER BY v.seq LIMIT ?",
        (seq, limit),
    )
    return list(map(VectorRow._make, rows))


def _gone(db: apsw.Connection, seq: int) -> list[int]:
    return [unit for (unit,) in db.execute("SELECT id FROM gone WHERE seq > ?", (seq,))]


def _scopes(db: apsw.Connection) -> dict[int, str]:
    return dict(db.execute("SELECT u.id, u.scope FROM vectors v CROSS JOIN units u ON u.id = v.unit"))


def _files_under(db: apsw.Connection, beginning: str) -> list[int]:
    rows = db.execute("SELECT id FROM files WHERE substr(path, 1, length(?1)) = ?1", (beginning,))
    return [number for (number,) in rows]
