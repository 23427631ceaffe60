"""The coordinator on SQLite."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from bot.storage.coordinator import Coordinator
from bot.storage.database import Durability, Reader, Writer, read_write
from bot.storage.keys import SessionKey
from bot.storage.tables.people import AccessStore
from memory import Clock


class SqliteCoordinator(Coordinator):
    """`bot.storage.coordinator.Coordinator` for one process.

    A lease does not expire: the instance lock keeps other processes away. Should it fail, the process that claims later
    wins and the earlier one is fenced.
    """

    _writer: Writer

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        path: Path,
        *,
        clock: Clock,
        ended: Callable[[SessionKey], None] = lambda _: None,
        endurance: Durability | None = None,
    ) -> AsyncIterator[Self]:
        """Open or make the state file; leaving the block writes what was begun and closes it.

        Args:
            ended: called with its session when a turn's end is on disk.
            endurance: how to wait for a disk that is full or failing; without it, writing fails at once.

        Raises:
            StateError: it is not ours, of a newer schema, damaged, or its folder cannot be written.
        """
        async with read_write(path) as db, Reader.open(path) as reader, Writer(db, path, endurance) as writer:
            register = await AccessStore(writer).load(reader)
            yield cls(writer, reader, register=register, clock=clock, ended=ended)
