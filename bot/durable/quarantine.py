"""Events that could not be taken, in the state file: how often each was tried, and which were set aside."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from sys import maxsize

import aiosqlite

from bot.durable import schema, statements
from bot.durable.connection import failures, read_only
from bot.durable.writer import Writer
from memory import Clock

MOST_REASON = 300
"""Characters of a reason that are kept."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """Events of a bot account that were given up.

    Attributes:
        account: which account.
        update: the platform's id of the event; empty for those of strangers, who are only counted.
        count: how many they are.
        reason: what was wrong, with the last of them.
        kept: the file that holds the event; empty if none does.
        at: when the last of them was set aside.
    """

    account: str
    update: str
    count: int
    reason: str
    kept: str
    at: datetime


class SqliteQuarantine:
    """Counts tries, also over restarts, and notes what was given up."""

    def __init__(self, writer: Writer, *, clock: Clock) -> None:
        self._writer = writer
        self._clock = clock

    async def failed(self, account: str, update: str, reason: str) -> int:
        """Note that an event could not be taken; how often that has happened to it, without end if it was given up."""
        at = self._clock.now().isoformat()

        async def count(db: aiosqlite.Connection) -> int:
            sql = """INSERT INTO quarantine (account, update_id, count, reason, at) VALUES (?, ?, 1, ?, ?)
                     ON CONFLICT (account, update_id) DO UPDATE SET
                     count = quarantine.count + NOT quarantine.is_over RETURNING count, is_over"""
            ((tries, is_over),) = await db.execute_fetchall(sql, (account, update, reason[:MOST_REASON], at))
            return maxsize if is_over else int(tries)

        return await self._writer.write(count)

    async def taken(self, account: str, update: str) -> None:
        """Note that an event was taken after all."""

        async def forget(db: aiosqlite.Connection) -> None:
            sql = "DELETE FROM quarantine WHERE account = ? AND update_id = ? AND NOT is_over"
            await db.execute(sql, (account, update))

        await self._writer.write(forget, flush=False)

    async def set_aside(self, account: str, update: str, reason: str, *, kept: str, is_counted_only: bool) -> bool:
        """Give an event up: from now on it counts as seen; False if it already did.

        Args:
            account: where it came in.
            update: its id.
            reason: what was wrong.
            kept: the file that holds it, or nothing.
            is_counted_only: leave nothing of it but a number.
        """
        at = self._clock.now().isoformat()

        async def end(db: aiosqlite.Connection) -> bool:
            sql = "DELETE FROM quarantine WHERE account = ? AND update_id = ? AND NOT is_over"
            await db.execute(sql, (account, update))
            if not await statements.accept(db, account, update, at=at):
                return False
            name = "" if is_counted_only else update
            sql = """INSERT INTO quarantine (account, update_id, count, reason, kept, at, is_over)
                     VALUES (?, ?, 1, ?, ?, ?, TRUE)
                     ON CONFLICT (account, update_id) DO UPDATE SET
                     count = quarantine.count + 1, reason = excluded.reason, at = excluded.at"""
            await db.execute(sql, (account, name, reason[:MOST_REASON], kept, at))
            return True

        return await self._writer.write(end)


async def set_aside(path: Path) -> tuple[SetAside, ...]:
    """What has been given up, the oldest first; nothing if there is no state file yet.

    Raises:
        StateError: the file is not ours, of a newer schema, or damaged.
    """
    if not path.exists():
        return ()
    async with read_only(path) as db:
        with failures(path, "Reading"):
            if await schema.check(db, path) < schema.WITH_QUARANTINE:
                return ()
            sql = "SELECT account, update_id, count, reason, kept, at FROM quarantine WHERE is_over ORDER BY at"
            rows = await db.execute_fetchall(sql)
    return tuple(
        SetAside(account, update, count, reason, kept, datetime.fromisoformat(at))
        for account, update, count, reason, kept, at in rows
    )
