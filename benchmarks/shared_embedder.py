"""The built-in model for all stores of a comparison: as functions, and as an endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Self

import numpy as np
from aiohttp import web

from memory.embed.builtin import LocalEmbedder
from memory.embed.cache import VectorCache, cache_key
from memory.ports import Purpose, SystemClock, Vectors
from tests.servers.serving import ServingThread

NAME = "multilingual-e5-small"
VECTORS = "vectors.sqlite"
_AT_ONCE = 64  # texts between two writes of the cache


class SharedEmbedder:
    """Vectors of texts, each computed once and kept in a file; for any event loop.

    A model embeds a question otherwise than a passage, but who asks an endpoint cannot say which of them a text is:
    it takes the text for what `purpose` says at that moment.

    Attributes:
        dims: numbers in a vector.
        purpose: what texts are that come to the endpoint.
        url: of the endpoint, with `/v1`; set while it is open.
    """

    def __init__(self, embedder: LocalEmbedder, vectors: VectorCache) -> None:
        self.dims = embedder.dims
        self.purpose = Purpose.PASSAGE
        self.url = ""
        self._embedder = embedder
        self._vectors = vectors

    @classmethod
    @asynccontextmanager
    async def open(cls, cache: Path) -> AsyncIterator[Self]:
        """Load the model, and serve it on 127.0.0.1."""
        cache.mkdir(parents=True, exist_ok=True)
        embedder = await LocalEmbedder.open(cache, say=print)
        with closing(VectorCache(cache / VECTORS, clock=SystemClock())) as vectors:
            shared = cls(embedder, vectors)
            application = web.Application(client_max_size=1 << 28)
            application.add_routes([web.post("/v1/embeddings", shared._answer)])
            with ServingThread(application) as server:
                shared.url = f"{server.url}/v1"
                yield shared
        await embedder.close()

    async def question(self, text: str) -> Vectors:
        """The vector of a question, shape (dims,)."""
        row: Vectors = (await self._rows([text], Purpose.QUERY))[0]
        return row

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors of passages, shape (n, dims)."""
        return await self._rows(texts, Purpose.PASSAGE)

    async def _rows(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        rows = np.empty((len(texts), self.dims), np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            keys = [cache_key(self._embedder.identity, purpose, text) for text in some]
            known = self._vectors.get(keys)
            computed = {}
            for key, text in zip(keys, some, strict=True):
                if key not in known:
                    computed[key] = known[key] = (await self._embed(text, purpose)).tobytes()
            if computed:
                self._vectors.put(computed)
            rows[start : start + len(some)] = [np.frombuffer(known[key], np.float32) for key in keys]
        return rows

    async def _embed(self, text: str, purpose: Purpose) -> Vectors:
        if purpose is Purpose.QUERY:
            return await self._embedder.embed_query(text)
        blocks = [block async for block in self._embedder.embed_passages([text])]
        row: Vectors = np.concatenate(blocks)[0]
        return row

    async def _answer(self, request: web.Request) -> web.Response:
        body: dict[str, Any] = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = await self._rows(texts, self.purpose)
        data = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(rows)]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return web.json_response({"object": "list", "model": NAME, "data": data, "usage": usage})
