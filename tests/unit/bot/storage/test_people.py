from __future__ import annotations

from pathlib import Path

from bot.storage.sqlite import SqliteCoordinator
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
