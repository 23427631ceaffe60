from __future__ import annotations

import asyncio
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import Missing, StateError
from bot.storage.coordinator import PAGE
from bot.storage.database import Durability, read_only, read_state
from bot.storage.port import PartState
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.dead_letters import QueueDepth, queue_depths
from memory import FrozenClock
from tests.support.factories import HOME, NOON, chat, effects, envelope, outbound


async def test_more_than_a_page_of_messages_is_read_page_by_page(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        await asyncio.gather(*(coordinator.publish(envelope(str(n), update=str(n))) for n in range(PAGE + 5)))

        first = await coordinator.pending(grant, after=0)
        rest = await coordinator.pending(grant, after=first[-1].seq)

    assert [message.envelope.inbound.text for message in (*first, *rest)] == [str(n) for n in range(PAGE + 5)]


async def test_pages_of_parts_for_platforms_that_do_not_run_are_passed_over(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        await coordinator.publish(envelope("question"))
        (message,) = await coordinator.pending(grant, after=0)
        elsewhere = tuple(outbound(str(n), to=chat("c", platform="absent")) for n in range(PAGE + 1))
        await coordinator.commit(grant, effects(message, parts=(*elsewhere, outbound("here"))))

        (part,) = await coordinator.outgoing(grant, {HOME.account}, after=0)

    assert part.out.id == "here"


async def test_depths_are_read_while_the_service_runs_and_after_it(tmp_path: Path) -> None:
    path, clock = tmp_path / "s", FrozenClock(NOON)
    assert await read_state(path, queue_depths) == ()
    async with SqliteCoordinator.open(path, clock=clock) as coordinator:
        (grant, _) = await coordinator.claim("w", ["personal", "work"])
        for n in range(4):
            await coordinator.publish(envelope(str(n), update=str(n)))
            clock.advance(hours=1)
        one, two, *_ = await coordinator.pending(grant, after=0)
        await coordinator.commit(grant, effects(one, parts=tuple(outbound(part) for part in "abc")))
        await coordinator.commit(grant, effects(two, set_aside="it failed"))
        part, other, _ = await coordinator.outgoing(grant, {HOME.account}, after=0)
        await coordinator.move(grant, part.seq, PartState.DELIVERED, note="1")
        await coordinator.move(grant, other.seq, PartState.DEAD, note="gone")
        during = await read_state(path, queue_depths)

    since = datetime(2026, 11, 21, 14, 0, tzinfo=UTC)
    assert during == (QueueDepth("personal", 2, since, owed=1, dead=2), QueueDepth("work", 0, None, owed=0, dead=0))
    assert await read_state(path, queue_depths) == during


async def test_a_reader_cannot_write(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)), read_only(tmp_path / "s") as db:
        with pytest.raises(Exception, match="readonly"):
            await db.run(lambda one: one.execute("DELETE FROM agent"))


async def test_an_error_inside_the_block_comes_out_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="nothing here"):
        async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)):
            raise Missing("nothing here")


async def test_a_file_that_breaks_while_it_is_read_is_a_state_error(tmp_path: Path) -> None:
    path = tmp_path / "s"
    async with SqliteCoordinator.open(path, clock=FrozenClock(NOON)) as coordinator:
        await coordinator.claim("w", ["personal"])
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)

    async def look() -> None:
        async with SqliteCoordinator.open(path, clock=FrozenClock(NOON)) as coordinator:
            (grant,) = await coordinator.claim("w", ["personal"])
            await coordinator.wait_settled(grant, {HOME.account})

    with pytest.raises(StateError, match="malformed"):
        await look()


async def test_a_disk_that_is_full_is_waited_for_and_what_was_brought_meanwhile_is_taken(tmp_path: Path) -> None:
    said: list[str] = []

    async def make_room(seconds: float) -> None:
        assert coordinator.stalled == said[0]
        with pytest.raises(StateError, match="takes nothing"):
            await coordinator.touch()
        if seconds > 1:
            await coordinator._writer._db.run(lambda db: db.execute("PRAGMA max_page_count = 1000000"))

    endurance = Durability(make_room, said.append)
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON), endurance=endurance) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        ((pages,),) = await coordinator._writer._db.run(lambda db: db.execute("PRAGMA page_count").fetchall())
        await coordinator._writer._db.run(lambda db: db.execute(f"PRAGMA max_page_count = {pages}"))

        assert await coordinator.publish(envelope("x" * 100_000))

        assert len(await coordinator.pending(grant, after=0)) == 1
        await coordinator.touch()
    assert said == ["database or disk is full", ""]


def changed(path: Path, table: str, **more: object) -> None:
    """Give the JSON bodies of a table further fields, as a newer version may."""
    with sqlite3.connect(path) as db:
        for rowid, body in db.execute(f"SELECT rowid, body FROM {table}").fetchall():
            db.execute(f"UPDATE {table} SET body = ? WHERE rowid = ?", (json.dumps(json.loads(body) | more), rowid))


async def test_fields_that_a_newer_version_wrote_are_passed_over(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        await coordinator.publish(envelope("one", update="1"))
        await coordinator.publish(envelope("two", update="2"))
        (first, _) = await coordinator.pending(grant, after=0)
        await coordinator.commit(grant, effects(first, parts=(outbound("answer"),)))
    for table in ("inbox", "outbox", "transcript"):
        changed(tmp_path / "s", table, invented={"later": [1]})

    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        (message,) = await coordinator.pending(grant, after=0)
        (part,) = await coordinator.outgoing(grant, {HOME.account}, after=0)

    assert (message.envelope.inbound.text, part.out.id) == ("two", "answer")


async def test_a_part_that_is_tried_again_brings_no_other_one_back(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        await coordinator.publish(envelope("one", update="1"))
        (message,) = await coordinator.pending(grant, after=0)
        await coordinator.commit(grant, effects(message, parts=tuple(map(outbound, ("shown", "lost", "refused")))))
        for part, state in zip(
            await coordinator.outgoing(grant, {HOME.account}, after=0),
            (PartState.DELIVERED, PartState.DEAD, PartState.DEAD),
            strict=True,
        ):
            await coordinator.move(grant, part.seq, state)
        (wanted, _) = await coordinator.dead_letters.list()

        assert await coordinator.dead_letters.retry(wanted.id) == (wanted.id,)

        assert [part.out.id for part in await coordinator.outgoing(grant, {HOME.account}, after=0)] == ["lost"]
        assert len(await coordinator.dead_letters.list()) == 1


async def test_a_row_that_cannot_be_read_is_set_aside_and_those_after_it_are_served(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        await coordinator.publish(envelope("one", update="1"))
        (first,) = await coordinator.pending(grant, after=0)
        await coordinator.commit(grant, effects(first, parts=(outbound("old"),)))
        await coordinator.publish(envelope("two", update="2"))
    changed(tmp_path / "s", "inbox", inbound={"happening": "poll"})
    changed(tmp_path / "s", "outbox", to=None)

    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as coordinator:
        (grant,) = await coordinator.claim("w", ["personal"])
        await coordinator.publish(envelope("three", update="3"))
        (message,) = await coordinator.pending(grant, after=0)
        await coordinator.commit(grant, effects(message, parts=(outbound("new"),)))
        (part,) = await coordinator.outgoing(grant, {HOME.account}, after=0)
        given_up = await coordinator.dead_letters.list()
        assert await coordinator.redact("personal", lambda text: text.replace("two", "[masked]")) == 0

    assert (message.envelope.inbound.text, part.out.id) == ("three", "new")
    assert sorted(letter.kind for letter in given_up) == ["message", "part"]
    assert all("cannot be read" in letter.reason for letter in given_up)
