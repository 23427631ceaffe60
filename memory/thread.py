"""The one thread that works with a workspace and its index: jobs in order, and errands in small slices between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class WorkThread:
    """Runs functions one after the other, never two at a time."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._stops: list[Callable[[], None]] = []

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function on the thread. It runs to its end even if the caller is cancelled."""
        return await asyncio.shield(asyncio.wrap_future(self._pool.submit(function, *args, **kwargs)))

    def errand(self, steps: Iterator[T]) -> Future[T | None]:
        """Take an iterator's steps, each as a job of its own, so that other jobs need not wait for the end.

        The future has the last value, or the first error. `close` ends an errand between two steps.
        """
        errand = _Errand(self._pool, steps)
        self._stops.append(errand.stop)
        errand.ended.add_done_callback(lambda _: self._stops.remove(errand.stop))
        errand.go()
        return errand.ended

    async def close(self) -> None:
        """Finish the jobs that wait, and end."""
        for stop in [*self._stops]:
            stop()
        await asyncio.to_thread(self._pool.shutdown)


class _Errand(Generic[T]):
    def __init__(self, pool: ThreadPoolExecutor, steps: Iterator[T]) -> None:
        self.ended: Future[T | None] = Future()
        self._pool = pool
        self._steps = steps
        self._last: T | None = None
        self._is_stopped = False

    def stop(self) -> None:
        self._is_stopped = True

    def go(self) -> None:
        self._pool.submit(self._step).add_done_callback(self._go_on)

    def _step(self) -> bool:
        """Take a step; whether there may be another."""
        if self._is_stopped:
            return False
        for last in self._steps:
            self._last = last
            return True
        return False

    def _go_on(self, step: Future[bool]) -> None:
        if error := step.exception():
            self.ended.set_exception(error)
        elif step.result() and not self._is_stopped:
            self.go()
        else:
            self.ended.set_result(self._last)
