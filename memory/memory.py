"""Memory: the library's front door. One object per workspace; every verb a person or an agent uses is a method here."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from enum import Enum
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self
from zoneinfo import ZoneInfo

from memory.answers import Line, Page, Passage, Preview, Progress, Status, Synced
from memory.errors import Error
from memory.files.undo import Undone
from memory.looks import Looks
from memory.model import EVERYWHERE, Citation, Fact, Hit, Origin, Problem, Recall, Scope, Stats, Where, Written
from memory.ports import Clock, SystemClock
from memory.rooms import Rooms
from memory.thread import WorkThread


class Mode(Enum):
    """How a memory is opened."""

    COMPLETE = "wait until the index is up to date"
    AT_ONCE = "bring the index up to date beside the work; what is there serves meanwhile"
    READ_ONLY = "write neither files nor index: for readers beside a running service"


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
        self._looks = Looks(rooms.shelf, thread)

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
            await memory._looks.first(progress, wait=mode is not Mode.AT_ONCE)
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
        return await self._looks.before(
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

    async def page(self, path: str) -> Page:
        """A whole file, for its owner's eyes and for what is put before a model on the owner's behalf.

        Raises:
            PathRefused: not a name that the workspace admits, or no ordinary file.
            NotFound: no such file.
            TooLarge, Unreadable: it is too large, or the system will not open it.
        """
        return await self._thread.run(self._rooms.page, path)

    async def pages(self, paths: Sequence[str]) -> tuple[Page | Error, ...]:
        """Several whole files at once; in the place of one that cannot be read, what `page` would raise."""
        return await self._thread.run(self._rooms.pages, paths)

    async def append(self, path: str, text: str, *, origin: Origin, op_id: str, actor: str) -> Citation:
        """Add whole lines at the end of a file, which is made if it is missing; raises as `remember` does."""
        return await self._thread.run(self._rooms.append, path, text, origin=origin, op_id=op_id, actor=actor)

    async def rewrite(self, path: str, text: str, *, expected: str, origin: Origin, op_id: str, actor: str) -> None:
        """Give a file new content; `expected` is the state of the page that the new content was made from.

        Raises:
            Conflict: the file has another content by now; nothing was written.
            Error: as `remember` does.
        """
        rewrite = partial(self._rooms.rewrite, expected=expected, origin=origin, op_id=op_id, actor=actor)
        await self._thread.run(rewrite, path, text)

    async def is_done(self, op_id: str) -> bool:
        """Whether an operation has been carried out, or begun, before: a turn may be repeated after a crash."""
        return await self._thread.run(self._rooms.is_done, op_id)

    async def said_today(self, text: str, *, scope: Scope) -> Hit | None:
        """The fact of today's log that says the same, word for word; None if there is none."""
        return await self._looks.before(self._rooms.said_today, text, scope=scope)

    async def find(self, id: str, *, scope: Scope) -> Hit:
        """One unit by its id (with or without `^`); raises `NotFound`."""
        return await self._looks.before(self._rooms.find, id, scope=scope)

    async def day(self, day: str, *, scope: Scope) -> tuple[Hit, ...]:
        """Everything written on one ISO day, in the order of the file."""
        return await self._looks.before(self._rooms.day, day, scope=scope)

    async def recent(self, limit: int = 10, *, scope: Scope) -> tuple[Hit, ...]:
        """The newest facts, newest first."""
        return await self._looks.before(self._rooms.recent, limit, scope=scope)

    async def preview_forget(self, wanted: str, *, scope: Scope, actor: str) -> Preview:
        """Which lines `forget` would take away: by id, by `path:line`, or the facts that a query finds.

        Raises:
            WriteFailed: this memory only reads.
            Conflict: a line is being changed at this moment.
        """
        return await self._looks.before(self._rooms.preview_forget, wanted, scope=scope, actor=actor)

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

    async def forget_facts(self, ids: Sequence[str], *, op_id: str, scope: Scope, actor: str) -> tuple[Line, ...]:
        """Forget units by their ids, without a preview; all of them or none.

        A known `op_id` forgets what it had not come to, and returns all of it.

        Raises:
            NotFound: an id is unknown in this scope.
            Conflict, WriteFailed: as `forget` does.
        """
        return await self._looks.before(self._rooms.forget_facts, ids, op_id=op_id, scope=scope, actor=actor)

    async def undo(self, count: int = 1, *, op_id: str, scope: Scope, actor: str) -> tuple[Undone, ...]:
        """Take back the last writes of this scope, newest first.

        Raises:
            NotUndoable: nothing left, or the text was edited since.
        """
        return await self._thread.run(self._rooms.undo, count, op_id=op_id, scope=scope, actor=actor)

    async def problems(self) -> tuple[Problem, ...]:
        """What a person should look at: unreadable files, links, bullets that do not parse, a broken journal."""
        return await self._looks.before(self._rooms.problems)

    async def stats(self, *, scope: Scope) -> Stats:
        """Counts by kind, category and entity."""
        return await self._looks.before(self._rooms.stats, scope=scope)

    async def status(self) -> Status:
        """How the index stands."""
        return await self._looks.healed(self._rooms.shelf.status)

    async def sync(self, *, progress: Progress | None = None) -> Synced:
        """Bring the index up to date with the files; what this and all looks since the last `sync` have changed.

        Raises:
            WriteFailed, NotFound: the index cannot be written, or the workspace is gone.
        """
        return await self._looks.whole(progress, rebuild=False)

    async def rebuild(self, *, progress: Progress | None = None) -> Synced:
        """Build the index from zero beside the old one, then replace it. The old one serves meanwhile.

        Raises:
            WriteFailed, NotFound: as `sync` does.
        """
        return await self._looks.whole(progress, rebuild=True)

    async def close(self) -> None:
        """Finish what is under way and let go of files and threads; a long indexing is broken off, to go on later."""
        await self._thread.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
