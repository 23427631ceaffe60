"""Texts that wait for their vectors: embedded newest first, a few at a time, and while a turn runs hardly ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from memory.errors import EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, Error, TextRefused, VectorRefused
from memory.index_manager import EmbeddedIndex
from memory.ports import Embedder, Vectors
from memory.types import Progress, Status
from memory.vectors.service import Text
from memory.worker import Steps, WorkThread

TAKEN = 256
"""Texts that are taken out of the index at once."""
KEPT_EVERY = 16
"""Texts after which the vectors are put on disk: a crash costs no more."""
LOOK_EVERY_S = 30.0
"""How often a look is taken for texts that nobody has told of, and for an embedder that did not answer."""
LONGEST_QUIET_S = 15.0
"""After so long, something is embedded though somebody is being answered."""

_USELESS = (EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, VectorRefused)
_REFUSALS = (TextRefused, VectorRefused)


class EmbeddingQueue:
    """One memory's. On the event loop; index and cache are written on the memory's own thread.

    Attributes:
        trouble: what is in the way of embedding at the moment; None if nothing is, or nobody has tried yet.
    """

    def __init__(self, embedder: Embedder, embedded: EmbeddedIndex, thread: WorkThread) -> None:
        self.trouble: Error | None = None
        self._embedder = embedder
        self._embedded = embedded
        self._thread = thread
        self._news = asyncio.Event()
        self._turns = 0
        self._free = asyncio.Event()
        self._free.set()
        self._alone = asyncio.Lock()

    def tell(self) -> None:
        """There may be new texts."""
        self._news.set()

    def told(self, stands: Status) -> Status:
        """How the index stands, with what is in the way of embedding."""
        if self.trouble is None:
            return stands
        if isinstance(self.trouble, _USELESS):
            return replace(stands, mode="words", mode_reason=f"Words are searched alone: {self.trouble}")
        return replace(stands, mode_reason=f"What is new is searched by words: {self.trouble}")

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Nothing new is begun within; a text that is being embedded is finished."""
        self._turns += 1
        self._free.clear()
        try:
            yield
        finally:
            self._turns -= 1
            if not self._turns:
                self._free.set()

    async def keep(self) -> None:
        """Test the embedder, embed what waits, and what is written later, until cancelled."""
        await self._test()
        await self._errand(self._embedded.load())
        while True:
            await self.embed()
            await self._errand(self._embedded.tend())
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._news.wait()
            if self.trouble:
                await self._test()

    async def embed(self, progress: Progress | None = None) -> None:
        """Embed all that waits, once; what is in the way is in `trouble`."""
        async with self._alone:
            try:
                await self._embed(progress)
            except Error as error:
                self.trouble = error

    async def _test(self) -> None:
        await self._free.wait()
        try:
            await self._embedder.probe()
        except Error as error:
            self.trouble = error
        else:
            self.trouble = None

    async def _errand(self, steps: Steps) -> None:
        try:
            await asyncio.wrap_future(self._thread.errand(steps))
        except Error as error:
            self.trouble = error

    async def _embed(self, progress: Progress | None) -> None:
        done = 0
        while texts := await self._taken():
            total = done + (await self._thread.run(self._embedded.count)).waiting
            while texts and not self._news.is_set():
                some, texts = texts[:KEPT_EVERY], texts[KEPT_EVERY:]
                await self._embed_some(some)
                done += len(some)
                if progress:
                    progress(done, max(done, total))

    async def _taken(self) -> list[Text]:
        self._news.clear()
        return await self._thread.run(self._embedded.waiting, TAKEN)

    async def _embed_some(self, texts: list[Text]) -> None:
        """Embed a few texts and keep what has come, however it ends."""
        batch = _Batch(texts)
        try:
            await self._fill(batch)
        except (asyncio.CancelledError, Error):
            with suppress(Error):  # who is asked to end must end, even if nothing can be kept
                await self._put_away(batch)
            raise
        await self._put_away(batch)
        self.trouble = None

    async def _fill(self, batch: _Batch) -> None:
        while batch.left:
            try:
                await self._take_rows(batch)
            except _REFUSALS:
                batch.refuse()

    async def _put_away(self, batch: _Batch) -> None:
        await self._thread.run(self._embedded.keep, batch.done, batch.blocks, batch.refused)

    async def _take_rows(self, batch: _Batch) -> None:
        await self._quiet()
        async for rows in self._embedder.embed_passages([text.text for text in batch.left]):
            batch.take(rows)
            await self._quiet()

    async def _quiet(self) -> None:
        """Wait until nobody is being answered, but not for ever: where somebody always is, a little goes on."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_QUIET_S):
                await self._free.wait()


class _Batch:
    """Some texts on their way: those that wait, those with vectors, those that cannot have one."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.left = [*texts]
        self.done: list[Text] = []
        self.refused: list[Text] = []
        self.blocks: list[Vectors] = []

    def take(self, rows: Vectors) -> None:
        """The vectors of the first ones that wait."""
        self.blocks.append(rows)
        self.done += self.left[: len(rows)]
        del self.left[: len(rows)]

    def refuse(self) -> None:
        """The first one that waits has no vector, and never will."""
        self.refused.append(self.left.pop(0))
