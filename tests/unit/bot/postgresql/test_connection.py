"""Tests of connections that are refused, lost, or find a server that they must not write to."""

from __future__ import annotations

import asyncio
import signal
import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from bot.errors import NewerState, StateError, Unstorable
from bot.postgresql import schema
from bot.postgresql.connection import PostgresPool, PostgresStatements, Unfinished, public
from bot.postgresql.coordinator import PostgresCoordinator
from bot.storage.database import Durability
from bot.storage.statements import Database
from memory import FrozenClock
from tests.servers.postgresql import NoServer, PostgresServer, postgres_server
from tests.support.factories import NOON, envelope
from tests.support.postgresql import gated

FULL = "BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END"


@pytest.fixture
def breakable() -> Iterator[PostgresServer]:
    """A server that a test may crash."""
    try:
        with postgres_server(fsync="on") as server:
            yield server
    except NoServer as why:
        pytest.skip(f"NOT TESTED ON POSTGRESQL: no server can be started here, {why}")


async def tables(url: str) -> None:
    """Make them."""
    async with PostgresCoordinator.open(url, clock=FrozenClock(NOON)):
        pass


async def test_a_wrong_password_is_said_and_shown_to_nobody(postgresql: PostgresServer) -> None:
    url = postgresql.address(password="w0rng-guess")

    with pytest.raises(StateError) as refusal:
        await tables(url)

    assert "refuses the connection" in str(refusal.value)
    assert "w0rng" not in "".join(traceback.format_exception(refusal.value))
    assert public(url) == f"postgresql://scrubjay@127.0.0.1:{postgresql.entrance}/postgres"


async def test_a_database_that_is_not_there_is_no_reason_to_wait_for_it(postgresql: PostgresServer) -> None:
    with pytest.raises(StateError, match=r"refuses the connection.*nowhere"):
        await tables(postgresql.address(database="nowhere"))


async def test_a_server_that_is_not_there_is_a_state_error(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"127\.0\.0\.1:1"):
        await tables("postgresql://scrubjay@127.0.0.1:1/none?connect_timeout=2")


async def test_what_a_newer_version_has_changed_is_not_written_to(postgresql: PostgresServer) -> None:
    url = postgresql.database()
    async with PostgresCoordinator.open(url, clock=FrozenClock(NOON)) as running:
        with psycopg.connect(url, autocommit=True) as upgrade:
            upgrade.execute("UPDATE schema_version SET version = %s", (schema.NEWEST + 1,))
        with pytest.raises(NewerState, match="newer Scrubjay"):
            await running.publish(envelope("hello"))

    with pytest.raises(NewerState):
        await tables(url)


async def test_a_value_that_cannot_be_kept_is_refused_alone(postgresql: PostgresServer) -> None:
    async with PostgresCoordinator.open(postgresql.database(), clock=FrozenClock(NOON)) as coordinator:
        with pytest.raises(Unstorable):
            await coordinator.publish(envelope("hello", update="nul \x00"))
        assert await coordinator.publish(envelope("hello"))


async def test_processes_that_start_at_the_same_time_make_the_tables_once(postgresql: PostgresServer) -> None:
    url = postgresql.database()

    await asyncio.gather(*(tables(url) for _ in range(4)))

    with psycopg.connect(url) as db:
        assert db.execute("SELECT version FROM schema_version").fetchall() == [(schema.NEWEST,)]


@pytest.mark.parametrize("arrives", [True, False])
async def test_a_commit_whose_answer_is_lost_is_carried_out_once(postgresql: PostgresServer, *, arrives: bool) -> None:
    url = postgresql.database()
    async with gated(postgresql, url) as gate, PostgresPool.open(gate.url, size=1) as pool:
        await pool.run(lambda db: db.execute("CREATE TABLE note (text TEXT)").close())
        await pool.run(lambda db: schema.migrate(db.raw))
        statements = PostgresStatements(pool)
        gate.cut_at(b"COMMIT", arrives=arrives)

        await statements.write(lambda db: db.execute("INSERT INTO note VALUES ('once')").close())

        assert gate.cuts == 1
        assert await statements.rows("SELECT text FROM note") == [("once",)]


async def test_a_server_that_crashes_is_waited_for(breakable: PostgresServer) -> None:
    said, repair = list[str](), asyncio.Lock()

    async def mend(seconds: float) -> None:
        del seconds
        async with repair:
            if not breakable.is_running:
                await asyncio.to_thread(breakable.start)

    endurance = Durability(mend, said.append)
    async with PostgresCoordinator.open(
        breakable.database(), clock=FrozenClock(NOON), endurance=endurance
    ) as coordinator:
        await asyncio.to_thread(breakable.stop, signal.SIGQUIT)
        assert await coordinator.publish(envelope("hello"))
        (grant,) = await coordinator.claim("worker", ["personal"])
        (message,) = await coordinator.pending(grant, after=0)

    assert message.envelope == envelope("hello")
    assert said[-1] == ""
    assert len(said) >= 2


async def test_a_full_disk_of_the_server_is_waited_for_and_nothing_is_acknowledged_meanwhile(
    postgresql: PostgresServer,
) -> None:
    url, said, published = postgresql.database(), list[str](), list[bool]()

    async def empty(seconds: float) -> None:
        del seconds
        assert not published
        if said:
            with psycopg.connect(url, autocommit=True) as db:
                db.execute("DROP TRIGGER IF EXISTS disk_is_full ON inbox")

    async with PostgresCoordinator.open(
        url, clock=FrozenClock(NOON), endurance=Durability(empty, said.append)
    ) as coordinator:
        with psycopg.connect(url, autocommit=True) as db:
            db.execute(f"CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ {FULL} $$")
            db.execute("CREATE TRIGGER disk_is_full BEFORE INSERT ON inbox EXECUTE FUNCTION disk_is_full()")
        published.append(await coordinator.publish(envelope("hello")))
        (grant,) = await coordinator.claim("worker", ["personal"])
        assert [one.envelope for one in await coordinator.pending(grant, after=0)] == [envelope("hello")]

    assert "No space left on device" in said[0]
    assert said[-1] == ""


async def test_a_full_disk_is_an_error_where_nobody_waits(postgresql: PostgresServer) -> None:
    async with PostgresPool.open(postgresql.database()) as pool:
        await pool.run(lambda db: schema.migrate(db.raw))
        with pytest.raises(StateError, match="No space left on device"):
            await PostgresStatements(pool).write(lambda db: db.execute(f"DO $$ {FULL} $$").close())


async def test_an_operation_that_always_fails_for_the_moment_fails_in_the_end(postgresql: PostgresServer) -> None:
    def deadlock(_: Database) -> None:
        raise Unfinished("again and again")

    async with PostgresPool.open(postgresql.database()) as pool:
        await pool.run(lambda db: schema.migrate(db.raw))
        with pytest.raises(StateError, match="again and again"):
            await PostgresStatements(pool).write(deadlock)


def test_an_old_server_is_told_at_the_start() -> None:
    with pytest.raises(StateError, match="version 15"):
        schema.check_server(150004)
