"""Files as pages: what a scope may see of them, where their lines come from, and whether they were edited by hand."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NamedTuple, ParamSpec, TypeVar

from memory.errors import Error, NotFound
from memory.files.markdown import split_lines
from memory.files.paths import admit
from memory.files.sources import Sources
from memory.files.workspace import FileStatus, Listed, Workspace, decode_text, not_read, open_file, state, too_large
from memory.index.sync import owners_of
from memory.index.units import Unit, chunk
from memory.journal.edits import Edit, edit_of
from memory.journal.journal import Journal
from memory.types import OWNER, Origin, Scope

P = ParamSpec("P")
T = TypeVar("T")

PLACE = re.compile(r"(?P<path>.+\.md)(?::|#L)(?P<line>\d{1,9})(?:-L?(?P<end>\d{1,9}))?", re.IGNORECASE)
"""Where something stands, as receipts and hits cite it: `memory/2026-01-20.md#L12-L14`."""
CHARACTERS = 12_000
"""Characters that one reading hands over at most; a longer line is cut."""
MAX_UNDONE = 5_000
"""Changes of one file that are looked through."""
MAX_PROVED = 1_000  # for each conversation, the states of a few files
SETTLES_S = 2.0
"""Seconds that a file must have been as it is before its content counts as read: a file system whose clock is coarse
may give a second change the same time as the first."""
MAX_KEPT = 16  # whole files as they were read: those that stand before every conversation are a few


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines read out of a file: `next_start` is where to read on, None at the end; `origins` whose words they are."""

    path: str
    start: int
    end: int
    text: str
    next_start: int | None
    origins: frozenset[Origin]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole file.

    Attributes:
        path: in the workspace.
        text: its content.
        state: names this content; a rewrite has to give the one that it has read.
        identity: device and inode: the same file under whatever name.
        origins: whose words are in it.
        is_text: whether `text` is all of it; if not, bytes that are not UTF-8 were read as Windows-1252.
        foreign: the lines (1-based) that are neither the owner's nor the agent's.
    """

    path: str
    text: str
    state: str
    identity: tuple[int, int]
    origins: frozenset[Origin]
    is_text: bool = True
    foreign: frozenset[int] = frozenset()


def _or_error(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Error:
    """Return what a function returns, or the error of the library that it raises."""
    try:
        return function(*args, **kwargs)
    except Error as error:
        return error.with_traceback(None)  # which would hold all that led here until garbage is collected


class _Content(NamedTuple):
    """What was read of a file `at` a moment, and how it has stood `since` another one."""

    status: FileStatus
    since: float
    at: float
    content: bytes


class Pages:
    """The files of one workspace, for readers of any scope."""

    def __init__(self, workspace: Workspace, sources: Sources, journal: Journal) -> None:
        self._workspace = workspace
        self._sources = sources
        self._journal = journal
        self._kept: dict[object, Page] = {}
        self._contents: dict[str, _Content] = {}
        self._proved: dict[tuple[str, str], str] = {}  # a path and a state, and one that the journal leads to from it

    def read(self, path: str, *, scope: Scope, start: int, lines: int) -> Passage:
        """Return some lines, as many as fit; from the one that is cited, if `path` is a whole place.

        Raises:
            PathRefused: not a name that the workspace admits, or no ordinary file.
            NotFound: no such file, or nothing in it is of this scope.
            TooLarge, Unreadable: as the file gives cause; only its owner is told.
        """
        if cited := PLACE.fullmatch(path):
            path, start = cited["path"], max(start, int(cited["line"]))
        found, units = self._read(path, scope)
        allowed = found if scope == OWNER else _visible(path, found, units)
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
        origins = frozenset(origin for _, origin in self._line_origins(path, allowed, units, first, end))
        next_start = end + 1 if end < len(allowed) else None
        return Passage(path, first, end, text, next_start, origins or frozenset({Origin.OWNER}))

    def read_whole(self, path: str) -> Page:
        """Return a file as it is, read anew if it or the journal has changed; raises as `read` does for its owner."""
        return self._read_as(path, self._look(path), tuple(self._journal.refresh()))

    def _look(self, path: str) -> _Content:
        """Return the content of a file, as it was read if it has not changed since; raises as `read` does."""
        status, now, known = self._workspace.status(path), monotonic(), self._contents.get(path)
        since = known.since if known and known.status == status else now
        if known is None or known.status != status or known.at - since < SETTLES_S:
            known = _Content(status, since, now, self._workspace.read(path))
            self._contents = self._contents if len(self._contents) < MAX_KEPT else {}
            self._contents[path] = known
        return known

    def _read_as(self, path: str, found: _Content, journal: tuple[Listed, ...]) -> Page:
        """Return a file with this content, as the journal's files tell of it."""
        identity, content = (found.status.device, found.status.inode), found.content
        source = path, content, identity, journal
        if source in self._kept:
            return self._kept[source]
        self._kept = self._kept if len(self._kept) < MAX_KEPT else {}
        text, problem = decode_text(content, path)
        lines = split_lines(text)
        origins, foreign = set[Origin](), set[int]()
        for number, origin in self._line_origins(path, lines, self._units(path, text, OWNER), 1, len(lines)):
            origins.add(origin)
            if origin.is_foreign:
                foreign.add(number)
        known, whole = frozenset(origins) or frozenset({Origin.OWNER}), problem is None
        page = Page(path, text, state(content), identity, known, whole, frozenset(foreign))
        return self._kept.setdefault(source, page)

    def copy(self, path: str, into: Path, *, limit: int) -> None:
        """Copy a file of any kind out of the workspace; raises as `read` does for its owner."""
        names = admit(path)
        try:
            with self._workspace.folder(names[:-1]) as parent:
                handle = open_file(parent, names[-1], os.O_RDONLY)
            with os.fdopen(handle, "rb") as source, into.open("wb") as target:
                if os.fstat(handle).st_size > limit:
                    raise too_large(path, limit)
                shutil.copyfileobj(source, target)
        except OSError as error:
            raise not_read(error, path) from error

    def read_all(self, paths: Sequence[str]) -> tuple[Page | Error, ...]:
        """Return several files as they are, or why they cannot be read."""
        contents = [_or_error(self._look, path) for path in paths]
        journal = tuple(self._journal.refresh())  # behind the files: a line's record is written before it
        return tuple(
            found if isinstance(found, Error) else _or_error(self._read_as, path, found, journal)
            for path, found in zip(paths, contents, strict=True)
        )

    def edited_by_hand(self, since: Mapping[str, str]) -> frozenset[str]:
        """Return which files somebody has changed past the journal since they were in a `state`; empty for no file."""
        self._journal.refresh()
        return frozenset(path for path, known in since.items() if not self._leads_from(known, path))

    def _leads_from(self, known: str, path: str) -> bool:
        """Return whether changes of the journal alone lead from a state of a file to what it is: undo one by one."""
        try:
            content: bytes | None = self._workspace.content_at(admit(path))
            now = found = state(content)
            proved = self._proved.get((path, known), known)
            changes = self._journal.state.changes.get(path, ())
            for seq in reversed(changes[-MAX_UNDONE:]):
                if found in {known, proved}:
                    break
                record = self._journal.record(seq)
                edit = edit_of(record)
                content = Edit(edit.offset, edit.after, edit.before).apply(content or b"")
                content = content if content or record.base else None
                found = state(content)
                if found != record.base:
                    return False
        except Error:
            return False
        if found not in {known, proved}:
            return False
        self._proved = self._proved if len(self._proved) < MAX_PROVED else {}
        self._proved[path, known] = now
        return True

    def _line_origins(
        self, path: str, lines: Sequence[str], units: Sequence[Unit], first: int, last: int
    ) -> Iterator[tuple[int, Origin]]:
        """Yield lines with their origins: of the units in them, of a long line several, and of what is between."""
        page = owners_of(self._journal, self._sources).of(path, lines)
        taken: set[int] = set()
        for unit in units:
            for number in range(max(unit.start, first), min(unit.end, last) + 1):
                taken.add(number)
                yield number, unit.origin
        rest = (number for number in range(first, last + 1) if number not in taken and lines[number - 1].strip())
        yield from ((number, page.line(number)) for number in rest)

    def _units(self, path: str, text: str, scope: Scope) -> Sequence[Unit]:
        """Return the units of a scope, cut anew: the index may not know yet of a line that was changed."""
        self._journal.refresh()
        units = chunk(path, text, owners=owners_of(self._journal, self._sources)).units
        return [unit for unit in units if scope in {OWNER, unit.scope}]

    def _read(self, path: str, scope: Scope) -> tuple[list[str], Sequence[Unit]]:
        """Return the lines and units of a file.

        Whether there is a file without a line of some other scope than the owner's is not told.
        """
        admit(path)
        hidden: tuple[type[Error], ...] = () if scope == OWNER else (Error,)
        with suppress(*hidden):
            text, _ = self._sources.read_lenient(path)
            return split_lines(text), self._units(path, text, scope)
        return [], []


def _visible(path: str, lines: Sequence[str], units: Sequence[Unit]) -> list[str]:
    """Return the lines up to the last one of these units, those of others empty; raises `NotFound` if there is none."""
    visible = {line for unit in units for line in range(unit.start, unit.end + 1)}
    if not visible:
        raise NotFound(f"Nothing in {path} belongs to this chat.", hint="Search instead.")
    return [line if number in visible else "" for number, line in enumerate(lines[: max(visible)], 1)]
