"""What the operations of every SQL engine share: the connection that they are given, and how messages are put in.

The SQL is written once, for SQLite and PostgreSQL. `bot.postgresql.translation` tells what it may use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter

from adapters.port import Address, Outbound
from bot.storage.port import Envelope, Grant, Notice

ENVELOPES = TypeAdapter(Envelope)
INPUTS = TypeAdapter(tuple[Envelope, ...])
OUTBOUNDS = TypeAdapter(Outbound)
ADDRESSES = TypeAdapter(Address)
"""Read and write the bodies of messages, of all that came in a turn, of parts, and addresses, which are JSON."""

PUT_MARK = """INSERT INTO mark (account, name, value) VALUES (?, ?, ?)
              ON CONFLICT (account, name) DO UPDATE SET value = excluded.value"""
"""Keeps a short text by its name, in the place of an earlier one."""

T = TypeVar("T")


class Rows(Protocol):
    """What a statement gives back."""

    @property
    def rowcount(self) -> int:
        """How many rows it has changed."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...

    def close(self) -> object:
        """Drop the rest."""


class Database(Protocol):
    """A connection within a transaction, as Python's `sqlite3` has it."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Rows:
        """Carry out a statement."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Rows:
        """Carry out a statement for each row of parameters."""


Operation = Callable[[Database], T]
"""Statements that belong together. Those of a transaction may run again if it fails for reasons of the engine's."""


class StatementReader(Protocol):
    """Reads. Every read sees all that was committed before it."""

    async def rows(self, sql: str, *parameters: str | int) -> list[Any]:
        """Return the rows of a query; raises `StateError`."""

    async def few_rows(self, sql: str, *parameters: str | int) -> list[Any]:
        """Return the rows of a query that an index answers with a few short ones: a thread may take longer for that."""

    async def has(self, table: str) -> bool:
        """Return whether there is a table; one of an older version may lack some."""


class SharedState(Protocol):
    """A database that other machines use, too."""

    def reading(self) -> AbstractAsyncContextManager[StatementReader]:
        """Connect for reading; raises `StateError`."""


State = Path | SharedState
"""Where the state is: in the file of a home, or elsewhere."""


class StatementWriter(Protocol):
    """Writes. An operation that was begun is finished even if its caller is cancelled."""

    @property
    def stalled(self) -> str:
        """Why nothing can be written at the moment; empty if it can."""

    async def write(
        self,
        operation: Operation[T],
        *,
        flush: bool = True,
        is_urgent: bool = True,
        then: Callable[[], None] = lambda: None,
        lane: str = "",
    ) -> T:
        """Carry out an operation and wait until it is committed.

        Args:
            lane: operations of one lane are carried out in the order of the calls; an agent's are in its own.
            flush: wait for the disk too. Without it the change survives a kill of the process, but a power cut may
                take it back, together with everything that was written after it.
            is_urgent: begin at once. Otherwise some hundredths of a second may pass until another write takes it along.
            then: called when it is committed, even if the caller has been cancelled meanwhile.

        Raises:
            StateError: the engine cannot write; nothing of the operation was kept.
            Unstorable: the engine refuses a value; nothing of the operation was kept.
        """

    async def execute_later(self, sql: str, rows: Sequence[Sequence[str | int]]) -> None:
        """Have a statement carried out for each row, without waiting: with what is written next, or shortly after.

        A failure is logged; a kill of the process right after the call may take it back.
        """

    async def settle(self) -> None:
        """Wait until what was to be carried out later has been."""

    async def scrub(self, *, compact: bool) -> bool:
        """Clear what was rewritten or removed from the engine's files; return False if that has to wait.

        With `compact`, also what older versions left there.
        """


class StatementStore:
    """What is kept with a writer, and read with a reader."""

    def __init__(self, writer: StatementWriter, reader: StatementReader) -> None:
        self._writer = writer
        self._reader = reader


async def execute(
    writer: StatementWriter, sql: str, *parameters: str | int, flush: bool = True, lane: str = ""
) -> None:
    """Carry out one statement; otherwise as `StatementWriter.write`."""
    await writer.write(lambda db: db.execute(sql, parameters).close(), flush=flush, lane=lane)


def mark_seen(db: Database, account: str, update: str, *, at: str) -> bool:
    """Note an update as seen; return False if it was already."""
    sql = "INSERT INTO seen (account, update_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    return db.execute(sql, (account, update, at)).rowcount == 1


def next_seq(db: Database, agent: str) -> int:
    """Take a sequence number of an agent, whoever holds it."""
    sql = """INSERT INTO agent (agent, next_seq) VALUES (?, 2)
             ON CONFLICT (agent) DO UPDATE SET next_seq = agent.next_seq + 1 RETURNING next_seq - 1"""
    ((seq,),) = db.execute(sql, (agent,)).fetchall()
    return int(seq)


def insert_message(db: Database, envelope: Envelope, *, body: str, at: str) -> bool:
    """Put a message into its agent's inbox, as its `body` is stored; return False if its update was accepted before."""
    is_new = mark_seen(db, envelope.inbound.address.account, envelope.inbound.update, at=at)
    if is_new:
        sql = "INSERT INTO inbox (agent, seq, session, at, body) VALUES (?, ?, ?, ?, ?)"
        db.execute(sql, (envelope.agent, next_seq(db, envelope.agent), str(envelope.session), at, body))
    return is_new


def take_seqs(db: Database, grant: Grant, count: int) -> int:
    """Check that the grant still holds, and take `count` sequence numbers; return the first of them."""
    if grant.lease:
        # Nobody may have worked for the agent yet.
        sql = """INSERT INTO agent (agent, next_seq) SELECT ?, 1 + ? FROM lease WHERE name = ? AND epoch = ? FOR SHARE
                 ON CONFLICT (agent) DO UPDATE SET next_seq = agent.next_seq + ? RETURNING next_seq"""
        rows = db.execute(sql, (grant.agent, count, grant.lease, grant.epoch, count)).fetchall()
    else:
        sql = "UPDATE agent SET next_seq = next_seq + ? WHERE agent = ? AND epoch = ? RETURNING next_seq"
        rows = db.execute(sql, (count, grant.agent, grant.epoch)).fetchall()
    if not rows:
        raise grant.fenced()
    return int(rows[0][0]) - count


def insert_parts(
    db: Database,
    agent: str,
    parts: Sequence[tuple[str, str, str]],
    *,
    first: int,
    at: str,
    session: str = "",
    is_foreign: bool = True,
) -> None:
    """Put rows of `part_row` into the outbox, from the number `first` on; `session` is what they answer in."""
    sql = """INSERT INTO outbox (agent, at, session, is_foreign, seq, id, account, body)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
    rows = [(agent, at, session, is_foreign, seq, *part) for seq, part in enumerate(parts, start=first)]
    db.executemany(sql, rows)


def insert_notice(db: Database, notice: Notice, *, at: str) -> bool:
    """Put a message that answers no turn into the outbox; return False if its update was accepted before."""
    is_new = mark_seen(db, notice.out.to.account, notice.update, at=at)
    if is_new:
        insert_parts(db, notice.agent, [part_row(notice.out)], first=next_seq(db, notice.agent), at=at)
    return is_new


def part_row(out: Outbound) -> tuple[str, str, str]:
    """Return what `insert_parts` takes of a part: its id, the account, the body."""
    return out.id, out.to.account, OUTBOUNDS.dump_json(out).decode()
