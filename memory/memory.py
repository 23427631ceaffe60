"""Memory: the library's front door. One object per workspace; every verb a person or an agent uses is a method here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from enum import Enum
from functools import partial
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self
from zoneinfo import ZoneInfo

from memory.answers import Line, Page, Passage, Preview, Progress, Status, Synced
from memory.errors import Error
from memory.files.undo import Undone
from memory.model import EVERYWHERE, Citation, Fact, Hit, Origin, Problem, Recall, Scope, Stats, Where, Written
from memory.ports import Clock, SystemClock
from memory.rooms import Rooms
from memory.thread import WorkThread


class Mode(Enum):
    """How a memory is opened."""

    COMPLETE = "wait until the index is up to date"
    AT_ONCE = "bring the index up to date beside the work; what is there serves meanwhile"
    READ_ONLY = "write neither files nor index: for readers beside a running service"


LOOK_EVERY_S = 1.0
"""How old the last look at the files may be when a question comes."""
LOOK_WAITS_S = 0.1
"""How long a question waits for that look; a longer one goes on beside it."""


class Memory:
    """What one agent remembers.

    >>> async def example(workspace: Path) -> None:
    ...     async with await Memory.open(workspace, index=workspace / "index.sqlite") as memory:
    ...         note = "The spare key is under the blue pot."
    ...         await memory.remember(note, origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner")
    ...         found = await memory.recall("where is the spare key?", scope=OWNER)
    """

    def __init__(self, rooms: Rooms, thread: WorkThread) -> None:
        self._rooms = rooms
        self._thread = thread
        self._catching_up: Future[Synced | None] | None = None
        self._looked_at = float("-inf")

    @classmethod
    async def open(
        cls,
        workspace: Path,
        *,
        index: Path,
        clock: Clock | None = None,
        zone: ZoneInfo | None = None,
        mode: Mode = Mode.COMPLETE,
        progress: Progress | None = None,
    ) -> Self:
        """Open a workspace and bring its index up to date.

        Args:
            workspace: the folder of Markdown; made if it does not exist.
            index: the derived SQLite file; made, repaired or rebuilt as needed.
            clock: source of time.
            zone: the owner's time zone: it names the daily logs.
            mode: whether to wait for the index, and whether to write at all.
            progress: told how far a long indexing has come.

        Raises:
            PathRefused: the workspace is not a folder.
            NotFound: it does not exist and was not to be written.
            WriteFailed: it cannot be created or written.
        """
        thread = WorkThread("memory")
        make = partial(
            Rooms,
            workspace,
            index,
            clock=clock or SystemClock(),
            zone=zone or ZoneInfo("UTC"),
            read_only=mode is Mode.READ_ONLY,
        )
        try:
            memory = cls(await thread.run(make), thread)
        except Error:
            await thread.close()
            raise
        looking = memory._look(progress)
        if mode is Mode.COMPLETE:
            await asyncio.wait([asyncio.wrap_future(looking)])
        return memory

    async def remember(self, text: str | Fact, *, origin: Origin, scope: Scope, op_id: str, actor: str) -> Written:
        """Write one fact into today's log. When this returns, it is on disk and can be recalled.

        Kind, entities and category of plain text are found by rule. A known `op_id` writes nothing and returns the
        first receipt.

        Raises:
            TooLarge: longer than a fact may be.
            WriteFailed: the disk refused; nothing was acknowledged.
        """
        return await self._thread.run(self._rooms.remember, text, origin=origin, scope=scope, op_id=op_id, actor=actor)

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
        await self._glance()
        return await self._thread.run(
            self._rooms.recall, query, scope=scope, limit=limit, budget_chars=budget_chars, where=where
        )

    async def get(self, path: str, *, scope: Scope, start: int = 1, lines: int = 120) -> Passage:
        """Read lines of a file (at most 12,000 characters), with the next line to read from.

        Raises:
            PathRefused: not a name that the workspace or the scope admits.
            NotFound: no such file.
        """
        return await self._thread.run(self._rooms.get, path, scope=scope, start=start, lines=lines)

    async def page(self, path: str) -> Page:
        """A whole file, for the owner's eyes and for what is put before a model on the owner's behalf.

        Raises:
            PathRefused: not a name that the workspace admits.
            NotFound: no such file.
            Unreadable, TooLarge: it is no text, or too much of it.
        """
        return await self._thread.run(self._rooms.page, path)

    async def append(self, path: str, text: str, *, origin: Origin, op_id: str, actor: str) -> Citation:
        """Add whole lines at the end of a file, which is made if it is missing; raises as `remember` does."""
        return await self._thread.run(self._rooms.append, path, text, origin=origin, op_id=op_id, actor=actor)

    async def rewrite(self, path: str, text: str, *, expected: str, origin: Origin, op_id: str, actor: str) -> None:
        """Give a file new content; `expected` is the state of the page that the new content was made from.

        Raises:
            Conflict: the file has another content by now; nothing was written.
        """
        await self._thread.run(
            partial(self._rooms.rewrite, path, text, expected=expected, origin=origin, op_id=op_id, actor=actor)
        )

    async def find(self, id: str, *, scope: Scope) -> Hit:
        """One unit by its id (with or without `^`); raises `NotFound`."""
        await self._glance()
        return await self._thread.run(self._rooms.find, id, scope=scope)

    async def day(self, day: str, *, scope: Scope) -> tuple[Hit, ...]:
        """Everything written on one ISO day, in the order of the file."""
        await self._glance()
        return await self._thread.run(self._rooms.day, day, scope=scope)

    async def recent(self, limit: int = 10, *, scope: Scope) -> tuple[Hit, ...]:
        """The newest facts, newest first."""
        await self._glance()
        return await self._thread.run(self._rooms.recent, limit, scope=scope)

    async def preview_forget(self, wanted: str, *, scope: Scope, actor: str) -> Preview:
        """Which lines `forget` would take away: by id, by `path:line`, or the facts that a query finds."""
        await self._glance()
        return await self._thread.run(self._rooms.preview_forget, wanted, scope=scope, actor=actor)

    async def forget(
        self, token: str, *, only: Sequence[int] = (), op_id: str, scope: Scope, actor: str
    ) -> tuple[Line, ...]:
        """Carry out a preview, or only its lines with these numbers (1-based): each becomes a comment.

        Raises:
            Expired: not this actor's preview, older than ten minutes, or the lines have changed.
        """
        return await self._thread.run(self._rooms.forget, token, only=only, op_id=op_id, scope=scope, actor=actor)

    async def undo(self, count: int = 1, *, op_id: str, scope: Scope, actor: str) -> tuple[Undone, ...]:
        """Take back the last writes of this scope, newest first.

        Raises:
            NotUndoable: nothing left, or the text was edited since.
        """
        return await self._thread.run(self._rooms.undo, count, op_id=op_id, scope=scope, actor=actor)

    async def problems(self) -> tuple[Problem, ...]:
        """What a person should look at: unreadable files, links, bullets that do not parse, a broken journal."""
        return await self._thread.run(self._rooms.problems)

    async def stats(self, *, scope: Scope) -> Stats:
        """Counts by kind, category and entity."""
        await self._glance()
        return await self._thread.run(self._rooms.stats, scope=scope)

    async def status(self) -> Status:
        """How the index stands."""
        return await self._thread.run(self._rooms.shelf.status)

    async def sync(self, *, progress: Progress | None = None) -> Synced:
        """Bring the index up to date with the files."""
        if self._catching_up is not None:
            await asyncio.wait([asyncio.wrap_future(self._catching_up)])  # it may have begun before the last change
        return await self._ended(self._look(progress))

    async def rebuild(self, *, progress: Progress | None = None) -> Synced:
        """Build the index from zero beside the old one, then replace it. The old one serves meanwhile."""
        if self._catching_up is not None:
            await asyncio.wait([asyncio.wrap_future(self._catching_up)])
        self._catching_up = self._thread.errand(self._rooms.shelf.rebuild(progress))
        return await self._ended(self._catching_up)

    async def close(self) -> None:
        """Finish what is under way and let go of files and threads."""
        await self._thread.close()
        self._rooms.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _look(self, progress: Progress | None) -> Future[Synced | None]:
        """Begin to take in what has changed in the files, unless that is under way."""
        if self._catching_up is None or self._catching_up.done():
            self._looked_at = monotonic()
            self._catching_up = self._thread.errand(self._rooms.shelf.catch_up(progress))
        return self._catching_up

    async def _glance(self) -> None:
        """Notice what was changed by hand just now, if that takes no time to speak of."""
        if monotonic() - self._looked_at > LOOK_EVERY_S:
            await asyncio.wait([asyncio.wrap_future(self._look(None))], timeout=LOOK_WAITS_S)

    async def _ended(self, errand: Future[Synced | None]) -> Synced:
        synced = await asyncio.shield(asyncio.wrap_future(errand))
        return await self._thread.run(self._rooms.shelf.unchanged) if synced is None else synced
