"""The coordinator without a disk: for tests, and for trying things that need not last."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from bot.storage.coordinator import Coordinator
from bot.storage.database import transaction
from bot.storage.schema import migrate
from bot.storage.statements import Operation
from bot.storage.tables.people import AccessStore
from memory import SystemClock

T = TypeVar("T")


class InMemoryCoordinator(Coordinator):
    """`bot.storage.coordinator.Coordinator` in memory. To simulate a restart, keep the object and claim again."""

    def __init__(self) -> None:
        statements = _Statements()
        register = AccessStore(statements)
        super().__init__(statements, statements, register=register, clock=SystemClock(), ended=lambda _: None)


@cache
def _empty() -> bytes:
    """Return a database with all tables: copying it takes a twentieth of the time of making it."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db, Path(":memory:"))
        return db.serialize()


class _Statements:
    """Reads and writes in the event loop's thread, each call at once (`bot.storage.statements`)."""

    stalled = ""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)  # nobody has to close a coordinator
        self._db.deserialize(_empty())

    async def rows(self, sql: str, *parameters: str | int) -> list[Any]:
        return self._db.execute(sql, parameters).fetchall()

    few_rows = rows

    async def has(self, table: str) -> bool:
        return bool(await self.rows("SELECT 1 FROM sqlite_schema WHERE name = ?", table))

    async def write(
        self,
        operation: Operation[T],
        *,
        flush: bool = True,
        is_urgent: bool = True,
        then: Callable[[], None] = lambda: None,
        lane: str = "",
    ) -> T:
        del flush, is_urgent, lane  # there is no disk to share or to wait for
        with transaction(self._db):
            result = operation(self._db)
        then()
        return result

    async def execute_later(self, sql: str, rows: Sequence[Sequence[str | int]]) -> None:
        await self.write(lambda db: db.executemany(sql, rows).close())

    async def settle(self) -> None:
        """Do nothing: nothing is left for later."""

    async def scrub(self, *, compact: bool) -> bool:
        del compact  # memory keeps no older state
        return True
