from __future__ import annotations

import asyncio
from collections import deque

from bot.lanes import Lanes


async def test_one_key_is_served_in_order_and_another_does_not_wait_for_it() -> None:
    gate = asyncio.Event()
    served: asyncio.Queue[str] = asyncio.Queue()

    async def serve(queue: deque[str]) -> None:
        while queue:
            item = queue.popleft()
            if item == "slow":
                await gate.wait()
            served.put_nowait(item)

    async with asyncio.TaskGroup() as group:
        lanes = Lanes(group, serve)
        for key, item in [("a", "slow"), ("a", "after it"), ("b", "one"), ("b", "two")]:
            lanes.put(key, item)
        assert [await served.get(), await served.get()] == ["one", "two"]
        gate.set()
        assert [await served.get(), await served.get()] == ["slow", "after it"]


async def test_a_lane_that_ran_empty_begins_again() -> None:
    served: asyncio.Queue[int] = asyncio.Queue()

    async def serve(queue: deque[int]) -> None:
        while queue:
            served.put_nowait(queue.popleft())

    async with asyncio.TaskGroup() as group:
        lanes = Lanes(group, serve)
        for n in range(3):
            lanes.put("key", n)
            assert await served.get() == n
