"""What models have taken for each agent, day by day, in the state file."""

from __future__ import annotations

from datetime import date

import aiosqlite

from bot.durable.reader import Reader
from bot.durable.writer import Writer
from bot.llm.meter import Tally


class SqliteTallies:
    """`bot.llm.meter.Tallies`."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def load(self, agent: str, day: date) -> Tally:
        rows = await self._reader.usage(agent, day.isoformat())
        return Tally(day, *rows[0]) if rows else Tally(day)

    async def save(self, agent: str, tally: Tally) -> None:
        counts = (tally.answers, tally.prompt, tally.cached, tally.completion, tally.unreported)

        async def put(db: aiosqlite.Connection) -> None:
            sql = """INSERT OR REPLACE INTO usage (agent, day, answers, prompt, cached, completion, unreported)
                     VALUES (?, ?, ?, ?, ?, ?, ?)"""
            await db.execute(sql, (agent, tally.day.isoformat(), *counts))

        await self._writer.write(put, flush=False)
