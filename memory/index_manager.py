"""The index of one memory, words and vectors: kept up to date with the files, asked, and rebuilt when damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from memory.errors import Busy, Error, IndexBroken, NotFound, VectorRefused, WriteFailed
from memory.files.sources import Sources
from memory.index import sync
from memory.index.file import MAKE_IT, IndexFile
from memory.index.sql import Index
from memory.index.sqlite import SqliteIndex
from memory.index.tables.vectors import Counts, VectorTable
from memory.index.types import Changed, Progress, Status, Synced
from memory.journal.journal import Journal
from memory.ports import Clock
from memory.types import Fact, Scope, Written
from memory.vectors.questions import NOT_SET_UP, Question, SemanticScan
from memory.vectors.service import VectorService
from memory.worker import Steps

if TYPE_CHECKING:  # only where an index is in a database
    from memory.postgresql.store import PostgresStore, SharedIndex

P = ParamSpec("P")
T = TypeVar("T")

NOTHING_YET = "nothing in it has been embedded yet."
MERGE_EVERY = 8
"""Writes after which segments of the search index are merged. At 16 SQLite would merge them within a write."""


class IndexManager:
    """The index of one workspace, words and vectors. Everything here runs on the memory's own thread.

    What looks something up raises `IndexBroken` as `ask` does.

    Attributes:
        is_behind: something was written that the index has not taken in.
        has_vectors: there is something to compare a question with, as of the last count.
        has_loaded_vectors: the vectors have been brought into memory once.
        deferred_facts: what was left to `refresh_deferred`.
        version: grows when this process changes the index, and when it looks at the files.

    All of these but `deferred_facts`, and `is_merge_due`, may be read on any thread.
    """

    def __init__(
        self,
        place: Path | SharedIndex,
        sources: Sources,
        journal: Journal,
        *,
        clock: Clock,
        read_only: bool,
        vectors: VectorService | None = None,
    ) -> None:
        """Open the index; without `vectors` words are searched alone. Raises `WriteFailed`, `Busy`."""
        self.is_behind = False
        self.has_vectors = False
        self.has_loaded_vectors = False
        self.version = 0
        self._path = place if isinstance(place, Path) else place.place
        self._sources = sources
        self._journal = journal
        self._clock = clock
        self._vectors = vectors
        self._state = ""
        self._loss = ""
        self._trouble = ""
        self._outdated_files = 0
        self._told_unreadable = 0
        self._broken: IndexBroken | None = None
        self._is_taking_over = False
        self._progress: sync.Progress | None = None
        self._changed = Changed()
        self._spent_s = 0.0
        self._deferred: dict[str, bytes | None] = {}
        self.deferred_facts: list[Fact] = []
        self._unmerged_writes = MERGE_EVERY  # whatever another process has left is merged, too
        self._empty: SqliteIndex | None = None
        self._store: IndexFile | PostgresStore | None = None
        try:
            self._store = _open_store(place, clock, read_only=read_only)
        except (NotFound, IndexBroken, WriteFailed) as error:
            if not read_only:
                raise
            self._lose("missing" if isinstance(error, NotFound) else "broken", error)

    @property
    def is_read_only(self) -> bool:
        """Whether another process, or nobody, keeps the index up to date."""
        return self._store is None or self._store.is_read_only

    @property
    def is_merge_due(self) -> bool:
        """Whether `merge_segments` has something to do."""
        return self._unmerged_writes >= MERGE_EVERY and not self.is_read_only

    @property
    def state(self) -> str:
        """`ready`, `building`, `missing` or `broken`, as in `Status`."""
        if self._store is None:
            return self._state
        is_reading = self._progress is not None and self._progress.done < self._progress.total
        is_stale = self._store.stale and not self.is_read_only
        return "building" if is_reading or is_stale or self._broken else "ready"

    def take_notice(self) -> str:
        """Return why answers may be incomplete, or what has happened to the index, in words for a person; mostly empty.

        What is over and done with is told once.
        """
        notice = self.reason(with_damage=self._journal.unreadable > self._told_unreadable)
        self._told_unreadable = self._journal.unreadable
        if self._store and self.state == "ready":
            self._store.notice = ""
        return notice

    @property
    def unread(self) -> str:
        """Says that what is not found may stand in a file that cannot be read; empty if there is no such file."""
        is_unread = any(problem.line is None for problem in self.ask(lambda index: index.problems()))
        return "Some files cannot be read: run `scrubjay doctor`." if is_unread else ""

    def ask(self, operation: Callable[[Index], T]) -> T:
        """Do something with the index; raises `IndexBroken` if it turns out to be damaged: `sync_files` begins it anew.

        Who only reads goes on without it: then the operation is carried out once more, on an empty one.
        """
        try:
            return operation(self.index)
        except IndexBroken as error:
            if not self.is_read_only:
                self._broken = error
                raise
            if self._store:
                self._lose("broken", error)
        return operation(self.index)

    @property
    def index(self) -> Index:
        """The index as it is, for what is done within `ask`; an empty one where there is none."""
        if self._store:
            return self._store.index
        self._empty = self._empty or SqliteIndex.open(Path(":memory:"))
        return self._empty

    def sync_files(self, progress: Progress | None = None) -> Steps:
        """Take in what has changed in the files, in small steps; from zero beside the old index if that is stale."""
        self.version += 1
        if self._store and self._is_taking_over:
            self._store.take_over()
            self._is_taking_over, self._outdated_files = False, 0
        if self._store is None or self._store.is_read_only:
            self._outdated_files = self._count_outdated()
            return
        try:
            yield from self._sync_files(self._store, progress)
        except IndexBroken as error:
            self._broken = error
            yield from self._sync_files(self._store, progress)
        yield from self.merge_segments()

    def take_over(self) -> None:
        """Have the next look at the files make this process the one who writes the index, where several could."""
        self._is_taking_over = True

    def rebuild(self, progress: Progress | None = None) -> Steps:
        """Build the index from zero beside the old one, in small steps, and put it in its place.

        Raises `WriteFailed` if this memory only reads.
        """
        if self._store is None or self._store.is_read_only:
            raise refusal()
        self.report()
        try:
            yield from self._report_steps(self._store.rebuild(self._fill), progress)
        except IndexBroken as error:
            self._broken = error
        yield from self.sync_files(progress)

    def merge_segments(self) -> Steps:
        """Merge segments of the search index, if that is due, in small steps: no write has to do it then."""
        if not self.is_merge_due:
            return
        self._unmerged_writes = 0
        with suppress(Busy, WriteFailed):  # as long as nobody merges, searching is a little slower
            while self.ask(lambda index: index.merge_segments()):
                yield

    def refresh(self, paths: Sequence[str], contents: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Take in files that were just written; `contents` as for `sync.refresh`.

        The write is on disk whatever happens here: an index that cannot follow says so, and catches up later.
        """
        self._unmerged_writes += 1
        self.version += 1
        try:
            self.ask(
                lambda index: sync.refresh(index, self._sources, journal=self._journal, paths=paths, contents=contents)
            )
        except Error as error:
            self.is_behind = True
            self._trouble = f"What was written last is not in the index yet. {error}"

    def defer(self, written: Written, content: bytes | None) -> None:
        """Leave a fact that was just written, with its file's content if that is known, to `refresh_deferred`."""
        self._deferred[written.at.path] = content
        self.deferred_facts.append(written.fact)

    def refresh_deferred(self) -> None:
        """Take in what was left for later."""
        deferred, self._deferred, self.deferred_facts = self._deferred, {}, []
        if deferred:
            self.refresh([*deferred], {path: content for path, content in deferred.items() if content is not None})

    def take_in(self, written: Written, content: bytes | None) -> None:
        """Take in a fact that was just written, with its file's content if that is known, and what was deferred."""
        self.defer(written, content)
        self.refresh_deferred()

    def scrub(self, *, compact: bool = False) -> None:
        """Leave nothing of what was removed in the index's files; what cannot be done now goes into the notice."""
        if self._store is None or self.is_read_only:
            return
        try:
            self._store.scrub(compact=compact and self._progress is None)
            self._unmerged_writes = 0
        except Error as error:
            self._trouble = f"What was forgotten may still stand in unused parts of the index's file. {error}"

    def report(self) -> Synced:
        """Return what was changed since the last report."""
        totals = self.ask(Index.totals)
        changed, ms = self._changed, round(1000 * self._spent_s, 1)
        self._changed, self._spent_s = Changed(), 0.0
        return Synced(totals.files, totals.units, changed.added, changed.removed, ms)

    def status(self) -> Status:
        """Return the state of the index: its files, its vectors, and what is wrong."""
        totals = self.ask(Index.totals)
        progress = self._progress
        status = Status(
            state=self.state,
            files=totals.files,
            units=totals.units,
            facts=totals.facts,
            pending=progress.total - progress.done if progress else self._count_outdated(),
            reason=self.reason(),
            path=str(self._path),
            bytes=self._store.bytes if self._store else 0,
        )
        counts = self.count_vectors()
        if self._vectors is None:
            return replace(status, mode_reason=f"Words are searched alone: {NOT_SET_UP}")
        return replace(
            status,
            mode="hybrid" if counts.embedded else "words",
            mode_reason="" if counts.embedded else f"Words are searched alone: {NOTHING_YET}",
            embedder=self._vectors.identity,
            embedded=counts.embedded,
            unembedded=counts.waiting,
            link=self.with_vectors(VectorService.backend) or "",
        )

    def with_vectors(
        self, operation: Callable[Concatenate[VectorService, VectorTable, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Call a method of the vector service with the table of this index; None without either."""
        service = self._vectors
        if service is None or self._store is None:
            return None
        return self.ask(lambda index: operation(service, index.vectors, *args, **kwargs))

    def count_vectors(self) -> Counts:
        """Count units with a vector, and without."""
        counts = self.with_vectors(VectorService.counts) or Counts()
        self.has_vectors = counts.embedded > 0
        return counts

    def load_vectors(self) -> Steps:
        """Bring the vectors into memory, in small steps; raises as `VectorService.scan` does."""
        while self.with_vectors(VectorService.load):
            yield
        self.has_loaded_vectors = True

    def scan(self, question: Question, scope: Scope) -> SemanticScan:
        """Compare a question with what a scope may see; where vectors cannot be had, the words are searched."""
        if question.vector is None:
            return SemanticScan(reason=question.reason)
        try:
            scan = self.with_vectors(VectorService.scan, question.vector, scope, answer=question.answer)
        except (VectorRefused, WriteFailed, Busy) as error:
            return SemanticScan(reason=f"by meaning it cannot be searched: {error}")
        return scan or SemanticScan(reason=NOTHING_YET)

    def tend_cache(self) -> Steps:
        """Look after the cache of vectors, in small steps, when it is time to."""
        if self.is_read_only or not self.with_vectors(VectorService.is_untended):
            return
        at: int | None = 0
        while at is not None:
            at = self.with_vectors(VectorService.tend, at)
            yield

    def reason(self, *, with_damage: bool = True) -> str:
        """Return what is wrong with the index; `with_damage` adds the lines of the journal that cannot be read."""
        store, at, changed, unreadable = self._store, self._progress, self._outdated_files, self._journal.unreadable
        parts = [self._loss]
        if store:
            parts.append(store.notice)
        if store and store.stale:
            then = MAKE_IT if self.is_read_only else "it serves while it is rebuilt."
            parts.append(f"The index was {store.stale}; {then}")
        if at and at.done < at.total:
            parts.append(f"Files are still being read: {at.done:,} of {at.total:,}.")
        if store and changed:
            files = "1 file has" if changed == 1 else f"{changed:,} files have"
            parts.append(f"{files} changed since the index was brought up to date. {MAKE_IT}")
        parts.append(self._trouble)
        if with_damage and unreadable:
            lines = "1 line" if unreadable == 1 else f"{unreadable:,} lines"
            parts.append(f"{lines} of the journal cannot be read and count for nothing: run `scrubjay doctor`.")
        return " ".join(filter(None, parts))

    def close(self) -> None:
        """Close the file."""
        if self._store:
            self._store.index.close()

    def _lose(self, state: str, error: Error) -> None:
        """Go on without an index: who only reads cannot mend it."""
        self.close()
        self._store, self._state = None, state
        self._loss = f"{error.message} {error.hint if state == 'missing' else MAKE_IT}"

    def _sync_files(self, store: IndexFile | PostgresStore, progress: Progress | None) -> Steps:
        self.is_behind = False
        if self._broken or store.is_lost:
            store.restart(self._clock.now(), self._broken)
            self._broken = None
        store.recheck()
        if store.stale:
            yield from self._report_steps(store.rebuild(self._fill, fresh=False), progress)
        # After a rebuild, too: what was written meanwhile into the old one, by whatever process, must not be missed.
        yield from self._report_steps(self._fill(store.index), progress)

    def _fill(self, index: Index) -> Iterator[sync.Progress]:
        at = sync.Progress()
        try:
            for at in sync.sync(index, self._sources, journal=self._journal, now=self._clock.now()):
                yield at
            if self._vectors:
                for _ in self._vectors.fill(index.vectors):
                    yield at
        finally:
            self._changed += at.changed
            self._unmerged_writes += MERGE_EVERY if at.changed != Changed() else 0

    def _report_steps(self, steps: Iterator[sync.Progress], progress: Progress | None) -> Steps:
        """Take steps, with the progress of each kept for `status` and passed on."""
        began = perf_counter()
        try:
            for at in steps:
                self._progress = at
                self.version += 1
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
            self._progress = None
            self.version += 1

    def _count_outdated(self) -> int:
        """Count the files that are not as they are in the index; 0, with a notice, if they cannot be looked through."""
        try:
            return self.ask(lambda index: sync.outdated(index, self._sources))
        except Error as error:
            self._trouble = f"The files could not be looked through. {error}"
            return 0


def refusal() -> WriteFailed:
    """Return the error for a write to a memory that only reads."""
    return WriteFailed("This memory was opened for reading only.", hint="Open it for writing.")


def _open_store(place: Path | SharedIndex, clock: Clock, *, read_only: bool) -> IndexFile | PostgresStore:
    if isinstance(place, Path):
        return IndexFile.read(place) if read_only else IndexFile.open(place, now=clock.now())
    from memory.postgresql.store import PostgresStore

    return PostgresStore.read(place) if read_only else PostgresStore.open(place)
