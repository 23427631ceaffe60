"""Memory: the library's front door. One object per workspace; every verb a person or an agent uses is a method here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from zoneinfo import ZoneInfo

from memory.model import Fact, Hit, Kind, Origin, Problem, Recall, Scope, Written
from memory.ports import Clock

Progress = Callable[[int, int], None]
"""Called with (files done, files in all) while the index is built."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines read out of a file: `next_start` is where to read on, None at the end."""

    path: str
    start: int
    end: int
    text: str
    next_start: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """One line that `forget` would take away."""

    id: str
    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What `forget` would do; `token` confirms exactly these lines, until `expires` (ISO instant)."""

    token: str
    lines: tuple[Line, ...]
    expires: str


@dataclass(frozen=True, slots=True)
class Undone:
    """One write taken back: what it had been, and the text that is there again (empty when a line went away)."""

    action: str
    path: str
    removed: str
    restored: str
    at: str


@dataclass(frozen=True, slots=True)
class Synced:
    """What one look at the files changed in the index."""

    files: int
    units: int
    changed: int
    removed: int
    ms: float


@dataclass(frozen=True, slots=True)
class Status:
    """The index at this moment.

    Attributes:
        state: `ready`, `building` (an older or smaller index serves meanwhile) or `broken`.
        files, units, facts: what is indexed.
        pending: files that have changed since.
        reason: in words for a person, why it is not simply ready; empty when it is.
        path: where the index file is.
        bytes: its size.
    """

    state: str
    files: int
    units: int
    facts: int
    pending: int
    reason: str
    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts over everything that a scope may see."""

    files: int
    units: int
    facts: int
    by_kind: dict[str, int]
    by_category: dict[str, int]
    entities: tuple[tuple[str, int], ...]
    first_day: str | None
    last_day: str | None


@dataclass(frozen=True, slots=True)
class Where:
    """What narrows a recall: ISO days (both included), kinds, a path's beginning. Empty means no limit."""

    since: str | None = None
    until: str | None = None
    kinds: tuple[Kind, ...] = ()
    under: str = ""


EVERYWHERE = Where()


class Memory:
    """What one agent remembers.

    >>> async def example(workspace: Path) -> None:
    ...     async with await Memory.open(workspace, index=workspace / "index.sqlite") as memory:
    ...         note = "The spare key is under the blue pot."
    ...         await memory.remember(note, origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner")
    ...         found = await memory.recall("where is the spare key?", scope=OWNER)
    """

    @classmethod
    async def open(
        cls,
        workspace: Path,
        *,
        index: Path,
        clock: Clock | None = None,
        zone: ZoneInfo | None = None,
        read_only: bool = False,
        progress: Progress | None = None,
    ) -> Self:
        """Open a workspace and bring its index up to date.

        Args:
            workspace: the folder of Markdown; made if it does not exist.
            index: the derived SQLite file; made, repaired or rebuilt as needed.
            clock: source of time.
            zone: the owner's time zone: it names the daily logs.
            read_only: for readers beside a running service: write neither files nor index.
            progress: told how far a long indexing has come.

        Raises:
            PathRefused: the workspace is not a folder.
            WriteFailed: it cannot be created or written.
        """
        raise NotImplementedError

    async def remember(self, text: str | Fact, *, origin: Origin, scope: Scope, op_id: str, actor: str) -> Written:
        """Write one fact into today's log. When this returns, it is on disk and can be recalled.

        Kind, entities and category of plain text are found by rule. A known `op_id` writes nothing and returns the
        first receipt.

        Raises:
            TooLarge: longer than a fact may be.
            WriteFailed: the disk refused; nothing was acknowledged.
        """
        raise NotImplementedError

    async def recall(
        self,
        query: str,
        *,
        scope: Scope,
        limit: int = 6,
        budget_chars: int = 8000,
        where: Where = EVERYWHERE,
    ) -> Recall:
        """Find what answers a question.

        No text in a query makes it raise, and nothing found comes with its reason.
        """
        raise NotImplementedError

    async def get(self, path: str, *, scope: Scope, start: int = 1, lines: int = 120) -> Passage:
        """Read lines of a file (at most 12,000 characters), with the next line to read from.

        Raises:
            PathRefused: not a name that the workspace or the scope admits.
            NotFound: no such file.
        """
        raise NotImplementedError

    async def find(self, id: str, *, scope: Scope) -> Hit:
        """One unit by its id (with or without `^`); raises `NotFound`."""
        raise NotImplementedError

    async def day(self, day: str, *, scope: Scope) -> tuple[Hit, ...]:
        """Everything written on one ISO day, in the order of the file."""
        raise NotImplementedError

    async def recent(self, limit: int = 10, *, scope: Scope) -> tuple[Hit, ...]:
        """The newest facts, newest first."""
        raise NotImplementedError

    async def preview_forget(self, wanted: str, *, scope: Scope, actor: str) -> Preview:
        """Which lines `forget` would take away: by id, by `path:line`, or the facts that a query finds."""
        raise NotImplementedError

    async def forget(
        self, token: str, *, only: Sequence[int] = (), op_id: str, scope: Scope, actor: str
    ) -> tuple[Line, ...]:
        """Carry out a preview, or only its lines with these numbers (1-based): each becomes a comment.

        Raises:
            Expired: not this actor's preview, older than ten minutes, or the lines have changed.
        """
        raise NotImplementedError

    async def undo(self, count: int = 1, *, op_id: str, scope: Scope, actor: str) -> tuple[Undone, ...]:
        """Take back the last writes of this scope, newest first.

        Raises:
            NotUndoable: nothing left, or the text was edited since.
        """
        raise NotImplementedError

    async def problems(self) -> tuple[Problem, ...]:
        """What a person should look at: unreadable files, links, bullets that do not parse, a broken journal."""
        raise NotImplementedError

    async def stats(self, *, scope: Scope) -> Stats:
        """Counts by kind, category and entity."""
        raise NotImplementedError

    async def status(self) -> Status:
        """How the index stands."""
        raise NotImplementedError

    async def sync(self, *, progress: Progress | None = None) -> Synced:
        """Bring the index up to date with the files."""
        raise NotImplementedError

    async def rebuild(self, *, progress: Progress | None = None) -> Synced:
        """Build the index from zero beside the old one, then replace it. The old one serves meanwhile."""
        raise NotImplementedError

    async def close(self) -> None:
        """Finish what is under way and let go of files and threads."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
