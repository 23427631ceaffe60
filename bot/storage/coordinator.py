"""The coordinator, in SQL: what SQLite and PostgreSQL do alike."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Literal, TypeVar

import structlog

from adapters.port import Address, Outbound, Receipt
from bot.errors import StateError
from bot.storage.keys import SessionKey, chat_key
from bot.storage.port import (
    Among,
    Effects,
    Envelope,
    Grant,
    Job,
    Notice,
    OutboxPart,
    PartState,
    Plan,
    QueuedMessage,
    Rewrite,
    Session,
    ToolEffect,
    everywhere,
)
from bot.storage.statements import (
    ENVELOPES,
    OUTBOUNDS,
    Database,
    Operation,
    StatementReader,
    StatementWriter,
    execute,
    insert_message,
    insert_notice,
    insert_parts,
    part_row,
    take_seqs,
)
from bot.storage.tables import redaction
from bot.storage.tables.adapter_state import SqlAdapterState
from bot.storage.tables.dead_letters import DeadLetters, SqlQuarantine
from bot.storage.tables.erasure import Erasure
from bot.storage.tables.jobs import decode_jobs, fire_due_jobs, job_row, put_jobs, sortable
from bot.storage.tables.people import AccessStore, Ratings, SqlCounts
from bot.storage.tables.transcripts import TranscriptReader
from bot.storage.tables.usage import SqlUsage
from bot.texts.catalogue import tr
from bot.waiting import Notifier
from memory import Clock

PAGE = 200
"""Messages or parts read at a time."""

EVERY_AGENT = ""
"""Stands for all of them."""

UNREADABLE = "it cannot be read: it is damaged, or a newer version wrote it"

T = TypeVar("T")
Table = Literal["inbox", "outbox"]

NEXT: dict[Table, str] = {
    "inbox": """SELECT seq, turn, attempts, deaths, body FROM inbox
                WHERE agent = ? AND seq > ? AND state = 'waiting' ORDER BY seq LIMIT ?""",
    "outbox": """SELECT outbox.seq, outbox.account, outbox.state, outbox.body, placed.message
                 FROM outbox LEFT JOIN placed ON placed.agent = outbox.agent AND placed.id = outbox.id
                 WHERE outbox.agent = ? AND outbox.seq > ? AND outbox.state IN ('queued', 'sending')
                 ORDER BY outbox.seq LIMIT ?""",
}
"""The messages that wait and the parts that are owed, as `_queued_message` and `_outbox_part` take them."""

SET_ASIDE: dict[Table, str] = {
    "inbox": "UPDATE inbox SET state = 'dead', reason = ? WHERE agent = ? AND seq = ?",
    "outbox": "UPDATE outbox SET state = 'dead', note = ? WHERE agent = ? AND seq = ?",
}


CHARGE = "UPDATE inbox SET deaths = deaths + 1 WHERE agent = ? AND turn = ? AND is_under_way"
"""Charges a turn with the end of the process that had it under way."""

TAKE_OVER = """INSERT INTO agent (agent, owner, epoch) VALUES (?, ?, 1)
               ON CONFLICT (agent) DO UPDATE SET owner = excluded.owner, epoch = agent.epoch + 1,
                 crashes = CASE WHEN ? THEN agent.crashes + 1 ELSE 0 END
               RETURNING agent, epoch, next_seq, crashes"""
"""Makes a process the holder of an agent, given whether the one before has crashed; returns a grant."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Coordinator(TranscriptReader):
    """Stores everything that must survive a crash, over connections that somebody else has opened.

    A method that changes something returns when it is on disk. Every method that takes a grant and changes something
    touches the agent's row first, which checks the epoch under that row's lock, and raises `Fenced` when the agent has
    been claimed since. Any method raises `StateError` when the storage fails.

    Attributes:
        register: who has access, in the same file.
        marks: what adapters keep.
        counts: what people have asked.
    """

    def __init__(
        self,
        writer: StatementWriter,
        reader: StatementReader,
        *,
        register: AccessStore,
        clock: Clock,
        ended: Callable[[SessionKey], None],
    ) -> None:
        super().__init__(reader)

        def revived(agent: str) -> None:
            self._arrived[agent].notify()
            self._answered[agent].notify()

        self.register = register
        self.marks = SqlAdapterState(writer, reader)
        self.usage = SqlUsage(writer, reader)
        self.counts = SqlCounts(writer, reader)
        self.ratings = Ratings(writer, reader)
        self.dead_letters = DeadLetters(writer, reader, revived=revived)
        self.quarantine = SqlQuarantine(writer, clock=clock)
        self.erasure = Erasure(writer, erased=partial(self._rewritten, EVERY_AGENT))
        self._writer = writer
        self._clock = clock
        self._ended = ended
        self._rewrites: Counter[str] = Counter()
        self._arrived: defaultdict[str, Notifier] = defaultdict(Notifier)
        self._answered: defaultdict[str, Notifier] = defaultdict(Notifier)
        self._moved: defaultdict[str, Notifier] = defaultdict(Notifier)
        self._ends: dict[tuple[str, str], tuple[int, asyncio.Event]] = {}  # the last `seq`, until that happens

    async def touch(self) -> None:
        """Write nothing, to see whether it could be done; raises `StateError`."""
        if self.stalled:
            raise StateError(tr("The state file takes nothing: {reason}.", reason=self.stalled))
        await execute(self._writer, "UPDATE agent SET epoch = epoch WHERE FALSE", flush=False)

    @property
    def stalled(self) -> str:
        """Why the disk cannot be written at the moment; empty if it can."""
        return self._writer.stalled

    async def publish(self, envelope: Envelope) -> bool:
        """Accept a message, on the disk when this returns: only then may an adapter acknowledge it to the platform.

        Returns:
            False if this update of this account has been accepted before.
        """
        insert = partial(insert_message, envelope=envelope, body=ENVELOPES.dump_json(envelope).decode(), at=self._now())
        return await self._writer.write(insert, then=self._arrived[envelope.agent].notify, lane=envelope.agent)

    async def knows(self, chat: Address) -> bool:
        """Return whether any message of a chat, in whichever of its threads, has ever been accepted."""
        sql = """WITH said AS (SELECT agent, 'agent:' || agent || ':' || ?1 AS key FROM agent)
                 SELECT 1 FROM said WHERE
                   EXISTS (SELECT 1 FROM transcript AS t WHERE t.agent = said.agent AND t.session = key)
                   OR EXISTS (SELECT 1 FROM transcript AS t
                              WHERE t.agent = said.agent AND t.session > key || ':' AND t.session < key || ';')
                   OR EXISTS (SELECT 1 FROM inbox AS i WHERE i.agent = said.agent
                              AND (i.session = key OR i.session > key || ':' AND i.session < key || ';'))"""
        return bool(await self._reader.rows(sql, chat_key(chat)))

    async def tell(self, agent: str, out: Outbound, *, update: str) -> bool:
        """Queue a message that answers no turn in an agent's outbox; return False if the update was accepted before."""
        insert = partial(insert_notice, notice=Notice(agent, out, update), at=self._now())
        return await self._writer.write(insert, then=self._answered[agent].notify, lane=agent)

    async def find_notice(self, id: str) -> tuple[str, Outbound] | None:
        """Return what `tell` has queued under an outbox id, and in which agent's outbox; None if nothing."""
        rows = await self._reader.rows("SELECT agent, body FROM outbox WHERE id = ? AND session = ''", id)
        return (str(rows[0][0]), OUTBOUNDS.validate_json(rows[0][1])) if rows else None

    async def claim(self, owner: str, agents: Sequence[str]) -> tuple[Grant, ...]:
        """Take over the agents; earlier holders can change nothing from now on.

        If one of them has not given its agent back, it has crashed, and a turn that was the only one under way is
        charged with that (`QueuedMessage.deaths`): of several, none can be told to be the cause. Whoever held other
        agents is gone, too, so what they left counts as no crash when those are claimed again.
        """
        names = json.dumps(list(agents))
        crashed = "SELECT 1 FROM agent WHERE owner != '' AND agent IN (SELECT value FROM json_each(?))"
        under_way = """SELECT DISTINCT agent, turn FROM inbox
                       WHERE is_under_way AND state = 'waiting' AND agent IN (SELECT value FROM json_each(?))"""
        end = "UPDATE inbox SET is_under_way = FALSE WHERE is_under_way"
        # that an agent crashed says nothing any more when it is configured again
        forget = "UPDATE agent SET owner = '' WHERE owner != '' AND agent NOT IN (SELECT value FROM json_each(?))"

        def take(db: Database) -> tuple[Grant, ...]:
            has_crashed = bool(db.execute(crashed, (names,)).fetchall())
            turns = db.execute(under_way, (names,)).fetchall()
            if has_crashed and len(turns) == 1:
                db.execute(CHARGE, turns[0])
            db.execute(end)
            db.execute(forget, (names,))
            rows = [row for agent in agents for row in db.execute(TAKE_OVER, (agent, owner, has_crashed)).fetchall()]
            return tuple(Grant(*row) for row in rows)

        return await self._writer.write(take)

    async def release(self, grant: Grant) -> None:
        """Give an agent back, so that a clean end differs from a crash; without effect if it was claimed since."""
        sql = "UPDATE agent SET owner = '' WHERE agent = ? AND epoch = ?"
        await execute(self._writer, sql, grant.agent, grant.epoch)

    async def record_survival(self, grant: Grant) -> None:
        """Record that this holder has lived for long: the crashes before it are no series any more."""
        await self._change(grant, "UPDATE agent SET crashes = 0 WHERE agent = ?", [(grant.agent,)])

    async def pending(self, grant: Grant, *, after: int) -> tuple[QueuedMessage, ...]:
        """Return the next waiting messages with a `seq` above `after`, in order; wait until there is one."""
        return tuple(await self._next("inbox", grant, after, _queued_message))

    async def unfinished(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the turns of all messages that wait or were given up, and the paths of files that are still owed."""
        turns, files = set[str](), set[str]()
        for (body,) in await self._reader.rows("SELECT body FROM inbox"):  # first: what ends meanwhile is owed then
            with suppress(ValueError):
                turns.add(ENVELOPES.validate_json(body).turn)
        for (body,) in await self._reader.rows("SELECT body FROM outbox WHERE state IN ('queued', 'sending')"):
            with suppress(ValueError):
                files.update(OUTBOUNDS.validate_json(body).files)
        return frozenset(turns), frozenset(files)

    async def begin(self, grant: Grant, messages: Sequence[int], *, attempt: int) -> None:
        """Record that a turn over these messages starts for the `attempt`-th time, and that they belong together.

        Survives the end of the process. A power cut may take it back, together with everything recorded after it.
        """
        sql = "UPDATE inbox SET turn = ?, attempts = ?, is_under_way = TRUE WHERE agent = ? AND seq = ?"
        await self._change(grant, sql, [(messages[0], attempt, grant.agent, seq) for seq in messages], flush=False)

    async def effect(self, grant: Grant, effect: ToolEffect) -> None:
        """Record what a tool call is about to do, or has done."""
        sql = """INSERT INTO effect (agent, turn, number, call, result) VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT (agent, turn, number) DO UPDATE SET call = excluded.call, result = excluded.result"""
        row = (grant.agent, effect.turn, effect.number, effect.call, effect.result)

        def note(db: Database) -> None:
            db.execute(sql, row)
            self._keep_files(db, grant)

        await self._write(grant, note)

    async def effects(self, grant: Grant, turn: str) -> tuple[ToolEffect, ...]:
        """Return what earlier attempts at a turn have recorded, in order."""
        sql = "SELECT number, call, result FROM effect WHERE agent = ? AND turn = ? ORDER BY number"
        return tuple(ToolEffect(turn, *row) for row in await self._reader.few_rows(sql, grant.agent, turn))

    async def commit(self, grant: Grant, effects: Effects) -> None:
        """End a turn: all of its effects, or none.

        The records of its tool calls are dropped, unless its messages are set aside: they may be tried again.
        """
        agent, session, at = grant.agent, str(effects.session), self._now()
        parts, jobs = [part_row(part) for part in effects.parts], [job_row(job) for job in effects.jobs]

        def end(db: Database) -> None:
            first = take_seqs(db, grant, len(effects.entries) + len(parts))
            self._keep_files(db, grant)
            if effects.set_aside:
                sql = "UPDATE inbox SET state = 'dead', reason = ? WHERE agent = ? AND seq = ? AND state = 'waiting'"
                done = db.executemany(sql, [(effects.set_aside, agent, seq) for seq in effects.messages])
            else:
                sql = "DELETE FROM inbox WHERE agent = ? AND seq = ? AND state = 'waiting'"
                done = db.executemany(sql, [(agent, seq) for seq in effects.messages])
            if done.rowcount != len(effects.messages):
                raise grant.fenced()
            sql = "INSERT INTO transcript (agent, session, seq, kind, turn, at, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
            entries = [
                (agent, session, seq, entry.kind.value, entry.turn, entry.at.isoformat(), entry.body)
                for seq, entry in enumerate(effects.entries, start=first)
            ]
            db.executemany(sql, entries)
            insert_parts(
                db, agent, parts, first=first + len(entries), at=at, session=session, is_foreign=effects.is_foreign
            )
            if not effects.set_aside:
                db.execute("DELETE FROM effect WHERE agent = ? AND turn = ?", (agent, effects.turn))
            put_jobs(db, agent, jobs)
            for notice in effects.notices:
                insert_notice(db, notice, at=at)

        def notify() -> None:
            for name in {agent, *(notice.agent for notice in effects.notices)}:
                self._answered[name].notify()
            self._moved[agent].notify()
            self._ended(effects.session)

        await self._writer.write(end, then=notify, lane=agent)

    async def outgoing(self, grant: Grant, accounts: Collection[str], *, after: int) -> tuple[OutboxPart, ...]:
        """Return the next parts owed through these accounts with a `seq` above `after`, in order; wait for one."""
        while True:
            parts = await self._next("outbox", grant, after, _outbox_part)
            if found := tuple(part for part in parts if part.out.to.account in accounts):
                return found
            after = parts[-1].seq

    async def owes(self, grant: Grant, to: Address) -> bool:
        """Return whether a part for this thread of this chat is owed."""
        # of all that an agent owes, what has the chat's id in it is read
        sql = """SELECT body FROM outbox
                 WHERE agent = ? AND account = ? AND instr(body, ?) > 0 AND state IN ('queued', 'sending') LIMIT ?"""
        chat = to.chat if to.chat.isascii() and to.chat.isalnum() else ""  # else JSON may write it in several ways
        rows = await self._reader.few_rows(sql, grant.agent, to.account, chat, PAGE)
        for (body,) in rows:
            with suppress(ValueError):  # a part that cannot be read is set aside by `outgoing`
                other = OUTBOUNDS.validate_json(body).to
                if (other.chat, other.thread) == (to.chat, to.thread):
                    return True
        return len(rows) == PAGE

    async def wait_delivered(self, grant: Grant, to: Address) -> None:
        """Wait until no part for this thread of this chat is owed any more."""
        movement = self._moved[grant.agent].subscribe()
        while await self.owes(grant, to):
            await movement.wait()
            movement = self._moved[grant.agent].subscribe()

    async def record_placeholder(self, grant: Grant, id: str, receipt: Receipt, *, is_urgent: bool = True) -> None:
        """Record the placeholder of the part with this outbox id, which may not be owed yet; a later one counts.

        It is on the disk when this returns; without urgency, another write may take it along some hundredths of a
        second later.
        """
        sql = """INSERT INTO placed (agent, id, message) VALUES (?, ?, ?)
                 ON CONFLICT (agent, id) DO UPDATE SET message = excluded.message"""
        await self._change(grant, sql, [(grant.agent, id, receipt.message)], is_urgent=is_urgent)

    async def receipts(self, agent: str, ids: Collection[str], *, after: int) -> tuple[Receipt | None, ...]:
        """Return those of the parts with these outbox ids and a `seq` above `after`; None for one not delivered."""
        sql = """SELECT CASE state WHEN 'delivered' THEN note ELSE '' END FROM outbox
                 WHERE agent = ? AND seq > ? AND id IN (SELECT value FROM json_each(?))"""
        rows = await self._reader.few_rows(sql, agent, after, json.dumps(list(ids)))
        return tuple(Receipt(message) if message else None for (message,) in rows)

    async def schedule(self, grant: Grant, job: Job) -> None:
        """Put a job in the place of the agent's job of the same name, if there is one."""
        row = job_row(job)
        await self._write(grant, lambda db: put_jobs(db, grant.agent, [row]))

    async def cancel(self, grant: Grant, name: str) -> bool:
        """Drop a job; return False if the agent has none of that name."""
        sql = "DELETE FROM job WHERE agent = ? AND name = ?"
        return await self._write(grant, lambda db: db.execute(sql, (grant.agent, name)).rowcount > 0)

    async def jobs(self, agent: str) -> tuple[Job, ...]:
        """Return an agent's jobs, the one that is due next first."""
        sql = "SELECT name, body FROM job WHERE agent = ? AND is_readable ORDER BY due, name"
        jobs, _ = decode_jobs(await self._reader.rows(sql, agent))
        return tuple(jobs)

    async def fire_due(self, grant: Grant, now: datetime, plan: Plan) -> tuple[Job, ...]:
        """Publish the messages of all jobs that are due, and note when each is due again, at once; return these jobs.

        A job's instant is fired once, whatever ends the process: its message is on the disk if and only if the job has
        moved on. They are returned as they were, in the order of their instants.
        """
        sql = "SELECT 1 FROM job WHERE agent = ? AND due <= ? AND is_readable LIMIT 1"
        if not await self._reader.few_rows(sql, grant.agent, sortable(now)):
            return ()  # asked every few seconds, and a write wakes the disk

        fired = await self._write(
            grant, lambda db: fire_due_jobs(db, grant.agent, now, plan), then=self._arrived[grant.agent].notify
        )
        return tuple(fired)

    async def wait_settled(self, grant: Grant, accounts: Collection[str]) -> None:
        """Wait until no message of the agent waits and no part is owed through these bot accounts."""
        waiting = "SELECT 1 FROM inbox WHERE agent = ? AND state = 'waiting' LIMIT 1"
        owed = "SELECT DISTINCT account FROM outbox WHERE agent = ? AND state IN ('queued', 'sending')"
        while True:
            movement = self._moved[grant.agent].subscribe()
            if not await self._reader.few_rows(waiting, grant.agent):
                rows = await self._reader.few_rows(owed, grant.agent)
                if not any(account in accounts for (account,) in rows):
                    return
            await movement.wait()

    async def is_own_answer(self, session: SessionKey, message: str) -> bool:
        """Return whether a message is an answer of this conversation without other people's words.

        The message is named by its platform's id, and counts if it was delivered since the last reset. False if
        anything about it is not known.
        """
        # An edit puts one part in the place of another, so that a message can have held several.
        sql = """SELECT is_foreign FROM outbox
                 WHERE agent = ? AND session = ? AND note = ? AND seq > ? AND state = 'delivered'"""
        rows = await self._reader.few_rows(sql, session.agent, str(session), message, await self.last_reset(session))
        return bool(rows) and not any(is_foreign for (is_foreign,) in rows)

    def rewrites(self, agent: str) -> int | None:
        """Return how often entries of an agent were rewritten or removed, so far; None if others may do that, too.

        As long as it stays the same, what was read of a transcript stands: entries are added behind it only.
        """
        return self._rewrites[agent] + self._rewrites[EVERY_AGENT]

    async def remove_sessions(self, agent: str, sessions: Sequence[Session]) -> None:
        """Remove the entries of an agent's sessions, as far as their summaries go; what was said since stays."""
        sql = "DELETE FROM transcript WHERE agent = ? AND session = ? AND seq BETWEEN ? AND ?"
        rows = [(agent, session.key, session.first, session.last) for session in sessions]
        await self._writer.write(lambda db: db.executemany(sql, rows).close(), then=partial(self._rewritten, agent))

    async def expire(self, agent: str, *, delivered: datetime, seen: datetime) -> int:
        """Remove parts that were delivered, and ids of updates that were seen, before an instant; how many.

        It is done little by little, so that no message waits long for the writer.
        """
        outbox = """DELETE FROM outbox WHERE agent = ?1 AND seq IN (
                      SELECT seq FROM outbox WHERE agent = ?1 AND state = 'delivered' AND at < ?2 LIMIT ?3)"""
        updates = """DELETE FROM seen WHERE (account, update_id) IN (
                       SELECT account, update_id FROM seen WHERE at < ?1 LIMIT ?2)"""

        def remove(sql: str, values: Sequence[str], db: Database) -> int:
            return db.execute(sql, (*values, PAGE)).rowcount

        count = 0
        for sql, values in ((outbox, (agent, delivered.isoformat())), (updates, (seen.isoformat(),))):
            removed = PAGE
            while removed == PAGE:
                removed = await self._writer.write(partial(remove, sql, values))
                count += removed
        return count

    async def redact(self, agent: str, rewrite: Rewrite, *, among: Among = everywhere, compact: bool = False) -> int:
        """Rewrite the texts in everything that is stored of these conversations of an agent, at once.

        That is transcripts, messages that a turn has begun with or that are set aside, what was said in groups before
        messages, parts of replies whether they have arrived or not, and results of tools. Messages that only wait are
        still to be answered, and stay. Entries keep their places; ids, addresses and instants stay. Nothing is left of
        the texts in the engine's files, unless a reader elsewhere holds on to an older state; `compact` clears more.
        Return how many messages and answers of the transcripts changed.
        """
        notify = partial(self._rewritten, agent)
        count = await self._writer.write(lambda db: redaction.redact_agent(db, agent, rewrite, among), then=notify)
        if not await self._writer.scrub(compact=compact):
            log.warning(
                "state.remains", hint="Another process reads the state file; what was masked goes with its end."
            )
        return count

    async def move(self, grant: Grant, part: int, state: PartState, *, note: str = "") -> None:
        """Record that bytes of this part may leave from now on (`SENDING`), that none did (`QUEUED`), or its end.

        It is `DELIVERED` with the platform's message id as the note, which a power cut may take back, as with `begin`;
        or given up (`DEAD`), with the reason.
        """

        def change(db: Database) -> None:
            sql = "UPDATE outbox SET state = ?, note = ? WHERE agent = ? AND seq = ?"
            db.execute(sql, (state.value, note, grant.agent, part))
            if state in {PartState.DELIVERED, PartState.DEAD}:
                sql = "DELETE FROM placed WHERE agent = ? AND id = (SELECT id FROM outbox WHERE agent = ? AND seq = ?)"
                db.execute(sql, (grant.agent, grant.agent, part))

        is_waited_for = state is not PartState.DELIVERED
        notify = self._moved[grant.agent].notify
        await self._write(grant, change, flush=is_waited_for, is_urgent=is_waited_for, then=notify)

    def _keep_files(self, db: Database, grant: Grant) -> None:
        """Keep the files that a turn or a tool has changed, in the same transaction, where the storage has them."""

    def _rewritten(self, agent: str) -> None:
        self._rewrites[agent] += 1

    async def _next(self, table: Table, grant: Grant, after: int, decode: Callable[[Sequence[Any]], T]) -> list[T]:
        """Return the next rows above a `seq`; wait for one, without a read if the last one has found the end there.

        Rows that cannot be read are set aside, so that those after them are served.
        """
        changes = self._arrived if table == "inbox" else self._answered
        values = list[T]()
        while not values:
            unreadable = list[int]()
            end, change = self._ends.get((table, grant.agent), (0, None))
            if change and end == after:
                await change.wait()
            change = changes[grant.agent].subscribe()
            rows = await self._reader.few_rows(NEXT[table], grant.agent, after, PAGE)
            after = rows[-1][0] if rows else after
            if len(rows) < PAGE:
                self._ends[table, grant.agent] = (after, change)
            for row in rows:
                try:
                    values.append(decode(row))
                except ValueError:
                    unreadable.append(row[0])
            if unreadable:
                see = "scrubjay sessions dead list"
                log.error("state.unreadable", agent=grant.agent, table=table, seqs=unreadable, see=see)
                dead = [(UNREADABLE, grant.agent, seq) for seq in unreadable]
                await self._change(grant, SET_ASIDE[table], dead)
                self._moved[grant.agent].notify()
        return values

    async def _change(
        self,
        grant: Grant,
        sql: str,
        rows: Sequence[tuple[str | int | None, ...]],
        *,
        flush: bool = True,
        is_urgent: bool = True,
    ) -> None:
        """Carry out a statement for each of the rows, if the grant still holds."""
        await self._write(grant, lambda db: db.executemany(sql, rows).close(), flush=flush, is_urgent=is_urgent)

    async def _write(
        self,
        grant: Grant,
        operation: Operation[T],
        *,
        flush: bool = True,
        is_urgent: bool = True,
        then: Callable[[], None] = lambda: None,
    ) -> T:
        """Carry out an operation as `StatementWriter.write` does, if the grant still holds."""

        def checked(db: Database) -> T:
            take_seqs(db, grant, 0)
            return operation(db)

        return await self._writer.write(checked, flush=flush, is_urgent=is_urgent, then=then, lane=grant.agent)

    def _now(self) -> str:
        return self._clock.now().isoformat()


def _queued_message(row: Sequence[Any]) -> QueuedMessage:
    seq, turn, attempts, deaths, body = row
    return QueuedMessage(seq, ENVELOPES.validate_json(body), turn, attempts, deaths)


def _outbox_part(row: Sequence[Any]) -> OutboxPart:
    seq, _, state, body, message = row
    placed = Receipt(message) if message else None
    return OutboxPart(seq, PartState(state), OUTBOUNDS.validate_json(body), placed)
