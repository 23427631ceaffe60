"""The coordinator on SQLite."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import Literal, Self, TypeVar

import aiosqlite
import structlog
from pydantic import TypeAdapter

from adapters.port import Address, Outbound, Receipt
from bot.errors import StateError
from bot.llm.usage import TokenTotals
from bot.storage import redaction, statements
from bot.storage.database import Durability, Writer, failures, read_only, read_write
from bot.storage.dead_letters import DeadLetters, SqliteQuarantine
from bot.storage.keys import SessionKey
from bot.storage.people import AccessStore, SqliteAccessWriter, SqliteAdapterState, read_rows
from bot.storage.port import (
    Among,
    Count,
    Earlier,
    Effects,
    EntryKind,
    Envelope,
    Grant,
    OutboxPart,
    PartState,
    QueuedMessage,
    Recorded,
    Session,
    Span,
    ToolEffect,
    TranscriptEntry,
    everywhere,
)
from bot.storage.texts import Rewrite
from bot.storage.transcripts import Archive, Reader
from memory import Clock


class SqliteTokenTotals:
    """`bot.llm.usage.TokenTotalsStore`."""

    def __init__(self, writer: Writer, reader: Reader) -> None:
        self._writer = writer
        self._reader = reader

    async def load(self, agent: str, day: date) -> TokenTotals:
        rows = await self._reader.usage(agent, day.isoformat())
        return TokenTotals(day, *rows[0]) if rows else TokenTotals(day)

    async def save(self, agent: str, tally: TokenTotals) -> None:
        counts = (tally.answers, tally.prompt, tally.cached, tally.completion, tally.unreported)

        async def put(db: aiosqlite.Connection) -> None:
            sql = """INSERT OR REPLACE INTO usage (agent, day, answers, prompt, cached, completion, unreported)
                     VALUES (?, ?, ?, ?, ?, ?, ?)"""
            await db.execute(sql, (agent, tally.day.isoformat(), *counts))

        await self._writer.write(put, flush=False)


class SqliteCounts:
    """`bot.access.limits.Counts`."""

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


class Notifier:
    """To miss nothing: take `listen()` first, look, and wait for what it gave only if there was nothing to see."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def listen(self) -> asyncio.Event:
        """The next ring."""
        return self._next

    def ring(self) -> None:
        """Wake all who listen."""
        self._next.set()
        self._next = asyncio.Event()


PAGE = 200
"""Messages or parts read at a time."""

UNREADABLE = "it cannot be read: it is damaged, or a newer version wrote it"

T = TypeVar("T")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class SqliteCoordinator:
    """`bot.storage.port.Coordinator` for one process.

    A lease does not run out here: the instance lock keeps other processes away, and should it fail, the one that
    claims later wins and the earlier one is fenced.

    Attributes:
        register: who was let in, in the same file.
        marks: what adapters have to know again.
        tallies: what models have taken.
        counts: what people have asked.
        dead_letters: what was given up.
        quarantine: events that could not be taken.
    """

    def __init__(
        self,
        writer: Writer,
        reader: Reader,
        *,
        register: AccessStore,
        clock: Clock,
        ended: Callable[[SessionKey], None],
    ) -> None:
        self.register = register
        self.marks = SqliteAdapterState(writer, reader)
        self.tallies = SqliteTokenTotals(writer, reader)
        self.counts = SqliteCounts(writer, reader)
        self.dead_letters = DeadLetters(writer, reader, revived=self._revived)
        self.quarantine = SqliteQuarantine(writer, clock=clock)
        self._writer = writer
        self._reader = reader
        self._archive = Archive(reader)
        self._clock = clock
        self._ended = ended
        self._envelopes = TypeAdapter(Envelope)
        self._outbounds = TypeAdapter(Outbound)
        self._arrived: defaultdict[str, Notifier] = defaultdict(Notifier)
        self._answered: defaultdict[str, Notifier] = defaultdict(Notifier)
        self._moved: defaultdict[str, Notifier] = defaultdict(Notifier)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        path: Path,
        *,
        clock: Clock,
        ended: Callable[[SessionKey], None] = lambda _: None,
        endurance: Durability | None = None,
    ) -> AsyncIterator[Self]:
        """Open or make the state file; leaving the block writes what was begun and closes it.

        Args:
            path: the file.
            clock: source of time.
            ended: called with its session when a turn's end is on disk.
            endurance: how to wait for a disk that is full or failing; without it, writing fails at once.

        Raises:
            StateError: it is not ours, of a newer schema, damaged, or its folder cannot be written.
        """
        async with read_write(path) as db, read_only(path) as reader, Writer(db, path, endurance) as writer:
            with failures(path, "Reading"):
                register = AccessStore(SqliteAccessWriter(writer), await read_rows(reader))
            yield cls(writer, Reader(reader, path), register=register, clock=clock, ended=ended)

    async def touch(self) -> None:
        """Write nothing, to see whether it could be done; raises `StateError`."""
        if self.stalled:
            raise StateError(f"The state file takes nothing: {self.stalled}.")

        async def nothing(db: aiosqlite.Connection) -> None:
            await db.execute("UPDATE agent SET epoch = epoch WHERE 0")

        await self._writer.write(nothing, flush=False)

    @property
    def stalled(self) -> str:
        """Why the disk takes nothing for the moment; empty if it does."""
        return self._writer.stalled

    async def publish(self, envelope: Envelope) -> bool:
        at = self._now()
        body = self._envelopes.dump_json(envelope).decode()

        async def insert(db: aiosqlite.Connection) -> bool:
            new = await statements.accept(db, envelope.inbound.address.account, envelope.inbound.update, at=at)
            if new:
                await statements.enqueue(db, envelope.agent, str(envelope.session), at=at, body=body)
            return new

        return await self._writer.write(insert, then=self._arrived[envelope.agent].ring)

    async def knows(self, chat: Address) -> bool:
        return await self._reader.knows(f"{chat.account}:{chat.kind.value}:{chat.lasting}")

    async def tell(self, agent: str, out: Outbound, *, update: str) -> bool:
        at, body = self._now(), self._outbounds.dump_json(out).decode()

        async def owe(db: aiosqlite.Connection) -> bool:
            new = await statements.accept(db, out.to.account, update, at=at)
            if new:
                part = (await statements.number(db, agent), out.id, out.to.account, body)
                await statements.owe(db, agent, [part], at=at)
            return new

        return await self._writer.write(owe, then=self._answered[agent].ring)

    async def claim(self, owner: str, agents: Sequence[str]) -> tuple[Grant, ...]:
        async def take(db: aiosqlite.Connection) -> tuple[Grant, ...]:
            return tuple([await statements.claim(db, agent, owner) for agent in agents])

        return await self._writer.write(take)

    async def release(self, grant: Grant) -> None:
        await self._writer.write(lambda db: statements.release(db, grant))

    async def pending(self, grant: Grant, *, after: int) -> tuple[QueuedMessage, ...]:
        while True:
            arrival = self._arrived[grant.agent].listen()
            rows = await self._reader.waiting(grant.agent, after=after, limit=PAGE)
            found = [_readable(self._message, row) for row in rows]
            await self._give_up(grant, "inbox", [row[0] for row, one in zip(rows, found, strict=True) if one is None])
            messages = tuple(one for one in found if one)
            if messages:
                return messages
            if rows:
                after = rows[-1][0]
            else:
                await arrival.wait()

    async def begin(self, grant: Grant, messages: Sequence[int], *, attempt: int) -> None:
        await self._writer.write(lambda db: statements.begin(db, grant, messages, attempt=attempt), flush=False)

    async def effect(self, grant: Grant, effect: ToolEffect) -> None:
        await self._writer.write(lambda db: statements.note_effect(db, grant, effect))

    async def effects(self, grant: Grant, turn: str) -> tuple[ToolEffect, ...]:
        return tuple(ToolEffect(turn, *row) for row in await self._reader.effects(grant.agent, turn))

    async def commit(self, grant: Grant, effects: Effects) -> None:
        at = self._now()
        parts = [(part.id, part.to.account, self._outbounds.dump_json(part).decode()) for part in effects.parts]

        async def end(db: aiosqlite.Connection) -> None:
            first = await statements.allocate(db, grant, len(effects.entries) + len(parts))
            entries = list(enumerate(effects.entries, start=first))
            owed = [(seq, *part) for seq, part in enumerate(parts, start=first + len(entries))]
            await statements.finish(db, grant, effects.messages, set_aside=effects.set_aside)
            await statements.write_down(db, grant.agent, str(effects.session), entries)
            session, is_foreign = str(effects.session), effects.is_foreign
            await statements.owe(db, grant.agent, owed, at=at, session=session, is_foreign=is_foreign)
            await statements.drop_effects(db, grant.agent, effects.turn)

        def ring() -> None:
            self._answered[grant.agent].ring()
            self._moved[grant.agent].ring()
            self._ended(effects.session)

        await self._writer.write(end, then=ring)

    async def outgoing(self, grant: Grant, accounts: Collection[str], *, after: int) -> tuple[OutboxPart, ...]:
        while True:
            answer = self._answered[grant.agent].listen()
            rows = await self._reader.owed(grant.agent, after=after, limit=PAGE)
            found = [_readable(self._part, row) for row in rows]
            await self._give_up(grant, "outbox", [row[0] for row, one in zip(rows, found, strict=True) if one is None])
            parts = tuple(one for one in found if one and one.out.to.account in accounts)
            if parts:
                return parts
            if rows:
                after = rows[-1][0]
            else:
                await answer.wait()

    async def delivered(self, grant: Grant, to: Address) -> None:
        while True:
            movement = self._moved[grant.agent].listen()
            rows = await self._reader.owed(grant.agent, after=0, limit=PAGE)
            parts = [_readable(self._part, row) for row in rows if row[1] == to.account]
            if len(rows) < PAGE and not any(part and part.out.to.chat == to.chat for part in parts):
                return
            await movement.wait()

    async def sending(self, grant: Grant, part: int) -> None:
        await self._move(grant, part, PartState.SENDING)

    async def requeue(self, grant: Grant, part: int) -> None:
        await self._move(grant, part, PartState.QUEUED)

    async def placed(self, grant: Grant, id: str, receipt: Receipt) -> None:
        await self._writer.write(lambda db: statements.place(db, grant, id, receipt.message))

    async def receipt(self, grant: Grant, part: int, receipt: Receipt) -> None:
        await self._move(grant, part, PartState.DELIVERED, note=receipt.message, flush=False)

    async def dead(self, grant: Grant, part: int, reason: str) -> None:
        await self._move(grant, part, PartState.DEAD, note=reason)

    async def settled(self, grant: Grant, accounts: Collection[str]) -> None:
        while True:
            movement = self._moved[grant.agent].listen()
            if await self._reader.is_settled(grant.agent, accounts):
                return
            await movement.wait()

    async def is_own_answer(self, session: SessionKey, message: str) -> bool:
        reset = await self._reader.last_reset(session.agent, str(session))
        said = await self._reader.answers(session.agent, str(session), message, after=reset)
        return bool(said) and not any(is_foreign for (is_foreign,) in said)

    async def last(self, session: SessionKey, kind: EntryKind, *, after: int = 0) -> TranscriptEntry | None:
        return await self._archive.last(session, kind, after=after)

    async def last_reset(self, session: SessionKey) -> int:
        return await self._archive.last_reset(session)

    async def transcript(
        self, agent: str, session: str, *, after: int = 0, limit: int | None = None
    ) -> tuple[Recorded, ...]:
        return await self._archive.transcript(agent, session, after=after, limit=limit)

    async def newest(
        self,
        session: SessionKey,
        *,
        after: int,
        before: int | None = None,
        limit: int,
        kinds: Collection[EntryKind] = tuple(EntryKind),
    ) -> tuple[Recorded, ...]:
        return await self._archive.newest(session, after=after, before=before, limit=limit, kinds=kinds)

    async def earlier(self, session: SessionKey, *, after: int, before: int) -> Earlier:
        return await self._archive.earlier(session, after=after, before=before)

    async def holds(self, session: SessionKey, turn: str, *, after: int) -> bool:
        return await self._archive.holds(session, turn, after=after)

    async def current(self, session: SessionKey) -> Session | None:
        return await self._archive.current(session)

    async def sessions(self, agent: str) -> tuple[Session, ...]:
        return await self._archive.sessions(agent)

    async def redact(self, agent: str, rewrite: Rewrite, *, among: Among = everywhere, compact: bool = False) -> int:
        count = await self._writer.write(lambda db: redaction.redact(db, agent, rewrite, among))
        if not await self._writer.write(partial(redaction.scrub, compact=compact), alone=True):
            log.warning(
                "state.remains", hint="Another process reads the state file; what was masked goes with its end."
            )
        return count

    async def _give_up(self, grant: Grant, table: Literal["inbox", "outbox"], seqs: Sequence[int]) -> None:
        """Set rows aside that cannot be read, so that those after them are served."""
        if seqs:
            log.error("state.unreadable", agent=grant.agent, table=table, seqs=seqs, see="scrubjay sessions dead list")
            await self._writer.write(lambda db: statements.give_up(db, grant, table, seqs, reason=UNREADABLE))
            self._moved[grant.agent].ring()

    def _revived(self, agent: str) -> None:
        self._arrived[agent].ring()
        self._answered[agent].ring()

    async def _move(self, grant: Grant, part: int, state: PartState, *, note: str = "", flush: bool = True) -> None:
        await self._writer.write(
            lambda db: statements.move(db, grant, part, state=state, note=note),
            flush=flush,
            then=self._moved[grant.agent].ring,
        )

    def _message(self, row: sqlite3.Row) -> QueuedMessage:
        seq, turn, attempts, body = row
        return QueuedMessage(seq, self._envelopes.validate_json(body), turn, attempts)

    def _part(self, row: sqlite3.Row) -> OutboxPart:
        seq, _, state, body, message = row
        placed = Receipt(message) if message else None
        return OutboxPart(seq, PartState(state), self._outbounds.validate_json(body), placed)

    def _now(self) -> str:
        return self._clock.now().isoformat()


def _readable(read: Callable[[sqlite3.Row], T], row: sqlite3.Row) -> T | None:
    """What a row holds; None if it was written by a newer version, or is damaged."""
    try:
        return read(row)
    except ValueError:
        return None
