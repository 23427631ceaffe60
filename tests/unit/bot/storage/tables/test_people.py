from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import RATE
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
