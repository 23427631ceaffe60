"""All indexed files: the workspace and extra folders, and which of them changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from memory.errors import Error, NotFound, PathRefused
from memory.files.paths import DEEPEST, TOO_DEEP, admit, objection, printable, refused
from memory.files.workspace import Workspace, misplaced, not_read, open_folder, too_large
from memory.types import ChunkSize, Problem

MAX_FILES = 5000
MAX_BYTES = 64 * 1024 * 1024
"""What one extra folder may add: the newest files, as many as fit."""
_EXTRA = "extra"
_LINK = "a link, a pipe or a device"
_NOTES = (".md", ".MD")


class Entry(NamedTuple):
    """A note as the folder lists it: bytes, and the time of its last change in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


Report = Callable[[Problem], None]


def scan(workspace: Workspace, report: Report) -> Iterator[Entry]:
    """Yield every `*.md` in the workspace that can be read, in no certain order.

    Hidden files and folders are passed over. Links, pipes, files above the limit, folders that will not open and names
    outside the grammar are reported and passed over, too. Raises `Error` if the workspace itself cannot be listed.
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
        """Yield the notes in a folder whose files have `depth` names in their paths, and in the folders below."""
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
            try:
                inner = open_folder(handle, name)
                try:
                    yield from self.folder(inner, f"{prefix}{name}/", depth + 1)
                finally:
                    os.close(inner)
            except FileNotFoundError:
                continue
            except OSError as error:
                self._report_error(prefix + name, not_read(error, prefix + name))

    def _note(self, entry: os.DirEntry[str], prefix: str) -> Entry | None:
        path = prefix + entry.name
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        if why := objection(entry.name):
            self._report_error(path, refused(path, why))
        elif not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            self._report_error(path, misplaced(path, _LINK))
        elif status.st_size > self._limit:
            self._report_error(path, too_large(path, self._limit))
        else:
            return Entry(path, status.st_size, status.st_mtime_ns)
        return None

    def _is_folder(self, entry: os.DirEntry[str], prefix: str, depth: int) -> bool:
        """Return whether to look into it."""
        path = prefix + entry.name
        if entry.is_symlink():
            if entry.is_dir():
                self._report_error(path, misplaced(path, _LINK))
            return False
        if not entry.is_dir(follow_symlinks=False):
            return False
        why = objection(entry.name) or (TOO_DEEP if depth >= DEEPEST else None)
        if why:
            self._report_error(path, refused(path, why))
        return why is None

    def _report_error(self, path: str, error: Error) -> None:
        self._report(Problem(printable(path, 500), None, error.message, error.hint))


class Sources:
    """Reads files by the paths under which they are indexed: `extra/<name>/...` for those of extra folders.

    An extra folder that is not there (a disk that is not plugged in) is a problem, not an error, and is looked for with
    every scan. Nothing here writes. Notes are cut into `chunks`; if None, each paragraph stands by itself.
    """

    def __init__(
        self,
        workspace: Workspace,
        extra: Mapping[str, Path] | None = None,
        *,
        trusted: Collection[str] = (),
        most_files: int = MAX_FILES,
        chunks: ChunkSize | None = None,
    ) -> None:
        """Look at nothing yet. All in a `trusted` folder is the owner's own; what stands in the others is foreign.

        Raises `PathRefused` if the name of an extra folder is none.
        """
        self.chunks = chunks
        self._workspace = workspace
        self._extra = dict(extra or {})
        self._trusted = frozenset(trusted)
        self._open: dict[str, Workspace] = {}
        self._most_files = most_files
        for name in self._extra:
            why = objection(name)
            if why:
                raise PathRefused(f"An extra folder cannot be called {name!r}: {why[0]}.", hint=why[1])

    def scan(self, report: Report) -> Iterator[Entry]:
        """Yield every note; see `memory.files.sources.scan`."""
        for entry in scan(self._workspace, report):
            if self._extra and self.is_extra(entry.path):
                report(Problem(entry.path, None, "an extra folder has the same name.", "Rename one of them."))
            else:
                yield entry
        for name in self._extra:
            yield from self._beside(name, report)

    def read_lenient(self, path: str) -> tuple[str, Problem | None]:
        """Return the text of a file as far as it is text, and what is wrong with it; raises as `Workspace.read`."""
        if not self.is_extra(path):
            return self._workspace.read_lenient(path)
        name, inner = path.split("/", 2)[1:]
        text, problem = self._folder(name).read_lenient(inner)
        return text, replace(problem, path=path) if problem else None

    def size(self, path: str) -> int:
        """Return the bytes of a file of the workspace; 0 if there is none, and for one of an extra folder."""
        status = None if self.is_extra(path) else self._workspace.glance(*admit(path))
        return status.size if status else 0

    def is_extra(self, path: str) -> bool:
        """Return whether a file is from an extra folder, and so never written to."""
        first, name, inner = (*path.split("/", 2), "", "")[:3]
        return first == _EXTRA and name in self._extra and inner != ""

    def is_foreign(self, path: str) -> bool:
        """Return whether a file is from an extra folder that the owner does not vouch for."""
        return self.is_extra(path) and path.split("/", 2)[1] not in self._trusted

    def check_own(self, path: str) -> None:
        """Raises `PathRefused` for a file of an extra folder."""
        if self.is_extra(path):
            raise PathRefused(f"{path} is in an extra folder, which is only read.", hint="Change the file itself.")

    def close(self) -> None:
        """Let go of the extra folders."""
        for folder in self._open.values():
            folder.close()
        self._open.clear()

    def _beside(self, name: str, report: Report) -> Iterator[Entry]:
        prefix = f"{_EXTRA}/{name}"
        try:
            found = scan(self._folder(name), lambda one: report(replace(one, path=f"{prefix}/{one.path}")))
            entries = sorted(found, key=lambda entry: (-entry.mtime_ns, entry.path))
        except Error as error:
            report(Problem(prefix, None, error.message, error.hint))
            return
        sizes = accumulate(entry.size for entry in entries)
        taken = sum(1 for count, size in enumerate(sizes, 1) if count <= self._most_files and size <= MAX_BYTES)
        if taken < len(entries):
            left = len(entries) - taken
            message = f"{left:,} of {len(entries):,} files are left out: an extra folder may add {self._most_files:,}"
            hint = "Name a smaller folder; the newest files are read."
            report(Problem(prefix, None, f"{message}, of {MAX_BYTES >> 20:,} MB together.", hint))
        yield from (entry._replace(path=f"{prefix}/{entry.path}") for entry in entries[:taken])

    def _folder(self, name: str) -> Workspace:
        if name in self._open:
            with suppress(NotFound):
                self._open[name].check_place()
                return self._open[name]
            self._open.pop(name).close()
        self._open[name] = Workspace(self._extra[name], create=False)
        return self._open[name]
