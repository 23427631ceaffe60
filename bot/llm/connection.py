"""The connection to an endpoint: the one module that knows the `openai` package, its errors and its habits."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from bot.llm.complaint import Complaint
from bot.llm.endpoint import Endpoint
from bot.llm.errors import ModelError
from bot.llm.failures import broken_off, garbled, not_a_model, refused, too_slow, unreachable
from memory import Clock

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream

NO_KEY = "none"
"""The SDK insists on a key: without one it would take the environment's and send it to a stranger."""

SENT = {"accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host"}
"""Headers that are needed. The SDK adds what it finds in the environment and on this machine; that stays here."""

NOISY = ("openai", "httpx2", "httpcore2")
"""Loggers that tell addresses, and on `debug` whole conversations."""

STALE = {"RemoteProtocolError", "ReadError", "WriteError"}
"""How a connection ends that was kept for the next request while the server closed it: asked again at once."""

SETTLE_S = 5.0
"""How long the count of tokens may take after the last word."""

END = object()


class Patience:
    """Seconds that are left for the rest of an answer."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._now = asyncio.get_running_loop().time
        self._until = self._now() + seconds

    def limit(self) -> asyncio.Timeout:
        """Around each wait, never around a `yield`: it would strike in the code of whoever reads."""
        return asyncio.timeout_at(self._until)

    def shorten(self) -> None:
        """The answer is complete; only the count of its tokens is to come."""
        self._until = min(self._until, self._now() + SETTLE_S)


class Connection:
    """A pool of connections to one endpoint, opened with the first request."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._opening = asyncio.Lock()
        self._client: AsyncOpenAI | None = None
        self._is_kept = False

    async def open(self) -> AsyncOpenAI:
        """The client, made when it is first asked for; no connection stands yet."""
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._connect)  # the import alone takes half a second
        return self._client

    async def close(self) -> None:
        """Hang up."""
        if self._client:
            await self._client.close()

    async def get(self, path: str) -> object:
        """The JSON at a path.

        Raises:
            ModelError: there is none.
        """
        client = await self.open()
        from openai import OpenAIError

        try:
            async with asyncio.timeout(self._endpoint.read_s):
                return await client.get(path, cast_to=object)
        except TimeoutError:
            raise too_slow(self._endpoint, self._endpoint.read_s) from None
        except (OpenAIError, ValueError, RecursionError) as error:
            raise self._failure(error) from None

    async def completion(self, body: Mapping[str, Any], patience: Patience) -> AsyncGenerator[object, None]:
        """Post a request; the chunks of its answer, decoded from JSON and nothing more.

        Raises:
            ModelError: it is refused, or breaks off.
        """
        client = await self.open()
        from openai import OpenAIError

        stream: AsyncStream[object] | None = None
        try:
            async with patience.limit():
                stream = await self._posted(client, body)
            async with stream, aclosing(self._read(stream, patience)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except TimeoutError:
            raise too_slow(self._endpoint, patience.seconds) from None
        except (OpenAIError, ValueError, RecursionError) as error:
            # the SDK's errors hold the request with its headers, hence `from None`
            raise self._failure(error, is_open=stream is not None) from None

    async def _posted(self, client: AsyncOpenAI, body: Mapping[str, Any]) -> AsyncStream[object]:
        """The opened answer. Untyped chunks: building the SDK's types for each of them takes five times as long."""
        from openai import APIConnectionError, AsyncStream

        while True:
            try:
                return await client.post(
                    "/chat/completions", body=body, cast_to=object, stream=True, stream_cls=AsyncStream[object]
                )
            except APIConnectionError as error:
                if not self._is_kept or type(error.__cause__).__name__ not in STALE:
                    raise
                self._is_kept = False

    async def _read(self, stream: AsyncStream[object], patience: Patience) -> AsyncGenerator[object, None]:
        kind = stream.response.headers.get("content-type", "")
        if "html" in kind:
            raise not_a_model(self._endpoint, "a web page")
        if "json" in kind:
            async with patience.limit():
                yield self._whole(await stream.response.aread())
            return
        while True:
            async with patience.limit():
                chunk = await anext(stream, END)
            if chunk is END:
                self._is_kept = True
                return
            yield chunk

    def _whole(self, content: bytes) -> object:
        """The answer of an endpoint that does not stream; an error that came with status 200."""
        answer = json.loads(content)
        error = answer.get("error") if isinstance(answer, Mapping) else None
        if isinstance(error, Mapping):
            raise refused(Complaint.of_event(error), self._endpoint)
        if not isinstance(answer, Mapping) or "choices" not in answer:
            raise not_a_model(self._endpoint, f'"{error}"' if isinstance(error, str) else "something else")
        return answer

    def _failure(self, error: Exception, *, is_open: bool = False) -> ModelError:
        """The SDK's errors, and those of decoding JSON, as ours; `is_open` says that the answer had begun."""
        from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

        at = self._endpoint
        match error:
            case APITimeoutError() if is_open:
                return broken_off(at, f"nothing more came for {at.read_s:g} s")
            case APITimeoutError() if type(error.__cause__).__name__ != "ConnectTimeout":
                return too_slow(at, at.read_s)
            case APIConnectionError():
                reason = _words(error)
                return broken_off(at, reason) if is_open else unreachable(at, reason)
            case APIStatusError(status_code=status, body=told, response=response):
                return refused(Complaint.of_response(status, told, headers=response.headers, now=self._clock.now()), at)
            case APIError(body=told) if told is not None:
                return refused(Complaint.of_event(told), at)
        return garbled(at)

    def _connect(self) -> AsyncOpenAI:
        import openai

        for name in NOISY:
            logging.getLogger(name).setLevel(logging.WARNING)
        at = self._endpoint
        key = at.api_key.get_secret_value() or NO_KEY
        timeout = openai.Timeout(at.read_s, connect=at.connect_s)
        return openai.AsyncOpenAI(
            base_url=at.base_url,
            api_key=key,
            default_headers={"Authorization": f"Bearer {key}"},
            max_retries=0,
            timeout=timeout,
            # a proxy that is set for the internet does not lead to this machine
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=timeout, trust_env=not at.is_local, event_hooks={"request": [_strip]}
            ),
        )


def _words(error: BaseException) -> str:
    """What the innermost cause says: the SDK says "Connection error.", the socket says why."""
    words = str(error)
    while inner := error.__cause__ or error.__context__:
        error, words = inner, str(inner) or words
    if isinstance(error, ConnectionError) and error.errno:
        words = os.strerror(error.errno)
    return words.rstrip(".")


async def _strip(request: Any) -> None:
    for name in [name for name in request.headers if name.lower() not in SENT]:
        del request.headers[name]
    request.headers["User-Agent"] = "scrubjay"
