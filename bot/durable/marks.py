"""What adapters have to know again after a restart, in the state file."""

from __future__ import annotations

from collections.abc import Mapping

import aiosqlite

from bot.durable.reader import Reader
from bot.durable.writer import Writer


class SqliteMarks:
    """`adapters.marks.Marks`. A power cut may take the newest ones back, unless they are to last."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def load(self, account: str) -> Mapping[str, str]:
        return {str(name): str(value) for name, value in await self._reader.marks(account)}

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        async def put(db: aiosqlite.Connection) -> None:
            sql = """INSERT INTO mark (account, name, value) VALUES (?, ?, ?)
                     ON CONFLICT (account, name) DO UPDATE SET value = excluded.value"""
            await db.execute(sql, (account, name, value))

        await self._writer.write(put, flush=lasting)
