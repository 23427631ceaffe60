"""The vectors of an index file, and which of its units wait for one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memory.index.rows import STORED, filter_conditions, read_stored
from memory.index.schema import note, read_note
from memory.index.types import EmbeddedUnit, Stored
from memory.sqlite import Table, immediate, translated
from memory.types import OWNER, Filter, Scope

_EMBEDDER = "embedder"
_TENDED = "tended"
_MARK = """
SELECT coalesce((SELECT value FROM meta WHERE key = 'born'), ''), coalesce((SELECT value FROM meta WHERE key = ?), ''),
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vectors'), 0),
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'gone'), 0),
    coalesce((SELECT value FROM sums WHERE key = 'rescoped'), 0)"""


class VectorRow(NamedTuple):
    """A unit's vector as `Packed.blobs` writes it, and the unit, with what a search may be narrowed to.

    `seq` grows with every row that is written.
    """

    seq: int
    vector: bytes
    unit: EmbeddedUnit


@dataclass(frozen=True, slots=True)
class TablePosition:
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
    """Units with a vector, and units that wait for one."""

    embedded: int = 0
    waiting: int = 0


class VectorTable(Table):
    """The vectors of an index file. Raises what `SqliteIndex` raises."""

    @translated
    def begin(self, identity: str) -> None:
        """Declare which embedder the vectors are from. Those of another are dropped, and all units wait anew."""
        if read_note(self._db, _EMBEDDER) == identity:
            return
        with immediate(self._db):
            note(self._db, {_EMBEDDER: identity})
            self._db.execute("DELETE FROM vectors")
            self._db.execute("INSERT OR IGNORE INTO waiting SELECT id FROM units")

    @translated
    def mark(self) -> TablePosition:
        """Return the position of a copy that has taken in everything."""
        return TablePosition(*self._db.execute(_MARK, (f"note.{_EMBEDDER}",)).fetchone())

    @translated
    def counts(self) -> Counts:
        """Count units with a vector, and those that wait for one."""
        row = self._db.execute("SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM waiting)").fetchone()
        return Counts(*row)

    @translated
    def backlog(self, scope: Scope = OWNER) -> int:
        """Count the units that wait for a vector, of all that a scope may see."""
        if scope == OWNER:
            return int(self._db.execute("SELECT count(*) FROM waiting").get)
        own = "SELECT count(*) FROM waiting w CROSS JOIN units u ON u.id = w.unit WHERE u.scope = ?"
        return int(self._db.execute(own, (scope,)).get)

    @translated
    def waiting(self, limit: int) -> list[Stored]:
        """Return units of all scopes that wait for a vector, those about the newest days first; without a day last."""
        rows = self._db.execute(
            f"{STORED} (SELECT u.id FROM waiting w CROSS JOIN units u ON u.id = w.unit "
            "ORDER BY u.first IS NULL, u.first DESC, u.id DESC LIMIT ?) w "
            "CROSS JOIN units u ON u.id = w.id CROSS JOIN files f ON f.id = u.file "
            "ORDER BY u.first IS NULL, u.first DESC, u.id DESC",
            (limit,),
        )
        return read_stored(rows)

    @translated
    def texts(self, after: int, limit: int, *, waiting: bool = False) -> list[Stored]:
        """Return units with numbers above `after`, in their order: of all, or of those that wait for a vector."""
        units = "waiting w CROSS JOIN units u ON u.id = w.unit" if waiting else "units u"
        number = "w.unit" if waiting else "u.id"
        rows = self._db.execute(
            f"{STORED} {units} CROSS JOIN files f ON f.id = u.file WHERE {number} > ? ORDER BY {number} LIMIT ?",
            (after, limit),
        )
        return read_stored(rows)

    @translated
    def tended(self) -> str:
        """Return the ISO day on which the cache of vectors was last pruned for this index; empty if never."""
        return read_note(self._db, _TENDED)

    @translated
    def note_tended(self, day: str) -> None:
        """Record the ISO day of a pruning, for `tended`."""
        with immediate(self._db):
            note(self._db, {_TENDED: day})

    @translated
    def keep(self, rows: Mapping[int, bytes], *, refused: Iterable[int] = (), born: str) -> None:
        """Write vectors of units that wait, as `Packed.blobs` has them; units that are there no more are passed over.

        Those that were refused one wait no longer. `born` is the birth of the file that the units were taken from: in
        another one these numbers mean others.
        """
        with immediate(self._db):
            if self.mark().born != born:
                return
            insert = "INSERT INTO vectors(unit, v) SELECT unit, ?2 FROM waiting WHERE unit = ?1"
            self._db.executemany(insert, rows.items())
            self._db.executemany("DELETE FROM waiting WHERE unit = ?", [(unit,) for unit in (*rows, *refused)])

    @translated
    def since(self, seq: int, limit: int) -> list[VectorRow]:
        """Return the rows written after this one, in the order of writing."""
        rows = self._db.execute(
            "SELECT v.seq, v.v, u.id, u.scope, u.kind, u.first, u.last, u.named FROM vectors v "
            "CROSS JOIN units u ON u.id = v.unit WHERE v.seq > ? ORDER BY v.seq LIMIT ?",
            (seq, limit),
        )
        return [VectorRow(seq, vector, EmbeddedUnit._make(unit)) for seq, vector, *unit in rows]

    @translated
    def gone(self, seq: int) -> list[int]:
        """Return the units removed after this removal."""
        return [unit for (unit,) in self._db.execute("SELECT id FROM gone WHERE seq > ?", (seq,))]

    @translated
    def scopes(self) -> dict[int, str]:
        """Return the scope of each unit with a vector."""
        return dict(self._db.execute("SELECT u.id, u.scope FROM vectors v CROSS JOIN units u ON u.id = v.unit"))

    @translated
    def matching(self, where: Filter) -> list[int]:
        """Return the units of all scopes that a filter lets through."""
        conditions, values = filter_conditions(where)
        rows = self._db.execute(f"SELECT u.id FROM units u WHERE TRUE {conditions}", values)
        return [unit for (unit,) in rows]
