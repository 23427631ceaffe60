"""What is counted in the state file: what models have taken for each agent, and what people have asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import aiosqlite

from bot.durable.reader import Reader
from bot.durable.writer import Writer
from bot.limits import Count, Span
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


class SqliteCounts:
    """`bot.limits.Counts`."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def load(self, since: str) -> Sequence[Count]:
        async def drop(db: aiosqlite.Connection) -> None:
            await db.execute("DELETE FROM asked WHERE began < ? AND span <> ?", (since, Span.REPORT.value))

        await self._writer.write(drop, flush=False)
        return [
            Count(subject, Span(span), began, turns, tokens, refused, bool(is_told))
            for subject, span, began, turns, tokens, refused, is_told in await self._reader.asked()
        ]

    async def save(self, counts: Sequence[Count]) -> None:
        rows = [
            (one.subject, one.span.value, one.began, one.turns, one.tokens, one.refused, int(one.is_told))
            for one in counts
        ]

        async def put(db: aiosqlite.Connection) -> None:
            sql = """INSERT OR REPLACE INTO asked (subject, span, began, turns, tokens, refused, is_told)
                     VALUES (?, ?, ?, ?, ?, ?, ?)"""
            await db.executemany(sql, rows)

        await self._writer.write(put, flush=False)
