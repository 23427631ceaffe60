"""Group commit: operations that wait at the same time are written in one transaction, with one sync of the disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Self, TypeVar, cast

import aiosqlite

from bot.durable.connection import failures
from bot.errors import BotError, StateError

T = TypeVar("T")
Operation = Callable[[aiosqlite.Connection], Awaitable[T]]
"""Statements that belong together. It may be carried out again if a neighbour in its transaction fails."""

_UNTRUSTWORTHY = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""Primary result codes after which nothing more may be written: a failed sync is not repaired by trying again."""


@dataclass(frozen=True, slots=True)
class _Write:
    operation: Operation[object]
    flush: bool
    then: Callable[[], None]
    alone: bool
    done: asyncio.Future[object] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def resolve(self, result: object) -> None:
        self.then()
        if not self.done.done():  # whoever asked may have been cancelled meanwhile
            self.done.set_result(result)

    def fail(self, error: BotError) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class Writer:
    """The only one who writes. What it has begun, it ends: cancelling a caller stops the waiting, not the writing.

    Use it as `async with Writer(db, path) as writer`; leaving the block writes what still waits.
    """

    def __init__(self, db: aiosqlite.Connection, path: Path) -> None:
        self._db = db
        self._path = path
        self._waiting: asyncio.Queue[_Write | None] = asyncio.Queue()
        self._group = asyncio.TaskGroup()
        self._synchronous = ""
        self._refusal: StateError | None = None

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._group.create_task(self._run(), name="state writer")
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._waiting.put_nowait(None)
        await self._group.__aexit__(None, None, None)  # told of a failure, it would cut the writing short

    async def write(
        self,
        operation: Operation[T],
        *,
        flush: bool = True,
        then: Callable[[], None] = lambda: None,
        alone: bool = False,
    ) -> T:
        """Carry an operation out and wait until it is committed.

        Args:
            operation: what to do.
            flush: wait for the disk too. Without it the change survives a kill of the process, but a power cut may
                take it back, together with everything that was written after it.
            then: called when it is committed, also if whoever asked for it has been cancelled meanwhile.
            alone: it is no transaction, and must not run inside one.

        Raises:
            StateError: the disk is full or failing; nothing of the operation was kept.
        """
        write = _Write(operation, flush, then, alone)
        self._waiting.put_nowait(write)
        return cast("T", await write.done)

    async def _run(self) -> None:
        more = True
        while more:
            batch, more = await self._next()
            for alone, group in groupby(batch, key=lambda write: write.alone):
                for writes in [[write] for write in group] if alone else [list(group)]:
                    await self._settle(writes)

    async def _next(self) -> tuple[list[_Write], bool]:
        """Everything that waits, and whether more may come."""
        taken = [await self._waiting.get()]
        while not self._waiting.empty():
            taken.append(self._waiting.get_nowait())
        return [write for write in taken if write], None not in taken

    async def _settle(self, batch: Sequence[_Write]) -> None:
        try:
            results = await self._commit(batch)
        except BotError as error:
            if len(batch) == 1:
                batch[0].fail(error)
                return
        else:
            for write, result in zip(batch, results, strict=True):
                write.resolve(result)
            return
        for write in batch:  # one of them failed: each for itself, so that it fails alone
            await self._settle([write])

    async def _commit(self, batch: Sequence[_Write]) -> list[object]:
        if self._refusal:
            raise self._refusal
        try:
            with failures(self._path, "Writing"):
                await self._choose(flush=any(write.flush for write in batch))
                if batch[0].alone:
                    return [await batch[0].operation(self._db)]
                async with _transaction(self._db):
                    return [await write.operation(self._db) for write in batch]
        except StateError as error:
            if getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF in _UNTRUSTWORTHY:
                self._refusal = error
            raise

    async def _choose(self, *, flush: bool) -> None:
        level = "FULL" if flush else "NORMAL"
        if level != self._synchronous:
            await self._db.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level


@asynccontextmanager
async def _transaction(db: aiosqlite.Connection) -> AsyncIterator[None]:
    await db.execute("BEGIN IMMEDIATE")
    try:
        yield
        await db.execute("COMMIT")
    finally:
        if db.in_transaction:
            await db.rollback()
