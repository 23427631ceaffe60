"""Texts that wait for their vectors: embedded newest first, a few at a time, and while a turn runs hardly ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from memory.embed.heap import give_back
from memory.errors import EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, Error, TextRefused, VectorRefused
from memory.index.types import Progress, Status
from memory.index_manager import IndexManager
from memory.ports import Embedder, Vectors
from memory.vectors.questions import WAITS_S
from memory.vectors.service import Text, VectorService
from memory.worker import Steps, WorkThread

TAKEN_TEXTS = 256
"""Texts that are taken out of the index at once."""
KEPT_EVERY = 16
"""Texts after which the vectors are put on disk: a crash costs no more."""
LOOK_EVERY_S = 30.0
"""How often the index is asked for texts that nobody has announced, and an embedder that did not answer is tested."""
MAX_QUIET_S = 15.0
"""After so long, something is embedded though somebody is being answered."""
AWAITED_TEXTS = 16
"""Texts that a question waits for; behind more it would wait too long."""
MAX_AWAITED_S = 0.5
"""How long a question waits for them at most; where nothing has a vector yet, until `WAITS_S` after the start, because
the model has to be loaded."""
NextStep = Callable[[], Awaitable[bool]]
"""Does a little, and says whether there is more."""

_USELESS = (EmbedderBroken, EmbedderUnavailable, EmbeddingFailed, VectorRefused)


class EmbeddingQueue:
    """The queue of one memory. It runs on the event loop; index and cache are written on the memory's own thread.

    `trouble` is what is in the way of embedding at the moment; None if nothing is, or nobody has tried yet.
    """

    def __init__(self, embedder: Embedder, index: IndexManager, thread: WorkThread, *, then: NextStep) -> None:
        """Begin with nothing known of the embedder; `then` is a step of what is done with new vectors."""
        self.trouble: Error | None = None
        self._embedder = embedder
        self._index = index
        self._thread = thread
        self._then = then
        self._news = asyncio.Event()
        self._is_running = False
        self._left = 0
        self._caught_up = asyncio.Event()
        self._loading_until = 0.0  # on the loop's clock
        self._turns = 0
        self._free = asyncio.Event()
        self._free.set()
        self._lock = asyncio.Lock()

    def notify(self) -> None:
        """Announce that there may be new texts."""
        self._news.set()
        self._caught_up.clear()

    def add_trouble(self, status: Status) -> Status:
        """Return the status of the index with what is in the way of embedding."""
        if self.trouble is None:
            return status
        if isinstance(self.trouble, _USELESS):
            return replace(status, mode="words", mode_reason=f"Words are searched alone: {self.trouble}")
        return replace(status, mode_reason=f"What is new is searched by words: {self.trouble}")

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Begin to embed nothing new within a block; a text that is being embedded is finished."""
        self._turns += 1
        self._free.clear()
        try:
            yield
        finally:
            self._turns -= 1
            if not self._turns:
                self._free.set()

    async def wait_for_vectors(self) -> None:
        """Let a question wait for what waits to be embedded, if that is little.

        What was told just now is found by its meaning so. Where others are being answered, too, nobody waits.
        """
        is_much = self._turns > 1 or self._left > AWAITED_TEXTS
        if not self._is_running or self._caught_up.is_set() or self.trouble or is_much:
            return
        self._free.set()
        loading_s = self._loading_until - asyncio.get_running_loop().time()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(MAX_AWAITED_S, 0 if self._index.has_vectors else loading_s)):
                    await self._caught_up.wait()
        finally:
            if self._turns:
                self._free.clear()

    async def run(self) -> None:
        """Test the embedder, embed what waits, and what is written later, until cancelled."""
        self._is_running, self._loading_until = True, asyncio.get_running_loop().time() + WAITS_S
        try:
            with suppress(Error):  # which is met again behind the test
                await self._count()  # before the model is loaded: for much, a question meanwhile does not wait
            await self._test()
            await self._run_steps(self._index.load_vectors())
            await asyncio.to_thread(give_back)  # what loading took; the test, too
            while True:
                await self.embed()
                await self._run_steps(self._index.tend_cache())
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY_S):
                        await self._news.wait()
                if self.trouble:
                    await self._test()
        finally:
            self._is_running = False

    async def embed(self, progress: Progress | None = None) -> None:
        """Embed all that waits, once; what is in the way is in `trouble`."""
        async with self._lock:
            try:
                await self._embed(progress)
                while await self._then():
                    await self._wait_until_quiet()
            except Error as error:
                self.trouble = error
                self._caught_up.set()

    async def _count(self) -> None:
        """Count what waits to be embedded; where nothing does, nobody waits."""
        self._left = (await self._thread.run(self._index.count_vectors)).waiting
        if not self._left and not self._news.is_set():
            self._caught_up.set()

    async def _test(self) -> None:
        await self._free.wait()
        try:
            await self._embedder.probe()
        except Error as error:
            self.trouble = error
            self._caught_up.set()
        else:
            self.trouble = None

    async def _run_steps(self, steps: Steps) -> None:
        try:
            await asyncio.wrap_future(self._thread.start_job(steps))
        except Error as error:
            self.trouble = error

    async def _embed(self, progress: Progress | None) -> None:
        """Embed all that waits; what becomes known meanwhile, which is newer, comes first."""
        done = 0
        while not self._index.is_read_only:
            self._news.clear()
            texts = await self._thread.run(self._index.with_vectors, VectorService.waiting, TAKEN_TEXTS)
            if not texts:
                self._left = 0
                if not self._news.is_set():
                    self._caught_up.set()
                return
            await self._count()
            total = done + self._left
            if self._left > AWAITED_TEXTS:  # whoever waits for them would wait too long
                self._caught_up.set()
                if self._turns:
                    self._free.clear()
            while texts and not self._news.is_set():
                batch = _Batch(texts[:KEPT_EVERY])
                texts = texts[KEPT_EVERY:]
                keep = partial(VectorService.keep, texts=batch.done, blocks=batch.blocks, refused=batch.refused)
                try:
                    await self._fill(batch)
                except (asyncio.CancelledError, Error):
                    with suppress(Error):  # who is asked to end must end, even if nothing can be kept
                        await self._thread.run(self._index.with_vectors, keep)
                    raise
                await self._thread.run(self._index.with_vectors, keep)
                self.trouble = None
                done += len(batch.done) + len(batch.refused)
                if progress:
                    progress(done, max(done, total))
        self._news.clear()  # another process embeds what is new
        self._caught_up.set()

    async def _fill(self, batch: _Batch) -> None:
        """Ask for the vectors of a batch until each text has one or is refused."""
        while batch.left:
            try:
                await self._wait_until_quiet()
                several = batch.left if self._free.is_set() else batch.left[:1]  # a core is left for who is answered
                async for rows in self._embedder.embed_passages([text.text for text in several]):
                    batch.take(rows)
                    await self._wait_until_quiet()
            except (TextRefused, VectorRefused):
                batch.refused.append(batch.left.pop(0))

    async def _wait_until_quiet(self) -> None:
        """Wait until nobody is being answered, but not for ever: where somebody always is, a little goes on."""
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_QUIET_S):
                await self._free.wait()


class _Batch:
    """Some texts on their way: those that wait, those with vectors, those that cannot have one."""

    def __init__(self, texts: list[Text]) -> None:
        self.left = texts
        self.done: list[Text] = []
        self.refused: list[Text] = []
        self.blocks: list[Vectors] = []

    def take(self, rows: Vectors) -> None:
        """Take the vectors of the first texts that wait."""
        self.blocks.append(rows)
        self.done += self.left[: len(rows)]
        del self.left[: len(rows)]
