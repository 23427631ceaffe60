"""Reading files: the owner sees them whole, everybody else only the lines that are theirs."""

from __future__ import annotations

import re
from contextlib import suppress

from memory.answers import Page, Passage
from memory.errors import Error, NotFound
from memory.files.daily import GUESTS
from memory.files.digest import state
from memory.files.journal import Journal
from memory.files.lines import split_lines
from memory.files.names import admit
from memory.files.workspace import Workspace, decoded
from memory.index.chunks import chunk
from memory.index.sync import owner_of
from memory.model import OWNER, Origin, Scope

CHARACTERS = 12_000
"""The most that one reading hands over. Of a line that is longer by itself only so much is handed over."""


_ID = re.compile(r"\^([0-9a-z]{8})\b")


class Pages:
    """The files of one workspace, for readers of any scope."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal

    def read(self, path: str, *, scope: Scope, start: int, lines: int) -> Passage:
        """Some lines, as many as fit.

        Raises:
            PathRefused: not a name that the workspace admits, or no ordinary file.
            NotFound: no such file, or nothing in it is of this scope.
            TooLarge, Unreadable: as the file gives cause; only its owner is told.
        """
        allowed = self._lines(path) if scope == OWNER else self._own_lines(path, scope)
        first = max(1, start)
        taken: list[str] = []
        room = CHARACTERS
        for line in allowed[first - 1 : first - 1 + max(1, lines)]:
            if taken and room < len(line) + 1:
                break
            taken.append(line[:room])
            room -= len(line) + 1
        end = first + len(taken) - 1
        text = "\n".join(taken)
        return Passage(path, first, end, text, end + 1 if end < len(allowed) else None, self._origins(path, text))

    def whole(self, path: str) -> Page:
        """A file as it is; raises as `read` does for its owner."""
        content = self._workspace.read(path)
        text, problem = decoded(content, path)
        identity = self._workspace.identity(path)
        return Page(path, text, state(content), identity, self._origins(path, text), problem is None)

    def tried(self, path: str) -> Page | Error:
        """A file as it is, or why it cannot be read."""
        try:
            return self.whole(path)
        except Error as error:
            return error

    def _origins(self, path: str, text: str) -> frozenset[Origin]:
        """Where these lines come from: the journal knows of each fact; a line that it does not know is the owner's."""
        self._journal.refresh()
        known = (self._journal.provenance(name) for name in _ID.findall(text))
        guests = {Origin.GUEST} if path.casefold().startswith(f"{GUESTS}/") else set()
        return frozenset({Origin.OWNER, *guests, *(one.origin for one in known if one)})

    def _lines(self, path: str) -> list[str]:
        text, _ = self._workspace.read_lenient(path)
        return split_lines(text)

    def _own_lines(self, path: str, scope: Scope) -> list[str]:
        """The lines up to the last one of this scope, with those of others empty.

        The file is cut anew, since the index may not know yet of a line that was put between. Whether there is a file
        without a line of this scope is not told.
        """
        admit(path)
        lines: list[str] = []
        visible: set[int] = set()
        with suppress(Error):
            lines = self._lines(path)
            self._journal.refresh()
            units = chunk(path, "\n".join(lines), owner_of=owner_of(self._journal)).units
            visible = {line for unit in units if unit.scope == scope for line in range(unit.start, unit.end + 1)}
        if not visible:
            raise NotFound(f"Nothing in {path} belongs to this chat.", hint="Search instead.")
        return [line if number in visible else "" for number, line in enumerate(lines[: max(visible)], 1)]
