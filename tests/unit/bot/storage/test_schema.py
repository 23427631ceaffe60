from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import pytest

from bot.errors import StateError
from bot.storage.database import read_only, read_write
from bot.storage.schema import APPLICATION_ID, MIGRATIONS, migrate

ADD_MOOD = ("ALTER TABLE agent ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",)
FAIL_HALFWAY = ("CREATE TABLE half (x INTEGER) STRICT", "CREATE TABLE half (x INTEGER) STRICT")


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    db = sqlite3.connect(path)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


async def opened(path: Path) -> None:
    async with read_write(path):
        pass


async def test_a_new_file_is_ours_private_and_of_the_newest_schema(tmp_path: Path) -> None:
    path = tmp_path / "state" / "s.sqlite"

    await opened(path)

    assert query(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert query(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert query(path, "PRAGMA journal_mode") == [("wal",)]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_what_cannot_be_opened_at_all_is_told_as_any_other_failure(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.mkdir()  # as a container makes it, for a file that was not there yet

    with pytest.raises(StateError, match=f"Opening {path} failed"):
        await opened(path)


FIRST = {
    "asked": "subject",
    "quarantine": "account",
    "seen": "account",
    "pairing": "account",
    "choice": "account",
    "chat_setting": "account",
    "mark": "account",
    "move": "account",
    "person": "identity",
    "link": "identity",
}
"""What is known before an agent is found."""


async def test_every_table_is_strict_and_has_its_actor_first_in_the_key(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    await opened(path)

    tables = query(path, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")

    assert [name for name, _ in tables] == [
        "agent", "asked", "chat_setting", "choice", "effect", "inbox", "job", "link", "mark", "move", "outbox",
        "pairing", "person", "placed", "quarantine", "rating", "seen", "transcript", "usage",
    ]  # fmt: skip
    for name, sql in tables:
        assert "STRICT" in str(sql)
        first = next(column for _, column, *_, key in query(path, f"PRAGMA table_info({name})") if key == 1)
        assert first == FIRST.get(str(name), "agent")


async def test_what_is_asked_often_is_answered_from_an_index(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    await opened(path)

    for sql in (
        "SELECT body FROM inbox WHERE agent = 'a' AND seq > 0 AND state = 'waiting' ORDER BY seq",
        "SELECT body FROM outbox WHERE agent = 'a' AND seq > 0 AND state IN ('queued', 'sending') ORDER BY seq",
        "SELECT 1 FROM outbox WHERE agent = 'a' AND session = 's' AND note = '7' AND seq > 0 AND state = 'delivered'",
        "SELECT body FROM transcript WHERE agent = 'a' AND session = 's' AND kind = 'reply' ORDER BY seq DESC LIMIT 1",
    ):
        plan = " ".join(str(row[3]) for row in query(path, f"EXPLAIN QUERY PLAN {sql}"))
        assert "SEARCH" in plan
        assert "SCAN" not in plan
        assert "TEMP B-TREE" not in plan


async def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    await opened(path)
    await opened(path)

    assert [file.name for file in tmp_path.iterdir()] == ["s.sqlite"]


async def test_a_migration_keeps_what_was_there_and_leaves_a_copy_from_before(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    async with read_write(path) as db:
        await db.run(lambda one: one.execute("INSERT INTO agent (agent) VALUES ('personal')"))
        await db.run(partial(migrate, path=path, migrations=(*MIGRATIONS, ADD_MOOD)))

    assert query(path, "SELECT agent, mood FROM agent") == [("personal", "calm")]
    assert query(path, "PRAGMA user_version") == [(len(MIGRATIONS) + 1,)]
    copy = tmp_path / f"s.sqlite.v{len(MIGRATIONS)}.bak"
    assert query(copy, "SELECT agent FROM agent") == [("personal",)]
    assert query(copy, "PRAGMA user_version") == [(len(MIGRATIONS),)]


async def test_a_migration_that_fails_leaves_the_file_as_it_was_and_can_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    async with read_write(path) as db:
        with pytest.raises(sqlite3.OperationalError):
            await db.run(partial(migrate, path=path, migrations=(*MIGRATIONS, ADD_MOOD, FAIL_HALFWAY)))
    assert query(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]

    async with read_write(path) as db:
        await db.run(partial(migrate, path=path, migrations=(*MIGRATIONS, ADD_MOOD)))

    assert query(path, "SELECT name FROM sqlite_schema WHERE name = 'half'") == []
    assert query(path, "SELECT mood FROM agent") == []


async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    async with read_write(path) as db:
        await db.run(partial(migrate, path=path, migrations=(*MIGRATIONS, ADD_MOOD)))
    before = path.read_bytes()

    known = len(MIGRATIONS)
    told = rf"newer Scrubjay .schema {known + 1}; this one knows {known}.*s\.sqlite\.v{known}\.bak"
    with pytest.raises(StateError, match=told):
        await opened(path)
    with pytest.raises(StateError, match="newer Scrubjay"):
        async with read_only(path):
            pass
    assert path.read_bytes() == before


async def test_a_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE theirs (x)")
    foreign.close()
    before = path.read_bytes()

    with pytest.raises(StateError, match="another program"):
        await opened(path)
    assert path.read_bytes() == before


async def test_a_damaged_file_is_reported_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"this is no database at all, but long enough to look at" * 100)

    with pytest.raises(StateError, match=r"Opening .*s\.sqlite failed: file is not a database.*move it aside"):
        await opened(path)


async def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")

    with pytest.raises(StateError, match="cannot be written"):
        await opened(tmp_path / "state" / "s.sqlite")


async def test_what_models_took_before_turns_were_told_apart_stays_counted(tmp_path: Path) -> None:
    path, earlier = tmp_path / "s.sqlite", MIGRATIONS[:14]
    with sqlite3.connect(path) as file:
        file.isolation_level = None
        migrate(file, path, earlier)
        file.execute("INSERT INTO usage VALUES ('personal', '2026-11-20', 3, 1800, 100, 24, 1)")
    file.close()

    await opened(path)

    assert query(
        path, "SELECT agent, day, model, person, answers, prompt, cached, completion, unreported FROM usage"
    ) == [("personal", "2026-11-20", "", "", 3, 1800, 100, 24, 1)]
