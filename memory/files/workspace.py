"""A workspace: files read and written through a directory handle, under a lock."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, tzinfo
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Self

from memory.errors import Busy, Error, NotFound, PathRefused, TooLarge, Unreadable, WriteFailed
from memory.files.paths import admit
from memory.types import Problem

READING_LIMIT = 20 * 1024 * 1024
"""Bytes; a larger file is no note."""
FOLDER_MODE = 0o700
FILE_MODE = 0o600
FOLDER = ".memory"
NAMES = (FOLDER, "lock")
PATIENCE_S = 10.0
"""How long a writer waits for another."""
SINGLE_BYTES = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
"""Bytes that are not UTF-8, by the code points that `surrogateescape` makes of them, as Windows-1252 reads them."""
_POLL_S = 0.005
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_TRIES = 8
_NOT_A_PLACE = frozenset(
    {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP, errno.ENAMETOOLONG}
)
_HINTS = {
    errno.ENOSPC: "The disk is full: free some space, then try again.",
    errno.EDQUOT: "The disk quota is used up: free some space, then try again.",
    errno.EFBIG: "The file may not grow any further: raise the limit on file sizes, or start a new file.",
    errno.EROFS: "The file system is read-only: mount it for writing.",
    errno.EACCES: "Give the account that runs Scrubjay permission, for example with chmod or chown.",
    errno.EPERM: "Give the account that runs Scrubjay permission, for example with chmod or chown.",
    errno.EMFILE: "Too many files are open: raise the limit (ulimit -n), or restart.",
    errno.ENFILE: "Too many files are open on this machine.",
    errno.EIO: "The device failed: check the disk, and restore from a backup if need be.",
}


def local_day(at: datetime, zone: tzinfo) -> str:
    """Return the ISO day on which an instant falls in the owner's zone."""
    return at.astimezone(zone).date().isoformat()


@contextmanager
def folder(root: int, names: Sequence[str], *, create: bool = False) -> Iterator[int]:
    """Open a handle on the folder that these names lead to; with `create`, folders that are missing are made.

    Raises `OSError` if a name is missing, a link, or no folder.
    """
    handle = os.dup(root)
    try:
        for name in names:
            inner = _inner(handle, name, create=create)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def open_folder(parent: int, name: str) -> int:
    """Return a handle on one folder in another; the caller closes it."""
    return os.open(name, _FOLDER, dir_fd=parent)


def open_file(parent: int, name: str, flags: int) -> int:
    """Return a handle on a regular file with one name; the caller closes it. A file that it makes is its owner's alone.

    Raises `OSError` if the system refuses, or if it is something else (ENXIO).
    """
    for _ in range(_TRIES):
        handle = os.open(name, flags | _FILE, FILE_MODE, dir_fd=parent)
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            return handle
        os.close(handle)
        if status.st_nlink > 0:  # with no name left it was replaced while we opened it: look again
            break
    raise OSError(errno.ENXIO, "a link, a pipe, a device or a folder")


@contextmanager
def opened(parent: int, name: str, flags: int) -> Iterator[int]:
    """Open a regular file for the length of a block; raises as `open_file` does."""
    handle = open_file(parent, name, flags)
    try:
        yield handle
    finally:
        os.close(handle)


def read_all(handle: int, limit: int) -> bytes:
    """Return the bytes from where the handle stands, at most `limit`."""
    parts = []
    while limit > 0 and (part := os.read(handle, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def write_all(handle: int, data: bytes) -> None:
    """Write all of it; in one call, unless the system takes less."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _inner(parent: int, name: str, *, create: bool) -> int:
    try:
        return open_folder(parent, name)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):  # made by another process just now
        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
        os.fsync(parent)
    return open_folder(parent, name)


def not_read(error: OSError, path: str) -> Error:
    """Return the error for a file that could not be read."""
    if error.errno == errno.ENOENT:
        return NotFound(f"There is no {path}.", hint="Check the name.")
    return _misplaced(error, path) or Unreadable(f"{path} cannot be read ({error.strerror}).", hint=remedy(error))


def not_written(error: OSError, path: str) -> Error:
    """Return the error for a file that could not be written."""
    return _misplaced(error, path) or WriteFailed(f"{path} was not written ({error.strerror}).", hint=remedy(error))


def too_large(path: str, limit: int) -> TooLarge:
    """Return the error for a file above the limit for reading, in bytes."""
    size = f"{limit / (1 << 20):g} MiB"
    return TooLarge(f"{path} is larger than {size}.", hint="Split it, or move it out of the workspace.")


def misplaced(path: str, why: str) -> PathRefused:
    """Return the error for a link, a second name of a file, a pipe, a device, or a folder where a file should be."""
    return PathRefused(
        f"{path} is not an ordinary file with one name ({why}).",
        hint="Links, pipes and devices are not followed: put the file itself into the workspace.",
    )


def _misplaced(error: OSError, path: str) -> PathRefused | None:
    return misplaced(path, error.strerror or "refused") if error.errno in _NOT_A_PLACE else None


def remedy(error: OSError) -> str:
    """Return what to do about a file that cannot be read or written."""
    return _HINTS.get(error.errno or 0, "Check the disk and the folder's permissions.")


class FileStatus(NamedTuple):
    """Device and inode of a file, the same for one file whatever it is called (as where case does not count), its size,
    and the times of its last changes in nanoseconds: two states within a tick of the clock may have the same.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class Listed(NamedTuple):
    """A file as a folder lists it; one that was replaced has another inode."""

    name: str
    inode: int
    size: int
    mtime_ns: int = 0


class Workspace:
    """A folder of Markdown.

    Paths are as `names` admits them. Internal callers hand over names that they have chosen themselves (`.memory`).
    """

    def __init__(
        self, root: Path, *, create: bool = True, limit: int = READING_LIMIT, fsync: Callable[[int], None] = os.fsync
    ) -> None:
        """Take hold of a folder.

        Args:
            root: the folder; a link to one is followed, here and nowhere else.
            create: make it, for its owner alone, if it does not exist.
            limit: bytes; what is larger is not read.
            fsync: puts a handle's data on the disk.

        Raises:
            PathRefused: it is not a folder.
            NotFound: it does not exist and was not to be made.
            WriteFailed: it could not be made.
        """
        self.root = root
        self.limit = limit
        self.fsync = fsync
        try:
            if create:
                root.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        except FileExistsError as error:
            raise PathRefused(f"{root} is not a folder.", hint="Name a folder for the workspace.") from error
        except OSError as error:
            raise not_written(error, str(root)) from error
        try:
            self._handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise not_read(error, str(root)) from error

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            PathRefused: the path is not admitted, or what it leads to is no ordinary file.
            NotFound: there is no such file.
            TooLarge: it is above the limit.
            Unreadable: the system refuses.
        """
        return self.read_at(admit(path))

    def read_at(self, names: Sequence[str]) -> bytes:
        """Return the bytes of a file whose names are trusted; raises as `read` does."""
        path = "/".join(names)
        try:
            with folder(self._handle, names[:-1]) as parent, opened(parent, names[-1], os.O_RDONLY) as handle:
                data = read_all(handle, self.limit + 1)
        except OSError as error:
            raise not_read(error, path) from error
        if len(data) > self.limit:
            raise too_large(path, self.limit)
        return data

    def content_at(self, names: Sequence[str]) -> bytes | None:
        """Return the bytes of a file whose names are trusted, None if there is none; else raises as `read` does."""
        try:
            return self.read_at(names)
        except NotFound:
            return None

    def read_lenient(self, path: str) -> tuple[str, Problem | None]:
        """Return the text of a file, and what is wrong: bytes that are not UTF-8 are read as Windows-1252.

        A byte order mark is left out; line ends are left alone. Raises as `read` does.
        """
        return decode_text(self.read(path), path)

    def status(self, path: str) -> FileStatus:
        """Return what tells a state of a file from other ones, without reading it.

        It is looked at through links, too, and is `NotFound` below a file; otherwise it raises as `read` does.
        """
        status = self.glance(*admit(path))
        if status is None:
            raise not_read(FileNotFoundError(errno.ENOENT, ""), path)
        return status

    def glance(self, *names: str) -> FileStatus | None:
        """Return the status of what admitted names lead to, None for nothing; raises `Unreadable`."""
        path = "/".join(names)
        try:
            status = os.stat(path, dir_fd=self._handle, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise not_read(error, path) from error
        return FileStatus(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

    @contextmanager
    def writing(self, names: Sequence[str]) -> Iterator[int]:
        """Open a handle on the folder of a file that is to be written; the folder is made if it is missing.

        Refusals of the system become `WriteFailed` or `PathRefused`.
        """
        try:
            with folder(self._handle, names[:-1], create=True) as parent:
                yield parent
        except OSError as error:
            raise not_written(error, "/".join(names)) from error

    def check_place(self) -> None:
        """Raise `NotFound` if the opened folder was moved: people look for what is written elsewhere then."""
        try:
            present = self.root.stat()
        except OSError:
            present = None
        if present is None or not os.path.samestat(present, os.fstat(self._handle)):
            raise NotFound(
                f"The workspace {self.root} was removed or moved.", hint="Put it back there, then start Scrubjay again."
            )

    def folder(self, names: Sequence[str]) -> AbstractContextManager[int]:
        """Return a handle on a folder; raises OSError."""
        return folder(self._handle, names)

    def listing(self, names: Sequence[str], pattern: re.Pattern[str]) -> list[Listed]:
        """Return the regular files with such names in a folder, by name; none without it. Raises `Unreadable`."""
        try:
            with folder(self._handle, names) as handle, os.scandir(handle) as entries:
                named = (entry for entry in entries if pattern.fullmatch(entry.name))
                listed = [(entry.name, entry.stat(follow_symlinks=False)) for entry in named]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise not_read(error, "/".join(names)) from error
        regular = ((name, state) for name, state in listed if stat.S_ISREG(state.st_mode))
        return sorted(Listed(name, state.st_ino, state.st_size, state.st_mtime_ns) for name, state in regular)

    @contextmanager
    def lock(self, *, timeout_s: float | None = None) -> Iterator[None]:
        """Keep all other writers out, as the service and every command of a person do around each write.

        A holder cannot take the lock again. Another one is waited for, `PATIENCE_S` if nothing else is said.

        Raises:
            Busy: another process did not let go in time.
            NotFound: the workspace is not there any more.
            WriteFailed: the lock's file cannot be made.
        """
        from filelock import FileLock, Timeout

        timeout_s = PATIENCE_S if timeout_s is None else timeout_s
        self.check_place()
        lock = FileLock(self.root.joinpath(*NAMES), mode=FILE_MODE, poll_interval=_POLL_S)
        try:
            with folder(self._handle, NAMES[:-1], create=True):  # it is made, and is a folder
                lock.acquire(timeout=timeout_s)
        except Timeout as error:
            raise Busy(
                f"Another process has been writing to {self.root} for {timeout_s:g} seconds.",
                hint="Wait for it to end, or stop it; then try again.",
            ) from error
        except OSError as error:
            if error.errno != errno.EROFS:  # there none of us writes
                raise not_written(error, "/".join(NAMES)) from error
        try:
            yield
        finally:
            lock.release()

    def close(self) -> None:
        """Let go of the folder."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def decode_text(data: bytes, path: str) -> tuple[str, Problem | None]:
    """Return the text of a file's bytes, as `read_lenient` gives it."""
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem(path, line, "this is not UTF-8 text.", "Save the file as UTF-8.")
        return data.decode("utf-8-sig", "surrogateescape").translate(SINGLE_BYTES), problem


def digest(data: bytes | str) -> str:
    """BLAKE2b with 160 bits, in hex; text is hashed as UTF-8, lone surrogates included."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return blake2b(raw, digest_size=20).hexdigest()


def state(content: bytes | None) -> str:
    """Return what a file is, for comparing: the digest of its content; empty if there is no file."""
    return "" if content is None else digest(content)
