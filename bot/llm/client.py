"""The client of endpoints that speak OpenAI's protocol."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from itertools import takewhile
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import structlog

from bot.formatting import well_formed
from bot.llm.endpoint import Endpoint
from bot.llm.errors import (
    ErrorResponse,
    ModelError,
    Rejected,
    broken_stream,
    invalid_json,
    no_answer,
    no_connection,
    not_a_model,
    refusal,
)
from bot.llm.stream import StreamParser
from bot.llm.types import Event, Message, Picture, Request, Role
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

T = TypeVar("T")


class Deadline:
    """When an answer has to be complete."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._now = asyncio.get_running_loop().time
        self._until = self._now() + seconds

    def limit(self) -> asyncio.Timeout:
        """Return the timeout for one wait; never put it around a `yield`, where it would interrupt the caller."""
        return asyncio.timeout_at(self._until)

    def shorten(self) -> None:
        """Shorten the wait to that for the count of tokens, once the answer is complete."""
        self._until = min(self._until, self._now() + SETTLE_S)


class HttpConnection:
    """A pool of connections to one endpoint, opened with the first request."""

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._opening = asyncio.Lock()
        self._client: AsyncOpenAI | None = None
        self._is_kept = False

    async def open(self) -> AsyncOpenAI:
        """Return the client, made on first use; nothing is connected yet."""
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._connect)  # the import alone takes half a second
        return self._client

    async def close(self) -> None:
        """Close the connections."""
        if self._client:
            await self._client.close()

    async def ask(self, request: Callable[[AsyncOpenAI], Awaitable[T]], *, seconds: float) -> T:
        """Make one request whose answer comes whole.

        Raises:
            ModelError: it is refused, or not answered in time.
        """
        client = await self.open()
        from openai import OpenAIError

        try:
            async with asyncio.timeout(seconds):
                return await request(client)
        except TimeoutError:
            raise no_answer(self._endpoint, seconds) from None
        except (OpenAIError, ValueError, RecursionError) as error:
            raise self._failure(error) from None

    async def completion(self, body: Mapping[str, Any], deadline: Deadline) -> AsyncGenerator[object, None]:
        """Post a request; the chunks of its answer, decoded from JSON and nothing more.

        Raises:
            ModelError: it is refused, or breaks off.
        """
        client = await self.open()
        from openai import OpenAIError

        stream: AsyncStream[object] | None = None
        try:
            async with deadline.limit():
                stream = await self._post(client, body)
            async with stream, aclosing(self._read(stream, deadline)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except TimeoutError:
            raise no_answer(self._endpoint, deadline.seconds) from None
        except (OpenAIError, ValueError, RecursionError) as error:
            # the SDK's errors hold the request with its headers, hence `from None`
            raise self._failure(error, is_open=stream is not None) from None

    async def _post(self, client: AsyncOpenAI, body: Mapping[str, Any]) -> AsyncStream[object]:
        """Open the answer, of untyped chunks: building the SDK's types for each takes five times as long."""
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

    async def _read(self, stream: AsyncStream[object], deadline: Deadline) -> AsyncGenerator[object, None]:
        kind = stream.response.headers.get("content-type", "")
        if "html" in kind:
            raise not_a_model(self._endpoint, "a web page")
        if "json" in kind:
            async with deadline.limit():
                content = await stream.response.aread()
            answer = json.loads(content)  # of an endpoint that does not stream, or an error that came with status 200
            error = answer.get("error") if isinstance(answer, Mapping) else None
            if isinstance(error, Mapping):
                raise refusal(ErrorResponse.of_event(error), self._endpoint)
            if not isinstance(answer, Mapping) or "choices" not in answer:
                raise not_a_model(self._endpoint, f'"{error}"' if isinstance(error, str) else "something else")
            yield answer
            return
        while True:
            async with deadline.limit():
                chunk = await anext(stream, END)
            if chunk is END:
                self._is_kept = True
                return
            yield chunk

    def _failure(self, error: Exception, *, is_open: bool = False) -> ModelError:
        """Translate the SDK's errors, and those of decoding JSON; `is_open` says that the answer had begun."""
        from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

        at = self._endpoint
        match error:
            case APITimeoutError() if is_open:
                return broken_stream(at, f"nothing more came for {at.read_s:g} s")
            case APITimeoutError() if type(error.__cause__).__name__ != "ConnectTimeout":
                return no_answer(at, at.read_s)
            case APIConnectionError():
                reason = innermost_reason(error)
                return broken_stream(at, reason) if is_open else no_connection(at, reason)
            case APIStatusError(status_code=status, body=told, response=response):
                return refusal(
                    ErrorResponse.of_response(status, told, headers=response.headers, now=self._clock.now()), at
                )
            case APIError(body=told) if told is not None:
                return refusal(ErrorResponse.of_event(told), at)
        return invalid_json(at)

    def _connect(self) -> AsyncOpenAI:
        import openai

        for name in NOISY:
            logging.getLogger(name).setLevel(logging.WARNING)

        async def strip_headers(request: Any) -> None:
            for name in [name for name in request.headers if name.lower() not in SENT]:
                del request.headers[name]
            request.headers["User-Agent"] = "scrubjay"

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
                timeout=timeout, trust_env=not at.is_local, event_hooks={"request": [strip_headers]}
            ),
        )


def innermost_reason(error: BaseException) -> str:
    """Return the words of the innermost cause: the SDK says "Connection error.", the socket says why."""
    words = str(error)
    while inner := error.__cause__ or error.__context__:
        error, words = inner, str(inner) or words
    if isinstance(error, ConnectionError) and error.errno:
        words = os.strerror(error.errno)
    return words.rstrip(".")


OPTIONAL = (
    "stream_options",
    "temperature",
    "tool_choice",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_content",
    "reasoning_details",
    "extra_content",
)
"""What a request can do without. Some models take no temperature, some servers do not know how to count usage."""

PICTURE = "image_url"
PICTURES_LEFT_OUT = "[Pictures came with this. This model does not take any, so they are not shown to you.]"

DENIALS = (
    "unsupported",
    "not support",
    "not permitted",
    "not allowed",
    "unrecognized",
    "unknown",
    "unexpected",
    "extra_forbidden",
    "additional propert",
)


class ParameterSupport:
    """The parameters that an endpoint refuses. Each is left out after the first complaint, so it costs one request."""

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def supported(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Leave out the parameters that the endpoint has refused."""
        return {name: value for name, value in parameters.items() if name not in self._refused}

    @property
    def takes_pictures(self) -> bool:
        """Whether the endpoint has refused no picture so far."""
        return PICTURE not in self._refused

    def limit_name(self, endpoint: Endpoint) -> list[str]:
        """Return the name of the output limit: OpenAI's newer models refuse the one that all others know."""
        names = ["max_tokens", "max_completion_tokens"]
        if endpoint.host.endswith(("openai.com", "openai.azure.com")):
            names.reverse()
        return [name for name in names if name not in self._refused][:1]

    def learn(self, words: str, body: Mapping[str, Any]) -> list[str]:
        """Read a refusal of a request and return the parameters, or pictures, that will be left out from now on."""
        messages = body["messages"]
        if "image" in words.lower() and any(isinstance(message["content"], list) for message in messages):
            self._refused.add(PICTURE)
            return [PICTURE]
        if not any(denial in words.lower() for denial in DENIALS):
            return []
        sent = set(body).union(*messages, *(call for message in messages for call in message.get("tool_calls", ())))
        learnt = [name for name in OPTIONAL if name in words and name in sent and name not in self._refused]
        self._refused.update(learnt)
        return learnt


NAME = re.compile(r"[^a-zA-Z0-9_-]")
MAX_NAME_CHARS = 64
"""What the API takes as the name of a function; models make up others, and have them in their history then."""


def body(request: Request, endpoint: Endpoint, support: ParameterSupport) -> dict[str, Any]:
    """Return the body of a streaming request. What changes from turn to turn stands at its end, for prompt caches."""
    tools: dict[str, Any] = {}
    if request.tools:
        tools["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            }
            for tool in request.tools
        ]
        if not request.may_call:
            tools["tool_choice"] = "none"
    options: dict[str, Any] = {"stream_options": {"include_usage": True}}
    if endpoint.temperature is not None:
        options["temperature"] = endpoint.temperature
    if request.limits.output_tokens is not None:
        options |= dict.fromkeys(support.limit_name(endpoint), request.limits.output_tokens)
    # the system's first messages become one, since the templates of many local models take only one
    rules = list(takewhile(lambda message: message.role is Role.SYSTEM, request.messages))
    system = {"role": "system", "content": well_formed("\n\n".join(rule.text for rule in rules))}
    messages = [_message(message, support) for message in request.messages[len(rules) :]]
    return {
        "model": endpoint.model,
        "stream": True,
        **support.supported(options | tools),
        "messages": [system, *messages] if rules else messages,
    }


def _message(message: Message, support: ParameterSupport) -> dict[str, Any]:
    text = well_formed(message.text)
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.call_id, "content": text}
    if message.pictures:
        return {"role": message.role.value, "content": _with_pictures(text, message.pictures, support)}
    if not message.calls:
        return {"role": message.role.value, "content": text}
    calls = []
    for call in message.calls:
        name = NAME.sub("_", call.name)[:MAX_NAME_CHARS] or "unnamed"
        function = {"name": name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
        calls.append({**support.supported(call.extra), "id": call.id, "type": "function", "function": function})
    return {
        **support.supported(message.extra),
        "role": message.role.value,
        "content": text or None,
        "tool_calls": calls,
    }


def _with_pictures(text: str, pictures: Sequence[Picture], support: ParameterSupport) -> str | list[dict[str, Any]]:
    if not support.takes_pictures:
        return f"{PICTURES_LEFT_OUT}\n{text}"
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for picture in pictures:
        url = f"data:{picture.mime};base64,{b64encode(picture.content).decode()}"
        parts.append({"type": PICTURE, PICTURE: {"url": url}})
    return parts


log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class OpenAIModel:
    """One model at one endpoint. Asks once: retries are made by `bot.llm.retry`.

    The connection opens with the first request; `async with` closes it.
    """

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._connection = HttpConnection(endpoint, clock=clock)
        self._support = ParameterSupport()

    @property
    def name(self) -> str:
        return self._endpoint.label

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._connection.close()

    async def prepare(self) -> None:
        """Load the client, half a second the first time; nothing is sent."""
        await self._connection.open()

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises."""
        assembly = StreamParser(self.name)
        failure: ModelError = broken_stream(self._endpoint, "the stream had no end")
        deadline = Deadline(request.limits.total_s)
        try:
            async with aclosing(self._chunks(request, deadline)) as chunks:
                async for chunk in chunks:
                    for event in assembly.feed(chunk):
                        yield event
                    if assembly.is_over:
                        deadline.shorten()
        except ModelError as error:
            failure = error
        for event in assembly.rest():
            yield event
        if assembly.is_over:
            yield assembly.finish()
        elif assembly.has_text:
            yield assembly.truncate(failure)
        else:
            raise failure

    async def models(self) -> tuple[str, ...]:
        """Return the ids of the models that the endpoint offers, sorted.

        Raises:
            ModelError: it does not tell.
        """
        seconds = self._endpoint.read_s
        answer = await self._connection.ask(lambda client: client.get("/models", cast_to=object), seconds=seconds)
        listed = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(listed, list):
            raise not_a_model(self._endpoint, "something else")
        return tuple(sorted(str(model["id"]) for model in listed if isinstance(model, Mapping) and "id" in model))

    async def _chunks(self, request: Request, deadline: Deadline) -> AsyncGenerator[object, None]:
        """Yield the chunks of an answer; what the endpoint does not understand is left out and asked again without."""
        while True:
            asked = body(request, self._endpoint, self._support)
            try:
                async with aclosing(self._connection.completion(asked, deadline)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except Rejected as error:
                learnt = self._support.learn(error.message, asked)
                if not learnt:
                    raise
                log.warning("model.parameters_left_out", model=self.name, parameters=learnt)
