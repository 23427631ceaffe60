"""What an index lives in: a file that is opened, checked, set aside when damaged, and rebuilt beside itself."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from memory.errors import Busy, Error, IndexBroken, NotFound, WriteFailed
from memory.files.workspace import remedy
from memory.index.schema import IDENTITY, staleness
from memory.index.sqlite import SqliteIndex

T = TypeVar("T")

MAKE_IT = "Run `scrubjay memory index`."
_MODE = 0o600
_OPENING_S = 10.0
_KEPT_ASIDE = ".broken-"
_BESIDE = ".new"
_COMPANIONS = ("", "-wal", "-shm")


class IndexFile:
    """An index in a SQLite file.

    Attributes:
        index: what answers questions; another object takes its place only in `restart`.
        notice: what happened to the index when it was opened, in words for a person; empty if nothing did.
        stale: why the index should be rebuilt, although it serves; empty if it is up to date.
        is_read_only: whether another process keeps it up to date.
    """

    def __init__(
        self, path: Path, index: SqliteIndex, *, notice: str = "", stale: str = "", is_read_only: bool = False
    ) -> None:
        self.index = index
        self.notice = notice
        self.stale = stale
        self.is_read_only = is_read_only
        self._path = path
        self._identity = _identity_of(path)

    @classmethod
    def open(cls, path: Path, *, now: datetime) -> IndexFile:
        """Open an index file for reading and writing; make it if it is not there.

        A damaged file is set aside, one that this version cannot read is begun anew; `notice` says so, and a `sync`
        fills it. Raises `WriteFailed` if folder or file cannot be written, `Busy` if another process keeps it locked.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _refused(path.parent, error) from error
        with _alone(path):
            return cls._open(path, now)

    @classmethod
    def read(cls, path: Path) -> IndexFile:
        """Open an index file that another process writes, for reading only; raises `NotFound` if there is none yet.

        Raises `IndexBroken` if it is damaged, or made by another version.
        """
        if not path.exists():
            raise NotFound(f"There is no memory index {path} yet.", hint=MAKE_IT)
        index = SqliteIndex.open(path, read_only=True)
        made_by = index.identity()
        if made_by.get("schema") != IDENTITY["schema"]:
            index.close()
            raise IndexBroken(f"The memory index {path} is of another version.", hint=MAKE_IT)
        return cls(path, index, stale=staleness(made_by), is_read_only=True)

    @property
    def bytes(self) -> int:
        """The size of the file, with what is still to be moved into it."""
        return sum(path.stat().st_size for path in _with_companions(self._path) if path.exists())

    @property
    def is_lost(self) -> bool:
        """Whether another index, or none, stands there by now: it was removed, or begun anew by another process."""
        return _identity_of(self._path) != self._identity

    def restart(self, now: datetime, why: Error | None = None) -> None:
        """Open the index that stands there now. The open one is set aside, unless it is lost (without a `why`)."""
        with suppress(IndexBroken):
            self.index.close()
        with _alone(self._path):
            if why and not self.is_lost:
                fresh = self._begin_anew(self._path, now, why.message)
            else:
                fresh = self._open(self._path, now)
                if not fresh.index.totals().files:
                    fresh.notice = fresh.notice or "The memory index was removed; it is built anew from the files."
            self.index, self.notice, self.stale = fresh.index, fresh.notice, fresh.stale
            self._identity = _identity_of(self._path)

    def take_over(self) -> None:
        """It is this process's, if it is open for writing."""

    def recheck(self) -> None:
        """See whether the index is still stale: another process may have rebuilt it."""
        self.stale = staleness(self.index.identity())

    def rebuild(self, fill: Callable[[SqliteIndex], Iterator[T]], *, fresh: bool = True) -> Generator[T, None, None]:
        """Build the index from zero beside the old one, which serves meanwhile, and put it in the old one's place.

        Args:
            fill: fills an empty index step by step; what it yields is passed on. It is run twice: what has changed
                while the first run was under way is taken in by the second.
            fresh: False goes on with what an earlier rebuild left unfinished.

        Raises:
            IndexBroken, WriteFailed, Busy: from building, or from taking the place; the old index stays as it was.
        """
        beside = self._path.with_name(self._path.name + _BESIDE)
        if fresh or not _is_usable(beside):
            _remove(beside)
        index = SqliteIndex.open(beside)
        try:
            yield from fill(index)
            yield from fill(index)
            index.scrub()  # of what was forgotten meanwhile
            self.index.become(index)
        finally:
            index.close()
        _remove(beside)
        self.stale = ""

    def scrub(self, *, compact: bool = False) -> None:
        """Leave nothing of what was removed: in the index, in what was set aside, in what was left unfinished.

        `compact` rewrites all of it, for what was removed before there was `scrub`, and drops the unfinished one. Where
        `IndexBroken`, `WriteFailed` or `Busy` is raised, what is left will be there until the next time.
        """
        self.index.scrub(compact=compact)
        aside = [*self._path.parent.glob(f"{self._path.name}{_KEPT_ASIDE}*")]
        beside = _with_companions(self._path.with_name(self._path.name + _BESIDE)) if compact else []
        for path in (*aside, *beside):
            path.unlink(missing_ok=True)

    @classmethod
    def _open(cls, path: Path, now: datetime) -> IndexFile:
        try:
            index = SqliteIndex.open(_make_file(path))
            damage = index.damage()
        except IndexBroken as error:
            return cls._begin_anew(path, now, error.message)
        if damage:
            index.close()
            return cls._begin_anew(path, now, f"The memory index {path} is damaged ({damage}).")
        made_by = index.identity()
        if made_by["schema"] != IDENTITY["schema"]:
            index.close()
            _remove(path)
            notice = "The memory index was made by another version of Scrubjay; it is built anew from the files."
            return cls(path, SqliteIndex.open(_make_file(path)), notice=notice)
        return cls(path, index, stale=staleness(made_by))

    @classmethod
    def _begin_anew(cls, path: Path, now: datetime, why: str) -> IndexFile:
        """Begin a new file; the damaged one is renamed with all that belongs to it. Of earlier ones none is kept."""
        for old in path.parent.glob(f"{path.name}{_KEPT_ASIDE}*"):
            old.unlink(missing_ok=True)
        aside = path.with_name(f"{path.name}{_KEPT_ASIDE}{now:%Y%m%dT%H%M%SZ}")
        try:
            for companion in _COMPANIONS:
                with suppress(FileNotFoundError):
                    path.with_name(path.name + companion).rename(aside.with_name(aside.name + companion))
        except OSError as error:
            raise _refused(path, error) from error
        notice = f"{why} It is rebuilt from the files; the old one is {aside}."
        return cls(path, SqliteIndex.open(_make_file(path)), notice=notice)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes from opening the file, or putting another in its place, at the same time."""
    from filelock import FileLock, Timeout

    lock = FileLock(f"{path}.lock", mode=_MODE, thread_local=False)
    try:
        lock.acquire(timeout=_OPENING_S)
    except Timeout as error:
        raise Busy(f"Another process is opening the memory index {path}.", hint="Try again in a moment.") from error
    except OSError as error:
        raise _refused(path, error) from error
    try:
        yield
    finally:
        lock.release()


def _identity_of(path: Path) -> tuple[int, int] | None:
    """Identify the file at a path, as opposed to another of that name; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _make_file(path: Path) -> Path:
    """Make an empty file for an index if there is none, without the remains of an earlier one; return its path."""
    if not path.exists():
        _remove(path)
        try:
            path.touch(_MODE)
        except OSError as error:
            raise _refused(path, error) from error
    return path


def _with_companions(path: Path) -> list[Path]:
    return [path.with_name(path.name + companion) for companion in _COMPANIONS]


def _remove(path: Path) -> None:
    try:
        for file in _with_companions(path):
            file.unlink(missing_ok=True)
    except OSError as error:
        raise _refused(path, error) from error


def _is_usable(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        index = SqliteIndex.open(path)
    except IndexBroken:
        return False
    usable = not index.damage() and index.identity() == dict(IDENTITY)
    index.close()
    return usable


def _refused(path: Path, error: OSError) -> WriteFailed:
    return WriteFailed(f"{path} could not be changed ({error.strerror}).", hint=remedy(error))
