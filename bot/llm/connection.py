"""Connections to an endpoint with OpenAI's protocol: JSON goes out, JSON or server-sent events come back."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic_core import to_json

from bot.config.environment import trusted_certificates
from bot.llm.endpoint import Endpoint
from bot.llm.errors import (
    BadAnswer,
    ErrorResponse,
    ModelError,
    broken_stream,
    no_answer,
    no_connection,
    not_a_model,
    refusal,
)
from bot.texts.catalogue import tr
from memory import Clock

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientResponse, ClientSession, FormData, Payload, StreamReader

T = TypeVar("T")

NO_KEY = "none"
"""Some servers insist on a key, whatever it is."""

DATA, DONE = b"data:", b"[DONE]"
FIRST_REDIRECT = 300
DRAIN_S = 0.2
"""How long the end of the body may take after `[DONE]`."""

SETTLE_S = 5.0
"""How long the count of tokens may take after the last word."""


class Deadline:
    """When an answer has to be complete."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + seconds
        self._timer: asyncio.TimerHandle | None = None
        self._stream: StreamReader | None = None

    def limit(self) -> asyncio.Timeout:
        """Return the timeout for one wait; never put it around a `yield`, where it would interrupt the caller."""
        return asyncio.timeout_at(self._until)

    @contextmanager
    def limit_stream(self, stream: StreamReader) -> Iterator[None]:
        """Let reads from a stream end with `TimeoutError` from then on: one timer for all of them."""
        self._stream = stream
        try:
            self._set_timer(stream)
            yield
        finally:
            self._stream = None
            self._set_timer(None)

    def shorten(self) -> None:
        """Shorten the wait to that for the count of tokens, once the answer is complete."""
        self._until = min(self._until, self._loop.time() + SETTLE_S)
        if self._stream:
            self._set_timer(self._stream)

    def _set_timer(self, stream: StreamReader | None) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._until, stream.set_exception, TimeoutError()) if stream else None


class HttpConnection:
    """A pool of connections to one endpoint, opened with the first request.

    It posts JSON and reads server-sent events, which is all that the protocol asks for: the SDK of OpenAI takes four
    times the processor time for the same answer.
    """

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._opening = asyncio.Lock()
        self._session: ClientSession | None = None
        self._is_kept = False

    async def open(self) -> ClientSession:
        """Return the session, made on first use, which loads the library for a fifth of a second; nothing is sent."""
        async with self._opening:
            if self._session is None:
                certificates = await asyncio.to_thread(_load_certificates)  # and the library with them
                self._session = self._connect(certificates)
        return self._session

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def ask(
        self,
        path: str,
        read: Callable[[ClientResponse], Awaitable[T]],
        *,
        data: Payload | FormData | None = None,
        seconds: float,
    ) -> T:
        """Post data, or get what is at a path if there is none; return what `read` makes of the response.

        Raises:
            ModelError: it is refused, or not answered in time.
        """
        session = await self.open()
        from aiohttp import ClientError

        request = session.request("GET" if data is None else "POST", self._address(path), data=data)
        try:
            async with asyncio.timeout(seconds), request as response:
                await self._check(response)
                return await read(response)
        except (ClientError, TimeoutError, ValueError, RecursionError) as error:
            raise self._failure(error, within_s=seconds) from None

    async def completion(self, body: Mapping[str, Any], deadline: Deadline) -> AsyncGenerator[object, None]:
        """Post a request; the chunks of its answer, decoded from JSON. Raises `ModelError` if it is refused or cut."""
        session = await self.open()
        from aiohttp import ClientError

        response: ClientResponse | None = None
        try:
            async with deadline.limit():
                response = await self._post(session, body)
            async with response, aclosing(self._read(response, deadline)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except (ClientError, TimeoutError, ValueError, RecursionError) as error:
            # errors can hold the request with its headers, hence `from None`
            raise self._failure(error, within_s=deadline.seconds, is_open=response is not None) from None

    async def _post(self, session: ClientSession, body: Mapping[str, Any]) -> ClientResponse:
        """Open the answer; once more if the connection had been kept for it, and was closed by the server."""
        from aiohttp import ClientConnectorError, ClientOSError, ServerDisconnectedError

        content = to_json(body)
        headers = {"Content-Type": "application/json"}
        while True:
            try:
                return await session.post(self._address("/chat/completions"), data=content, headers=headers)
            except (ClientOSError, ServerDisconnectedError) as error:
                if not self._is_kept or isinstance(error, ClientConnectorError):
                    raise
                self._is_kept = False

    async def _read(self, response: ClientResponse, deadline: Deadline) -> AsyncGenerator[object, None]:
        async with deadline.limit():
            await self._check(response)
        kind = response.content_type
        if "html" in kind:
            raise not_a_model(self._endpoint, tr("a web page"))
        if "json" in kind:
            async with deadline.limit():
                content = await response.read()
            answer = json.loads(content)  # of an endpoint that does not stream, or an error that came with status 200
            error = answer.get("error") if isinstance(answer, Mapping) else None
            if isinstance(error, Mapping):
                raise refusal(ErrorResponse.of_event(error), self._endpoint)
            if not isinstance(answer, Mapping) or "choices" not in answer:
                raise not_a_model(self._endpoint, f'"{error}"' if isinstance(error, str) else tr("something else"))
            yield answer
            return
        with deadline.limit_stream(response.content):
            async with aclosing(_server_sent_events(response)) as events:
                async for event in events:
                    chunk = json.loads(event)
                    if isinstance(chunk, dict) and chunk.get("error"):
                        raise refusal(ErrorResponse.of_event(chunk["error"]), self._endpoint)
                    yield chunk
        with suppress(TimeoutError):  # a connection is kept if its answer has been read to the end
            async with asyncio.timeout(DRAIN_S):
                await response.content.read()
        self._is_kept = True

    async def _check(self, response: ClientResponse) -> None:
        """Raise a `ModelError` for an error response."""
        if response.ok and response.status < FIRST_REDIRECT:
            return
        text = (await response.read()).decode(errors="replace").strip()
        try:
            body: object = json.loads(text)
        except (ValueError, RecursionError):
            body = text
        error = ErrorResponse.of_response(response.status, body, headers=response.headers, now=self._clock.now())
        raise refusal(error, self._endpoint)

    def _failure(self, error: Exception, *, within_s: float, is_open: bool = False) -> ModelError:
        """Translate the library's errors, those of decoding JSON, and a deadline (`within_s`) that has passed.

        `is_open` says that the answer had begun.
        """
        from aiohttp import ClientError, ClientPayloadError, ConnectionTimeoutError, SocketTimeoutError

        at = self._endpoint
        match error:
            case SocketTimeoutError() if is_open:
                return broken_stream(at, tr("nothing more came for {read_s:g} s", read_s=at.read_s))
            case SocketTimeoutError():
                return no_answer(at, at.read_s)
            case TimeoutError() if not isinstance(error, ConnectionTimeoutError):
                return no_answer(at, within_s)
            case ClientPayloadError() if is_open:  # whose words are about HTTP, and on several lines
                return broken_stream(at, tr("the stream had no end"))
            case ClientError():
                reason = innermost_reason(error)
                return broken_stream(at, reason) if is_open else no_connection(at, reason)
        message = tr("{model} sent something that is not JSON.", model=at.label)
        return BadAnswer(message, hint=tr("Ask again; it may pass."))

    def _address(self, path: str) -> str:
        return self._endpoint.base_url.rstrip("/") + path

    def _connect(self, certificates: SSLContext) -> ClientSession:
        from urllib.request import getproxies, proxy_bypass

        from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

        at, server = self._endpoint, urlsplit(self._endpoint.base_url)
        proxies: dict[str, str] = {}
        if not at.is_local and not proxy_bypass(server.hostname or ""):  # what is set for the internet
            proxies = {scheme: proxy for scheme, proxy in getproxies().items() if proxy.startswith("http")}
        key = at.api_key.get_secret_value() or NO_KEY
        return ClientSession(
            connector=TCPConnector(limit=0, ssl=certificates),
            timeout=ClientTimeout(total=None, connect=at.connect_s, sock_read=at.read_s),
            headers={"Accept": "application/json", "Authorization": f"Bearer {key}", "User-Agent": "scrubjay"},
            cookie_jar=DummyCookieJar(),
            proxy=proxies.get(server.scheme, proxies.get("all")),  # `trust_env` would also send what is in ~/.netrc
        )


async def read_json(response: ClientResponse) -> object:
    """Return the JSON of a response, whatever it says of its type."""
    value: object = json.loads(await response.read())
    return value


def _load_certificates() -> SSLContext:
    import aiohttp

    logging.getLogger(aiohttp.__name__).setLevel(logging.WARNING)
    return trusted_certificates()


async def _server_sent_events(response: ClientResponse) -> AsyncGenerator[bytes, None]:
    """Yield the data of each event up to `[DONE]`; what is cut off at the end is left out."""
    rest, data = b"", list[bytes]()
    while block := await response.content.readany():
        *lines, rest = (rest + block).split(b"\n")
        for ended in lines:
            line = ended.removesuffix(b"\r")
            if line.startswith(DATA):
                data.append(line.removeprefix(DATA).removeprefix(b" "))
            elif not line and data:
                event, data = b"\n".join(data), []
                if event.startswith(DONE):
                    return
                yield event


def innermost_reason(error: BaseException) -> str:
    """Return the words of the innermost cause: the library tells the address, the socket why."""
    words = str(error)
    while inner := error.__cause__ or error.__context__:
        error, words = inner, str(inner) or words
    if isinstance(error, ConnectionError) and error.errno:
        words = os.strerror(error.errno)
    return words.rstrip(".")
