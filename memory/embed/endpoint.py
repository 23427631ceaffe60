"""One request to an OpenAI-compatible embeddings endpoint, tried again where that can help."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.embed.patience import FOR_PASSAGES, FOR_QUERIES, Patience, backoff, retry_after
from memory.embed.prefixes import prefixes_for
from memory.errors import EmbedderUnavailable, EmbeddingFailed, TextRefused
from memory.ports import Clock

if TYPE_CHECKING:  # half a second to import
    import openai

_REFUSED = (400, 413, 422)
_HINTS = {
    400: "Check the model's name and whether it takes `dims`.",
    401: "Check the endpoint's key.",
    403: "Check the endpoint's key.",
    404: "Check the endpoint's address and the model's name.",
}
_WORDS = "Memory is searched by words until it answers."


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and what to ask.

    Attributes:
        base_url: up to and including the version, as in `http://127.0.0.1:11434/v1`.
        model: its name there.
        api_key: empty for servers that want none.
        dims: a size to ask for, where the model can shorten its vectors; None takes the model's own.
        batch: most texts in one request; a slow machine wants fewer.
        queries, passages: how long an answer may take.
    """

    base_url: str
    model: str
    api_key: str = ""
    dims: int | None = None
    batch: int = 32
    queries: Patience = FOR_QUERIES
    passages: Patience = FOR_PASSAGES

    @property
    def identity(self) -> str:
        """See `Embedder.identity`. The address is left out: a model may move to another machine."""
        return f"openai:{self.model}:{self.dims or 'own'}:{prefixes_for(self.model).name}"


class Wire:
    """The connection to one endpoint."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        """Get ready; nothing is sent. Raises `EmbedderUnavailable` without the `openai` package."""
        self._endpoint = endpoint
        self._clock = clock
        try:
            import openai
        except ImportError as error:
            raise EmbedderUnavailable(f"openai cannot be imported: {error}.", hint="Reinstall Scrubjay.") from error
        # Retries are ours: the client's own would sleep through a deadline.
        self._client = openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key or "none", max_retries=0)

    async def ask(self, texts: list[str], patience: Patience) -> list[list[float]]:
        """One row for each text, in their order. What is in a row has not been looked at.

        Raises:
            TextRefused: the endpoint says that this request can never be answered.
            EmbeddingFailed: it did not answer in time, or not with one row for each text.
        """
        import openai
        import stamina

        persist = stamina.AsyncRetryingCaller(
            attempts=patience.attempts,
            timeout=patience.deadline_s,
            wait_initial=patience.first_wait_s,
            wait_max=patience.longest_wait_s,
            wait_jitter=patience.first_wait_s,
        )

        async def embed() -> list[list[float]]:  # without arguments, which stamina would log
            return await self._request(texts, patience)

        try:
            async with asyncio.timeout(patience.deadline_s):
                return await persist(backoff(patience, now=self._clock.now), embed)
        except openai.APIStatusError as error:
            raise self._refusal(error) from error
        except (openai.OpenAIError, TimeoutError) as error:
            why = str(error).rstrip(".") or f"no answer within {patience.deadline_s} s"
            raise EmbeddingFailed(f"{self._endpoint.base_url} gave no vectors: {why}.", hint=_WORDS) from error

    async def _request(self, texts: list[str], patience: Patience) -> list[list[float]]:
        import openai

        try:
            answer = await self._client.embeddings.create(
                model=self._endpoint.model,
                input=texts,
                encoding_format="float",  # the shorter base64 is not spoken everywhere
                dimensions=self._endpoint.dims or openai.omit,
                timeout=openai.Timeout(patience.request_s, connect=min(5.0, patience.request_s)),
            )
        except ValueError as error:
            raise EmbeddingFailed(f"{self._endpoint.base_url} answered broken JSON.", hint=_WORDS) from error
        # The client does not check an answer: a proxy's page arrives as text, a missing field as None.
        items = getattr(answer, "data", None) or []
        rows = {str(getattr(item, "index", None)): getattr(item, "embedding", None) for item in items}
        if len(items) != len(texts) or rows.keys() != {str(index) for index in range(len(texts))}:
            raise EmbeddingFailed(f"{self._endpoint.base_url} gave no vectors: not one for each text.", hint=_WORDS)
        return [rows[str(index)] or [] for index in range(len(texts))]

    def _refusal(self, error: openai.APIStatusError) -> TextRefused | EmbeddingFailed:
        status = error.status_code
        message = f"{self._endpoint.model} at {self._endpoint.base_url} answered HTTP {status}."
        if status in _REFUSED:
            return TextRefused(message, hint=_HINTS[400])
        asked = retry_after(error.response.headers.get("retry-after"), self._clock.now())
        return EmbeddingFailed(message, hint=_HINTS.get(status, _WORDS), retry_after_s=asked)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()
