"""The journal's files, `.memory/journal/YYYY-MM.jsonl`: list, read, append a line, set a torn one aside."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass

from memory.files.atomic import append
from memory.files.faults import not_read
from memory.files.handles import open_file, read_all
from memory.files.workspace import Workspace

FOLDER = (".memory", "journal")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}\.jsonl")
_TORN = ".torn"
_WHOLE = 1 << 62


@dataclass(frozen=True, slots=True)
class Listed:
    """A month's file as the folder lists it; a file that was replaced has another inode."""

    name: str
    inode: int
    size: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: file, first byte, length with its newline."""

    name: str
    offset: int
    length: int


class Months:
    """Access to these files. What it writes is on the disk when it returns; writers hold the workspace's lock."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def listing(self) -> list[Listed]:
        """The files there are, oldest month first."""
        try:
            with self._workspace.folder(FOLDER) as handle, os.scandir(handle) as entries:
                found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise not_read(error, "/".join(FOLDER)) from error
        months = ((name, state) for name, state in found if _MONTH.fullmatch(name) and stat.S_ISREG(state.st_mode))
        return sorted((Listed(name, state.st_ino, state.st_size) for name, state in months), key=lambda file: file.name)

    def torn(self) -> list[str]:
        """The names of the files that hold what was set aside."""
        with suppress(FileNotFoundError), self._workspace.folder(FOLDER) as handle, os.scandir(handle) as entries:
            return sorted(entry.name for entry in entries if entry.name.endswith(_TORN))
        return []

    def remove(self, name: str) -> None:
        """Remove a file of what was set aside."""
        with self._workspace.writing((*FOLDER, name)) as parent:
            os.unlink(name, dir_fd=parent)

    def read(self, name: str, offset: int = 0, length: int = _WHOLE) -> bytes:
        """Bytes of one file."""
        try:
            with self._workspace.folder(FOLDER) as parent:
                handle = open_file(parent, name, os.O_RDONLY)
                try:
                    os.lseek(handle, offset, os.SEEK_SET)
                    return read_all(handle, length)
                finally:
                    os.close(handle)
        except OSError as error:
            raise not_read(error, "/".join((*FOLDER, name))) from error

    def append(self, name: str, line: bytes) -> None:
        """Add a line."""
        append(self._workspace, (*FOLDER, name), line)

    def set_aside(self, name: str, offset: int) -> None:
        """Move what follows a byte, a line that was never finished, into the `.torn` file beside it."""
        append(self._workspace, (*FOLDER, name.replace(".jsonl", _TORN)), self.read(name, offset) + b"\n")
        self.cut(name, offset)

    def cut(self, name: str, offset: int) -> None:
        """End a file at a byte."""
        with self._workspace.writing((*FOLDER, name)) as parent:
            handle = open_file(parent, name, os.O_RDWR)
            try:
                os.ftruncate(handle, offset)
                self._workspace.fsync(handle)
            finally:
                os.close(handle)
