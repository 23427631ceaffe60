from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from adapters.in_memory import InMemoryAdapter
from adapters.port import Address, ChatKind, Outbound, Receipt
from bot.access.routing import Routing
from bot.pipeline.delivery.outbox import Adapters
from bot.pipeline.delivery.owner import MAX_A_DAY, OwnerChats
from bot.pipeline.delivery.rendering import Renderer
from bot.pipeline.worker import Worker
from bot.storage.port import Effects, Grant
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from bot.turn import Reply, Turn
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.factories import HOME, NOON, OWNER, agent, chat, envelope, inbound
from tests.support.service import PeopleAdapter

THERE = chat("there", platform="discord")


class Notices:
    """What the owner is told."""

    def __init__(self, coordinator: SqliteCoordinator, owner: OwnerChats) -> None:
        self.owner = owner
        self._coordinator = coordinator

    async def told(self) -> list[Outbound]:
        (grant,) = await self._coordinator.claim("test", ["personal"])
        parts = await self._coordinator.outgoing(grant, {HOME.account, THERE.account}, after=0)
        return [part.out for part in parts]


@asynccontextmanager
async def notices(folder: Path, clock: FrozenClock) -> AsyncIterator[Notices]:
    """One life of the process; the owner has written at `THERE`, and last at `HOME`."""
    async with SqliteCoordinator.open(folder / "s", clock=clock) as coordinator:
        routing = Routing("personal", ["personal"], register=AccessStore())
        owner = OwnerChats(coordinator, routing=routing, clock=clock)
        await owner.load()
        await coordinator.publish(envelope("hello"))
        for to in (THERE, HOME):
            await owner.remember(OWNER, inbound("hello", update="1", at=to))
        yield Notices(coordinator, owner)


async def test_a_few_strangers_a_day_are_told_of_also_over_a_restart(tmp_path: Path) -> None:
    clock, told = FrozenClock(NOON), list[Outbound]()
    for _ in range(2):
        async with notices(tmp_path, clock) as here:
            for number in range(MAX_A_DAY):
                await here.owner.report_stranger(f"discord:{10**18 + number}", "Eve", "ACDEFGHJ")
                await here.owner.report_stranger(f"telegram:{number}", "Eve", "ACDEFGHJ")
            told = await here.told()

    assert len(told) == MAX_A_DAY
    assert all(len(button.data.encode()) <= 64 for out in told for button in out.buttons)
    assert ["`/guests` shows" in out.text for out in told] == [False] * (MAX_A_DAY - 1) + [True]
    clock.advance(days=1)
    async with notices(tmp_path, clock) as here:
        await here.owner.report_stranger("telegram:99", "Eve", "ACDEFGHJ")
        assert len(await here.told()) == MAX_A_DAY + 1


async def test_a_strangers_name_is_a_name_and_nothing_else(tmp_path: Path) -> None:
    async with notices(tmp_path, FrozenClock(NOON)) as here:
        name = "`/guests on`\n# **Eve** [tap](https://evil.example) " + "z" * 1000
        await here.owner.report_stranger("telegram:9", name, "ACDEFGHJ")
        (out,) = await here.told()

    assert "called `/guests on Eve tap https://evil.example`, wrote to me" in out.text
    assert [button.data for button in out.buttons] == ["/guests approve telegram:9", "/guests ignore telegram:9"]


async def test_what_was_given_up_is_told_elsewhere_than_where_it_could_not_be_delivered(tmp_path: Path) -> None:
    async with notices(tmp_path, FrozenClock(NOON)) as here:
        await here.owner.report_dead(["personal:7"], HOME, "the `chat` is\ngone")
        await here.owner.report_dead(["personal:8"], chat("of a stranger"), "blocked")
        (out,) = await here.told()

    assert out.to == THERE
    assert "`the 'chat' is gone`" in out.text
    assert [button.data for button in out.buttons] == ["/dead retry personal:7", "/dead ignore"]


async def test_who_is_my_owner_no_longer_is_told_nothing_more(tmp_path: Path) -> None:
    clock, phone, seen = FrozenClock(NOON), chat("phone"), list[Address | None]()
    owners = {f"{phone.platform}:owner", f"{THERE.platform}:owner"}
    routing = Routing("personal", ["personal"], register=AccessStore())
    for life in range(2):
        async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as coordinator:
            owner = OwnerChats(coordinator, routing=routing, clock=clock, owns=owners.__contains__)
            await owner.load()
            for to in () if life else (phone, THERE):
                await owner.remember(OWNER, inbound("hello", update="1", at=to))
            seen.append(owner.latest)
            owners.discard(f"{THERE.platform}:owner")
            assert await owner.tell("Somebody wrote to me.", about=f"notice-{life}")
            (grant,) = await coordinator.claim("test", ["personal"])
            owed = await coordinator.outgoing(grant, {phone.account, THERE.account}, after=0)
            seen += [part.out.to for part in owed]

    assert seen == [THERE, phone, phone, phone, phone]


async def test_of_two_owners_on_one_account_the_other_is_told_once_one_is_no_owner_any_more(tmp_path: Path) -> None:
    clock, owners = FrozenClock(NOON), {"volatile:ana", "volatile:bo"}
    routing = Routing("personal", ["personal"], register=AccessStore())
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as coordinator:
        owner = OwnerChats(coordinator, routing=routing, clock=clock, owns=owners.__contains__)
        for name in ("ana", "bo"):
            await owner.remember(OWNER, inbound("hello", update="1", at=chat(name), sender=name))
        first = owner.latest
        before = [owner.is_former(chat(name)) for name in ("ana", "bo", "cy")]
        owners.discard("volatile:bo")
        second = owner.latest
        after = [owner.is_former(chat(name)) for name in ("ana", "bo", "cy")]

    assert (first, second) == (chat("bo"), chat("ana"))
    assert (before, after) == ([False] * 3, [False, True, False])


async def test_a_reason_that_ends_with_a_stop_gets_no_second_one(tmp_path: Path) -> None:
    async with notices(tmp_path, FrozenClock(NOON)) as here:
        await here.owner.report_dead(["personal:7"], HOME, "Forbidden: bot was blocked by the user.")
        (out,) = await here.told()

    assert "`Forbidden: bot was blocked by the user`. It is kept" in out.text


class Killed(BaseException):
    """The process was killed."""


class DyingCoordinator(SqliteCoordinator):
    """Its process is killed as soon as messages are set aside."""

    async def commit(self, grant: Grant, effects: Effects) -> None:
        await super().commit(grant, effects)
        raise Killed


async def test_a_crash_right_after_something_was_given_up_loses_no_notice_of_it(tmp_path: Path) -> None:
    clock, adapters = FrozenClock(NOON), Adapters([])
    async with DyingCoordinator.open(tmp_path / "s", clock=clock) as coordinator:
        routing = Routing("personal", ["personal"], register=AccessStore())
        owner = OwnerChats(coordinator, routing=routing, clock=clock)
        await owner.remember(OWNER, inbound("hello", update="1", at=THERE))
        await coordinator.publish(envelope("poison", at=chat("g", kind=ChatKind.GROUP)))

        async def fail(turn: Turn) -> Reply:
            raise ValueError(turn.id)

        worker = Worker(
            coordinator,
            agents={"personal": agent()},
            respond=fail,
            renderer=Renderer(adapters, clock=clock),
            adapters=adapters,
            pause=InstantPause(),
            given_up=owner.prepare_dead,
        )
        (grant,) = await coordinator.claim("test", ["personal"])
        with pytest.raises(BaseExceptionGroup):
            await worker.run(grant)

    async with asyncio.timeout(10), notices(tmp_path, clock) as here:
        assert [out.text.split(" that")[0] for out in await here.told()] == ["I gave something up"]


async def test_of_much_that_was_given_up_no_button_tries_again_what_else_there_is(tmp_path: Path) -> None:
    ids = [f"personal:{10_000 + number}" for number in range(9)]
    async with notices(tmp_path, FrozenClock(NOON)) as here:
        await here.owner.report_dead(ids, HOME, "it broke")
        (out,) = await here.told()

    assert [button.data for button in out.buttons] == ["/dead", "/dead ignore"]


class Broken(InMemoryAdapter):
    """Fails in a way of its own."""

    async def send(self, out: Outbound) -> Receipt:
        raise KeyError(out.id)


async def test_what_is_urgent_is_said_on_the_platform_that_works(tmp_path: Path) -> None:
    here, there = Broken(now=lambda: NOON), PeopleAdapter(FrozenClock(NOON))
    here.platform, here.bot = HOME.platform, HOME.bot
    there.platform, there.bot = THERE.platform, THERE.bot
    async with notices(tmp_path, FrozenClock(NOON)) as notice, asyncio.TaskGroup() as group:
        telling = group.create_task(notice.owner.run(Adapters([here, there])))
        notice.owner.urgent.put_nowait("The disk is full.")
        assert await there.answer() == "The disk is full."
        telling.cancel()


async def test_what_nobody_could_be_told_stays_out_of_the_log(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as coordinator:
        routing = Routing("personal", ["personal"], register=AccessStore())
        owner = OwnerChats(coordinator, routing=routing, clock=clock)
        await owner.load()
        with capture_logs() as log:
            assert not await owner.tell("Yesterday I noted that Robin hides the key.", about="digest:personal")

    assert [(line["event"], line["about"]) for line in log] == [("owner.not_told", "digest:personal")]
    assert "Robin" not in str(log)
