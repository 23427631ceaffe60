"""The queue's rules, on a clock that stands still until it is moved."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.servers.ledger import Ledger
from tests.servers.telegram.posting import Webhook
from tests.servers.telegram.refusals import Refused
from tests.servers.telegram.updates import BY_DEFAULT, FIRST_ID, UpdateQueue


class Ticks:
    now = 100.0

    def __call__(self) -> float:
        self.now += 10  # no two calls are close to each other, unless a test says so
        return self.now


def filled(count: int, **options: Any) -> UpdateQueue:
    queue = UpdateQueue(Ledger(), **{"monotonic": Ticks(), "patience_s": 0.02, **options})
    for number in range(count):
        queue.push("message", {"message_id": number})
    return queue


async def ask(queue: UpdateQueue, offset: int = 0, *, limit: int = 100, timeout_s: float = 0) -> list[int]:
    updates = await queue.get(offset=offset, limit=limit, timeout_s=timeout_s, allowed=None)
    return [update["update_id"] - FIRST_ID for update in updates]


async def test_updates_come_again_until_a_higher_offset_confirms_them() -> None:
    queue = filled(3)

    assert await ask(queue) == [0, 1, 2]
    assert await ask(queue) == [0, 1, 2]
    assert await ask(queue, FIRST_ID + 1) == [1, 2]
    assert await ask(queue) == [1, 2]


async def test_the_limit_is_obeyed_and_never_above_a_hundred() -> None:
    queue = filled(120)

    assert len(await ask(queue, limit=2)) == 2
    assert len(await ask(queue, limit=500)) == 100


async def test_a_negative_offset_keeps_the_newest_and_one_from_the_future_counts_as_none() -> None:
    queue = filled(5)

    assert await ask(queue, FIRST_ID + 500) == [0, 1, 2, 3, 4]
    assert await ask(queue, -2) == [3, 4]
    assert await ask(queue) == [3, 4]


async def test_an_empty_queue_answers_at_once_without_timeout_and_waits_with_one() -> None:
    queue = filled(0)
    assert await ask(queue) == []

    async with asyncio.TaskGroup() as group:
        poll = group.create_task(ask(queue, timeout_s=5))
        await asyncio.sleep(0)
        queue.push("message", {})
        queue.push("message", {})

    assert poll.result() == [0, 1]


async def test_a_second_poll_ends_the_first_with_a_conflict() -> None:
    queue = filled(0)

    async with asyncio.TaskGroup() as group:
        first = group.create_task(refusal(queue))
        await asyncio.sleep(0)
        second = group.create_task(ask(queue, timeout_s=5))
        await asyncio.sleep(0)
        queue.push("message", {})

    assert first.result().startswith("Conflict: terminated by other getUpdates request")
    assert second.result() == [0]


async def test_a_webhook_and_polling_exclude_each_other() -> None:
    queue = filled(1)
    queue.poster.set(Webhook("https://bot.example/"))

    assert (await refusal(queue)).startswith("Conflict: can't use getUpdates method while webhook is active")


async def refusal(queue: UpdateQueue) -> str:
    with pytest.raises(Refused) as refused:
        await ask(queue, timeout_s=5)
    assert refused.value.status == 409
    return refused.value.description


async def test_asking_for_the_same_offset_in_a_hurry_gives_one_update_and_waits_for_more() -> None:
    queue = filled(3, monotonic=lambda: 5.0)

    assert await ask(queue) == [0, 1, 2]
    assert await ask(queue) == [0]
    assert await ask(queue, FIRST_ID + 3) == []
    async with asyncio.TaskGroup() as group:
        poll = group.create_task(ask(queue, FIRST_ID + 3))
        await asyncio.sleep(0)
        queue.push("message", {})
    assert poll.result() == [3]


async def test_kinds_that_were_not_asked_for_are_not_queued_and_the_wish_is_remembered() -> None:
    queue = filled(0)
    assert queue.push("message_reaction", {}) is None

    await queue.get(offset=0, limit=1, timeout_s=0, allowed=["message_reaction", "nonsense"])

    assert queue.push("message_reaction", {}) == FIRST_ID
    assert queue.push("message", {}) is None
    assert await ask(queue) == [0]
    await queue.get(offset=0, limit=1, timeout_s=0, allowed=["nonsense"])
    assert queue.allowed == BY_DEFAULT


async def test_confirmed_updates_can_come_again_and_waiting_ones_be_lost() -> None:
    queue = filled(3)
    await ask(queue, FIRST_ID + 2)

    assert queue.redeliver(1) == [FIRST_ID + 1]
    assert await ask(queue) == [1, 2]
    queue.drop()
    assert await ask(queue) == []
