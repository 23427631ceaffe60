"""Looks at the files: taken when one is due before a question, waited for, and repeated when the index is damaged."""

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
    """Keeps one index up to date with its files, one look at a time, beside the work of the thread."""

    def __init__(self, shelf: Shelf, thread: WorkThread) -> None:
        self._shelf = shelf
        self._thread = thread
        self._looking: Future[None] | None = None
        self._looked_at = float("-inf")

    async def before(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask, with a glance at the files before."""
        is_due = self._shelf.is_behind or monotonic() - self._looked_at > LOOK_EVERY_S
        if is_due:
            await asyncio.wait([_awaited(self.begin(None))], timeout=LOOK_WAITS_S)
        return await self.healed(function, *args, **kwargs)

    async def healed(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask, and ask again if the index turned out to be damaged: the next look builds it anew."""
        try:
            return await self._thread.run(function, *args, **kwargs)
        except IndexBroken:
            await asyncio.wait([_awaited(self.begin(None))], timeout=HEALING_WAITS_S)
        return await self._thread.run(function, *args, **kwargs)

    async def first(self, progress: Progress | None, *, wait: bool) -> None:
        """The look with which a memory is opened."""
        looking = self.begin(progress)
        if wait:
            await asyncio.wait([_awaited(looking)])

    async def whole(self, progress: Progress | None, *, rebuild: bool) -> Synced:
        """A look of its own, after the one that is under way: that may have begun before the last change."""
        while self._looking is not None and not self._looking.done():
            await asyncio.wait([_awaited(self._looking)])
        looking = self.begin(progress) if not rebuild else self._begun(self._shelf.rebuild(progress))
        await asyncio.shield(asyncio.wrap_future(looking))
        return await self._thread.run(self._shelf.report)

    def begin(self, progress: Progress | None) -> Future[None]:
        """Begin to take in what has changed in the files, unless that is under way."""
        if self._looking is None or self._looking.done():
            self._looked_at = monotonic()
            return self._begun(self._shelf.catch_up(progress))
        return self._looking

    def _begun(self, steps: Steps) -> Future[None]:
        self._looking = self._thread.errand(steps)
        return self._looking


def _awaited(looking: Future[None]) -> asyncio.Future[None]:
    """A look as something to wait for. What goes wrong in it is in `status`, and is raised to who asked for it."""
    future = asyncio.wrap_future(looking)
    future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return future
