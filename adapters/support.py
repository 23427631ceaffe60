"""What several platforms need: calls in the background, a bounded dictionary, back-off, safe text, lean imports."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

from adapters.port import AdapterError

if TYPE_CHECKING:
    from types import ModuleType

K = TypeVar("K")
V = TypeVar("V")

log = logging.getLogger(__name__)

MAX_BACKGROUND_CALLS = 1000
"""While a platform cannot be reached, further calls are dropped."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class BackgroundCalls:
    """A queue of calls whose failure does not matter, made while `run` does, by so many `workers` at the same time.

    `harmless` are the errors that a call may raise.
    """

    def __init__(self, *, workers: int, harmless: tuple[type[Exception], ...] = (AdapterError,)) -> None:
        self._workers = workers
        self._harmless = harmless
        self._queue: asyncio.Queue[tuple[str, Callable[[], Awaitable[None]]]] = asyncio.Queue(MAX_BACKGROUND_CALLS)

    def add(self, what: str, call: Callable[[], Awaitable[None]]) -> bool:
        """Queue a call, which `what` names in the log; returns whether there was room for it."""
        if self._queue.full():
            log.debug("Too much waits: a %s was dropped.", what)
            return False
        self._queue.put_nowait((what, call))
        return True

    async def run(self) -> None:
        """Make the queued calls until cancelled."""

        async def work() -> None:
            while True:
                what, call = await self._queue.get()
                try:
                    await call()
                except self._harmless as error:
                    log.debug("A %s failed: %s", what, error)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(work(), name="background calls")


class LimitedDict(OrderedDict[K, V]):
    """A dictionary of at most `limit` entries. Setting a key makes it the newest; the oldest one gives way."""

    def __init__(self, limit: int = 1000) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._limit:
            self.popitem(last=False)


def backoff_s(failures: int, *, max_s: float) -> float:
    """Return how long to wait after so many failures in a row: 1, 2, 4, ... seconds, at most `max_s`."""
    return min(2.0 ** min(failures - 1, 30), max_s)


def first_error(group: ExceptionGroup[Exception]) -> Exception:
    """Return the first error of a group, however deeply nested, that is not a group itself."""
    error: Exception = group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def printable(text: str) -> str:
    """Replace what a terminal would obey instead of showing it: escape sequences, changes of the writing direction."""
    return _CONTROL.sub("\ufffd", text)


@contextmanager
def not_imported(*names: str) -> Iterator[None]:
    """Let what is imported inside, and meanwhile in other threads, do without these modules: as if not installed."""
    modules = cast("dict[str, ModuleType | None]", sys.modules)
    absent = [name for name in names if name not in modules]
    modules.update(dict.fromkeys(absent))
    try:
        yield
    finally:
        for name in absent:
            del modules[name]
