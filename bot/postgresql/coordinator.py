"""The coordinator on PostgreSQL, for several processes: takeover, and looking for what others have done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Self

import structlog

from adapters.support import first_error
from bot.postgresql import schema
from bot.postgresql.connection import PostgresPool, PostgresStatements
from bot.postgresql.workspaces import WorkspaceFiles
from bot.storage.coordinator import CHARGE, TAKE_OVER, Coordinator
from bot.storage.database import Durability
from bot.storage.keys import SessionKey
from bot.storage.port import Grant
from bot.storage.statements import Database, take_seqs
from bot.storage.tables.people import AccessStore
from bot.supervision import outcome
from bot.waiting import pause
from memory import Clock

LOOK_S = 0.1
"""Seconds between two looks at what other processes have done."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

_UNDER_WAY = """SELECT DISTINCT inbox.agent, inbox.turn FROM inbox JOIN agent ON agent.agent = inbox.agent
                WHERE inbox.is_under_way AND inbox.state = 'waiting' AND agent.owner = ?"""

_ENDED = """UPDATE inbox SET is_under_way = FALSE WHERE is_under_way AND (agent = ? OR agent IN (
              SELECT agent.agent FROM agent JOIN lease ON lease.name = 'work/' || agent.agent
              WHERE agent.owner = ? AND lease.until < lease_now()))"""
"""The turns of a process that has gone: of all agents whose leases it has let run out, at once, so that the last of
them to be taken over does not look like the only one."""


class PostgresCoordinator(Coordinator):
    """`bot.storage.coordinator.Coordinator` for any number of processes; `files` are the workspaces that it keeps."""

    pool: PostgresPool
    statements: PostgresStatements
    files: WorkspaceFiles | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        clock: Clock,
        ended: Callable[[SessionKey], None] = lambda _: None,
        endurance: Durability | None = None,
    ) -> AsyncIterator[Self]:
        """Connect, and bring the schema up to date; leaving the block finishes what was begun.

        Args:
            clock: source of the instants that are stored; leases go by the server's.
            ended, endurance: as `SqliteCoordinator.open`; the server may be away, too.

        Raises:
            StateError: the server cannot be reached, refuses, is too old, or a newer Scrubjay has changed the database.
        """
        async with PostgresPool.open(url) as pool:
            await pool.run(lambda db: schema.migrate(db.raw))
            statements = PostgresStatements(pool, endurance)
            register = await AccessStore(statements).load(statements)
            coordinator = cls(statements, statements, register=register, clock=clock, ended=ended)
            coordinator.pool, coordinator.statements = pool, statements

            async def look() -> None:
                """Wake whoever waits for something that another process has done, until cancelled."""
                seen = dict[str, str]()
                while True:
                    await pause(LOOK_S)
                    await outcome(coordinator._look_once(seen), "the look at what other processes have done")

            try:
                async with asyncio.TaskGroup() as group:
                    looking = group.create_task(look())
                    yield coordinator
                    looking.cancel()
            except ExceptionGroup as errors:
                raise first_error(errors) from errors

    def take_over(self, db: Database, owner: str, agent: str) -> Grant:
        """Make a process the holder of an agent, in the transaction that gives it the lease.

        As with `claim`, a turn is charged with the end of the process that held the agent before if that has not given
        it back, and if it was the only one that this process had under way.
        """
        ((was,),) = db.execute("SELECT coalesce(max(owner), '') FROM agent WHERE agent = ?", (agent,)).fetchall()
        turns = db.execute(_UNDER_WAY, (was,)).fetchall() if was else []
        if len(turns) == 1 and turns[0][0] == agent:
            db.execute(CHARGE, turns[0])
        db.execute(_ENDED, (agent, was))
        return Grant(*db.execute(TAKE_OVER, (agent, owner, bool(was))).fetchall()[0])

    def rewrites(self, agent: str) -> int | None:
        del agent  # any process may
        return None

    async def is_idle(self, agent: str) -> bool:
        """Return whether no message of an agent waits, so that it can be left to another process."""
        return not await self._reader.rows("SELECT 1 FROM inbox WHERE agent = ? AND state = 'waiting' LIMIT 1", agent)

    async def pull_files(self, agent: str) -> int:
        """Make an agent's folder what the database has; return how many files changed."""
        files = self.files
        changed, aside = await self._writer.write(lambda db: files.pull(db, agent), lane=agent) if files else (0, [])
        if aside:
            hint = "A person has edited them in the folder. They were moved, and the database's are there now."
            log.warning("files.put_aside", agent=agent, files=[str(one) for one in aside], hint=hint)
        return changed

    async def push_files(self, grant: Grant) -> None:
        """Write what has changed in an agent's folder into the database, and take in what people have edited there."""
        files = self.files

        def push(db: Database) -> None:
            take_seqs(db, grant, 0)
            if files:
                files.push(db, grant)
                files.take_edits(db, grant)

        await self._writer.write(push, lane=grant.agent)

    def _keep_files(self, db: Database, grant: Grant) -> None:
        if self.files and grant.agent in self.files.folders:
            self.files.push(db, grant)

    async def _look_once(self, seen: dict[str, str]) -> None:
        ((register,),) = await self._reader.rows("SELECT version::text FROM register_version")
        if seen.get("") != register:
            seen[""] = register
            await self.register.load(self._reader)
        names = {*self._arrived, *self._answered, *self._moved}
        sql = "SELECT agent, xmin::text FROM agent WHERE agent IN (SELECT value FROM json_each(?))"
        for agent, version in await self._reader.rows(sql, json.dumps(sorted(names))):
            if seen.get(agent) != version:
                seen[agent] = version
                for changes in (self._arrived, self._answered, self._moved):
                    changes[agent].notify()
