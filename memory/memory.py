"""Memory: the library's front door. One object per workspace; every verb a person or an agent uses is a method here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack
from enum import Enum
from functools import partial
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import ParamSpec, Self, TypeVar
from zoneinfo import ZoneInfo

from memory.answers import Line, Passage, Preview, Progress, Status, Synced
from memory.errors import IndexBroken
from memory.files.undo import Undone
from memory.model import EVERYWHERE, Fact, Hit, Origin, Problem, Recall, Scope, Stats, Where, Written
from memory.ports import Clock, SystemClock
from memory.rooms import Rooms
from memory.thread import WorkThread

P = ParamSpec("P")
T = TypeVar("T")


class Mode(Enum):
    """How a memory is opened."""

    COMPLETE = "wait until the index is up to date"
    AT_ONCE = "bring the index up to date beside the work; what is there serves meanwhile"
    READ_ONLY = "write neither files nor index: for readers beside a running service"


LOOK_EVERY_S = 1.0
"""How old the last look at the files may be when a question comes."""
LOOK_WAITS_S = 0.1
"""How long a question waits for that look; a longer one goes on beside it."""
HEALING_WAITS_S = 10.0
"""How long a question waits for an index that it has found damaged to be built anew; then it takes what is there."""


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
        self._looking: Future[None] | None = None
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

        Files that cannot be read, and an index that cannot follow, are no errors here: `problems` and `status` tell.

        Raises:
            PathRefused: the workspace is not a folder.
            NotFound: it does not exist and was not to be written.
            WriteFailed: it, or the folder of the index, cannot be created or written.
            Busy: another process keeps the index locked.
        """
        thread = WorkThread("memory")
        async with AsyncExitStack() as undo:
            undo.push_async_callback(thread.close)
            make = partial(
                Rooms,
                clock=clock or SystemClock(),
                zone=zone or ZoneInfo("UTC"),
                read_only=mode is Mode.READ_ONLY,
                resources=thread.resources,
            )
            memory = cls(await thread.run(make, workspace, index), thread)
            looking = memory._look(progress)
            if mode is not Mode.AT_ONCE:
                await asyncio.wait([_awaited(looking)])
            undo.pop_all()
        return memory

    async def remember(self, text: str | Fact, *, origin: Origin, scope: Scope, op_id: str, actor: str) -> Written:
        """Write one fact into today's log. When this returns, it is on disk and can be recalled.

        Text in the Retain notation says what it is; of other text, kind, entities and category are found by rule. A
        known `op_id` writes nothing and returns the first receipt. A call that is cancelled still writes.

        Raises:
            Unparsable: nothing is said, or notation is malformed; the message has the column.
            TooLarge: longer than a fact may be.
            WriteFailed, NotFound: the disk refused, or the workspace is gone; nothing was written.
            Busy: another process keeps writing.
            Conflict: the `op_id` was another operation's.
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
        return await self._read(
            self._rooms.recall, query, scope=scope, limit=limit, budget_chars=budget_chars, where=where
        )

    async def get(self, path: str, *, scope: Scope, start: int = 1, lines: int = 120) -> Passage:
        """Read lines of a file (at most 12,000 characters), with the next line to read from.

        Whoever is not the owner gets the lines of their scope, with empty ones for the others.

        Raises:
            PathRefused: not a name that the workspace admits.
            NotFound: no such file, or nothing in it for this scope.
            TooLarge, Unreadable: it is too large, or the system will not open it.
        """
        return await self._thread.run(self._rooms.get, path, scope=scope, start=start, lines=lines)

    async def find(self, id: str, *, scope: Scope) -> Hit:
        """One unit by its id (with or without `^`); raises `NotFound`."""
        return await self._read(self._rooms.find, id, scope=scope)

    async def day(self, day: str, *, scope: Scope) -> tuple[Hit, ...]:
        """Everything written on one ISO day, in the order of the file."""
        return await self._read(self._rooms.day, day, scope=scope)

    async def recent(self, limit: int = 10, *, scope: Scope) -> tuple[Hit, ...]:
        """The newest facts, newest first."""
        return await self._read(self._rooms.recent, limit, scope=scope)

    async def preview_forget(self, wanted: str, *, scope: Scope, actor: str) -> Preview:
        """Which lines `forget` would take away: by id, by `path:line`, or the facts that a query finds.

        Raises:
            WriteFailed: this memory only reads.
            Conflict: a line is being changed at this moment.
        """
        return await self._read(self._rooms.preview_forget, wanted, scope=scope, actor=actor)

    async def forget(
        self, token: str, *, only: Sequence[int] = (), op_id: str, scope: Scope, actor: str
    ) -> tuple[Line, ...]:
        """Carry out a preview, or only its lines with these numbers (1-based): each becomes a comment.

        A known `op_id` forgets nothing more and returns what it forgot.

        Raises:
            Expired: not this actor's preview, older than ten minutes, or of another process.
            Conflict: a line is not what it was; the others were left alone, too.
            WriteFailed, NotFound: the disk refused, or the workspace is gone.
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
        return await self._read(self._rooms.problems)

    async def stats(self, *, scope: Scope) -> Stats:
        """Counts by kind, category and entity."""
        return await self._read(self._rooms.stats, scope=scope)

    async def status(self) -> Status:
        """How the index stands."""
        return await self._healed(self._rooms.shelf.status)

    async def sync(self, *, progress: Progress | None = None) -> Synced:
        """Bring the index up to date with the files; what this and all looks since the last `sync` have changed.

        Raises:
            WriteFailed, NotFound: the index cannot be written, or the workspace is gone.
        """
        await self._alone()  # a look that is under way may have begun before the last change
        return await self._reported(self._look(progress))

    async def rebuild(self, *, progress: Progress | None = None) -> Synced:
        """Build the index from zero beside the old one, then replace it. The old one serves meanwhile.

        Raises:
            WriteFailed, NotFound: as `sync` does.
        """
        await self._alone()
        self._looking = self._thread.errand(self._rooms.shelf.rebuild(progress))
        return await self._reported(self._looking)

    async def close(self) -> None:
        """Finish what is under way and let go of files and threads; a long indexing is broken off, to go on later."""
        await self._thread.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _read(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask, with a glance at the files before."""
        is_due = self._rooms.shelf.is_behind or monotonic() - self._looked_at > LOOK_EVERY_S
        if is_due:
            await asyncio.wait([_awaited(self._look(None))], timeout=LOOK_WAITS_S)
        return await self._healed(function, *args, **kwargs)

    async def _healed(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask, and ask again if the index turned out to be damaged: the next look builds it anew."""
        try:
            return await self._thread.run(function, *args, **kwargs)
        except IndexBroken:
            await asyncio.wait([_awaited(self._look(None))], timeout=HEALING_WAITS_S)
        return await self._thread.run(function, *args, **kwargs)

    async def _alone(self) -> None:
        """Wait for a look that is under way."""
        while self._looking is not None and not self._looking.done():
            await asyncio.wait([_awaited(self._looking)])

    def _look(self, progress: Progress | None) -> Future[None]:
        """Begin to take in what has changed in the files, unless that is under way."""
        if self._looking is None or self._looking.done():
            self._looked_at = monotonic()
            self._looking = self._thread.errand(self._rooms.shelf.catch_up(progress))
        return self._looking

    async def _reported(self, looking: Future[None]) -> Synced:
        await asyncio.shield(asyncio.wrap_future(looking))
        return await self._thread.run(self._rooms.shelf.report)


def _awaited(looking: Future[None]) -> asyncio.Future[None]:
    """A look as something to wait for. What goes wrong in it is in `status`, and is raised to who asked for it."""
    future = asyncio.wrap_future(looking)
    future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return future
