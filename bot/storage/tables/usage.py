"""What models have taken, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime

from bot.storage.port import Session, TokenTotals, UsageEntry
from bot.storage.statements import StatementStore


class SqlUsage(StatementStore):
    """Where is kept what models have taken."""

    async def add(self, entry: UsageEntry, at: datetime) -> None:
        """Add to what a turn has taken of a model. A power cut may take it back."""
        sql = """INSERT INTO usage (agent, turn, model, day, at, session, person,
                                    answers, prompt, cached, completion, unreported)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (agent, turn, model) DO UPDATE SET
                   answers = usage.answers + excluded.answers, prompt = usage.prompt + excluded.prompt,
                   cached = usage.cached + excluded.cached, completion = usage.completion + excluded.completion,
                   unreported = usage.unreported + excluded.unreported"""
        totals = entry.totals
        which = (entry.agent, entry.turn, entry.model, entry.day.isoformat(), at.astimezone(UTC).isoformat())
        counts = (totals.answers, totals.prompt, totals.cached, totals.completion, totals.unreported)
        await self._writer.execute_later(sql, [(*which, entry.session, entry.person, *counts)])

    async def since(self, day: date) -> Sequence[UsageEntry]:
        """Return what was taken from a day on, by day, agent, model and person."""
        sql = """SELECT day, agent, model, person, '', '',
                        sum(answers), sum(prompt), sum(cached), sum(completion), sum(unreported)
                 FROM usage WHERE day >= ? GROUP BY day, agent, model, person"""
        await self._writer.settle()
        return [_entry(*row) for row in await self._reader.rows(sql, day.isoformat())]

    async def of_session(self, agent: str, session: str, after: datetime) -> Sequence[UsageEntry]:
        """Return what a conversation has taken after an instant, by turn and model, the oldest turn first."""
        sql = """SELECT day, agent, model, person, session, turn, answers, prompt, cached, completion, unreported
                 FROM usage WHERE agent = ? AND session = ? AND at > ? ORDER BY at, turn"""
        ended = after.astimezone(UTC).isoformat()
        await self._writer.settle()
        return [_entry(*row) for row in await self._reader.rows(sql, agent, session, ended)]

    async def tokens(self, agent: str, session: str, after: datetime, upto: datetime) -> int:
        """Return how many tokens models have taken for a conversation between two instants, the later one included."""
        sql = """SELECT coalesce(sum(prompt + completion), 0) FROM usage
                 WHERE agent = ? AND session = ? AND at > ? AND at <= ?"""
        instants = (instant.astimezone(UTC).isoformat() for instant in (after, upto))
        await self._writer.settle()
        ((count,),) = await self._reader.few_rows(sql, agent, session, *instants)
        return int(count)

    async def of_turns(self, agent: str, turns: Collection[str]) -> Sequence[UsageEntry]:
        """Return what these turns have taken, by turn and model."""
        sql = """SELECT day, agent, model, person, session, turn, answers, prompt, cached, completion, unreported
                 FROM usage WHERE agent = ? AND turn IN (SELECT value FROM json_each(?))"""
        await self._writer.settle()
        return [_entry(*row) for row in await self._reader.rows(sql, agent, json.dumps([*turns]))]

    async def of_sessions(self, sessions: Sequence[Session]) -> Mapping[str, Sequence[UsageEntry]]:
        """Return what all sessions of an agent have taken, by id: for each by day, model and person."""
        spans, entries, ended = list[tuple[str, ...]](), dict[str, list[UsageEntry]](), dict[str, str]()
        for session in sorted(sessions, key=lambda session: session.last):
            name, upto = session.id, session.used.astimezone(UTC).isoformat()
            spans.append((name, session.agent, session.key, ended.get(session.key, ""), upto))
            entries[name], ended[session.key] = [], upto
        sql = """SELECT span.value ->> 0, day, agent, model, person, session, '',
                        sum(answers), sum(prompt), sum(cached), sum(completion), sum(unreported)
                 FROM json_each(?) AS span CROSS JOIN usage
                 WHERE agent = span.value ->> 1 AND session = span.value ->> 2
                   AND usage.at > span.value ->> 3 AND usage.at <= span.value ->> 4
                 GROUP BY span.value, day, agent, model, person, session"""
        await self._writer.settle()
        for name, *row in await self._reader.rows(sql, json.dumps(spans)):
            entries[name].append(_entry(*row))
        return entries


def _entry(day: str, agent: str, model: str, person: str, session: str, turn: str, *counts: int) -> UsageEntry:
    return UsageEntry(date.fromisoformat(day), agent, model, person, session, turn, TokenTotals(*counts))
