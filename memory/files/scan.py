"""A look at all notes of a workspace: which there are, how large, how old, and what stands there that is no note."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory.errors import Error
from memory.files.faults import misplaced, not_read, too_large
from memory.files.handles import open_folder
from memory.files.names import DEEPEST, TOO_DEEP, objection, refused, shown
from memory.files.workspace import Workspace
from memory.model import Problem


@dataclass(frozen=True, slots=True)
class Entry:
    """A note as the folder lists it: bytes, and the time of its last change in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


Report = Callable[[Problem], None]

_LINK = "a link, a pipe or a device"
_NOTES = (".md", ".MD")


def scan(workspace: Workspace, report: Report) -> Iterator[Entry]:
    """Every `*.md` in the workspace that can be read, in no certain order.

    Hidden files and folders are passed over. Links, pipes, files above the limit, folders that will not open and names
    outside the grammar are reported and passed over, too.

    Raises:
        Error: the workspace itself cannot be listed, or is not there any more.
    """
    try:
        workspace.check_place()
        with workspace.folder(()) as root:
            yield from _Scan(workspace.limit, report).folder(root, "", 1)
    except OSError as error:
        raise not_read(error, str(workspace.root)) from error


class _Scan:
    def __init__(self, limit: int, report: Report) -> None:
        self._limit = limit
        self._report = report

    def folder(self, handle: int, prefix: str, depth: int) -> Iterator[Entry]:
        """The notes in a folder whose files have `depth` names in their paths, and in the folders below."""
        below: list[str] = []
        with os.scandir(handle) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                if name.endswith(_NOTES) and not entry.is_dir(follow_symlinks=False):
                    if found := self._note(entry, prefix):
                        yield found
                elif self._is_folder(entry, prefix, depth):
                    below.append(name)
        for name in below:
            yield from self._below(handle, name, prefix, depth)

    def _note(self, entry: os.DirEntry[str], prefix: str) -> Entry | None:
        path = prefix + entry.name
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        if why := objection(entry.name):
            self._tell(path, refused(path, why))
        elif not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            self._tell(path, misplaced(path, _LINK))
        elif found.st_size > self._limit:
            self._tell(path, too_large(path, self._limit))
        else:
            return Entry(path, found.st_size, found.st_mtime_ns)
        return None

    def _is_folder(self, entry: os.DirEntry[str], prefix: str, depth: int) -> bool:
        """Whether to look into it."""
        path = prefix + entry.name
        if entry.is_symlink():
            if entry.is_dir():
                self._tell(path, misplaced(path, _LINK))
            return False
        if not entry.is_dir(follow_symlinks=False):
            return False
        why = objection(entry.name) or (TOO_DEEP if depth >= DEEPEST else None)
        if why:
            self._tell(path, refused(path, why))
        return why is None

    def _below(self, parent: int, name: str, prefix: str, depth: int) -> Iterator[Entry]:
        try:
            handle = open_folder(parent, name)
            try:
                yield from self.folder(handle, f"{prefix}{name}/", depth + 1)
            finally:
                os.close(handle)
        except FileNotFoundError:
            return
        except OSError as error:
            self._tell(prefix + name, not_read(error, prefix + name))

    def _tell(self, path: str, error: Error) -> None:
        self._report(Problem(shown(path, 500), None, error.message, error.hint))
