"""When the index is brought up to date with its files: before a question, and beside the work of its thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from time import monotonic
from typing import ParamSpec, TypeVar, cast

from memory.errors import IndexBroken
from memory.index.types import Progress, Synced
from memory.index_manager import IndexManager
from memory.worker import Steps, WorkThread

P = ParamSpec("P")
T = TypeVar("T")

LOOK_EVERY_S = 1.0
"""How old the last look at the files may be when a question comes."""
LOOK_WAITS_S = 0.1
"""How long a question waits for that look; a longer one goes on beside it."""
HEALING_WAITS_S = 10.0
"""How long a question waits for an index that it has found damaged to be built anew; then it takes what is there."""


class IndexRefresher:
    """Keeps one index up to date with its files, one look at a time, beside the work of the thread.

    What runs a function runs it on the thread, and raises what it raises.
    """

    def __init__(self, index_manager: IndexManager, thread: WorkThread) -> None:
        self._index_manager = index_manager
        self._thread = thread
        self._refreshing: Future[None] | None = None
        self._refreshed_at = float("-inf")
        self._known: dict[object, object] = {}
        self._known_at = -1

    async def run_fresh(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that asks the index, after a look at the files."""
        await self.wait(self.look())
        return await self.run(function, *args, **kwargs)

    async def run_once(self, function: Callable[[], T], *, about: object) -> T:
        """Run as `run_fresh`; while the index stays the same, what was found `about` the same is returned again."""

        def find() -> tuple[T, int]:
            return function(), self._index_manager.version

        await self.wait(self.look())
        if self._thread.is_idle and self._known_at == self._index_manager.version and about in self._known:
            return cast("T", self._known[about])
        answer, version = await self.run(find)
        if version != self._known_at:
            self._known, self._known_at = {}, version
        self._known[about] = answer
        return answer

    def look(self) -> Future[None] | None:
        """Begin to take in what has changed in the files if the last look is too old; return what is under way."""
        if self._index_manager.is_behind or monotonic() - self._refreshed_at > LOOK_EVERY_S:
            return self.start(None)
        return None

    async def wait(self, looking: Future[None] | None) -> None:
        """Wait for a look, but not for long: a longer one goes on beside the question."""
        if looking is not None and not looking.done():
            await asyncio.wait([completion(looking)], timeout=LOOK_WAITS_S)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function, and run it again if the index turned out to be damaged: the next look builds it anew."""
        try:
            return await self._thread.run(function, *args, **kwargs)
        except IndexBroken:
            await asyncio.wait([completion(self.start(None))], timeout=HEALING_WAITS_S)
        return await self._thread.run(function, *args, **kwargs)

    async def complete(self, progress: Progress | None, *, rebuild: bool) -> Synced:
        """Look anew, after a look that is under way: that may have begun before the last change. Raises its errors."""
        while self._refreshing is not None and not self._refreshing.done():
            await asyncio.wait([completion(self._refreshing)])
        refreshing = self.start(progress) if not rebuild else self._begun(self._index_manager.rebuild(progress))
        await asyncio.shield(asyncio.wrap_future(refreshing))
        return await self._thread.run(self._index_manager.report)

    def start(self, progress: Progress | None) -> Future[None]:
        """Begin to take in what has changed in the files, unless that is under way."""
        if self._refreshing is None or self._refreshing.done():
            self._refreshed_at = monotonic()
            return self._begun(self._index_manager.sync_files(progress))
        return self._refreshing

    def _begun(self, steps: Steps) -> Future[None]:
        self._refreshing = self._thread.start_job(steps)
        return self._refreshing


def completion(refreshing: Future[None]) -> asyncio.Future[None]:
    """Work on the thread as something to wait for; what goes wrong in it is told elsewhere, and not raised."""
    future = asyncio.wrap_future(refreshing)
    future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return future
