"""Waiting as a collaborator, so that tests need not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator

Pause = Callable[[float], Coroutine[None, None, None]]
"""Waits for so many seconds."""


async def pause(seconds: float) -> None:
    """Wait in real time."""
    await asyncio.sleep(seconds)


async def either(*waits: Coroutine[None, None, object]) -> None:
    """Wait until one of these has ended; the others are cancelled."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(wait) for wait in waits]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()


def backoff(most_s: float, *, first_s: float = 1.0) -> Iterator[float]:
    """Yield seconds to wait between tries: `first_s`, then twice as long each time up to `most_s`, without end."""
    wait_s = first_s
    while True:
        yield wait_s
        wait_s = min(2 * wait_s, most_s)


class InstantPause:
    """Does not wait, and notes what it was asked for in `waited`."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.waited.append(seconds)


class Notifier:
    """Wakes all current waiters.

    To miss nothing, call `subscribe` first, look for what is wanted, and wait for the event only if it is not there.
    """

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def subscribe(self) -> asyncio.Event:
        """Return the event that the next `notify` sets."""
        return self._next

    def notify(self) -> None:
        """Wake all who wait."""
        self._next.set()
        self._next = asyncio.Event()
