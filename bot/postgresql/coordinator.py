"""The coordinator on PostgreSQL, for several processes: leases that expire, and looking for what others have done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Self

from bot.postgresql import schema
from bot.postgresql.connection import PostgresPool, PostgresStatements
from bot.storage.coordinator import SqlCoordinator
from bot.storage.database import Durability
from bot.storage.keys import SessionKey
from bot.storage.people import AccessStore, read_access_rows
from bot.waiting import Pause, pause
from memory import Clock

LOOK_S = 0.1
"""Seconds between two looks at what other processes have done."""


class PostgresCoordinator(SqlCoordinator):
    """`bot.storage.port.Coordinator` for any number of processes.

    Attributes:
        pool: its connections.
    """

    pool: PostgresPool
    _pause: Pause

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        clock: Clock,
        ended: Callable[[SessionKey], None] = lambda _: None,
        endurance: Durability | None = None,
        pause: Pause = pause,
    ) -> AsyncIterator[Self]:
        """Connect, and bring the schema up to date; leaving the block finishes what was begun.

        Args:
            url: the database's address.
            clock: source of the instants that are stored; leases go by the server's.
            ended: called with its session when a turn's end is on disk.
            endurance: how to wait for a server that is away or full; without it, that fails at once.
            pause: waits between two looks at what others have done.

        Raises:
            StateError: the server cannot be reached, refuses, is too old, or a newer Scrubjay has changed the database.
        """
        async with PostgresPool.open(url) as pool, asyncio.TaskGroup() as group:
            await pool.run(lambda db: schema.migrate(db.raw))
            statements = PostgresStatements(pool, endurance)
            register = AccessStore(statements, await pool.run(read_access_rows))
            coordinator = cls(statements, statements, register=register, clock=clock, ended=ended)
            coordinator.pool, coordinator._pause = pool, pause
            looking = group.create_task(coordinator._look())
            try:
                yield coordinator
            finally:
                looking.cancel()

    async def _look(self) -> None:
        """Wake whoever waits for something that another process has done, until cancelled."""
        sql = "SELECT agent, xmin::text FROM agent WHERE agent IN (SELECT value FROM json_each(?))"
        seen: dict[str, str] = {}
        while True:
            await self._pause(LOOK_S)
            names = {*self._arrived, *self._answered, *self._moved}
            for agent, version in await self._reader.rows(sql, json.dumps(sorted(names))):
                if seen.get(agent) != version:
                    seen[agent] = version
                    for changes in (self._arrived, self._answered, self._moved):
                        changes[agent].notify()
