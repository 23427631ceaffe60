"""Tests of leases: who has what, when a process does not renew, and when another one comes or goes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import psycopg
import pytest

from bot.errors import Fenced
from bot.postgresql.coordinator import LOOK_S, PostgresCoordinator
from bot.postgresql.leases import LASTING_S, Lease, Leases, Share
from bot.storage.port import Firing, Grant, Job, PartState
from bot.storage.statements import Database
from bot.storage.tables.people import Person, Role
from memory import FrozenClock
from tests.servers.postgresql import PostgresServer
from tests.support.factories import NOON, effects, envelope, outbound
from tests.support.postgresql import DatabaseClock


@pytest.fixture
def url(postgresql: PostgresServer) -> str:
    return postgresql.database()


@asynccontextmanager
async def process(url: str, name: str) -> AsyncIterator[tuple[PostgresCoordinator, Leases]]:
    async with PostgresCoordinator.open(url, clock=FrozenClock(NOON)) as coordinator:
        yield coordinator, Leases(coordinator.statements, coordinator.statements, owner=name)


def takes(coordinator: PostgresCoordinator, owner: str, agent: str) -> Callable[[Database], Grant]:
    def take(db: Database) -> Grant:
        return coordinator.take_over(db, owner, agent)

    return take


def nothing(_: Database) -> None:
    """What comes with a lease that is only a name."""


async def test_one_of_two_that_take_a_lease_at_the_same_time_has_it(url: str) -> None:
    async with process(url, "a") as (_, one), process(url, "b") as (_, other):
        taken = await asyncio.gather(one.take("x", nothing), other.take("x", nothing))

        assert sum(lease is not None for lease in taken) == 1
        assert await other.free(["x", "y"]) == ["y"]


async def test_a_lease_that_is_not_renewed_is_anothers_to_take_and_lost_to_the_first(url: str) -> None:
    async with process(url, "a") as (_, one), process(url, "b") as (_, other):
        clock = DatabaseClock(url)
        first = await one.take("x", nothing)
        clock.advance(LASTING_S - 1)
        assert await one.renew(["x"]) == {"x"}
        clock.advance(LASTING_S - 1)
        assert await other.take("x", nothing) is None

        clock.advance(2)
        assert await one.renew(["x"]) == frozenset()
        second = await other.take("x", nothing)

        assert first
        assert second
        assert second.epoch > first.epoch
        await one.release(first)  # has no effect any more
        assert await other.renew(["x"]) == {"x"}


async def test_what_is_given_back_is_free_at_once(url: str) -> None:
    async with process(url, "a") as (_, one), process(url, "b") as (_, other):
        lease = await one.take("x", nothing)
        assert lease
        await one.release(lease)

        assert await other.take("x", nothing)


async def test_members_are_counted_while_they_give_signs_of_life(url: str) -> None:
    async with process(url, "a") as (_, one), process(url, "b") as (_, other):
        clock = DatabaseClock(url)
        assert await one.members("work") == 1
        assert await other.members("work") == 2
        assert await other.members("egress") == 1
        clock.advance(LASTING_S + 1)
        assert await other.members("work") == 1
        await other.leave("work")
        assert await one.members("work") == 1


async def test_whoever_takes_an_agent_over_fences_the_one_before_and_finds_its_turn(url: str) -> None:
    async with process(url, "a") as (here, one), process(url, "b") as (there, other):
        clock = DatabaseClock(url)
        lease = await one.take("work/personal", takes(here, "a", "personal"))
        assert lease
        await here.publish(envelope("hello"))
        (message,) = await here.pending(lease.taken, after=0)
        await here.begin(lease.taken, [message.seq], attempt=1)

        clock.advance(LASTING_S + 1)
        taken = await other.take("work/personal", takes(there, "b", "personal"))
        assert taken
        (again,) = await there.pending(taken.taken, after=0)

        assert (again.attempts, again.deaths, taken.taken.crashes) == (1, 1, 1)
        with pytest.raises(Fenced):
            await here.commit(lease.taken, effects(message))
        await there.commit(taken.taken, effects(again))


async def test_of_several_turns_of_a_process_that_has_gone_none_is_charged(url: str) -> None:
    async with process(url, "a") as (here, one), process(url, "b") as (there, other):
        clock = DatabaseClock(url)
        for agent in ("personal", "work"):
            lease = await one.take(f"work/{agent}", takes(here, "a", agent))
            assert lease
            await here.publish(envelope("hello", agent=agent, update=agent))
            (message,) = await here.pending(lease.taken, after=0)
            await here.begin(lease.taken, [message.seq], attempt=1)

        clock.advance(LASTING_S + 1)
        deaths = []
        for agent in ("personal", "work"):
            taken = await other.take(f"work/{agent}", takes(there, "b", agent))
            assert taken
            deaths += [one.deaths for one in await there.pending(taken.taken, after=0)]

    assert deaths == [0, 0]


async def test_an_agent_that_was_given_back_was_not_crashed(url: str) -> None:
    async with process(url, "a") as (here, one), process(url, "b") as (there, other):
        lease = await one.take("work/personal", takes(here, "a", "personal"))
        assert lease
        await here.release(lease.taken)
        await one.release(lease)

        taken = await other.take("work/personal", takes(there, "b", "personal"))

    assert taken
    assert taken.taken.crashes == 0


async def test_a_scheduler_needs_no_worker_and_one_that_was_replaced_fires_nothing(url: str) -> None:
    async with process(url, "a") as (here, one), process(url, "b") as (there, other):
        clock, job, name = DatabaseClock(url), Job("tidy", NOON, envelope("/tidy"), "0 12 * * *"), "scheduler/personal"

        def daily(due: Job) -> Firing:
            return Firing(due.due, again=due.due + timedelta(days=1))

        first = await one.take(name, nothing)
        assert first
        before = Grant("personal", first.epoch, 1, lease=name)
        await here.schedule(before, job)
        assert await here.fire_due(before, NOON, daily) == (job,)

        clock.advance(LASTING_S + 1)
        second = await other.take(name, nothing)
        assert second
        after = Grant("personal", second.epoch, 1, lease=name)
        tomorrow = NOON + timedelta(days=1)
        with pytest.raises(Fenced):
            await here.fire_due(before, tomorrow, daily)
        assert len(await there.fire_due(after, tomorrow, daily)) == 1
        assert len(await there.statements.rows("SELECT seq FROM inbox")) == 2


async def test_deliveries_under_a_lease_of_their_own_are_fenced_by_it(url: str) -> None:
    async with process(url, "a") as (here, one), process(url, "b") as (there, other):
        clock = DatabaseClock(url)
        await here.tell("personal", outbound("p1"), update="u")
        sending = await one.take("egress/terminal.local", nothing)
        assert sending
        grant = Grant("personal", sending.epoch, 1, lease=sending.name)
        (part,) = await here.outgoing(grant, ["terminal.local"], after=0)
        await here.move(grant, part.seq, PartState.SENDING)

        clock.advance(LASTING_S + 1)
        assert await other.take("egress/terminal.local", nothing)

        with pytest.raises(Fenced):
            await here.move(grant, part.seq, PartState.DEAD, note="nobody is there")
        (agent,) = await there.claim("worker", ["personal"])  # an agent's own lease is another one
        assert [one.state for one in await there.outgoing(agent, ["terminal.local"], after=0)] == [PartState.SENDING]


async def test_what_one_process_publishes_wakes_another(url: str) -> None:
    async with process(url, "a") as (here, _), process(url, "b") as (there, _):
        (grant,) = await there.claim("b", ["personal"])
        waiting = asyncio.ensure_future(there.pending(grant, after=0))
        await asyncio.wait([waiting], timeout=0)
        assert not waiting.done()

        await here.publish(envelope("hello"))

        (message,) = await waiting
    assert message.envelope == envelope("hello")


async def test_who_was_let_in_by_one_process_is_known_to_another(url: str) -> None:
    async with process(url, "a") as (here, _), process(url, "b") as (there, _):
        await here.register.grant(Person("telegram:7", Role.GUEST, "Ana", NOON))
        for _ in range(100):
            if there.register.role("telegram:7") is Role.GUEST:
                break
            await asyncio.sleep(LOOK_S)
        assert there.register.role("telegram:7") is Role.GUEST


@dataclass
class Workers:
    """Processes whose shares are watched, and whose pauses end when a test says so."""

    url: str
    done: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    busy: set[str] = field(default_factory=set)

    def share(self, leases: Leases, names: list[str], turns: asyncio.Semaphore) -> Share[None]:
        async def work(lease: Lease[None]) -> None:
            self.done[leases.owner].append(lease.name)
            try:
                await asyncio.Event().wait()
            finally:
                self.done[leases.owner].remove(lease.name)

        async def is_idle(name: str) -> bool:
            return name not in self.busy

        async def turn(seconds: float) -> None:
            del seconds
            await turns.acquire()

        return Share(leases, "work", names, take=lambda _name, _db: None, work=work, is_idle=is_idle, pause=turn)

    def counts(self) -> dict[str, int]:
        return {owner: len(names) for owner, names in self.done.items()}


async def test_the_work_is_shared_when_a_process_comes_and_taken_over_when_it_goes(url: str) -> None:
    names, workers = [f"agent-{n}" for n in range(6)], Workers(url)

    async def settled(wanted: dict[str, int], *turns: asyncio.Semaphore) -> None:
        while workers.counts() != wanted:
            for one in turns:
                one.release()
            await asyncio.sleep(0.01)

    async with process(url, "a") as (_, one), process(url, "b") as (_, other), asyncio.TaskGroup() as group:
        first, second = asyncio.Semaphore(0), asyncio.Semaphore(0)
        here = group.create_task(workers.share(one, names, first).run())
        await settled({"a": 6}, first)
        workers.busy = {names[0]}

        there = group.create_task(workers.share(other, names, second).run())
        await settled({"a": 3, "b": 3}, first, second)
        assert f"work/{names[0]}" in workers.done["a"]  # nothing is taken from under a turn

        there.cancel()
        await settled({"a": 6, "b": 0}, first)
        here.cancel()
    assert workers.counts() == {"a": 0, "b": 0}


async def test_a_process_that_cannot_renew_stops_working_by_its_own_clock(url: str) -> None:
    workers, now = Workers(url), 0.0
    async with process(url, "a") as (_, one), asyncio.TaskGroup() as group:
        turns = asyncio.Semaphore(0)
        share = workers.share(one, ["x"], turns)
        share.monotonic = lambda: now
        running = group.create_task(share.run())
        while not workers.done["a"]:
            turns.release()
            await asyncio.sleep(0.01)
        with psycopg.connect(url, autocommit=True) as db, db.transaction():
            db.execute("LOCK TABLE lease")  # nothing can be renewed, and nothing fails
            now = LASTING_S + 1
            while workers.done["a"]:
                turns.release()
                await asyncio.sleep(0.01)
        running.cancel()


async def test_what_is_held_is_renewed_while_much_is_taken_over(url: str) -> None:
    names, workers, now = [f"agent-{n}" for n in range(6)], Workers(url), 0.0

    def take(name: str, db: Database) -> None:
        nonlocal now
        del db, name
        now += LASTING_S / 3
        clock.advance(LASTING_S / 3)

    async with process(url, "a") as (_, one), process(url, "b") as (_, other), asyncio.TaskGroup() as group:
        clock = DatabaseClock(url)
        share = workers.share(one, names, asyncio.Semaphore(0))
        share.take, share.monotonic = take, lambda: now
        running = group.create_task(share.run())
        while workers.counts() != {"a": 6}:
            held = [*workers.done["a"]]  # those that are taken after this may be free for the other one
            assert set(await other.free([f"work/{name}" for name in names])).isdisjoint(held)
            await asyncio.sleep(0.01)
        running.cancel()
