"""Messages and parts that were given up, events that could not be read, and the lengths of the queues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from sys import maxsize
from typing import Literal

from bot.storage.statements import Database, StatementReader, StatementStore, StatementWriter, mark_seen, next_seq
from memory import Clock

REVIVE = {
    "message": """UPDATE inbox SET seq = ?, state = 'waiting', reason = '', turn = NULL, deaths = 0,
                  is_under_way = FALSE WHERE agent = ? AND seq = ? AND state = 'dead'""",
    "part": "UPDATE outbox SET seq = ?, state = 'queued', note = '' WHERE agent = ? AND seq = ? AND state = 'dead'",
}
"""Puts a dead letter of each kind at the end of its queue."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Something that was given up.

    Attributes:
        kind: a `message` that could not be answered, or a `part` of an answer that could not be delivered.
        seq: its place in the agent's order.
        at: when it was accepted, or owed.
        where: the session, or the bot account.
    """

    kind: Literal["message", "part"]
    agent: str
    seq: int
    at: datetime
    where: str
    reason: str

    @property
    def id(self) -> str:
        """How people name it: `personal:17`."""
        return f"{self.agent}:{self.seq}"


class DeadLetters(StatementStore):
    """The dead letters of a state file; `revived` is called with the agent that has something to do again."""

    def __init__(self, writer: StatementWriter, reader: StatementReader, *, revived: Callable[[str], None]) -> None:
        super().__init__(writer, reader)
        self._revived = revived

    async def list(self) -> tuple[DeadLetter, ...]:
        """Return all of them, the oldest first."""
        return await list_dead_letters(self._reader)

    async def depths(self) -> tuple[QueueDepth, ...]:
        """Return the lengths of the queues of each agent that ever had a message."""
        return await queue_depths(self._reader)

    async def retry(self, *wanted: str) -> tuple[str, ...]:
        """Put those with these ids, or `all`, back at the end of the queue; return the ids of those that were found.

        They get as many attempts as at first. What tools have done for a message is known and not repeated; a part may
        arrive a second time.
        """
        letters = [letter for letter in await self.list() if "all" in wanted or letter.id in wanted]

        def revive(db: Database) -> None:
            for letter in letters:
                db.execute(REVIVE[letter.kind], (next_seq(db, letter.agent), letter.agent, letter.seq))

        def notify() -> None:
            for agent in {letter.agent for letter in letters}:
                self._revived(agent)

        await self._writer.write(revive, then=notify)
        return tuple(letter.id for letter in letters)


async def list_dead_letters(reader: StatementReader) -> tuple[DeadLetter, ...]:
    """Return the dead letters of a state, the oldest first."""
    sql = """SELECT 'message', agent, seq, at, session, reason FROM inbox WHERE state = 'dead'
             UNION ALL SELECT 'part', agent, seq, at, account, note FROM outbox WHERE state = 'dead'
             ORDER BY 4, 3"""
    return tuple(
        DeadLetter(kind, agent, seq, datetime.fromisoformat(at), where, reason)
        for kind, agent, seq, at, where, reason in await reader.rows(sql)
    )


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """The lengths of one agent's queues.

    Attributes:
        waiting: messages without an answer.
        oldest: when the oldest of them was accepted; None if none waits.
        owed: parts of replies that are not delivered.
        dead: messages and parts that were given up.
    """

    agent: str
    waiting: int
    oldest: datetime | None
    owed: int
    dead: int


async def queue_depths(reader: StatementReader) -> tuple[QueueDepth, ...]:
    """Return the queue lengths of each agent that ever had a message."""
    sql = """SELECT agent,
               (SELECT count(*) FROM inbox  WHERE agent = a.agent AND state = 'waiting'),
               (SELECT min(at)  FROM inbox  WHERE agent = a.agent AND state = 'waiting'),
               (SELECT count(*) FROM outbox WHERE agent = a.agent AND state IN ('queued', 'sending')),
               (SELECT count(*) FROM inbox  WHERE agent = a.agent AND state = 'dead') +
               (SELECT count(*) FROM outbox WHERE agent = a.agent AND state = 'dead')
             FROM agent AS a ORDER BY agent"""
    return tuple(
        QueueDepth(agent, waiting, datetime.fromisoformat(oldest) if oldest else None, owed, dead)
        for agent, waiting, oldest, owed, dead in await reader.rows(sql)
    )


MAX_REASON_CHARS = 300
"""Longer reasons are cut."""


@dataclass(frozen=True, slots=True)
class QuarantinedEvent:
    """Events of a bot account that were given up.

    Attributes:
        update: the platform's id of the event; empty for those of strangers, who are only counted.
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


class SqlQuarantine:
    """Counts failed tries, also over restarts, and records what was given up."""

    def __init__(self, writer: StatementWriter, *, clock: Clock) -> None:
        self._writer = writer
        self._clock = clock

    async def failed(self, account: str, update: str, reason: str) -> int:
        """Record that an event could not be read; return how often so far, `sys.maxsize` if it was given up."""
        at = self._clock.now().isoformat()

        def count(db: Database) -> int:
            sql = """INSERT INTO quarantine (account, update_id, count, reason, at) VALUES (?, ?, 1, ?, ?)
                     ON CONFLICT (account, update_id) DO UPDATE SET
                     count = quarantine.count + CASE WHEN quarantine.is_over THEN 0 ELSE 1 END
                     RETURNING count, is_over"""
            ((tries, is_over),) = db.execute(sql, (account, update, reason[:MAX_REASON_CHARS], at)).fetchall()
            return maxsize if is_over else int(tries)

        return await self._writer.write(count)

    async def taken(self, account: str, update: str) -> None:
        """Record that an event could be read after all."""
        sql = "DELETE FROM quarantine WHERE account = ? AND update_id = ? AND NOT is_over"
        await self._writer.write(lambda db: db.execute(sql, (account, update)).close(), flush=False)

    async def set_aside(self, account: str, update: str, reason: str, *, kept: str, is_counted_only: bool) -> bool:
        """Give up an event: from now on it counts as seen; return False if it already did.

        Args:
            kept: the file that holds it; empty if none does.
            is_counted_only: record nothing but the count.
        """
        at = self._clock.now().isoformat()

        def end(db: Database) -> bool:
            sql = "DELETE FROM quarantine WHERE account = ? AND update_id = ? AND NOT is_over"
            db.execute(sql, (account, update))
            if not mark_seen(db, account, update, at=at):
                return False
            name = "" if is_counted_only else update
            sql = """INSERT INTO quarantine (account, update_id, count, reason, kept, at, is_over)
                     VALUES (?, ?, 1, ?, ?, ?, TRUE)
                     ON CONFLICT (account, update_id) DO UPDATE SET
                     count = quarantine.count + 1, reason = excluded.reason, at = excluded.at"""
            db.execute(sql, (account, name, reason[:MAX_REASON_CHARS], kept, at))
            return True

        return await self._writer.write(end)


async def list_quarantined(reader: StatementReader) -> tuple[QuarantinedEvent, ...]:
    """Return the events that were given up, the oldest first; nothing from a state of an older version."""
    if not await reader.has("quarantine"):
        return ()
    sql = "SELECT account, update_id, count, reason, kept, at FROM quarantine WHERE is_over ORDER BY at"
    return tuple(
        QuarantinedEvent(account, update, count, reason, kept, datetime.fromisoformat(at))
        for account, update, count, reason, kept, at in await reader.rows(sql)
    )
