"""How the parts of a running service are, watched while it runs."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from bot.paths import Home
from bot.service.health import HealthHistory
from tests.support.dashboard import AGENTS, open_application


async def test_a_sample_that_fails_ends_nothing_and_the_next_one_is_taken(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    passes, waits = asyncio.Semaphore(0), asyncio.Semaphore(0)

    async def pause(seconds: float) -> None:
        assert seconds > 0
        waits.release()
        await passes.acquire()

    async with open_application(home) as (app, _), asyncio.TaskGroup() as group:
        history = HealthHistory(app, pause)
        with closing(sqlite3.connect(home.database)) as db:
            db.execute("ALTER TABLE job RENAME TO away")
            watching = group.create_task(history.run())
            await waits.acquire()
            before = history.bars(AGENTS[0])
            db.execute("ALTER TABLE away RENAME TO job")
        passes.release()
        await waits.acquire()
        after = history.bars(AGENTS[0])
        watching.cancel()

    assert before == ()
    assert {bar.now.name for bar in after} >= {"index", "jobs"}
