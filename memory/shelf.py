"""The index as the front door uses it: kept up to date with the files, healed when damaged, and asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from memory.answers import Progress, Status, Synced
from memory.errors import Busy, IndexBroken, NotFound, WriteFailed
from memory.files.journal import Journal
from memory.files.workspace import Workspace
from memory.index import sync
from memory.index.port import Index
from memory.index.sqlite import SqliteIndex
from memory.index.store import Store
from memory.index.volatile import VolatileIndex
from memory.ports import Clock

T = TypeVar("T")


class Shelf:
    """One workspace's index. Everything here runs on the memory's own thread."""

    def __init__(self, path: Path, workspace: Workspace, journal: Journal, *, clock: Clock, read_only: bool) -> None:
        self._path = path
        self._workspace = workspace
        self._journal = journal
        self._clock = clock
        self._missing = ""
        self._trouble = ""
        self._at: sync.Progress | None = None
        self._store = self._open(read_only=read_only)
        self._absent = VolatileIndex()

    @property
    def is_read_only(self) -> bool:
        """Whether another process, or nobody, keeps the index up to date."""
        return self._store is None or self._store.is_read_only

    @property
    def index(self) -> Index:
        """What answers questions at this moment."""
        return self._store.index if self._store else self._absent

    @property
    def state(self) -> str:
        """`ready`, `building` or `missing`, as in `Status`."""
        if self._store is None:
            return "missing"
        return "building" if self._at is not None or self._store.stale else "ready"

    @property
    def reason(self) -> str:
        """Why the index is not simply ready, in words; empty when it is."""
        stale = f"The index is {self._store.stale}; it is rebuilt." if self._store and self._store.stale else ""
        notice = self._store.notice if self._store else ""
        doing = f"Reading files: {self._at.done} of {self._at.total}." if self._at and self._at.total else ""
        return " ".join(filter(None, (self._missing, notice, stale, doing, self._trouble)))

    def catch_up(self, progress: Progress | None = None) -> Iterator[Synced]:
        """Take in what has changed in the files, in small steps; from zero beside the old index if that is stale."""
        if self._store is None or self._store.is_read_only:
            return iter(())
        store = self._store
        steps = store.rebuild(self._fill, fresh=False) if store.stale else self._fill(store.index)
        return self._told(steps, progress)

    def rebuild(self, progress: Progress | None = None) -> Iterator[Synced]:
        """Build the index from zero beside the old one, in small steps, and put it in its place."""
        assert self._store is not None
        return self._told(self._store.rebuild(self._fill), progress)

    def unchanged(self) -> Synced:
        """What a look that found nothing to do comes to."""
        return self._synced(sync.Progress(), perf_counter())

    def refresh(self, paths: Sequence[str]) -> None:
        """Take in files that were just written.

        The write is on disk whatever happens here: an index that cannot follow is told of, and catches up later.
        """
        try:
            self.ask(lambda index: sync.refresh(index, self._workspace, journal=self._journal, paths=paths))
            self.ask(lambda index: sync.rescope(index, self._journal))
        except (WriteFailed, Busy) as error:
            self._trouble = f"What was written last is not in the index yet. {error}"

    def ask(self, operation: Callable[[Index], T]) -> T:
        """Do something with the index. One that turns out to be damaged is begun anew, and asked again."""
        try:
            return operation(self.index)
        except IndexBroken as error:
            if self._store is None or self._store.is_read_only:
                raise
            self._store.restart(self._clock.now(), error)
            for _ in self.catch_up():
                pass
            return operation(self.index)

    def status(self) -> Status:
        """How the index stands."""
        totals = self.ask(lambda index: index.totals())
        return Status(
            state=self.state,
            files=totals.files,
            units=totals.units,
            facts=totals.facts,
            pending=self._pending(),
            reason=self.reason,
            path=str(self._path),
            bytes=self._path.stat().st_size if self._path.exists() else 0,
        )

    def close(self) -> None:
        """Let go of the file."""
        if self._store:
            self._store.close()

    def _open(self, *, read_only: bool) -> Store | None:
        if not read_only:
            return Store.open(self._path, now=self._clock.now())
        try:
            return Store.read(self._path)
        except (NotFound, IndexBroken) as error:
            self._missing = str(error)
            return None

    def _fill(self, index: SqliteIndex) -> Iterator[sync.Progress]:
        return sync.sync(index, self._workspace, journal=self._journal, now=self._clock.now())

    def _told(self, steps: Iterator[sync.Progress], progress: Progress | None) -> Iterator[Synced]:
        """The steps, each noted for `status` and told to whoever watches."""
        began = perf_counter()
        self._at = sync.Progress()
        try:
            for at in steps:
                self._at = at
                if progress and at.total:
                    progress(at.done, at.total)
                yield self._synced(at, began)
            self._trouble = ""
        except (WriteFailed, Busy) as error:
            self._trouble = f"The index could not be brought up to date. {error}"
            raise
        finally:
            self._at = None

    def _synced(self, at: sync.Progress, began: float) -> Synced:
        totals = self.index.totals()
        ms = round(1000 * (perf_counter() - began), 1)
        return Synced(totals.files, totals.units, at.changed.added, at.changed.removed, ms)

    def _pending(self) -> int:
        if self._at is not None:
            return self._at.total - self._at.done
        return sync.outdated(self.index, self._workspace)
