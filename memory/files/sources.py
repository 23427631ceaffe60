"""All that is remembered: the notes of the workspace, and those of folders that the owner named beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from memory.errors import Error, NotFound, PathRefused
from memory.files.names import objection
from memory.files.scan import Entry, Report, scan
from memory.files.workspace import Workspace
from memory.model import Problem

MOST_FILES = 5000
MOST_BYTES = 64 * 1024 * 1024
"""What one extra folder may add: the newest files, as many as fit."""

_EXTRA = "extra"


class Sources:
    """Reads files by the paths under which they are indexed: `extra/<name>/...` for those of extra folders.

    An extra folder that is not there (a disk that is not plugged in) is a problem, not an error, and is looked for
    with every scan. Nothing here writes.
    """

    def __init__(
        self,
        workspace: Workspace,
        extra: Mapping[str, Path] | None = None,
        *,
        trusted: Collection[str] = (),
        most_files: int = MOST_FILES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Look at nothing yet.

        Args:
            workspace: the folder of the agent.
            extra: further folders by name.
            trusted: the names of those in which all is the owner's own; what stands in the others is foreign.
            most_files: of one extra folder.
            most_bytes: of one extra folder.

        Raises:
            PathRefused: the name of an extra folder is none.
        """
        self._workspace = workspace
        self._extra = dict(extra or {})
        self._trusted = frozenset(trusted)
        self._open: dict[str, Workspace] = {}
        self._most_files = most_files
        self._most_bytes = most_bytes
        for name in self._extra:
            why = objection(name)
            if why:
                raise PathRefused(f"An extra folder cannot be called {name!r}: {why[0]}.", hint=why[1])

    def scan(self, report: Report) -> Iterator[Entry]:
        """Every note; see `memory.files.scan.scan`."""
        for entry in scan(self._workspace, report):
            if self.is_extra(entry.path):
                report(Problem(entry.path, None, "an extra folder has the same name.", "Rename one of them."))
            else:
                yield entry
        for name in self._extra:
            yield from self._beside(name, report)

    def read_lenient(self, path: str) -> tuple[str, Problem | None]:
        """The text of a file as far as it is text, and what is wrong with it; raises as `Workspace.read` does."""
        if not self.is_extra(path):
            return self._workspace.read_lenient(path)
        name, inner = path.split("/", 2)[1:]
        text, problem = self._folder(name).read_lenient(inner)
        return text, replace(problem, path=path) if problem else None

    def is_extra(self, path: str) -> bool:
        """Whether a file is from an extra folder, and so never written to."""
        first, name, inner = (*path.split("/", 2), "", "")[:3]
        return first == _EXTRA and name in self._extra and inner != ""

    def is_foreign(self, path: str) -> bool:
        """Whether a file is from an extra folder that the owner does not vouch for."""
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

        def told(problem: Problem) -> None:
            report(replace(problem, path=f"{prefix}/{problem.path}"))

        try:
            found = sorted(scan(self._folder(name), told), key=lambda entry: (-entry.mtime_ns, entry.path))
        except Error as error:
            report(Problem(prefix, None, error.message, error.hint))
            return
        taken = self._within(found)
        if taken < len(found):
            left = len(found) - taken
            message = f"{left:,} of {len(found):,} files are left out: an extra folder may add {self._most_files:,}"
            hint = "Name a smaller folder; the newest files are read."
            report(Problem(prefix, None, f"{message}, of {self._most_bytes >> 20:,} MB together.", hint))
        yield from (replace(entry, path=f"{prefix}/{entry.path}") for entry in found[:taken])

    def _within(self, found: Iterable[Entry]) -> int:
        """How many of the first ones may be added."""
        sizes = accumulate(entry.size for entry in found)
        return sum(1 for count, size in enumerate(sizes, 1) if count <= self._most_files and size <= self._most_bytes)

    def _folder(self, name: str) -> Workspace:
        if name not in self._open:
            self._open[name] = Workspace(self._extra[name], create=False)
        try:
            self._open[name].check_place()
        except NotFound:
            self._open.pop(name).close()
            self._open[name] = Workspace(self._extra[name], create=False)
        return self._open[name]
