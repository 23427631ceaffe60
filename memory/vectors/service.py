"""What one embedder makes of one index: vectors of its units, kept up to date, and scans of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from memory.embed.cache import VectorCache, cache_key
from memory.index.tables.vectors import Counts, TablePosition, VectorRow, VectorTable
from memory.index.types import Stored
from memory.ports import Clock, Embedding, Purpose, Vectors
from memory.types import OWNER, Filter, Scope
from memory.vectors.questions import SemanticScan

if TYPE_CHECKING:  # numpy takes 0.1 s to import, which a search by words need not pay
    from memory.vectors.collection import VectorCollection
    from memory.vectors.store import VectorStore


AT_ONCE = 256
"""Units that are looked up in the cache between two chances for others to use the thread."""
TENDED_EVERY = timedelta(days=7)
"""How often the cache is looked after."""
_LOADED_AT_ONCE = 4096
_FEW = 2
_ALIKE = 1e-4
"""The deviation of the cosines below which an embedder gives all texts the same vector."""


@dataclass(frozen=True, slots=True)
class Text:
    """A unit that is to be embedded: the birth of its index, its number there, its key in the cache, and its text."""

    born: str
    unit: int
    key: bytes
    text: str


class VectorService:
    """What one embedder makes of one index. Everything here runs on the memory's own thread.

    `WriteFailed` is raised where the cache of vectors cannot be used.
    """

    def __init__(
        self,
        embedding: Embedding,
        beside: Path,
        *,
        plain: bool,
        clock: Clock,
        read_only: bool,
        store: Callable[[int], VectorStore] | None = None,
    ) -> None:
        """Nothing is opened yet; files stand `beside` the index, and where it is read only, another process embeds.

        With `plain`, nearness is the bare cosine. `store` makes what finds the nearest of vectors of so many numbers,
        where that is not this process.
        """
        self._embedding = embedding
        self._beside = beside
        self._plain = plain
        self._clock = clock
        self._is_read_only = read_only
        self._store = store
        self._cache: VectorCache | None = None
        self._meaning: VectorCollection | None = None
        self._mark = TablePosition()
        self._followed: VectorTable | None = None
        self._kept: set[int] = set()  # units whose vectors a store on disk held when it was opened
        self._looked_up: tuple[str, int] = ("", 0)
        self._dropped: set[bytes] = set()  # forgotten; one that is being embedded at that moment is not kept after it

    @property
    def identity(self) -> str:
        """The identity of the embedder."""
        return self._embedding.embedder.identity

    def fill(self, table: VectorTable) -> Iterator[None]:
        """Give units that wait the vectors that were computed for the same text before, in small steps.

        Raises `IndexBroken`, `Busy` if the index cannot be written.
        """
        table.begin(self.identity)
        born = table.mark().born
        at = self._looked_up[1] if self._looked_up[0] == born else 0
        while waiting := table.texts(at, AT_ONCE, waiting=True):
            texts = self._texts(waiting, born)
            at = texts[-1].unit
            if known := self._cached(texts):
                from memory.vectors.store import blob_dims

                self._opened().touch(known)
                size = self._dims(table) or blob_dims(next(iter(known.values())))
                rows = {text.unit: known[text.key] for text in texts if text.key in known}
                # Those of another size are embedded anew.
                table.keep({unit: row for unit, row in rows.items() if blob_dims(row) == size}, born=born)
            yield
        self._looked_up = (born, at)

    def is_untended(self, table: VectorTable) -> bool:
        """Return whether it is time to look after the cache."""
        last = table.tended()
        return not last or self._clock.now().date() - date.fromisoformat(last) >= TENDED_EVERY

    def tend(self, table: VectorTable, after: int) -> int | None:
        """Note in the cache which vectors are still of use, and in the end drop those that have long not been.

        `after` is the number of the unit to go on behind, 0 to begin; the answer is the next one, None at the end.
        """
        units = table.texts(after, AT_ONCE)
        if units:
            self._opened().touch(text.key for text in self._texts(units, ""))
            return units[-1].id
        self._opened().prune()
        table.note_tended(self._clock.now().date().isoformat())
        return None

    def waiting(self, table: VectorTable, limit: int) -> list[Text]:
        """Texts that have no vector yet, newest first."""
        table.begin(self.identity)
        return self._texts(table.waiting(limit), table.mark().born)

    def keep(
        self, table: VectorTable, texts: Sequence[Text], blocks: Sequence[Vectors], *, refused: Sequence[Text] = ()
    ) -> None:
        """Keep new vectors, in blocks of shape (n, dims), in cache and index; `refused` texts wait no longer.

        Raises `VectorRefused`, and keeps none, if they are no usable vectors of one size.
        """
        rows: dict[int, bytes] = {}
        if texts:
            from memory.vectors.store import Packed

            packed = Packed.of([row for block in blocks for row in block], dims=self._dims(table))
            known = dict(zip(texts, packed.blobs(), strict=True))
            rows = {text.unit: row for text, row in known.items()}
            if lasting := {text.key: row for text, row in known.items() if text.key not in self._dropped}:
                self._opened().put(lasting)
        for born in {text.born for text in (*texts, *refused)}:
            table.keep(rows, refused=[text.unit for text in refused], born=born)

    def drop(self, texts: Iterable[str], *, compact: bool = False) -> None:
        """Let go of what was computed for texts that are forgotten; `compact` leaves no older remains either."""
        keys = {self._key(text) for text in texts}
        self._dropped |= keys
        self._opened().drop(keys, compact=compact)

    def scan(
        self, table: VectorTable, question: Vectors, scope: Scope, *, answer: Vectors | None = None
    ) -> SemanticScan | None:
        """Compare a question's vector with what a scope may see of the collection; None if a chat has no vectors.

        With the vector of a likely answer it is looked for what lies between the two (hypothetical document embeddings:
        L. Gao et al. (2022), "Precise Zero-Shot Dense Retrieval without Relevance Labels"). Raises `VectorRefused` if
        the question's vector has another size than the collection's.
        """
        from memory.vectors.calibration import gauge_of

        meaning = self.follow(table)
        late = table.backlog(scope)
        scan = meaning.ask(question, scope=scope, plain=self._plain) if meaning else None
        if not scan:
            none = f"none of its {late:,} passages has been embedded yet."
            return SemanticScan(reason=none) if scope == OWNER else None
        if answer is not None:
            scan = scan.turned(answer)
        reason = f"{late:,} of {late + scan.count:,} passages wait to be embedded." if late else ""
        return SemanticScan(scan, reason, gauge_of(self.identity), self.identity)

    def rows(self, table: VectorTable, after: int, limit: int) -> list[tuple[VectorRow, Vectors]]:
        """Return the rows of this embedder that were written after one, in order, each with its vector (dims,)."""
        from memory.vectors.store import Packed

        rows = table.since(after, limit) if table.mark().by == self.identity else []
        if not rows:
            return []
        return [*zip(rows, Packed.of_blobs([row.vector for row in rows]).floats(), strict=True)]

    def cosines(
        self, table: VectorTable, vector: Vectors, *, among: Sequence[int], limit: int, scope: Scope, where: Filter
    ) -> dict[int, float]:
        """Return the bare cosines of the units nearest to a text's vector, and of others that have one, by their ids.

        Nothing where the vectors are all alike, so that they tell nothing. It raises as `scan` does.
        """
        collection = self.follow(table)
        scan = collection.ask(vector, scope=scope, plain=True) if collection else None
        if scan is None or (scan.count > _FEW and scan.direction.deviation < _ALIKE):
            return {}
        return scan.similarities(among) | {near.id: near.score for near in scan.best(limit, scope=scope, where=where)}

    def known(self, _table: VectorTable, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors that were computed before, each of shape (dims,), by the texts that have one."""
        asked = [Text("", 0, self._key(text), text) for text in texts]
        rows = self._cached(asked)
        if not rows:
            return {}
        from memory.vectors.store import Packed

        return {entry.text: Packed.of_blobs([rows[entry.key]]).floats()[0] for entry in asked if entry.key in rows}

    def counts(self, table: VectorTable) -> Counts:
        """Count the units that have a vector of this embedder."""
        counts = table.counts()
        return counts if table.mark().by == self.identity else Counts(0, counts.embedded + counts.waiting)

    def backend(self, table: VectorTable) -> str:
        """Which way of searching is in use; empty if there is nothing to search."""
        meaning = self.follow(table)
        return meaning.backend.value if meaning else ""

    def follow(self, table: VectorTable) -> VectorCollection | None:
        """Return the collection as it is now; None if it is empty, or another embedder's."""
        while self.load(table):
            pass
        return self._meaning

    def load(self, table: VectorTable) -> bool:
        """Take in some of what is new in the table; whether there may be more."""
        now = table.mark()
        if table is not self._followed or (now.born, now.by) != (self._mark.born, self._mark.by):
            self._let_go()
            self._followed = table
        if now.by != self.identity or not now.vectors or now == self._mark:
            return False
        if self._meaning is None:
            self._meaning = self._begun(table, now)
        return self._meaning is not None and self._take_in(self._meaning, table, now)

    def close(self) -> None:
        """Let go of files and memory."""
        self._let_go()
        if self._cache:
            self._cache.close()
            self._cache = None

    def _begun(self, table: VectorTable, now: TablePosition) -> VectorCollection | None:
        from memory.vectors.collection import VectorCollection, open_store

        dims = self._dims(table)
        if dims is None:
            return None
        on_disk = self._embedding.low_memory and not self._is_read_only and self._store is None
        low_memory = self._file(now) if on_disk else None
        store = self._store(dims) if self._store else open_store(dims, low_memory=low_memory)
        meaning = VectorCollection(store, matching=table.matching)
        self._kept = meaning.regain(table.scopes()) if low_memory else set()
        return meaning

    def _file(self, now: TablePosition) -> Path:
        """Return where a store on disk keeps its vectors; files of another index or embedder are removed."""
        name = blake2b(f"{now.born} {now.by}".encode(), digest_size=6).hexdigest()
        path = self._beside.with_name(f"{self._beside.name}.vectors-{name}")
        for other in self._beside.parent.glob(f"{self._beside.name}.vectors-*"):
            if not other.name.startswith(path.name):
                other.unlink(missing_ok=True)
        return path

    def _take_in(self, meaning: VectorCollection, table: VectorTable, now: TablePosition) -> bool:
        from memory.vectors.store import Packed

        before = self._mark
        meaning.remove(table.gone(before.gone) if before.vectors else ())
        rows = table.since(before.vectors, _LOADED_AT_ONCE)
        meaning.place([row.unit for row in rows if row.unit.id in self._kept])
        if new := [row for row in rows if row.unit.id not in self._kept]:
            meaning.add([row.unit for row in new], Packed.of_blobs([row.vector for row in new]))
        if rows:
            self._mark = replace(now, vectors=rows[-1].seq, rescoped=before.rescoped)
            return True
        if now.rescoped != before.rescoped:
            meaning.rescope(table.scopes())
        self._mark, self._kept = now, set()
        return False

    def _texts(self, units: Iterable[Stored], born: str) -> list[Text]:
        return [Text(born, stored.id, self._key(meant), meant) for stored in units for meant in [stored.unit.meant]]

    def _key(self, text: str) -> bytes:
        return cache_key(self.identity, Purpose.PASSAGE, text)

    def _cached(self, texts: Sequence[Text]) -> dict[bytes, bytes]:
        """Return the rows in the cache, by the texts' keys."""
        return self._opened().get(text.key for text in texts)

    def _dims(self, table: VectorTable) -> int | None:
        """Numbers in the vectors that are there; None if there are none."""
        from memory.vectors.store import blob_dims

        first = next(iter(table.since(0, 1)), None)
        return blob_dims(first.vector) if first else None

    def _opened(self) -> VectorCache:
        if self._cache is None:
            self._cache = VectorCache(self._embedding.cache, clock=self._clock, read_only=self._is_read_only)
        return self._cache

    def _let_go(self) -> None:
        if self._meaning is not None:
            self._meaning.close()
        self._meaning, self._mark = None, TablePosition()
