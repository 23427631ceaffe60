"""The vectors of one agent's index in PostgreSQL, and the search among them by pgvector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from memory.index.tables.vectors import VectorRow, VectorTable
from memory.index.types import EmbeddedUnit
from memory.ports import Vectors
from memory.postgresql.connection import AgentStatements, IndexDatabase
from memory.postgresql.schema import NAME
from memory.sqlite import immediate, translated
from memory.types import VectorBackend
from memory.vectors import store
from memory.vectors.collection import open_store
from memory.vectors.store import Allow, Ids, Near, Packed, Score, VectorStore

MAX_COMPARED = 20_000
"""Up to so many rows of an agent each is compared with a question; above, an HNSW index may answer."""
MAX_KEPT = 8192
"""Rows of a large agent that are kept here when they have been read: one question asks for the same again and again."""

_MAX_EF = 1000
"""What pgvector takes as `ef_search` at most."""
_BY_INDEX = "SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL enable_sort = off"
"""It goes on until there are enough rows, and is taken where there is one: what it yields need not be sorted."""
_BESIDE_ROW = 20
"""Bytes that a row in memory takes beside its numbers."""
_HEAD = 4
"""Bytes before the numbers in what `halfvec_send` returns."""
_PAIR = np.dtype([("unit", ">i4"), ("product", ">f4")])


class PostgresVectorTable(VectorTable):
    """The table `vectors`, in half precision."""

    _db: AgentStatements

    @translated
    def keep(self, rows: Mapping[int, bytes], *, refused: Iterable[int] = (), born: str) -> None:
        with immediate(self._db):
            if self.mark().born != born:
                return
            if rows:
                floats = Packed.of_blobs([*rows.values()]).floats()
                self._db.executemany(
                    "INSERT INTO vectors(unit, v) SELECT unit, ?2::halfvec FROM waiting WHERE unit = ?1",
                    zip(rows, map(_written, floats), strict=True),
                )
            self._db.run("DELETE FROM waiting WHERE unit = ANY(%s)", [[*rows, *refused]])

    @translated
    def since(self, seq: int, limit: int) -> list[VectorRow]:
        sql = (
            "SELECT v.seq, halfvec_send(v.v), u.id, u.scope, u.kind, u.first, u.last, u.named FROM vectors v "
            "JOIN units u ON u.id = v.unit WHERE v.seq > %s ORDER BY v.seq LIMIT %s"
        )
        rows = [*self._db.run(sql, [seq, limit])]
        blobs = Packed.of(_read([row[1] for row in rows])).blobs() if rows else ()
        return [VectorRow(row[0], blob, EmbeddedUnit._make(row[2:])) for row, blob in zip(rows, blobs, strict=True)]


class PostgresVectors:
    """A `VectorStore` for the rows of `PostgresVectorTable`.

    An agent's rows are kept and compared in this process's memory, as those of a file are, while there is room for
    them and they are not too many; else in the database, which takes 8 bytes of memory a row here.

    What is added to it, and removed, is so in the table already. Reads raise what every statement raises.
    """

    def __init__(
        self, statements: AgentStatements, dims: int, *, in_memory: bool = True, most_compared: int = MAX_COMPARED
    ) -> None:
        self._most_compared = most_compared
        self._own = statements
        self._dims = dims
        self._here: VectorStore | None = open_store(dims) if in_memory else None
        self._reserved = 0
        self._ids: Ids = np.empty(0, np.int64)
        self._read: dict[int, NDArray[np.float16]] = {}

    def __len__(self) -> int:
        return len(self._ids) if self._here is None else len(self._here)

    @property
    def backend(self) -> VectorBackend:
        return VectorBackend.PGVECTOR if self._here is None else self._here.backend

    @property
    def ids(self) -> Ids:
        return self._ids if self._here is None else self._here.ids

    def add(self, ids: Iterable[int], rows: Packed) -> None:
        numbers = store.distinct(ids, rows, self._dims)
        if self._here is not None and not self._reserve(len(self._here) + len(numbers)):
            self._ids = self._here.ids
            self._let_go()
        if self._here is None:
            self._ids = np.union1d(self._ids, numbers)
        else:
            self._here.add(numbers.tolist(), rows)

    def remove(self, ids: Iterable[int]) -> None:
        gone = {*ids}
        if self._here is not None:
            self._here.remove(gone)
            self._reserve(len(self._here))
            return
        self._ids = np.setdiff1d(self._ids, np.fromiter(gone, np.int64, len(gone)))
        for unit in gone & self._read.keys():
            del self._read[unit]

    def search(
        self, toward: Vectors, limit: int, *, allow: Allow | None = None, score: Score | None = None
    ) -> list[Near]:
        """See `VectorStore.search`. Of more than 20,000 rows, with a `score`, the best of so many by their product."""
        if self._here is not None:
            return self._here.search(toward, limit, allow=allow, score=score)
        query = store.direction(toward, self._dims)
        wanted = self._ids if allow is None else self._ids[allow(self._ids)]
        if not len(wanted) or limit < 1:
            return []
        nearest = self._nearest(query, wanted, limit if score is None else limit * store.WIDER)
        ids, products = nearest["unit"].astype(np.int64), nearest["product"].astype(np.float32)
        scores = score(ids, products) if score else products
        best = store.highest(scores, limit)
        return store.in_order(ids[best], scores[best])

    def rows(self, ids: Ids) -> tuple[Ids, Vectors]:
        if self._here is not None:
            return self._here.rows(ids)
        wanted: list[int] = ids.tolist()
        missing = [unit for unit in wanted if unit not in self._read]
        sql = "SELECT unit, halfvec_send(v) FROM vectors WHERE unit = ANY(%s)"
        fetched = [*self._own.run(sql, [missing])] if missing else []
        if len(self._read) + len(fetched) > MAX_KEPT:
            self._read = {unit: self._read[unit] for unit in wanted if unit in self._read}
        halves = _read([row for _, row in fetched]).astype(np.float16)
        self._read.update(zip((unit for unit, _ in fetched), halves, strict=True))
        there = [unit for unit in wanted if unit in self._read]
        rows = np.array([self._read[unit] for unit in there], np.float32).reshape(len(there), self._dims)
        return np.array(there, np.int64), rows

    def close(self) -> None:
        self._ids = np.empty(0, np.int64)
        self._let_go()

    def _reserve(self, rows: int) -> bool:
        """Have memory reserved for so many rows in all; return whether there is room for them."""
        more = (self._dims + _BESIDE_ROW) * rows - self._reserved
        if rows > self._most_compared or not self._own.database.reserve(more):
            return False
        self._reserved += more
        return True

    def _let_go(self) -> None:
        if self._here is not None:
            self._here.close()
            self._own.database.reserve(-self._reserved)
            self._here, self._reserved = None, 0

    def _nearest(self, query: Vectors, wanted: Ids, count: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        near = f"v::halfvec({self._dims}) <#> %s::halfvec({self._dims})"
        rows = f"SELECT unit, -({near}) AS product FROM vectors WHERE TRUE"
        values: list[object] = [_written(query)]
        settings = ""
        if len(wanted) < len(self._ids):
            rows += " AND unit = ANY(%s)"
            values.append(wanted.tolist())
        if len(wanted) > self._most_compared:
            # The agent is said once more, as a constant: only so does the planner see that a partial index fits.
            rows += f" AND agent = %s ORDER BY {near} LIMIT %s"
            values += [self._own.agent, _written(query), count]
            settings = f"SET LOCAL hnsw.ef_search = {min(count, _MAX_EF)}; {_BY_INDEX}; "
        packed = f"SELECT string_agg(int4send(unit::int4) || float4send(product::real), '') FROM ({rows})"
        return np.frombuffer(self._own.run(settings + packed, values).get or b"", _PAIR)


def index_nearest(database: IndexDatabase, agent: str, *, most_compared: int = MAX_COMPARED) -> int:
    """Build an HNSW index over the vectors of an agent that has many, or drop that of one that has few by now.

    Others may read and write meanwhile. An index that was left unfinished is built anew. Returns how many vectors are
    indexed: 0 where each is compared. Raises `Busy`, `WriteFailed`, `IndexBroken` as every statement does.
    """
    own = AgentStatements(database, agent)
    count, dims = own.run("SELECT count(*), max(vector_dims(v)) FROM vectors").fetchone()
    name = f"hnsw_{blake2b(agent.encode(), digest_size=8).hexdigest()}"
    usable = own.run(
        "SELECT indisvalid AND indisready FROM pg_index WHERE indexrelid = to_regclass(%s)", [f"{NAME}.{name}"]
    ).fetchone()
    is_wanted = count > most_compared
    if usable and not (is_wanted and usable[0]):
        own.run_alone(f"DROP INDEX CONCURRENTLY {NAME}.{name}")
    if is_wanted and not (usable and usable[0]):
        own.run_alone(
            f"CREATE INDEX CONCURRENTLY {name} ON {NAME}.vectors "
            f"USING hnsw ((v::halfvec({dims})) halfvec_ip_ops) WHERE agent = %s",
            [agent],
        )
    return int(count) if is_wanted else 0


def _written(vector: Vectors) -> str:
    return f"[{','.join(map('{:.6g}'.format, vector.tolist()))}]"


def _read(sent: list[bytes]) -> Vectors:
    if not sent:
        return np.empty((0, 0), np.float32)
    raw = np.frombuffer(b"".join(sent), np.uint8).reshape(len(sent), -1)
    rows: Vectors = raw[:, _HEAD:].copy().view(">f2").astype(np.float32)
    return rows
