"""An index in a shared database serves a memory as a file does, and no agent sees another's rows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Unpack

import psycopg
import pytest

from memory import OWNER, Embedding, FrozenClock, Memory, Mode, Options, Origin
from memory.errors import Busy, NotFound, WriteFailed
from memory.index.schema import _TABLES
from memory.index.sql import Index
from memory.index.types import FileChange, FileState
from memory.index.units import chunk
from memory.postgresql import schema
from memory.postgresql.connection import MAX_BYTES, AgentRows, AgentStatements, IndexDatabase
from memory.postgresql.index import PostgresIndex
from memory.postgresql.store import PostgresStore, SharedIndex
from memory.strength import Life
from tests.fakes.embedder import LetterEmbedder
from tests.servers.postgresql import PostgresServer
from tests.support.factories import NOON
from tests.unit.memory.index.conftest import NOBODY

HERE = schema.NAME
FACTS = 400

_numbers = count()


@pytest.fixture(scope="module")
def url(postgresql: PostgresServer) -> str:
    return postgresql.database()


@pytest.fixture
def database(url: str) -> Iterator[IndexDatabase]:
    with closing(IndexDatabase(url)) as database:
        yield database


@pytest.fixture
def where(database: IndexDatabase, tmp_path: Path) -> SharedIndex:
    return SharedIndex(database, f"agent{next(_numbers)}", tmp_path / "index")


@asynccontextmanager
async def opened(folder: Path, where: SharedIndex, **options: Unpack[Options]) -> AsyncIterator[Memory]:
    async with await Memory.open(folder, index=where, **options) as memory:
        yield memory


async def remember(memory: Memory, text: str) -> None:
    await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=f"op{next(_numbers)}", actor="owner")


async def told(memory: Memory, question: str) -> list[str]:
    return [hit.content for hit in (await memory.recall(question, scope=OWNER)).hits]


async def test_what_is_remembered_is_found_by_whoever_reads_the_database(where: SharedIndex, tmp_path: Path) -> None:
    async with opened(tmp_path / "a", where) as memory:
        await memory.take_over()
        await remember(memory, "The spare key is under the blue pot.")
        await memory.status()  # whatever is asked of it comes behind the index
        async with opened(tmp_path / "a", where, mode=Mode.READ_ONLY) as reader:
            assert "spare key" in (await told(reader, "Where is the spare key?"))[0]
        status = await memory.status()
    assert (status.state, status.facts, status.path) == ("ready", 1, str(where.place))
    assert status.bytes > 0


async def test_who_has_not_taken_an_index_over_writes_its_files_and_leaves_it_alone(
    where: SharedIndex, tmp_path: Path
) -> None:
    async with opened(tmp_path / "a", where) as first, opened(tmp_path / "b", where) as second:
        await first.take_over()
        await remember(first, "The spare key is under the blue pot.")
        await first.status()  # whatever is asked of it comes behind the index
        await remember(second, "The bins go out on Friday.")
        assert "bins" not in str(await told(second, "bins Friday"))
        assert "key" in str(await told(second, "spare key"))

        await second.take_over()
        assert "bins" in str(await told(second, "bins Friday"))
        await remember(first, "Anna comes on Monday.")
        assert "Anna" not in str(await told(second, "Anna Monday"))
        assert "another process" in (await first.status()).reason.lower()


async def test_an_index_is_rebuilt_beside_itself_and_only_for_its_agent(where: SharedIndex, tmp_path: Path) -> None:
    other = SharedIndex(where.database, f"{where.agent}-too", tmp_path / "other")
    async with opened(tmp_path / "a", where) as memory, opened(tmp_path / "b", other) as beside:
        for one in (memory, beside):
            await one.take_over()
            await remember(one, "The spare key is under the blue pot.")
        (tmp_path / "a" / "memory" / "note.md").write_text("The bins go out on Friday.\n", "utf-8")
        assert (await memory.rebuild()).units == 2
        assert "bins" in str(await told(memory, "bins Friday"))
        await remember(memory, "Anna comes on Monday.")
        assert "Anna" in str(await told(memory, "When does Anna come?"))
        assert len(await told(beside, "spare key")) == 1


async def test_what_was_made_by_another_version_serves_while_it_is_rebuilt(where: SharedIndex, tmp_path: Path) -> None:
    async with opened(tmp_path / "a", where) as memory:
        await memory.take_over()
        await remember(memory, "The spare key is under the blue pot.")
    statements = AgentStatements(where.database, where.agent)
    statements.execute("UPDATE meta SET value = 'old' WHERE key = 'terms'")
    async with opened(tmp_path / "a", where) as memory:
        assert "another version" in (await memory.status()).reason
        await memory.take_over()
        assert (await memory.status()).reason == ""
        assert len(await told(memory, "spare key")) == 1


@pytest.mark.parametrize(
    "harm",
    [f"DROP SCHEMA {schema.NAME} CASCADE", f"DROP TABLE {schema.NAME}.postings", f"DELETE FROM {schema.NAME}.meta"],
)
async def test_tables_that_somebody_dropped_are_made_anew(
    where: SharedIndex, tmp_path: Path, postgresql: PostgresServer, harm: str
) -> None:
    own = IndexDatabase(postgresql.database())
    where = SharedIndex(own, "a", tmp_path / "index")
    async with opened(tmp_path / "a", where) as memory:
        await memory.take_over()
        await remember(memory, "The spare key is under the blue pot.")
        with closing(psycopg.connect(own._url.replace("scrubjay:", "postgres:"), autocommit=True)) as db:
            db.execute(harm.encode())
        await memory.sync()
        assert "key" in str(await told(memory, "spare key"))
    own.close()


async def test_vectors_are_searched_in_memory_or_in_the_database(where: SharedIndex, tmp_path: Path) -> None:
    cache = tmp_path / "vectors.sqlite"
    texts = ("The electrician comes on Monday.", "Anna is allergic to peanuts.", "Peter wants short replies.")
    answers: list[list[list[str]]] = []
    shared = SharedIndex(where.database, f"{where.agent}-low", tmp_path / "low")
    for index, is_low in ((where, False), (shared, True), (tmp_path / "index.sqlite", False)):
        embedding = Embedding(LetterEmbedder(), cache, low_memory=is_low)
        folder = tmp_path / f"notes{len(answers)}"
        async with await Memory.open(folder, index=index, clock=FrozenClock(NOON), embedding=embedding) as memory:
            await memory.take_over()
            for text in texts:
                await remember(memory, text)
            await memory.embed()
            answers.append([await told(memory, text) for text in ("peanut allergy", "short reply", "electricity")])
            status = await memory.status()
            assert (status.mode, status.embedded) == ("hybrid", 3)
            assert (status.link == "pgvector") is is_low
            assert (await memory.rebuild()).units == 3
            assert (await memory.status()).embedded == 3
    assert answers[0] == answers[1] == answers[2]


def test_facts_are_not_compared_with_the_lives_of_all_others(where: SharedIndex) -> None:
    """Nor is it looked through all units whether what they are merged into is there."""
    store = PostgresStore(where)
    store.take_over()
    text = "## Retain\n" + "\n".join(f"- W @Peter: Came {n} times. ^f{n}" for n in range(FACTS))
    store.index.write([FileChange("a.md", FileState(1, 1, "a"), chunk("a.md", text, owners=NOBODY))])
    store.index.lives.write([Life(f"f{n}", merged_into=f"f{n + 1}") for n in range(FACTS)])
    while store.index.merge_segments():
        pass
    plans: list[str] = []

    class Explained(AgentStatements):
        def run(self, sql: str, values: Sequence[Any] = ()) -> AgentRows:
            plans.append("\n".join(line for (line,) in super().run(f"EXPLAIN (ANALYZE) {sql}", values)))
            return super().run(sql, values)

    index = PostgresIndex(Explained(where.database, where.agent), where.place)
    ids = index.newest(scope=OWNER, limit=FACTS)
    assert len(index.entries(ids[:50], scope=OWNER)) == 50
    assert len(index.lives.facts(scope=OWNER, ids=ids[:50])) == 50
    assert sum(fact.merged for fact in index.lives.facts(scope=OWNER)) == FACTS - 1
    assert len(index.links.neighbours(ids[:5], scope=OWNER)) == 0  # everybody names Peter
    assert any("using lives_pkey" in plan for plan in plans)
    assert not [line for plan in plans for line in plan.split("\n") if "Join Filter" in line and "name" in line]
    assert not any("hashed SubPlan" in plan for plan in plans)


def test_what_facts_are_linked_to_is_asked_for_all_of_them_at_once(where: SharedIndex) -> None:
    store = PostgresStore(where)
    store.take_over()
    text = "## Retain\n" + "\n".join(f"- W @P{n % 5}: Came {n} times. ^f{n}" for n in range(20))
    store.index.write([FileChange("a.md", FileState(1, 1, "a"), chunk("a.md", text, owners=NOBODY))])
    asked: list[str] = []

    class Watched(AgentStatements):
        def run(self, sql: str, values: Sequence[Any] = ()) -> AgentRows:
            asked.append(sql)
            return super().run(sql, values)

    index = PostgresIndex(Watched(where.database, where.agent), where.place)
    ids = index.newest(scope=OWNER, limit=FACTS)

    def statements(count: int) -> int:
        asked.clear()
        assert index.links.neighbours(ids[:count], scope=OWNER)
        return len(asked)

    assert statements(2) == statements(20)


def test_terms_that_were_read_are_those_of_one_index(where: SharedIndex) -> None:
    store = PostgresStore(where)
    store.take_over()

    def fill(index: Index, text: str) -> Iterator[None]:
        index.write([FileChange("a.md", FileState(1, 1, text), chunk("a.md", text, owners=NOBODY))])
        yield

    def terms() -> list[tuple[int, str]]:
        with store.index.reading():
            first, again = (store.index.entries(range(1, 9), scope=OWNER) for _ in range(2))
        assert again == first
        return [(entry.id, entry.terms.strip()) for entry in first]

    [*fill(store.index, "pepper")]
    assert terms() == [(1, "pepper")]
    for text in ("salt", "sugar"):
        [*store.rebuild(partial(fill, text=text))]
        assert [term for _, term in terms()] == [text]
        assert terms()[0][0] in {1, 2}
    store.index.close()
    assert where.database.reserve(MAX_BYTES)
    where.database.reserve(-MAX_BYTES)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://scrubjay:pa@ss@db1:5433/memory", "db1:5433/memory"),
        ("postgresql://scrubjay@db1:5432,db2:5433/memory?target_session_attrs=read-write", "db1:5432,db2:5433/memory"),
        ("postgresql:///memory?password=secret", "/memory"),
        ("postgresql://[::1]/memory", "[::1]/memory"),
    ],
)
def test_a_place_names_all_servers_and_no_password(url: str, place: str) -> None:
    with closing(IndexDatabase(url)) as database:
        assert database.place == place


def test_no_agent_sees_anothers_rows(where: SharedIndex, url: str) -> None:
    mine, theirs = (AgentStatements(where.database, f"{where.agent}-{who}") for who in ("mine", "theirs"))
    for one in (mine, theirs):
        one.execute("INSERT INTO meta VALUES (?, ?)", ("secret", one.agent))
    everything = "SELECT agent, value FROM meta WHERE agent <> ? OR key = 'secret'"
    for one in (mine, theirs, mine):  # one connection, lent again
        assert [*one.execute(everything, ("",))] == [(one.agent, one.agent)]
        assert [*one.execute("SELECT value FROM meta WHERE agent = ?", (theirs.agent,))] == (
            [(theirs.agent,)] if one is theirs else []
        )
    with pytest.raises(WriteFailed, match="row-level security"):
        mine.run("INSERT INTO meta (key, value, agent) VALUES ('a', 'b', %s)", [theirs.agent])
    with closing(psycopg.connect(url)) as db:
        for table in schema.TABLES:
            assert db.execute(f"SELECT count(*) FROM {schema.NAME}.{table}".encode()).fetchone() == (0,)


def test_the_tables_have_the_columns_of_sqlites(where: SharedIndex) -> None:
    with closing(sqlite3.connect(":memory:")) as file:
        for statement in _TABLES:
            if statement.strip().startswith("CREATE TABLE"):
                file.execute(statement)
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in filter(lambda name: name != "sqlite_sequence", tables):
            ours = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
            found = AgentStatements(where.database, where.agent).run(
                "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s "
                "ORDER BY ordinal_position",
                [schema.NAME, table],
            )
            assert [name for (name,) in found] == [*ours, "agent"]


def test_a_server_that_is_too_old_is_told_with_what_to_do() -> None:
    with pytest.raises(WriteFailed, match="version 15") as refusal:
        schema.check_server(150004)
    assert "pg_upgrade" in refusal.value.hint
    schema.check_server(160000)


def test_a_server_without_pgvector_is_told_with_the_command_that_mends_it(
    postgresql: PostgresServer, tmp_path: Path
) -> None:
    url = postgresql.database()
    with psycopg.connect(url.replace("scrubjay:", "postgres:", 1), autocommit=True) as db:
        db.execute("DROP EXTENSION vector")
    with closing(IndexDatabase(url)) as database:
        where = SharedIndex(database, "a", tmp_path)
        with pytest.raises(WriteFailed, match="no pgvector") as refusal:
            PostgresStore.open(where)
        assert "CREATE EXTENSION vector;" in refusal.value.hint
        with psycopg.connect(url.replace("scrubjay:", "postgres:", 1), autocommit=True) as db:
            db.execute("CREATE EXTENSION vector")
        PostgresStore.open(where).take_over()


def test_an_index_on_a_full_disk_is_not_taken_for_damaged(where: SharedIndex) -> None:
    store = PostgresStore(where)
    store.take_over()
    store.index.write([FileChange("a.md", FileState(1, 1, "a"), chunk("a.md", "Pepper.", owners=NOBODY))])
    own = AgentStatements(where.database, where.agent)
    with pytest.raises(WriteFailed, match="No space left on device"):
        own.run("DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$")
    assert store.index.totals().units == 1


def test_a_server_that_refuses_or_is_not_there_is_told_without_the_password(url: str, tmp_path: Path) -> None:
    for wrong, error in (("wrong", WriteFailed), (None, Busy)):
        address = url.replace(":caches@", f":{wrong}@") if wrong else "postgresql://a:hidden@127.0.0.1:1/x"
        with closing(IndexDatabase(address)) as database, pytest.raises(error) as told:
            PostgresStore(SharedIndex(database, "a", tmp_path / "index")).take_over()
        assert "127.0.0.1" in told.value.message
        said = "".join(str(error) for error in (told.value, told.value.__cause__))
        assert not {"wrong", "hidden", "caches"} & {*re.split(r"\W", said)}


def test_after_the_server_was_restarted_no_connection_from_before_is_used(
    where: SharedIndex, postgresql: PostgresServer
) -> None:
    store = PostgresStore(where)
    store.take_over()
    with where.database.lend(), where.database.lend(), where.database.lend():
        pass  # three are kept from now on
    postgresql.administer(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
        "AND pid != pg_backend_pid()"
    )
    assert store.index.totals().units == 0


def test_reading_what_nobody_has_made_says_so(where: SharedIndex) -> None:
    with pytest.raises(NotFound, match="no memory index"):
        PostgresStore.read(where)
