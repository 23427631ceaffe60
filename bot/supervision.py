"""Tasks: errors that nobody foresaw are logged and the work is begun anew; items are served in order by key."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog

from adapters.port import LoginRefused
from adapters.support import first_error
from bot.errors import Fenced
from bot.waiting import Pause, backoff

MAX_WAIT_S = 60.0

RUNNING = "running"
"""The status of a job that does its work."""

ENDED = "ended"
"""The status of a job that has ended by itself."""

FORESEEN = (Fenced, LoginRefused)
"""What beginning anew does not help against."""

T = TypeVar("T")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """Work that came to an end, and what it came to."""

    result: T


async def outcome(
    work: Awaitable[T], what: str, *, foreseen: tuple[type[Exception], ...] = FORESEEN
) -> Done[T] | Exception:
    """What some work comes to, or an error that nobody foresaw, which is logged; others are raised."""
    try:
        return Done(await work)
    except foreseen:
        raise
    except Exception as error:
        log.exception("unforeseen", what=what)
        return error


class Background:
    """Does work for which nobody waits, while it runs; what is begun before is done then."""

    def __init__(self) -> None:
        self._work: asyncio.Queue[tuple[Callable[[], Coroutine[None, None, None]], str]] = asyncio.Queue()

    def begin(self, work: Callable[[], Coroutine[None, None, None]], what: str) -> None:
        """Have work done beside; what it is called in the log."""
        self._work.put_nowait((work, what))

    async def run(self) -> None:
        """Do what is begun, all at once, until cancelled; what goes wrong there is logged."""
        async with asyncio.TaskGroup() as group:
            while True:
                work, what = await self._work.get()
                group.create_task(outcome(work(), what))


async def keep_running(
    name: str, job: Callable[[], Awaitable[None]], *, pause: Pause, set_status: Callable[[str, str], None]
) -> None:
    """Run a job until it ends by itself or is cancelled; begin it anew when it fails.

    Args:
        pause: waits before it is begun anew; longer each time, unless it ran well in between.
        set_status: given the job's name and its status.

    Raises:
        Fenced: another process has taken the agent over.
        LoginRefused: the platform does not let the account in.
    """
    waits = backoff(MAX_WAIT_S)
    while True:
        began = time.monotonic()
        ended = await outcome(job(), name)
        if isinstance(ended, Done):
            return
        if isinstance(ended, ExceptionGroup) and (known := ended.subgroup(FORESEEN)):
            raise first_error(known) from ended
        if time.monotonic() - began > MAX_WAIT_S:
            waits = backoff(MAX_WAIT_S)
        wait_s = next(waits)
        log.warning("job.begins_anew", job=name, in_s=wait_s)
        set_status(name, f"failed ({type(ended).__name__}) and is begun anew; the log tells more")
        await pause(wait_s)
        set_status(name, RUNNING)


class KeyedQueues(Generic[T]):
    """A queue for each key, and a task for each queue that is not empty.

    `serve` is given the queue and takes from its left what it serves next, until it is empty.
    """

    def __init__(self, group: asyncio.TaskGroup, serve: Callable[[deque[T]], Awaitable[None]]) -> None:
        self._group = group
        self._serve = serve
        self._queues: dict[str, deque[T]] = {}

    def put(self, key: str, item: T, *, first: bool = False) -> None:
        """Queue an item, behind the others or before them."""

        async def serve() -> None:
            await self._serve(self._queues[key])
            del self._queues[key]  # nothing can have been put since: no other task ran after `_serve` found it empty

        if key not in self._queues:
            self._queues[key] = deque()
            self._group.create_task(serve(), name=f"queue {key}")
        queue = self._queues[key]
        if first:
            queue.appendleft(item)
        else:
            queue.append(item)
