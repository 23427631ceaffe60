from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import RATE, AccessStore, Pairing, Person, Role
from memory import FrozenClock
from tests.support.factories import NOON


async def test_marks_are_kept_for_each_account_and_the_newest_counts(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as core:
        await core.marks.save("discord.1", "chat", "5")
        await core.marks.save("discord.1", "chat", "7")
        await core.marks.save("discord.2", "chat", "9")

    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as core:
        assert await core.marks.load("discord.1") == {"chat": "7"}
        assert await core.marks.load("discord.3") == {}


async def test_a_rating_looks_into_the_index_of_what_was_said_in_its_chat(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)):
        pass
    with closing(sqlite3.connect(tmp_path / "s")) as db:
        plan = [str(row[-1]) for row in db.execute(f"EXPLAIN QUERY PLAN {RATE}", ("t.1:private:7", "5", "a", "up", ""))]

    looks = [step for step in plan if "said" in step]
    assert len(looks) == 2
    assert "outbox_said (agent=? AND session=? AND note=?)" in looks[0]
    assert "outbox_said (agent=? AND session>? AND session<?)" in looks[1]


async def test_what_cannot_be_read_changes_nothing_of_what_is_known() -> None:
    state = InMemoryCoordinator()
    known, reader = AccessStore(), state._reader
    await state.register.grant(Person("volatile:ana", Role.GUEST, "Ana", NOON))
    await known.load(reader)

    await state.register.grant(Person("volatile:bo", Role.GUEST, "Bo", NOON))
    await state.register.ask(Pairing("a", "volatile:c", "C", "C0DE", "u", NOON))
    await state.register._execute("UPDATE pairing SET at = 'some day'")
    with pytest.raises(ValueError, match="some day"):
        await known.load(reader)

    assert [person.identity for person in known.people] == ["volatile:ana"]
