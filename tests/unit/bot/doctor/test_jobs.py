from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from adapters.port import Address, ChatKind, Inbound, Sender
from bot.doctor.jobs import CHECK
from bot.paths import Home
from bot.storage.keys import Principal
from bot.storage.port import Envelope, Job
from bot.storage.sqlite import SqliteCoordinator
from bot.system import instance
from memory import FrozenClock
from tests.unit.bot.doctor.conftest import Look, wrong

TO = Address("telegram", "telegram.7", "7", ChatKind.PRIVATE)


async def scheduled(home: Home, clock: FrozenClock, in_minutes: int, *, repeats: str = "") -> None:
    due = clock.now() + timedelta(minutes=in_minutes)
    inbound = Inbound("u", TO, Sender("telegram", "7"), "call Ingrid", "m", due)
    job = Job("reminder", due, Envelope("personal", Principal("telegram:7", "R", is_owner=True), inbound), repeats)
    async with SqliteCoordinator.open(home.database, clock=clock) as core:
        (grant,) = await core.claim("test", ["personal"])
        await core.schedule(grant, job)


async def test_no_state_file_means_nothing_to_say(look: Look) -> None:
    assert await look(CHECK) == []


@pytest.mark.parametrize(
    ("in_minutes", "repeats", "serves", "told"),
    [
        (30, "", False, []),
        (-5, "", True, []),
        (-60, "", False, ["jobs.missed"]),
        (-60, "0 3 * * *", False, []),
        (-60, "0 3 * * *", True, ["jobs.overdue"]),
    ],
    ids=["later", "a little late", "nothing runs", "upkeep may wait", "the service does not do it"],
)
async def test_what_is_late_is_told_where_somebody_misses_it(
    look: Look, home: Home, clock: FrozenClock, in_minutes: int, repeats: str, *, serves: bool, told: list[str]
) -> None:
    home.prepare()
    await scheduled(home, clock, in_minutes, repeats=repeats)
    if serves:
        with instance.hold(home, command="run", clock=clock):
            found = await look(CHECK)
    else:
        found = await look(CHECK)

    assert [finding.id for finding in wrong(found)] == told


async def test_what_cannot_be_read_and_what_failed_is_told(look: Look, home: Home, clock: FrozenClock) -> None:
    await scheduled(home, clock, 30)
    runs = [{"outcome": "done"}, {"outcome": "failed"}]
    with closing(sqlite3.connect(home.database)) as db:
        db.execute("UPDATE job SET body = '{}'")
        db.execute("INSERT INTO mark VALUES ('jobs', 'work digest', ?)", (json.dumps(runs),))
        db.execute("INSERT INTO mark VALUES ('jobs', 'work backup', ?)", (json.dumps(runs[::-1]),))
        db.commit()

    found = wrong(await look(CHECK))

    assert [(finding.id, finding.place) for finding in found] == [
        ("jobs.unreadable", str(home.database)),
        ("jobs.failed", "work digest"),
    ]
