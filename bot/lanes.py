"""Lanes: what has the same key is served in order, one after the other; different keys are served side by side."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lanes(Generic[T]):
    """A queue for each key, and a task for each queue that is not empty.

    `serve` is given the queue and takes from its left what it serves next, until it is empty.
    """

    def __init__(self, group: asyncio.TaskGroup, serve: Callable[[deque[T]], Awaitable[None]]) -> None:
        self._group = group
        self._serve = serve
        self._queues: dict[str, deque[T]] = {}

    def put(self, key: str, item: T) -> None:
        """Queue an item."""
        if key in self._queues:
            self._queues[key].append(item)
            return
        self._queues[key] = deque([item])
        self._group.create_task(self._run(key), name=f"lane {key}")

    async def _run(self, key: str) -> None:
        await self._serve(self._queues[key])
        del self._queues[key]  # nothing can have been put since: no other task ran after `serve` found it empty
