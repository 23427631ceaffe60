"""A workspace: one folder, held by its handle, and the reading of the files beneath it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from memory.errors import NotFound, PathRefused, Unreadable
from memory.files.faults import not_read, not_written, too_large
from memory.files.handles import FOLDER_MODE, folder, open_file, read_all
from memory.files.names import admit
from memory.model import Problem

READING_LIMIT = 20 * 1024 * 1024
"""Bytes; a larger file is no note."""


class Workspace:
    """A folder of Markdown.

    Paths are as `names` admits them. Internal callers hand over names that they have chosen themselves (`.memory`).
    """

    def __init__(
        self,
        root: Path,
        *,
        create: bool = True,
        limit: int = READING_LIMIT,
        fsync: Callable[[int], None] = os.fsync,
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
        if create:
            _make(root)
        try:
            self._handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise not_read(error, str(root)) from error

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            PathRefused: the path is not admitted, or what it leads to is no ordinary file.
            NotFound: there is no such file.
            TooLarge: it is above the limit.
            Unreadable: the system refuses.
        """
        return self.read_at(admit(path))

    def read_at(self, names: Sequence[str]) -> bytes:
        """The bytes of a file whose names are trusted; raises as `read` does."""
        path = "/".join(names)
        try:
            with folder(self._handle, names[:-1]) as parent:
                return self._read_in(parent, names[-1], path)
        except OSError as error:
            raise not_read(error, path) from error

    def content_at(self, names: Sequence[str]) -> bytes | None:
        """The bytes of a file whose names are trusted; None if there is none. Raises otherwise as `read` does."""
        try:
            return self.read_at(names)
        except NotFound:
            return None

    def read_text(self, path: str) -> str:
        """The text of a file, without a byte order mark; line ends are left alone.

        Raises:
            Unreadable: it is not UTF-8; the message has the line of the first bad byte.
            Error: as `read` does.
        """
        text, problem = self.read_lenient(path)
        if problem:
            raise Unreadable(f"{path}:{problem.line}: {problem.message}", hint=problem.hint)
        return text

    def read_lenient(self, path: str) -> tuple[str, Problem | None]:
        """The text of a file as far as it is text, and what is wrong with it.

        Bytes that are not UTF-8 become U+FFFD.
        """
        return decoded(self.read(path), path)

    def identity(self, path: str) -> tuple[int, int]:
        """Device and inode of a file: the same for one file, whatever it is called (as where case does not count)."""
        names = admit(path)
        try:
            with folder(self._handle, names[:-1]) as parent:
                found = os.stat(names[-1], dir_fd=parent, follow_symlinks=False)
        except OSError as error:
            raise not_read(error, path) from error
        return found.st_dev, found.st_ino

    @contextmanager
    def writing(self, names: Sequence[str]) -> Iterator[int]:
        """A handle on the folder of a file that is to be written; the folder is made if it is missing.

        Refusals of the system become `WriteFailed` or `PathRefused`.
        """
        try:
            with folder(self._handle, names[:-1], create=True) as parent:
                yield parent
        except OSError as error:
            raise not_written(error, "/".join(names)) from error

    def check_place(self) -> None:
        """See that the folder which was opened still stands where it stood.

        Raises:
            NotFound: it was removed or moved; what is read or written through the handle is not where people look.
        """
        try:
            found = self.root.stat()
        except OSError:
            found = None
        if found is None or not os.path.samestat(found, os.fstat(self._handle)):
            raise NotFound(
                f"The workspace {self.root} was removed or moved.", hint="Put it back there, then start Scrubjay again."
            )

    def folder(self, names: Sequence[str]) -> AbstractContextManager[int]:
        """A handle on a folder; raises OSError."""
        return folder(self._handle, names)

    def close(self) -> None:
        """Let go of the folder."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read_in(self, parent: int, name: str, path: str) -> bytes:
        handle = open_file(parent, name, os.O_RDONLY)
        try:
            data = read_all(handle, self.limit + 1)
        finally:
            os.close(handle)
        if len(data) > self.limit:
            raise too_large(path, self.limit)
        return data


def decoded(data: bytes, path: str) -> tuple[str, Problem | None]:
    """The text of a file's bytes, as `read_lenient` gives it."""
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem(path, line, "this is not UTF-8 text.", "Save the file as UTF-8.")
        return data.decode("utf-8-sig", "replace"), problem


def _make(root: Path) -> None:
    try:
        root.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise PathRefused(f"{root} is not a folder.", hint="Name a folder for the workspace.") from error
    except OSError as error:
        raise not_written(error, str(root)) from error
