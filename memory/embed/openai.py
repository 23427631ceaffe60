"""The embedder behind an endpoint that speaks OpenAI's protocol: OpenAI, Ollama, llama.cpp, vLLM, LM Studio ..."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime, timedelta

import numpy as np

from memory.embed import checks
from memory.embed.checks import unit
from memory.embed.endpoint import Endpoint, EndpointClient, prefixes_for
from memory.errors import EmbedderBroken, EmbeddingFailed, TextRefused, VectorRefused
from memory.ports import Clock, Purpose, Vectors

COOLDOWN_S = 30
"""After a failure nothing is asked for so long: no recall waits for a provider that is down."""


class OpenAIEmbedder:
    """An `Embedder` over HTTP. Text leaves the machine, which the owner has chosen by naming an endpoint."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        """Get ready; nothing is sent before the first call. Raises `EmbedderUnavailable` without `openai`."""
        self._endpoint = endpoint
        self._wire = EndpointClient(endpoint, clock=clock)
        self._clock = clock
        self._prefixes = prefixes_for(endpoint.model)
        self.identity = endpoint.identity
        self.dims = endpoint.dims  # or what the first answer has
        self._has_answered = False
        self._rests_until: datetime | None = None

    async def probe(self) -> None:
        await checks.check(self)

    async def embed_query(self, text: str) -> Vectors:
        good, refused = self._usable(await self._ask([text], Purpose.QUERY))
        if refused:
            raise refused
        vector: Vectors = good[0]
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """See `Embedder.embed_passages`. A refused batch is halved until the text that it is about stands alone."""
        size = self._endpoint.batch
        batches = deque(texts[start : start + size] for start in range(0, len(texts), size))
        while batches:
            batch = batches.popleft()
            try:
                rows = await self._ask(batch, Purpose.PASSAGE)
            except TextRefused:
                if len(batch) == 1:
                    raise
                half = len(batch) // 2
                batches.extendleft((batch[half:], batch[:half]))
                continue
            good, refused = self._usable(rows)
            if good:
                yield np.stack(good)
            if refused:
                raise refused

    async def close(self) -> None:
        await self._wire.close()

    async def _ask(self, texts: Sequence[str], purpose: Purpose) -> list[list[float]]:
        if self._rests_until is not None:
            left = (self._rests_until - self._clock.now()).total_seconds()
            if left > 0:
                where = self._endpoint.base_url
                raise EmbeddingFailed(f"{where} failed and is left alone for {left:.0f} s.", retry_after_s=left)
        patience = self._endpoint.queries if purpose is Purpose.QUERY else self._endpoint.passages
        # A lone surrogate cannot be sent, and stands for nothing that could be found.
        written = [self._prefixes.written(text, purpose).encode("utf-8", "replace").decode() for text in texts]
        try:
            rows = await self._wire.ask(written, patience)
        except EmbeddingFailed as error:
            raise self._rest(error) from error
        except TextRefused as error:
            if self._has_answered:
                raise
            # Nothing has ever been answered here, so that it is hardly about this text.
            raise self._rest(EmbeddingFailed(error.message, hint=error.hint)) from error
        self._has_answered = True
        return rows

    def _rest(self, error: EmbeddingFailed) -> EmbeddingFailed:
        seconds = max(COOLDOWN_S, error.retry_after_s or 0)
        self._rests_until = self._clock.now() + timedelta(seconds=seconds)
        return EmbeddingFailed(error.message, hint=error.hint, retry_after_s=seconds)

    def _usable(self, rows: Iterable[list[float]]) -> tuple[list[Vectors], VectorRefused | None]:
        """Return the rows before the first that cannot be used, and what is wrong with that one."""
        good: list[Vectors] = []
        for row in rows:
            try:
                vector: Vectors = unit([row])[0]
            except VectorRefused as error:
                return good, error
            if self.dims not in {None, len(vector)}:
                raise EmbedderBroken(
                    f"{self._endpoint.model} answered {len(vector)} numbers a vector instead of {self.dims}.",
                    hint="Leave `dims` out if the model cannot shorten; else another model has taken its place.",
                )
            self.dims = len(vector)
            good.append(vector)
        return good, None
