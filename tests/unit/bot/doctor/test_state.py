from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.doctor import index
from bot.doctor.base import Severity
from bot.doctor.state import CHECK
from bot.paths import Home, put
from bot.storage import database
from bot.storage.journal_check import HEAD, account
from bot.storage.sqlite import SqliteCoordinator
from memory import OWNER, FrozenClock, Memory, Origin
from tests.servers.postgresql import ADMINISTRATOR, PostgresServer
from tests.unit.bot.doctor.conftest import Look, wrong

PAGE = 4096


async def fill(home: Home, clock: FrozenClock) -> None:
    """A state file of some pages, with the end of a journal noted in it."""
    async with (
        SqliteCoordinator.open(home.database, clock=clock) as core,
        await Memory.open(home.workspace("personal"), index=home.index("personal"), clock=clock) as memory,
    ):
        for number in range(50):
            await core.marks.save("filler", str(number), "x" * 400)
        for number in range(2):
            fact = f"Fact {number} is here."
            await memory.remember(fact, origin=Origin.OWNER, scope=OWNER, op_id=str(number), actor="owner")
        await core.marks.save(account("personal"), HEAD, await memory.head(), lasting=True)
    with closing(sqlite3.connect(home.database)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def damage(path: Path, holding: bytes) -> None:
    """Blank a page, told by what it holds."""
    data = bytearray(path.read_bytes())
    start = data.index(holding) // PAGE * PAGE
    data[start : start + PAGE] = bytes(PAGE)
    path.write_bytes(bytes(data))


async def test_no_state_file_means_nothing_to_say(look: Look) -> None:
    assert await look(CHECK) == []


async def test_a_whole_file_is_noted(look: Look, home: Home, clock: FrozenClock) -> None:
    await fill(home, clock)

    (finding,) = await look(CHECK)

    assert (finding.id, finding.severity) == ("state.whole", Severity.NOTE)


async def test_a_file_that_takes_too_long_to_read_is_not_called_whole(
    look: Look, home: Home, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(home, clock)
    monkeypatch.setattr(database, "MAX_CHECK_S", 0)

    (finding,) = await look(CHECK)

    assert (finding.id, finding.severity, finding.place) == ("state.unread", Severity.WARNING, str(home.database))
    assert "not read to its end" in finding.message
    assert finding.hint


async def test_damage_in_a_page_that_nobody_reads_is_found(look: Look, home: Home, clock: FrozenClock) -> None:
    await fill(home, clock)
    damage(home.database, b"x" * 400)

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.severity, finding.place) == ("state.damaged", Severity.ERROR, str(home.database))
    assert finding.hint


async def test_a_file_that_makes_sqlite_speak_of_what_is_no_text_is_told_and_no_traceback(
    look: Look, home: Home, clock: FrozenClock
) -> None:
    await fill(home, clock)
    home.database.write_bytes(home.database.read_bytes().replace(b"CREATE TABLE inbox", b"CREATE TABL\xff inbox"))

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.severity) == ("state.unusable", Severity.ERROR)


async def test_a_journal_whose_end_was_cut_off_is_told(look: Look, home: Home, clock: FrozenClock) -> None:
    await fill(home, clock)
    (journal,) = home.workspace("personal").glob(".memory/journal/*.jsonl")
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.severity) == ("state.journal", Severity.WARNING)
    assert "older backup" in finding.hint


async def test_damage_in_a_page_of_the_index_that_no_question_reads_is_found(
    look: Look, home: Home, clock: FrozenClock
) -> None:
    await fill(home, clock)
    assert wrong(await look(index.CHECK)) == []
    damage(home.index("personal"), b"Fact 0 is here.")

    (finding,) = wrong(await look(index.CHECK))

    assert finding.id == "index.damaged"


async def test_a_database_that_is_shared_is_asked_and_a_role_that_may_do_anything_is_told(
    look: Look, home: Home, postgresql: PostgresServer
) -> None:
    found = []
    for address in (postgresql.database(), postgresql.address(ADMINISTRATOR), postgresql.address(password="w0rng")):
        put(home.config, f"store:\n  url: {address}\n")
        found.append([finding.id for finding in await look(CHECK)])

    assert found == [["state.shared"], ["state.shared", "state.superuser"], ["state.unusable"]]
