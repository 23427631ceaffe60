"""Moves agents between a home and a database, one at a time and both ways, and compares what has arrived."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from adapters.support import first_error
from bot.errors import BotError, Locked, Refused
from bot.postgresql import schema
from bot.postgresql.connection import PostgresPool, PostgresStatements, public
from bot.postgresql.leases import RENEWALS, Lease, Leases
from bot.postgresql.workspaces import WorkspaceFiles, checkout, digest_of, files, note_copy, versions
from bot.storage.database import Reader, Writer, read_write
from bot.storage.port import Grant
from bot.storage.schema import migrate
from bot.storage.statements import PUT_MARK, Database, Operation, StatementReader, StatementWriter
from bot.storage.tables.adapter_state import SqlAdapterState
from bot.texts.catalogue import tr
from bot.waiting import Pause, pause

ROWS = 500
"""Read and written at a time."""

MOVED = "store.moved"
"""The account under whose marks each side keeps how an agent was there after its last move (`Store.kept`)."""


class Columns(NamedTuple):
    """The columns of a table, and those of its key, with which they begin."""

    all: tuple[str, ...]
    key: tuple[str, ...]


@cache
def tables() -> Mapping[str, Columns]:
    """Return the tables of the schema by name."""
    found = {}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db, Path(":memory:"))
        for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            columns = db.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)).fetchall()
            found[table] = Columns(tuple(name for name, _ in columns), tuple(name for name, place in columns if place))
    return found


def of_agent() -> Mapping[str, Columns]:
    """Return the tables of what is an agent's alone. Digests that were kept depend on the order."""
    return {table: tables()[table] for table in "inbox outbox placed transcript effect job usage rating".split()}


def of_all() -> Mapping[str, Columns]:
    """Return the tables of what is known before an agent is found; what the other side has already stays."""
    return {table: columns for table, columns in tables().items() if table not in {"agent", *of_agent()}}


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of an agent: its rows and files, and a digest of both that is the same on both sides.

    `is_new` is false if everything was there already.
    """

    agent: str
    rows: int
    files: int
    digest: str
    is_new: bool


class Digest(NamedTuple):
    """All that a side has of an agent: what tells it from anything else, with and without the files, and how many."""

    whole: str
    of_rows: str
    rows: int
    files: int


@dataclass(frozen=True, slots=True)
class Store:
    """One side of a move: the workspaces by agent if it is a home, leases where others may work for an agent, too."""

    place: str
    reader: StatementReader
    writer: StatementWriter
    folders: Mapping[str, Path] | None = None
    leases: Leases | None = None
    pause: Pause = pause

    @classmethod
    @asynccontextmanager
    async def at_home(cls, database: Path, folders: Mapping[str, Path]) -> AsyncIterator[Store]:
        """Open a home's state file and workspaces; its lock is held. Raises `StateError`."""
        async with read_write(database) as db, Reader.open(database) as reader, Writer(db, database) as writer:
            yield cls(str(database), reader, writer, folders)

    @classmethod
    @asynccontextmanager
    async def shared(cls, url: str, *, owner: str, pause: Pause = pause) -> AsyncIterator[Store]:
        """Open a database; raises `StateError`."""
        async with PostgresPool.open(url) as pool:
            await pool.run(lambda db: schema.migrate(db.raw))
            statements = PostgresStatements(pool)
            leases = Leases(statements, statements, owner=owner)
            yield cls(public(url), statements, statements, leases=leases, pause=pause)

    @asynccontextmanager
    async def holding(self, agent: str) -> AsyncIterator[Operation[None]]:
        """Keep others from working for an agent, however long it takes.

        Raises `Locked` if somebody does, and gives what raises it in a transaction: this process may have been frozen.
        """
        if self.leases is None:
            yield _nothing
            return
        leases = self.leases
        lease: Lease[None] | None = await leases.take(f"work/{agent}", _nothing)
        if lease is None:
            raise self._locked(agent)

        def check(db: Database) -> None:
            sql = "SELECT 1 FROM lease WHERE name = ? AND epoch = ? FOR SHARE"
            if not db.execute(sql, (lease.name, lease.epoch)).fetchall():
                raise self._locked(agent)

        async def renew() -> None:
            while True:
                await self.pause(leases.lasting_s / RENEWALS)
                await leases.renew([lease.name])

        try:
            async with asyncio.TaskGroup() as group:
                renewing = group.create_task(renew())
                yield check
                renewing.cancel()
        except ExceptionGroup as errors:
            raise first_error(errors) from errors
        finally:
            await leases.release(lease)

    def _locked(self, agent: str) -> Locked:
        return Locked(
            tr("A process works for {agent} on {place}.", agent=agent, place=self.place),
            hint=tr(
                "Stop the workers, wait {seconds} seconds, and run it again: what was moved stays.",
                seconds=round(self.leases.lasting_s if self.leases else 0),
            ),
        )

    async def digest(self, agent: str, workspace: Path) -> Digest:
        """Look at all that an agent has."""
        total, rows = sha256(), 0
        for table, columns in of_agent().items():
            async for row in self.rows(table, columns, agent):
                total.update(json.dumps(row, ensure_ascii=False).encode())
                rows += 1
        of_rows = total.hexdigest()
        if self.folders is None:
            known = await self.writer.write(lambda db: versions(db, agent), lane=agent)
            found = {path: version.digest for path, version in known.items()}
        else:
            found = {path: digest_of(workspace.joinpath(path).read_bytes()) for path, _ in files(workspace)}
        for path, digest in sorted(found.items()):
            total.update(f"{path}\0{digest}\0".encode())
        return Digest(total.hexdigest(), of_rows, rows, len(found))

    def kept(self, digest: Digest) -> str:
        """Return what tells what a move would replace here; not the files of a home, which are put aside."""
        return digest.whole if self.folders is None else digest.of_rows

    @property
    def marks(self) -> SqlAdapterState:
        """Where it is kept how agents were after their last moves."""
        return SqlAdapterState(self.writer, self.reader)

    async def rows(self, table: str, columns: Columns, agent: str = "") -> AsyncIterator[list[Any]]:
        """Yield the rows of a table in the order of its key; truths as true and false."""
        names, order = ", ".join(columns.all), ", ".join(columns.key)
        first = (agent,) if agent else ()
        key = columns.key[len(first) :]
        is_agents = ["agent = ?"] if agent else []
        is_later = [f"({', '.join(key)}) > ({', '.join('?' * len(key))})"]
        last = tuple[Any, ...]()
        while True:
            conditions = " AND ".join([*is_agents, *(is_later if last else [])])
            where = f"WHERE {conditions}" if conditions else ""
            sql = f"SELECT {names} FROM {table} {where} ORDER BY {order} LIMIT ?"
            found = await self.reader.rows(sql, *first, *last, ROWS)
            for row in found:
                yield [
                    bool(value) if name.startswith("is_") else value
                    for name, value in zip(columns.all, row, strict=True)
                ]
            if len(found) < ROWS:
                return
            last = tuple(found[-1][len(first) : len(columns.key)])


async def move(source: Store, target: Store, agents: Mapping[str, Path], /) -> AsyncIterator[Moved]:
    """Move agents; what is in the target already, and is the same, stays. The source is left as it is.

    Args:
        agents: agent -> the workspace in the home that is one of the two sides.

    Raises:
        Locked: somebody works for one of them; what was moved before stays.
        Refused: it would replace something by nothing, or what the target has got since the last move.
        BotError: what has arrived is not what was sent.
    """
    common = dict[str, list[list[Any]]]()
    for table, columns in of_all().items():
        sql = f"{_insert(table, columns)} ON CONFLICT DO NOTHING"
        common[sql] = [row async for row in source.rows(table, columns)]

    def put(db: Database) -> None:
        for sql, rows in common.items():
            db.executemany(sql, rows).close()

    await target.writer.write(put)
    for agent, workspace in agents.items():
        async with AsyncExitStack() as stack:
            check_source = await stack.enter_async_context(source.holding(agent))
            check_target = await stack.enter_async_context(target.holding(agent))
            sent, there = await source.digest(agent, workspace), await target.digest(agent, workspace)
            arrived, is_new = there, there.whole != sent.whole
            if is_new:
                await _check_replaceable(source, target, agent, sent, there)
                await _copy(source, target, agent, workspace, check_target, mark=target.kept(sent))
                await source.writer.write(check_source, lane=agent)
                arrived = await target.digest(agent, workspace)
            await target.marks.save(MOVED, agent, target.kept(arrived), lasting=True)
            if arrived.whole != sent.whole:
                known = {"agent": agent, "place": target.place, "rows": arrived.rows, "files": arrived.files}
                what = tr(
                    "What of {agent} is on {place} is not what was sent: {rows} of {all} rows, {files} of {sent} "
                    "files.",
                    **known | {"all": sent.rows, "sent": sent.files},
                )
                raise BotError(what, hint=tr("Nothing was removed on the other side. Run it again."))
            await source.marks.save(MOVED, agent, source.kept(sent), lasting=True)
            yield Moved(agent, sent.rows, sent.files, sent.whole, is_new=is_new)


async def _check_replaceable(source: Store, target: Store, agent: str, sent: Digest, there: Digest) -> None:
    """Raise `Refused` if a move would replace something by nothing, or what the target got after its last move."""
    known = {"source": source.place, "target": target.place, "agent": agent, "rows": there.rows, "files": there.files}
    if not (sent.rows or sent.files):
        message = tr("{source} has nothing of {agent}, and {target} has {rows} rows and {files} files.", **known)
        raise Refused(message, hint=tr("Nothing was changed. Did you mean the other direction, or another database?"))
    if target.kept(there) not in {sha256().hexdigest(), (await target.marks.load(MOVED)).get(agent)}:
        raise Refused(
            tr("{target} has changes of {agent} since the last move, or from elsewhere ({rows} rows).", **known),
            hint=tr("They were left as they are. Move it the other way, or name an empty database or home."),
        )


async def _copy(
    source: Store, target: Store, agent: str, workspace: Path, check: Operation[None], *, mark: str
) -> None:
    """Put all of an agent in the place of what the target has of it, with its mark, in one transaction."""
    tables = {table: [row async for row in source.rows(table, columns, agent)] for table, columns in of_agent().items()}
    ((next_seq, epoch),) = await source.reader.rows(
        "SELECT coalesce(max(next_seq), 1), coalesce(max(epoch), 0) FROM agent WHERE agent = ?", agent
    )

    def put(db: Database) -> None:
        check(db)
        sql = """INSERT INTO agent (agent, next_seq, epoch) VALUES (?, ?, ?)
                 ON CONFLICT (agent) DO UPDATE SET next_seq = excluded.next_seq, owner = '',
                   epoch = CASE WHEN agent.epoch > excluded.epoch THEN agent.epoch ELSE excluded.epoch END + 1"""
        db.execute(sql, (agent, next_seq, epoch))
        for table, columns in of_agent().items():
            db.execute(f"DELETE FROM {table} WHERE agent = ?", (agent,))
            db.executemany(_insert(table, columns), tables[table])
        db.execute(PUT_MARK, (MOVED, agent, mark))
        if target.folders is None:
            WorkspaceFiles({agent: workspace}).push(db, Grant(agent, epoch, 1))

    if source.folders is None:
        await source.writer.write(lambda db: checkout(db, agent, workspace, takes_all=True, empties=True), lane=agent)
    await target.writer.write(put, lane=agent)
    if target.folders is None:
        known = await target.writer.write(lambda db: versions(db, agent), lane=agent)
        note_copy(workspace, {path: one.digest for path, one in known.items()})


def _insert(table: str, columns: Columns) -> str:
    return f"INSERT INTO {table} ({', '.join(columns.all)}) VALUES ({', '.join('?' * len(columns.all))})"


def _nothing(_: Database) -> None:
    """Nobody else can work for an agent of a home whose lock is held; nothing comes with a lease."""
