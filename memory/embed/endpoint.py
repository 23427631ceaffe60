"""The endpoint of an embedder: its options, prefixes of models, requests with retries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf, isfinite
from typing import TYPE_CHECKING

from memory.errors import EmbedderUnavailable, EmbeddingFailed, TextRefused
from memory.ports import Clock, Purpose

if TYPE_CHECKING:  # half a second to import
    import openai

_DAY_S = 86_400.0

Backoff = Callable[[Exception], bool | float]
"""What stamina asks after a failure: whether to try again, or after how many seconds."""

_REFUSED = (400, 413, 422)
_HINTS = {
    400: "Check the model's name and whether it takes `dims`.",
    401: "Check the endpoint's key.",
    403: "Check the endpoint's key.",
    404: "Check the endpoint's address and the model's name.",
}
_WORDS = "Memory is searched by words until it answers."


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long one answer may take, in seconds, with all its tries."""

    attempts: int
    request_s: float
    deadline_s: float
    first_wait_s: float = 0.5
    longest_wait_s: float = 20


FOR_QUERIES = RetryPolicy(attempts=2, request_s=3, deadline_s=4, first_wait_s=0.2, longest_wait_s=1)
"""Somebody is waiting, and the words answer meanwhile."""
FOR_PASSAGES = RetryPolicy(attempts=5, request_s=60, deadline_s=180)


def backoff(patience: RetryPolicy, *, now: Callable[[], datetime]) -> Backoff:
    """Decide after each failure: the endpoint's own wish comes first, as long as it is within our patience."""
    import openai

    def wait(error: Exception) -> bool | float:
        if isinstance(error, (EmbeddingFailed, openai.APIConnectionError)):
            return True
        if not isinstance(error, openai.APIStatusError) or error.code == "insufficient_quota":
            return False  # a used-up quota answers 429 too, and no wait brings it back
        if error.status_code not in {408, 409, 429} | set(range(500, 600)):
            return False
        asked = retry_after(error.response.headers.get("retry-after"), now())
        return asked is None or (asked <= patience.longest_wait_s and asked)

    return wait


def retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, at most a day; None if it says nothing.

    RFC 9110 10.2.3 has whole seconds or a date; fractions are common too.
    """
    try:
        seconds = float(header or "")
    except ValueError:
        seconds = inf
    if not isfinite(seconds):
        try:
            seconds = (parsedate_to_datetime(header or "").astimezone(UTC) - now).total_seconds()
        except (ValueError, OverflowError):
            return None
    return min(max(0.0, seconds), _DAY_S)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """One model family's habits, as its authors describe them; `name` becomes part of the embedder's identity."""

    name: str
    query: str = ""
    passage: str = ""

    def written(self, text: str, purpose: Purpose) -> str:
        """Return the text as the model is to see it."""
        return (self.query if purpose is Purpose.QUERY else self.passage) + text


NONE = Prefixes("none")

_TASK = "Instruct: Given a question, retrieve notes and facts that answer it\nQuery:"
_KNOWN = (
    (r"e5-.*instruct", Prefixes("e5-instruct", query=_TASK)),
    (r"\be5-|multilingual-e5", Prefixes("e5", query="query: ", passage="passage: ")),
    (r"nomic-embed", Prefixes("nomic", query="search_query: ", passage="search_document: ")),
    (r"qwen3-embed", Prefixes("qwen3", query=_TASK)),
    (r"embeddinggemma", Prefixes("gemma", query="task: search result | query: ", passage="title: none | text: ")),
    (r"bge-m3", NONE),
)


def prefixes_for(model: str) -> Prefixes:
    """Return the habits of a model by its name, with or without an owner and a tag (`nomic-ai/...`, `...:latest`)."""
    name = model.lower().replace("_", "-")
    return next((known for pattern, known in _KNOWN if re.search(pattern, name)), NONE)


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
    queries: RetryPolicy = FOR_QUERIES
    passages: RetryPolicy = FOR_PASSAGES

    @property
    def identity(self) -> str:
        """See `Embedder.identity`. The address is left out: a model may move to another machine."""
        return f"openai:{self.model}:{self.dims or 'own'}:{prefixes_for(self.model).name}"


class EndpointClient:
    """The connection to one endpoint."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        """Get ready; nothing is sent. Raises `EmbedderUnavailable` without the `openai` package."""
        self._endpoint = endpoint
        self._clock = clock
        try:
            import openai
        except ImportError as error:
            message = f"openai cannot be imported: {error}."
            raise EmbedderUnavailable(message, hint='Install it: pip install "scrubjay[embeddings]"') from error
        # Retries are ours: the client's own would sleep through a deadline.
        self._client = openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key or "none", max_retries=0)

    async def ask(self, texts: list[str], patience: RetryPolicy) -> list[list[float]]:
        """Return one row for each text, in their order. What is in a row has not been looked at.

        Raises `TextRefused` if the endpoint says that this request can never be answered, `EmbeddingFailed` if it did
        not answer in time, or not with one row for each text.
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

        try:
            async with asyncio.timeout(patience.deadline_s):
                return await persist(backoff(patience, now=self._clock.now), embed)
        except openai.APIStatusError as error:
            raise self._refusal(error) from error
        except (openai.OpenAIError, TimeoutError) as error:
            why = str(error).rstrip(".") or f"no answer within {patience.deadline_s} s"
            raise EmbeddingFailed(f"{self._endpoint.base_url} gave no vectors: {why}.", hint=_WORDS) from error

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
