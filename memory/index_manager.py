"""Keeps the index of one memory up to date: words and vectors, rebuilt when damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from memory.errors import Busy, Error, IndexBroken, LinkUnavailable, NotFound, VectorRefused, WriteFailed
from memory.files.journal import Journal
from memory.files.sources import Sources
from memory.index import sync
from memory.index.file import IndexFile
from memory.index.port import Changed, Index
from memory.index.sqlite import SqliteIndex
from memory.index.vector_table import Counts, VectorTable
from memory.index.volatile import VolatileIndex
from memory.ports import Clock, Vectors
from memory.types import Progress, Scope, Status, Synced
from memory.vectors.service import NOT_SET_UP, Question, SemanticScan, Text, VectorService
from memory.worker import Steps

T = TypeVar("T")

_MAKE_IT = "Run `scrubjay memory index`."


class IndexManager:
    """One workspace's index. Everything here runs on the memory's own thread.

    Attributes:
        is_behind: something was written that the index has not taken in.
    """

    def __init__(
        self,
        path: Path,
        sources: Sources,
        journal: Journal,
        *,
        clock: Clock,
        read_only: bool,
        semantics: VectorService | None = None,
    ) -> None:
        """Open the index; `semantics` is for search by meaning.

        Raises:
            WriteFailed, Busy: it is to be written and cannot be.
        """
        self.is_behind = False
        self._path = path
        self._sources = sources
        self._journal = journal
        self._clock = clock
        self._semantics = semantics
        self._state = ""
        self._lost = ""
        self._trouble = ""
        self._changed_since = 0
        self._told_unreadable = 0
        self._broken: IndexBroken | None = None
        self._at: sync.Progress | None = None
        self._changed = Changed()
        self._spent_s = 0.0
        self._store: IndexFile | None = None
        self._nothing = VolatileIndex()
        self._store = self._read() if read_only else IndexFile.open(path, now=clock.now())

    @property
    def is_read_only(self) -> bool:
        """Whether another process, or nobody, keeps the index up to date."""
        return self._store is None or self._store.is_read_only

    @property
    def state(self) -> str:
        """`ready`, `building`, `missing` or `broken`, as in `Status`."""
        if self._store is None:
            return self._state
        is_reading = self._at is not None and self._at.done < self._at.total
        is_stale = self._store.stale and not self.is_read_only
        return "building" if is_reading or is_stale or self._broken else "ready"

    @property
    def notice(self) -> str:
        """Why answers may be incomplete, or what has happened to the index, in words for a person; mostly empty."""
        return self._said(self._damage() if self._journal.unreadable > self._told_unreadable else "")

    def told(self) -> None:
        """The notice has been passed on: what is over and done with need not be told again."""
        self._told_unreadable = self._journal.unreadable
        if self._store and self.state == "ready":
            self._store.notice = ""

    def ask(self, operation: Callable[[Index], T]) -> T:
        """Do something with the index.

        Raises:
            IndexBroken: it turns out to be damaged; `catch_up` begins it anew. Who only reads goes on without it.
        """
        try:
            return operation(self._store.index if self._store else self._nothing)
        except IndexBroken as error:
            if not self.is_read_only:
                self._broken = error
                raise
            self._lose("broken", error)
            return operation(self._nothing)

    def catch_up(self, progress: Progress | None = None) -> Steps:
        """Take in what has changed in the files, in small steps; from zero beside the old index if that is stale."""
        if self._store is None or self._store.is_read_only:
            self._changed_since = self._outdated()
            return
        try:
            yield from self._look(self._store, progress)
        except IndexBroken as error:
            self._broken = error
            yield from self._look(self._store, progress)

    def rebuild(self, progress: Progress | None = None) -> Steps:
        """Build the index from zero beside the old one, in small steps, and put it in its place.

        Raises:
            WriteFailed: this memory only reads.
        """
        if self._store is None or self._store.is_read_only:
            raise refusal()
        self.report()
        try:
            yield from self._told(self._store.rebuild(self._fill), progress)
        except IndexBroken as error:
            self._broken = error
        yield from self.catch_up(progress)

    def with_vectors(self, operation: Callable[[VectorTable], T]) -> T | None:
        """Do something with the vectors; None if there is no index. Raises as `ask` does."""
        store = self._store
        return self.ask(lambda _: operation(store.index.vectors)) if store else None

    def refresh(self, paths: Sequence[str]) -> None:
        """Take in files that were just written.

        The write is on disk whatever happens here: an index that cannot follow is told of, and catches up later.
        """
        try:
            self.ask(lambda index: sync.refresh(index, self._sources, journal=self._journal, paths=paths))
        except Error as error:
            self.is_behind = True
            self._trouble = f"What was written last is not in the index yet. {error}"

    def scrub(self, *, compact: bool = False) -> None:
        """Leave nothing of what was removed in the index's files; what cannot be done now is told."""
        if self._store is None or self.is_read_only:
            return
        try:
            self._store.scrub(compact=compact and self._at is None)
        except Error as error:
            self._trouble = f"What was forgotten may still stand in unused parts of the index's file. {error}"

    def report(self) -> Synced:
        """What all looks since the last report have changed."""
        totals = self.ask(lambda index: index.totals())
        changed, ms = self._changed, round(1000 * self._spent_s, 1)
        self._changed, self._spent_s = Changed(), 0.0
        return Synced(totals.files, totals.units, changed.added, changed.removed, ms)

    def status(self) -> Status:
        """How the index stands."""
        totals = self.ask(lambda index: index.totals())
        pending = self._at.total - self._at.done if self._at else self._outdated()
        return Status(
            state=self.state,
            files=totals.files,
            units=totals.units,
            facts=totals.facts,
            pending=pending,
            reason=self._said(self._damage()),
            path=str(self._path),
            bytes=self._store.bytes if self._store else 0,
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._store:
            self._store.close()

    def _read(self) -> IndexFile | None:
        try:
            return IndexFile.read(self._path)
        except NotFound as error:
            self._lose("missing", error)
        except (IndexBroken, WriteFailed) as error:
            self._lose("broken", error)
        return None

    def _lose(self, state: str, error: Error) -> None:
        """Go on without an index: who only reads cannot mend it."""
        self.close()
        self._store, self._state = None, state
        self._lost = f"{error.message} {_MAKE_IT}"

    def _look(self, store: IndexFile, progress: Progress | None) -> Steps:
        self.is_behind = False
        if self._broken or store.is_lost:
            store.restart(self._clock.now(), self._broken)
            self._broken = None
        store.recheck()
        if store.stale:
            yield from self._told(store.rebuild(self._fill, fresh=False), progress)
        # After a rebuild, too: what was written meanwhile into the old one, by whatever process, must not be missed.
        yield from self._told(self._fill(store.index), progress)

    def _fill(self, index: SqliteIndex) -> Iterator[sync.Progress]:
        at = sync.Progress()
        try:
            for at in sync.sync(index, self._sources, journal=self._journal, now=self._clock.now()):
                yield at
            if self._semantics:
                for _ in self._semantics.fill(index.vectors):
                    yield at
        finally:
            self._changed += at.changed

    def _told(self, steps: Iterator[sync.Progress], progress: Progress | None) -> Steps:
        """The steps, each noted for `status` and told to whoever watches."""
        began = perf_counter()
        try:
            for at in steps:
                self._at = at
                if progress and at.total:
                    progress(at.done, at.total)
                if self._broken:
                    raise self._broken
                yield
            self._trouble = self._trouble if self.is_behind else ""
        except IndexBroken:
            raise
        except Error as error:
            self._trouble = f"The index could not be brought up to date. {error}"
            raise
        finally:
            self._spent_s += perf_counter() - began
            self._at = None

    def _outdated(self) -> int:
        """How many files are not as they are in the index; 0 if they cannot be looked through, which is told."""
        try:
            return self.ask(lambda index: sync.outdated(index, self._sources))
        except Error as error:
            self._trouble = f"The files could not be looked through. {error}"
            return 0

    def _said(self, damage: str) -> str:
        return " ".join(filter(None, (self._lost, *self._news(), self._trouble, damage)))

    def _damage(self) -> str:
        """That the journal has lines which cannot be read, if it has."""
        count = self._journal.unreadable
        lines = "1 line" if count == 1 else f"{count:,} lines"
        return f"{lines} of the journal cannot be read and count for nothing: run `scrubjay doctor`." if count else ""

    def _news(self) -> Iterator[str]:
        store, at = self._store, self._at
        if store:
            yield store.notice
        if store and store.stale:
            yield f"The index was {store.stale}; {_MAKE_IT if self.is_read_only else 'it serves while it is rebuilt.'}"
        if at and at.done < at.total:
            yield f"Files are still being read: {at.done:,} of {at.total:,}."
        if store and self._changed_since:
            files = "1 file has" if self._changed_since == 1 else f"{self._changed_since:,} files have"
            yield f"{files} changed since the index was brought up to date. {_MAKE_IT}"


def refusal() -> WriteFailed:
    """The error for a write to a memory that only reads."""
    return WriteFailed("This memory was opened for reading only.", hint="Open it for writing.")


NOTHING_YET = "nothing in it has been embedded yet."


class EmbeddedIndex:
    """Words and vectors of one memory, brought together on its own thread.

    Attributes:
        has_vectors: whether there is anything to hold a question against, as far as anybody has looked.
        is_loaded: a question was held against it before. Both may be read on any thread.
    """

    def __init__(self, shelf: IndexManager, semantics: VectorService | None) -> None:
        self.has_vectors = False
        self.is_loaded = False
        self._shelf = shelf
        self._semantics = semantics

    def count(self) -> Counts:
        """Units with a vector, and without."""
        semantics = self._semantics
        counts = (self._shelf.with_vectors(semantics.counts) if semantics else None) or Counts()
        self.has_vectors = counts.embedded > 0
        return counts

    def load(self) -> Steps:
        """Bring the vectors into memory, in small steps; raises as `meant` and `IndexManager.ask` do."""
        semantics = self._semantics
        while semantics and self._shelf.with_vectors(semantics.load):
            yield
        self.is_loaded = True

    def meant(self, question: Question | None, scope: Scope) -> SemanticScan:
        """Hold a question against what a scope may see. Whatever goes wrong with the vectors, the words are searched.

        Raises:
            IndexBroken: as `IndexManager.ask` does.
        """
        if self._semantics is None or question is None:
            return SemanticScan()
        if question.vector is None:
            return SemanticScan(reason=question.reason)
        semantics, vector = self._semantics, question.vector
        try:
            meant = self._shelf.with_vectors(lambda table: semantics.meant(table, vector, scope))
        except (LinkUnavailable, VectorRefused, WriteFailed, Busy) as error:
            return SemanticScan(reason=f"by meaning it cannot be searched: {error}")
        return meant or SemanticScan(reason=NOTHING_YET)

    def waiting(self, limit: int) -> list[Text]:
        """Texts to embed, newest first; none for who only reads."""
        semantics = self._semantics
        if semantics is None or self._shelf.is_read_only:
            return []
        return self._shelf.with_vectors(lambda table: semantics.waiting(table, limit)) or []

    def tend(self) -> Steps:
        """Look after the cache, in small steps, when it is time to."""
        semantics = self._semantics
        if semantics is None or self._shelf.is_read_only or not self._shelf.with_vectors(semantics.is_untended):
            return
        at: int | None = 0
        while at is not None:
            at = self._shelf.with_vectors(partial(semantics.tend, after=at))
            yield

    def keep(self, texts: Sequence[Text], blocks: Sequence[Vectors], refused: Sequence[Text]) -> None:
        """Keep new vectors, in blocks of shape (n, dims), together as many rows as there are texts.

        Raises:
            VectorRefused: they are no usable vectors of one size; none was kept.
            WriteFailed, Busy, IndexBroken: cache or index cannot be written.
        """
        semantics = self._semantics
        if semantics:
            self._shelf.with_vectors(lambda table: semantics.keep(table, texts, blocks, refused=refused))

    def status(self) -> Status:
        """How the index stands."""
        stands, counts = self._shelf.status(), self.count()
        if self._semantics is None:
            return replace(stands, mode_reason=f"Words are searched alone: {NOT_SET_UP}")
        stands = replace(
            stands,
            mode="hybrid" if counts.embedded else "words",
            mode_reason="" if counts.embedded else f"Words are searched alone: {NOTHING_YET}",
            embedder=self._semantics.identity,
            embedded=counts.embedded,
            unembedded=counts.waiting,
        )
        try:
            return replace(stands, link=self._shelf.with_vectors(self._semantics.link) or "")
        except LinkUnavailable as error:
            return replace(stands, mode="words", mode_reason=f"Words are searched alone: {error}")
