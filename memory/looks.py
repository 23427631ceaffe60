"""Looks at the files: when one is due, who waits for it, and what is asked again after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from time import monotonic
from typing import ParamSpec, TypeVar

from memory.answers import Progress, Synced
from memory.errors import IndexBroken
from memory.shelf import Shelf
from memory.thread import Steps, WorkThread

P = ParamSpec("P")
T = TypeVar("T")

LOOK_EVERY_S = 1.0
"""How old the last look at the files may be when a question comes."""
LOOK_WAITS_S = 0.1
"""How long a question waits for that look; a longer one goes on beside it."""
HEALING_WAITS_S = 10.0
"""How long a question waits for an index that it has found damaged to be built anew; then it takes what is there."""


class Looks:
    """Keeps one index in step with its files, on the event loop's side."""

    def __init__(self, thread: WorkThread, shelf: Shelf) -> None:
        self._thread = thread
        self._shelf = shelf
        self._looking: Future[None] | None = None
        self._looked_at = float("-inf")

    async def read(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask, with a glance at the files before."""
        is_due = self._shelf.is_behind or monotonic() - self._looked_at > LOOK_EVERY_S
        if is_due:
            await asyncio.wait([awaited(self._look(None))], timeout=LOOK_WAITS_S)
        return await self.healed(function, *args, **kwargs)

    async def healed(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask, and ask again if the index turned out to be damaged: the next look builds it anew."""
        try:
            return await self._thread.run(function, *args, **kwargs)
        except IndexBroken:
            await asyncio.wait([awaited(self._look(None))], timeout=HEALING_WAITS_S)
        return await self._thread.run(function, *args, **kwargs)

    async def begin(self, progress: Progress | None, *, wait: bool) -> None:
        """The first look; what goes wrong in it is in `status`."""
        looking = self._look(progress)
        if wait:
            await asyncio.wait([awaited(looking)])

    async def look(self, progress: Progress | None) -> Synced:
        """A look that begins now, to its end; raises what goes wrong in it."""
        await self._alone()  # a look that is under way may have begun before the last change
        return await self._reported(self._look(progress))

    async def instead(self, steps: Steps) -> Synced:
        """Other work of the same sort in a look's place; raises what goes wrong in it."""
        await self._alone()
        self._looking = self._thread.errand(steps)
        return await self._reported(self._looking)

    async def _alone(self) -> None:
        """Wait for a look that is under way."""
        while self._looking is not None and not self._looking.done():
            await asyncio.wait([awaited(self._looking)])

    def _look(self, progress: Progress | None) -> Future[None]:
        """Begin to take in what has changed in the files, unless that is under way."""
        if self._looking is None or self._looking.done():
            self._looked_at = monotonic()
            self._looking = self._thread.errand(self._shelf.catch_up(progress))
        return self._looking

    async def _reported(self, looking: Future[None]) -> Synced:
        await asyncio.shield(asyncio.wrap_future(looking))
        return await self._thread.run(self._shelf.report)


def awaited(looking: Future[None]) -> asyncio.Future[None]:
    """Work on the thread as something to wait for; what goes wrong in it is told elsewhere, and not raised."""
    future = asyncio.wrap_future(looking)
    future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return future
