from __future__ import annotations

import asyncio

import pytest

from adapters.in_memory import InMemoryAdapter
from adapters.port import InboundHandler
from bot.errors import StateError
from bot.pipeline.worker import STEADY_S
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.port import Grant, QueuedMessage
from bot.turn import Reply, Turn
from tests.support.factories import NOON
from tests.support.service import AGENTS, ServiceHarness, echo


async def test_it_ends_when_everybody_has_left_and_everything_is_answered() -> None:
    assert await ServiceHarness(echo, burst=1).run("one", "two", "three") == ["one", "two", "three"]


async def test_stop_finishes_what_was_accepted_and_takes_nothing_more() -> None:
    coordinator = InMemoryCoordinator()
    stand: ServiceHarness

    async def stopping(turn: Turn) -> Reply:
        stand.service.stop()
        stand.adapter.say("too late")
        return Reply(turn.text)

    stand = ServiceHarness(stopping, coordinator)
    stand.adapter.say("in time")
    await stand.service.run(AGENTS, owner="test")

    assert [out.text for out in stand.adapter.shown] == ["in time"]
    later = ServiceHarness(echo, coordinator)
    assert await later.run() == []


async def test_the_failure_of_one_part_ends_all_with_that_failure_itself() -> None:
    class FullDisk(InMemoryAdapter):
        async def run(self, door: InboundHandler) -> None:
            raise StateError("The disk is full.")

    with pytest.raises(StateError, match="disk is full"):
        await ServiceHarness(echo, adapter=FullDisk(now=lambda: NOON)).run()


async def test_cancelling_it_leaves_the_message_for_the_next_start() -> None:
    coordinator = InMemoryCoordinator()
    begun = asyncio.Event()

    async def endless(turn: Turn) -> Reply:
        begun.set()
        await asyncio.Event().wait()
        return Reply("never")

    stand = ServiceHarness(endless, coordinator)
    stand.adapter.say("hello")
    async with asyncio.TaskGroup() as group:
        running = group.create_task(stand.service.run(AGENTS, owner="test"))
        await begun.wait()
        running.cancel()

    assert await ServiceHarness(echo, coordinator).run() == ["hello"]


async def test_what_runs_beside_it_ends_with_it() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def beside() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def answer(turn: Turn) -> Reply:
        await begun.wait()
        return Reply(turn.text)

    stand = ServiceHarness(answer, background=[beside])

    assert await stand.run("hello") == ["hello"]
    assert ended.is_set()


async def test_the_failure_of_what_runs_beside_it_is_not_swallowed() -> None:
    async def beside() -> None:
        raise StateError("The disk is full.")

    stand = ServiceHarness(echo, background=[beside])

    with pytest.raises(StateError, match="disk is full"):
        await stand.service.run(AGENTS, owner="test")


async def test_an_account_that_fails_is_begun_anew_while_others_go_on() -> None:
    class Shaky(InMemoryAdapter):
        failures = 2

        async def run(self, door: InboundHandler) -> None:
            if self.failures:
                self.failures -= 1
                raise ZeroDivisionError
            await super().run(door)

    stand = ServiceHarness(echo, adapter=Shaky(now=lambda: NOON), supervised=True)

    assert await stand.run("hello") == ["hello"]
    assert [seconds for seconds in stand.pause.waited if seconds != STEADY_S][:2] == [1, 2]
    assert list(stand.service.accounts.statuses.values()) == ["ended"]


async def test_an_agent_whose_worker_fails_is_begun_anew_with_its_queue() -> None:
    class Shaky(InMemoryCoordinator):
        failures = 2

        async def pending(self, grant: Grant, *, after: int) -> tuple[QueuedMessage, ...]:
            if self.failures:
                self.failures -= 1
                raise ZeroDivisionError
            return await super().pending(grant, after=after)

    stand = ServiceHarness(echo, Shaky(), burst=1, supervised=True)

    assert await stand.run("one", "two") == ["one", "two"]
    assert stand.service.troubles == {}
