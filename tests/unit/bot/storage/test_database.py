from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.errors import BotError, Refused, StateError, Unstorable
from bot.storage.database import Connection, Durability, Reader, Writer
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.statements import Database, Operation
from bot.waiting import InstantPause
from memory import SystemClock


class Counting:
    """A connection that notes the statements which begin and end transactions."""

    def __init__(self, db: Connection) -> None:
        self.statements: list[str] = []
        self.db = db

    async def watch(self) -> None:
        await self.db.run(lambda db: db.set_trace_callback(self.statements.append))

    def count(self, sql: str) -> int:
        return sum(statement.startswith(sql) for statement in self.statements)


@asynccontextmanager
async def writing(path: Path, endurance: Durability | None = None) -> AsyncIterator[tuple[Writer, Counting]]:
    def prepare(db: sqlite3.Connection) -> None:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE note (text TEXT) STRICT")

    async with Connection.open(path, partial(sqlite3.connect, str(path), isolation_level=None), prepare) as db:
        counting = Counting(db)
        await counting.watch()
        async with Writer(db, path, endurance) as writer:
            yield writer, counting


def insert(text: str) -> Operation[int]:
    def run(db: Database) -> int:
        return db.execute("INSERT INTO note VALUES (?)", (text,)).rowcount

    return run


def refuse(db: Database) -> None:
    db.execute("INSERT INTO note VALUES ('half')")
    raise Refused("not this one")


def notes(path: Path) -> list[str]:
    db = sqlite3.connect(path)
    try:
        return [text for (text,) in db.execute("SELECT text FROM note ORDER BY rowid")]
    finally:
        db.close()


async def test_what_waits_together_is_one_transaction(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, counting):
        results = await asyncio.gather(*(writer.write(insert(str(n))) for n in range(100)))

    assert results == [1] * 100
    assert counting.count("COMMIT") <= 2
    assert notes(tmp_path / "w") == [str(n) for n in range(100)]


async def test_one_that_fails_fails_alone_and_leaves_nothing(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, _):
        outcomes = await asyncio.gather(
            writer.write(insert("a")), writer.write(refuse), writer.write(insert("b")), return_exceptions=True
        )

    assert [type(outcome) for outcome in outcomes] == [int, Refused, int]
    assert notes(tmp_path / "w") == ["a", "b"]


async def test_a_statement_that_sqlite_refuses_is_a_state_error_and_the_next_one_works(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, _):
        with pytest.raises(StateError, match=r"Writing .* failed: no such table: nowhere"):
            await writer.write(lambda db: db.execute("INSERT INTO nowhere VALUES (1)"))
        await writer.write(insert("after"))

    assert notes(tmp_path / "w") == ["after"]


async def test_a_full_disk_refuses_what_does_not_fit_and_takes_the_rest_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "w"
    async with writing(path) as (writer, counting):
        ((pages,),) = await counting.db.run(lambda db: db.execute("PRAGMA page_count").fetchall())
        await counting.db.run(lambda db: db.execute(f"PRAGMA max_page_count = {pages}"))
        with pytest.raises(StateError, match=r"disk is full.*Nothing that failed was acknowledged"):
            await writer.write(insert("x" * 100_000))
        await counting.db.run(lambda db: db.execute("PRAGMA max_page_count = 1000000"))
        await writer.write(insert("fits"))

    assert notes(path) == ["fits"]


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        (sqlite3.SQLITE_BUSY, "Another program holds it"),
        (sqlite3.SQLITE_READONLY, "may be written to"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "Check that it is in its place"),  # somebody has moved it away
        (sqlite3.SQLITE_CANTOPEN, "in its place and a file"),
        (sqlite3.SQLITE_CANTOPEN, "the disk takes more files"),  # a file beside it, on a disk that has no inode left
        (sqlite3.SQLITE_FULL, "Make room"),
    ],
)
async def test_what_is_to_be_done_depends_on_what_was_refused(tmp_path: Path, code: int, hint: str) -> None:
    def refused(db: Database) -> None:
        error = sqlite3.OperationalError("refused")
        error.sqlite_errorcode = code
        raise error

    async with writing(tmp_path / "w") as (writer, _):
        with pytest.raises(StateError) as caught:
            await writer.write(refused)

    assert hint in caught.value.hint


async def test_after_a_failed_sync_nothing_is_written_any_more(tmp_path: Path) -> None:
    def failing_disk(db: Database) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise error

    async with writing(tmp_path / "w") as (writer, _):
        with pytest.raises(StateError, match="disk I/O error"):
            await writer.write(failing_disk)
        with pytest.raises(StateError, match="disk I/O error"):
            await writer.write(insert("as if nothing had been"))

    assert notes(tmp_path / "w") == []


async def test_a_cancelled_caller_does_not_take_its_neighbours_along(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, _), asyncio.TaskGroup() as group:
        first, second = (group.create_task(writer.write(insert(text))) for text in "ab")
        await asyncio.wait([first], timeout=0)
        first.cancel()
        assert await second == 1

    assert notes(tmp_path / "w") == ["a", "b"]


async def test_leaving_writes_what_waits_even_when_an_error_is_the_reason(tmp_path: Path) -> None:
    async def leave() -> None:
        async with writing(tmp_path / "w") as (writer, _), asyncio.TaskGroup() as group:
            waiting = group.create_task(writer.write(insert("waits")))
            await asyncio.wait([waiting], timeout=0)
            raise BotError("leaving")

    with pytest.raises(BaseExceptionGroup) as left:
        await leave()

    assert left.group_contains(BotError)
    assert notes(tmp_path / "w") == ["waits"]


async def test_only_what_must_reach_the_disk_waits_for_it(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, counting):
        await writer.write(insert("a"), flush=False)
        await writer.write(insert("b"), flush=False)
        await writer.write(insert("c"))
        await writer.write(insert("d"))

    assert [sql for sql in counting.statements if sql.startswith("PRAGMA")] == [
        "PRAGMA synchronous = NORMAL",
        "PRAGMA synchronous = FULL",
    ]


async def test_a_file_is_cleared_between_writes_outside_of_any_transaction(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"

    async with writing(path) as (writer, _):
        one, cleared, two = await asyncio.gather(
            writer.write(insert("before")), writer.scrub(compact=True), writer.write(insert("after"))
        )

    assert (one, cleared, two) == (1, True, 1)
    assert notes(path) == ["before", "after"]


@pytest.mark.parametrize("value", ["\ud83d", 2**70, ["a list"]])
async def test_a_value_that_cannot_be_stored_fails_alone(tmp_path: Path, value: object) -> None:
    def odd(db: Database) -> None:
        db.execute("INSERT INTO note VALUES (?)", (value,))

    def slip(db: Database) -> None:
        raise LookupError(value)

    async with writing(tmp_path / "w") as (writer, _):
        outcomes = await asyncio.gather(
            writer.write(insert("a")), writer.write(odd), writer.write(slip), writer.write(insert("b")),
            return_exceptions=True,
        )  # fmt: skip

    assert [type(one) for one in outcomes] == [int, Unstorable, Unstorable, int]
    assert notes(tmp_path / "w") == ["a", "b"]


class Failing:
    """An operation at which the disk fails so often."""

    def __init__(self, code: int, times: int) -> None:
        self.code = code
        self.left = times

    def __call__(self, db: Database) -> None:
        db.execute("INSERT INTO note VALUES ('at last')")
        if self.left:
            self.left -= 1
            error = sqlite3.OperationalError("disk")
            error.sqlite_errorcode = self.code
            raise error


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_READONLY])
async def test_an_enduring_writer_waits_for_the_disk_and_loses_nothing(tmp_path: Path, code: int) -> None:
    pause, said = InstantPause(), list[str]()
    async with writing(tmp_path / "w", Durability(pause, said.append)) as (writer, counting):
        await asyncio.gather(writer.write(Failing(code, 4)), writer.write(insert("neighbour")))
        checkpoints = counting.count("PRAGMA wal_checkpoint")

    assert notes(tmp_path / "w") == ["at last", "neighbour"]
    assert said == ["disk", ""]
    assert pause.waited == [0.5, 1, 2, 4]
    assert bool(checkpoints) == (code == sqlite3.SQLITE_IOERR_FSYNC)


async def test_an_enduring_writer_does_not_wait_for_ever_when_it_is_to_end(tmp_path: Path) -> None:
    async def endless(seconds: float) -> None:
        await asyncio.Event().wait()
        raise AssertionError(seconds)

    async def leave() -> None:
        endurance = Durability(endless, lambda _: None)
        async with writing(tmp_path / "w", endurance) as (writer, _), asyncio.TaskGroup() as group:
            group.create_task(writer.write(Failing(sqlite3.SQLITE_FULL, 10**9)))
            await asyncio.sleep(0)
            raise BotError("leaving")

    with pytest.raises(BaseExceptionGroup):
        await leave()

    assert notes(tmp_path / "w") == []


NOTE = "INSERT INTO note VALUES (?)"
PATIENCE_S = 20


async def test_who_reads_does_not_wait_for_what_may_wait_while_the_disk_refuses(tmp_path: Path) -> None:
    stalled, room = asyncio.Event(), asyncio.Event()

    async def wait(seconds: float) -> None:
        await room.wait()

    endurance = Durability(wait, lambda _: stalled.set())
    async with writing(tmp_path / "w", endurance) as (writer, _), asyncio.TaskGroup() as group:
        await writer.execute_later(NOTE, [("a",)])
        group.create_task(writer.write(Failing(sqlite3.SQLITE_FULL, 1)))
        await stalled.wait()
        async with asyncio.timeout(PATIENCE_S):
            await writer.settle()
        room.set()
    assert notes(tmp_path / "w") == ["a", "at last"]


async def test_what_may_wait_goes_with_the_next_write_and_before_it(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, counting):
        await writer.execute_later(NOTE, [("a",), ("b",)])
        await writer.execute_later(NOTE, [("c",)])
        await writer.write(insert("d"))

        assert counting.count("COMMIT") == 1
    assert notes(tmp_path / "w") == ["a", "b", "c", "d"]


async def test_what_is_not_urgent_goes_with_the_next_write_and_is_waited_for(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, counting), asyncio.TaskGroup() as group:
        receipt = group.create_task(writer.write(insert("a"), flush=False, is_urgent=False))
        await asyncio.sleep(0)
        await writer.write(insert("b"))

        assert receipt.done()
        assert counting.count("COMMIT") == 1
    assert notes(tmp_path / "w") == ["a", "b"]


async def test_what_is_not_urgent_does_not_need_another_write(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, _):
        assert await writer.write(insert("a"), flush=False, is_urgent=False) == 1
        assert notes(tmp_path / "w") == ["a"]


async def test_what_may_wait_is_written_when_somebody_looks_and_when_all_ends(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, _):
        await writer.execute_later(NOTE, [("a",)])
        await writer.settle()
        assert notes(tmp_path / "w") == ["a"]
        await writer.execute_later(NOTE, [("b",)])

    assert notes(tmp_path / "w") == ["a", "b"]


async def test_what_may_wait_is_written_though_nobody_looks_and_whatever_is_written_before_it(tmp_path: Path) -> None:
    async with writing(tmp_path / "w") as (writer, _), asyncio.timeout(60):
        await writer.execute_later(NOTE, [("a",)])
        await writer.write(insert("b"))
        for name in ("c", "d"):
            await writer.execute_later(NOTE, [(name,)])
        while await asyncio.to_thread(notes, tmp_path / "w") != ["a", "b", "c", "d"]:
            pass


async def test_what_may_wait_and_fails_is_logged_and_takes_nothing_along(tmp_path: Path) -> None:
    with capture_logs() as log:
        async with writing(tmp_path / "w") as (writer, _):
            await writer.execute_later("INSERT INTO nowhere VALUES (?)", [("a",)])
            await writer.write(insert("b"))

    assert [event["event"] for event in log] == ["state.not_written"]
    assert notes(tmp_path / "w") == ["b"]


async def test_few_rows_are_those_that_a_thread_would_have_read(tmp_path: Path) -> None:
    async with (
        SqliteCoordinator.open(tmp_path / "state", clock=SystemClock()) as _,
        Reader.open(tmp_path / "state") as at,
    ):
        sql = "SELECT name, ?1 FROM sqlite_schema ORDER BY name LIMIT ?2"
        assert await at.few_rows(sql, "x", 3) == await at.rows(sql, "x", 3) != []
        with pytest.raises(StateError, match="no such table: nowhere"):
            await at.few_rows("SELECT 1 FROM nowhere")
