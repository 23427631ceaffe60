"""The one thread that works with a workspace and its index: jobs in order, and jobs in small slices between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

Steps = Generator[None, None, None]
"""Work that pauses now and then, so that something else can come between."""
DEFERRED_S = 0.05
"""How long something is deferred at most: until an answer is on its way, which would have to share a core with it."""
_NO_MORE = object()


class WorkThread:
    """Runs functions one after the other, never two at a time.

    What was opened on it is among its `resources`: closed there, last opened first, when the thread ends.
    """

    def __init__(self, name: str) -> None:
        self.resources = ExitStack()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._jobs: dict[Future[None], Steps] = {}
        self._end: Future[None] | None = None
        self._deferred: dict[Callable[[], None], Callable[[asyncio.Future[None]], object]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._last: Future[Any] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way, waits, or was deferred."""
        return not (self._deferred or self._jobs) and (self._last is None or self._last.done())

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function on the thread, after what was deferred. It runs to its end though the caller is cancelled."""
        self._begin_deferred()
        return await self.run_ahead(function, *args, **kwargs)

    async def run_ahead(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function as `run` does, but ahead of what was deferred."""
        self._last = done = self._pool.submit(function, *args, **kwargs)
        return await asyncio.shield(asyncio.wrap_future(done))

    def defer(self, work: Callable[[], None], *, then: Callable[[asyncio.Future[None]], object]) -> None:
        """Do something later, once however often it is asked for, and for which nobody waits.

        It comes before whatever `run` or a job does next; `then` is called with its outcome in the event loop. What it
        raises is told by the event loop, as of a task that nobody has waited for.
        """
        self._deferred[work] = then
        if self._timer is None and self._end is None:
            self._timer = asyncio.get_running_loop().call_later(DEFERRED_S, self._begin_deferred)

    def start_job(self, steps: Steps) -> Future[None]:
        """Take a generator's steps, each as a job of its own, so that other jobs need not wait for the end.

        The future has the error if there was one; it is cancelled if the thread ends first. Raises `RuntimeError` if
        the thread has been closed: nothing would ever end the job.
        """
        if self._end is not None:
            steps.close()
            raise RuntimeError("This work thread has been closed; it takes no more jobs.")
        self._begin_deferred()
        ended: Future[None] = Future()
        self._jobs[ended] = steps
        self._go_on(ended)
        return ended

    async def close(self) -> None:
        """Finish the jobs that wait, break jobs off between two steps, close the resources, and end."""
        if self._end is None:
            self._begin_deferred()
            self._end = self._pool.submit(self._finish)
            self._pool.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(self._end))

    def _begin_deferred(self) -> None:
        """Begin now what was deferred."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deferred, self._deferred = self._deferred, {}
        for work, then in deferred.items():
            self._last = done = self._pool.submit(work)
            asyncio.wrap_future(done).add_done_callback(then)

    def _go_on(self, ended: Future[None]) -> None:
        """Have the next step of a job taken."""
        try:
            step = self._pool.submit(self._step, ended)
        except RuntimeError:  # the thread is ending: `_finish` breaks the job off
            return
        step.add_done_callback(partial(self._stepped, ended))

    def _step(self, ended: Future[None]) -> bool:
        """Take a step; whether there may be another."""
        return not ended.done() and next(self._jobs[ended], _NO_MORE) is not _NO_MORE

    def _stepped(self, ended: Future[None], step: Future[bool]) -> None:
        error = step.exception()
        if error is None and step.result():
            self._go_on(ended)
            return
        del self._jobs[ended]
        if error is not None and not ended.done():
            ended.set_exception(error)
        elif not ended.done():
            ended.set_result(None)

    def _finish(self) -> None:
        with self.resources:
            for ended, steps in self._jobs.items():
                ended.cancel()
                steps.close()
