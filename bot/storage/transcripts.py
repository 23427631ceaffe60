"""Transcripts read from the state file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import aiosqlite

from bot.storage.database import failures, read_only
from bot.storage.keys import SessionKey
from bot.storage.port import Earlier, EntryKind, Recorded, Session, TranscriptEntry


class Reader:
    """Rows as SQLite gives them; every read sees all that was committed before it."""

    def __init__(self, db: aiosqlite.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    async def waiting(self, agent: str, *, after: int, limit: int) -> list[sqlite3.Row]:
        """Waiting messages as (seq, turn, attempts, body)."""
        return await self._rows(
            """SELECT seq, turn, attempts, body FROM inbox
               WHERE agent = ? AND seq > ? AND state = 'waiting' ORDER BY seq LIMIT ?""",
            (agent, after, limit),
        )

    async def owed(self, agent: str, *, after: int, limit: int) -> list[sqlite3.Row]:
        """Parts to be delivered as (seq, account, state, body, message of the placeholder)."""
        return await self._rows(
            """SELECT outbox.seq, outbox.account, outbox.state, outbox.body, placed.message
               FROM outbox LEFT JOIN placed ON placed.agent = outbox.agent AND placed.id = outbox.id
               WHERE outbox.agent = ? AND outbox.seq > ? AND outbox.state IN ('queued', 'sending')
               ORDER BY outbox.seq LIMIT ?""",
            (agent, after, limit),
        )

    async def is_settled(self, agent: str, accounts: Collection[str]) -> bool:
        """Whether nothing waits, and nothing is owed through these accounts."""
        if await self.waiting(agent, after=0, limit=1):
            return False
        sql = "SELECT DISTINCT account FROM outbox WHERE agent = ? AND state IN ('queued', 'sending')"
        return not any(account in accounts for (account,) in await self._rows(sql, (agent,)))

    async def last_entry(self, agent: str, session: str, kind: str, *, after: int) -> list[sqlite3.Row]:
        """The newest entry of a kind as (turn, at, body), or nothing."""
        return await self._rows(
            """SELECT turn, at, body FROM transcript
               WHERE agent = ? AND session = ? AND kind = ? AND seq > ? ORDER BY seq DESC LIMIT 1""",
            (agent, session, kind, after),
        )

    async def answers(self, agent: str, session: str, message: str, *, after: int) -> list[sqlite3.Row]:
        """Parts of answers that this message has held, as (is_foreign); an edit puts one in the place of another."""
        return await self._rows(
            """SELECT is_foreign FROM outbox
               WHERE agent = ? AND session = ? AND note = ? AND seq > ? AND state = 'delivered'""",
            (agent, session, message, after),
        )

    async def effects(self, agent: str, turn: str) -> list[sqlite3.Row]:
        """A turn's effects as (number, call, result)."""
        sql = "SELECT number, call, result FROM effect WHERE agent = ? AND turn = ? ORDER BY number"
        return await self._rows(sql, (agent, turn))

    async def entries(self, agent: str, session: str, *, after: int, limit: int) -> list[sqlite3.Row]:
        """A session's oldest entries as (seq, kind, turn, at, body); all of them if the limit is negative."""
        return await self._rows(
            """SELECT seq, kind, turn, at, body FROM transcript
               WHERE agent = ? AND session = ? AND seq > ? ORDER BY seq LIMIT ?""",
            (agent, session, after, limit),
        )

    async def newest(
        self, agent: str, session: str, *, after: int, before: int, limit: int, kinds: Sequence[str]
    ) -> list[sqlite3.Row]:
        """A session's newest entries as (seq, kind, turn, at, body), the newest first."""
        return await self._rows(  # with the plus sign the entries are walked backwards, and none are sorted
            """SELECT seq, kind, turn, at, body FROM transcript
               WHERE agent = ? AND session = ? AND seq > ? AND seq < ? AND +kind IN (SELECT value FROM json_each(?))
               ORDER BY seq DESC LIMIT ?""",
            (agent, session, after, before, json.dumps(kinds), limit),
        )

    async def earlier(self, agent: str, session: str, *, after: int, before: int) -> tuple[int, bool]:
        """How many answers there are between two places, and whether a message there is foreign."""
        place = (agent, session, after, before)
        sql = """SELECT count(*) FROM transcript
                 WHERE agent = ? AND session = ? AND kind = 'reply' AND seq > ? AND seq < ?"""
        ((answers,),) = await self._rows(sql, place)
        sql = """SELECT EXISTS (SELECT 1 FROM transcript INDEXED BY transcript_foreign
                   WHERE agent = ? AND session = ? AND seq > ? AND seq < ?
                   AND kind = 'message'
             AND (instr(body, '"is_foreign": true') > 0
               OR instr(body, '"is_foreign": ') + instr(body, '"shown_as": ') = 0)
             AND (instr(body, '"text": "/') = 0 OR instr(body, '"shown_as": ') > 0))"""
        ((is_foreign,),) = await self._rows(sql, place)
        return int(answers), bool(is_foreign)

    async def holds(self, agent: str, session: str, turn: str, *, after: int) -> bool:
        """Whether a turn has an entry; the newest are looked at first."""
        sql = """SELECT seq FROM transcript
                 WHERE agent = ? AND session = ? AND seq > ? AND turn = ? ORDER BY seq DESC LIMIT 1"""
        return bool(await self._rows(sql, (agent, session, after, turn)))

    async def summary(self, agent: str, session: str, *, after: int) -> list[sqlite3.Row]:
        """A session's entries as one (first, last, began, used, entries, messages)."""
        return await self._rows(
            """SELECT min(seq), max(seq), min(at), max(at), count(*), count(*) FILTER (WHERE kind = 'message')
               FROM transcript WHERE agent = ? AND session = ? AND seq > ? HAVING count(*) > 0""",
            (agent, session, after),
        )

    async def last_reset(self, agent: str, session: str) -> int:
        """The `seq` of the last reset; 0 if there was none."""
        sql = "SELECT coalesce(max(seq), 0) FROM transcript WHERE agent = ? AND session = ? AND kind = 'reset'"
        ((seq,),) = await self._rows(sql, (agent, session))
        return int(seq)

    async def sessions(self, agent: str) -> list[sqlite3.Row]:
        """Sessions as (key, first, last, began, used, entries, messages, is_over), the newest first."""
        sql = """WITH numbered AS (
                   SELECT session, seq, at, kind, count(*) FILTER (WHERE kind = 'reset') OVER (
                     PARTITION BY session ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS resets
                   FROM transcript WHERE agent = ?)
                 SELECT session, min(seq), max(seq), min(at), max(at), count(*),
                   count(*) FILTER (WHERE kind = 'message'), max(kind = 'reset')
                 FROM numbered GROUP BY session, resets ORDER BY max(seq) DESC"""
        return await self._rows(sql, (agent,))

    async def knows(self, place: str) -> bool:
        """Whether a session is of a place, as in its key behind the agent."""
        sql = """WITH said AS (SELECT agent, 'agent:' || agent || ':' || ?1 AS key FROM agent)
                 SELECT 1 FROM said WHERE
                   EXISTS (SELECT 1 FROM transcript AS t WHERE t.agent = said.agent AND t.session = key)
                   OR EXISTS (SELECT 1 FROM transcript AS t
                              WHERE t.agent = said.agent AND t.session > key || ':' AND t.session < key || ';')
                   OR EXISTS (SELECT 1 FROM inbox AS i WHERE i.agent = said.agent
                              AND (i.session = key OR i.session > key || ':' AND i.session < key || ';'))"""
        return bool(await self._rows(sql, (place,)))

    async def agents(self) -> list[sqlite3.Row]:
        """Whoever ever had a message, as (agent)."""
        return await self._rows("SELECT agent FROM agent ORDER BY agent", ())

    async def dead(self) -> list[sqlite3.Row]:
        """What was given up, as (kind, agent, seq, at, where, reason), the oldest first."""
        return await self._rows(
            """SELECT 'message', agent, seq, at, session, reason FROM inbox WHERE state = 'dead'
               UNION ALL SELECT 'part', agent, seq, at, account, note FROM outbox WHERE state = 'dead'
               ORDER BY 4, 3""",
            (),
        )

    async def marks(self, account: str) -> list[sqlite3.Row]:
        """An adapter's marks as (name, value)."""
        return await self._rows("SELECT name, value FROM mark WHERE account = ?", (account,))

    async def usage(self, agent: str, day: str) -> list[sqlite3.Row]:
        """What models took for an agent on a day, as (answers, prompt, cached, completion, unreported)."""
        sql = "SELECT answers, prompt, cached, completion, unreported FROM usage WHERE agent = ? AND day = ?"
        return await self._rows(sql, (agent, day))

    async def asked(self) -> list[sqlite3.Row]:
        """What people have asked, as (subject, span, began, turns, tokens, refused, is_told)."""
        return await self._rows("SELECT subject, span, began, turns, tokens, refused, is_told FROM asked", ())

    async def _rows(self, sql: str, parameters: tuple[str | int, ...]) -> list[sqlite3.Row]:
        with failures(self._path, "Reading"):
            return list(await self._db.execute_fetchall(sql, parameters))


NO_END = 2**63 - 1
"""Above every `seq`."""


class Archive:
    """What was said, and what answers rested on, as `bot.storage.port.Coordinator` hands it over."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def agents(self) -> tuple[str, ...]:
        """Who ever had a message, also those that have left the configuration since."""
        return tuple(name for (name,) in await self._reader.agents())

    async def last(self, session: SessionKey, kind: EntryKind, *, after: int = 0) -> TranscriptEntry | None:
        """The newest entry of one kind in a conversation."""
        rows = await self._reader.last_entry(session.agent, str(session), kind.value, after=after)
        return next((TranscriptEntry(kind, turn, datetime.fromisoformat(at), body) for turn, at, body in rows), None)

    async def last_reset(self, session: SessionKey) -> int:
        """The `seq` of a conversation's last `reset`; 0 if there was none."""
        return await self._reader.last_reset(session.agent, str(session))

    async def transcript(
        self, agent: str, session: str, *, after: int = 0, limit: int | None = None
    ) -> tuple[Recorded, ...]:
        """A conversation's entries with a `seq` above `after`, in order; the oldest `limit` of them."""
        rows = await self._reader.entries(agent, session, after=after, limit=-1 if limit is None else limit)
        return tuple(map(_recorded, rows))

    async def newest(
        self,
        session: SessionKey,
        *,
        after: int,
        before: int | None = None,
        limit: int,
        kinds: Collection[EntryKind] = tuple(EntryKind),
    ) -> tuple[Recorded, ...]:
        """The newest `limit` entries of some kinds with a `seq` above `after` and below `before`, in order."""
        rows = await self._reader.newest(
            session.agent,
            str(session),
            after=after,
            before=before if before is not None else NO_END,
            limit=limit,
            kinds=[kind.value for kind in kinds],
        )
        return tuple(map(_recorded, reversed(rows)))

    async def earlier(self, session: SessionKey, *, after: int, before: int) -> Earlier:
        """What is known of the entries between two places."""
        return Earlier(*await self._reader.earlier(session.agent, str(session), after=after, before=before))

    async def holds(self, session: SessionKey, turn: str, *, after: int) -> bool:
        """Whether a turn has an entry with a `seq` above `after`."""
        return await self._reader.holds(session.agent, str(session), turn, after=after)

    async def current(self, session: SessionKey) -> Session | None:
        """What has been recorded since the last `reset`, without its words."""
        reset = await self.last_reset(session)
        rows = await self._reader.summary(session.agent, str(session), after=reset)
        found = (_session(session.agent, (str(session), *row, False)) for row in rows)
        return next(found, None)

    async def sessions(self, agent: str) -> tuple[Session, ...]:
        """An agent's sessions, the one that was used last first."""
        return tuple(_session(agent, row) for row in await self._reader.sessions(agent))


@asynccontextmanager
async def open_archive(path: Path) -> AsyncIterator[Archive]:
    """Read the state file beside whoever writes it, or when nobody does.

    Raises:
        StateError: there is no such file, it is not ours, of a newer schema, or damaged.
    """
    async with read_only(path) as db:
        yield Archive(Reader(db, path))


def _session(agent: str, row: Sequence[Any]) -> Session:
    key, first, last, began, used, entries, messages, is_over = row
    return Session(
        agent=agent,
        key=key,
        first=first,
        last=last,
        began=datetime.fromisoformat(began),
        used=datetime.fromisoformat(used),
        entries=entries,
        messages=messages,
        is_over=bool(is_over),
    )


def _recorded(row: sqlite3.Row) -> Recorded:
    seq, kind, turn, at, body = row
    return Recorded(seq, TranscriptEntry(EntryKind(kind), turn, datetime.fromisoformat(at), body))
