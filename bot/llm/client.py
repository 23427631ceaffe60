"""The client of endpoints that speak OpenAI's protocol."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from itertools import takewhile
from typing import Any

import structlog

from bot.llm.connection import Deadline, HttpConnection, read_json
from bot.llm.endpoint import Endpoint
from bot.llm.errors import ModelError, NoPictureSupport, Rejected, broken_stream, not_a_model
from bot.llm.stream import StreamParser
from bot.llm.types import Event, Message, Request, Role
from bot.texts.catalogue import tr
from bot.texts.formatting import well_formed
from memory import Clock

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

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
PICTURES_LEFT_OUT = "[Pictures came with this. Your provider refused them, so they are not shown to you.]"
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
NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")

MAX_NAME_CHARS = 64
"""What the API takes as the name of a function; models make up others, and have them in their history then."""


class OpenAIModel(AsyncExitStack):
    """One model at one endpoint. Asks once: retries are made by `bot.llm.retry`.

    The connection opens with the first request, or earlier if somebody asks it to; `async with` closes it.
    """

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        super().__init__()
        self._endpoint = endpoint
        self.name = endpoint.label
        self.connection = HttpConnection(endpoint, clock=clock)
        self._support = ParameterSupport()
        self.push_async_callback(self.connection.close)

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises."""
        parser = StreamParser(self.name, [tool.name for tool in request.tools])
        failure: ModelError | None = None
        deadline = Deadline(request.limits.total_s)
        try:
            async with aclosing(self._chunks(request, deadline)) as chunks:
                async for chunk in chunks:
                    for event in parser.feed(chunk):
                        yield event
                    if parser.is_over:
                        deadline.shorten()
        except ModelError as error:
            failure = error
        for event in parser.rest():
            yield event
        if parser.is_over:
            yield parser.finish()
            return
        failure = failure or broken_stream(self._endpoint, tr("the stream had no end"))
        if not parser.has_text:
            raise failure
        yield parser.truncate(failure)

    async def models(self) -> tuple[str, ...]:
        """Return the ids of the models that the endpoint offers, sorted; raises `ModelError` if it does not tell."""
        answer = await self.connection.ask("/models", read_json, seconds=self._endpoint.read_s)
        listed = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(listed, list):
            raise not_a_model(self._endpoint, tr("something else"))
        return tuple(sorted(str(model["id"]) for model in listed if isinstance(model, Mapping) and "id" in model))

    async def _chunks(self, request: Request, deadline: Deadline) -> AsyncGenerator[object, None]:
        """Yield the chunks of an answer; what the endpoint does not understand is left out and asked again without."""
        while True:
            if not self._support.takes_pictures:
                request = leave_out_pictures(request)
            sent = body(request, self._endpoint, self._support)
            try:
                async with aclosing(self.connection.completion(sent, deadline)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except Rejected as error:
                left_out = self._support.learn(error, sent)
                # also one picture may be refused: as too large, or as unsafe
                has_pictures = any(message.pictures for message in request.history)
                if not left_out and has_pictures and "image" in error.message.lower():
                    request, left_out = leave_out_pictures(request), [PICTURE]
                if not left_out:
                    raise
                log.warning("model.parameters_left_out", model=self.name, parameters=left_out)


class ParameterSupport:
    """The parameters that an endpoint refuses. Each is left out after the first complaint, so it costs one request."""

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def supported(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Leave out the parameters that the endpoint has refused."""
        return {name: value for name, value in parameters.items() if name not in self._refused}

    @property
    def takes_pictures(self) -> bool:
        """Whether the endpoint has not said so far that it takes no pictures."""
        return PICTURE not in self._refused

    def limit_name(self, endpoint: Endpoint) -> list[str]:
        """Return the name of the output limit: OpenAI's newer models refuse the one that all others know."""
        names = ["max_tokens", "max_completion_tokens"]
        if endpoint.host.endswith(("openai.com", "openai.azure.com")):
            names.reverse()
        return [name for name in names if name not in self._refused][:1]

    def learn(self, error: Rejected, body: Mapping[str, Any]) -> list[str]:
        """Read the refusal of a request and return the parameters, or pictures, that will be left out from now on."""
        messages, words = body["messages"], error.message
        if isinstance(error, NoPictureSupport) and any(isinstance(message["content"], list) for message in messages):
            self._refused.add(PICTURE)
            return [PICTURE]
        if not any(denial in words.lower() for denial in DENIALS):
            return []
        sent = set(body).union(*messages, *(call for message in messages for call in message.get("tool_calls", ())))
        learnt = [name for name in OPTIONAL if name in words and name in sent and name not in self._refused]
        self._refused.update(learnt)
        return learnt


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
        urls = (f"data:{picture.mime};base64,{b64encode(picture.content).decode()}" for picture in message.pictures)
        shown = ({"type": PICTURE, PICTURE: {"url": url}} for url in urls)
        return {"role": message.role.value, "content": [{"type": "text", "text": text}, *shown]}
    if not message.calls:
        return {"role": message.role.value, "content": text}
    calls = []
    for call in message.calls:
        name = NOT_IN_NAMES.sub("_", call.name)[:MAX_NAME_CHARS] or "unnamed"
        function = {"name": name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
        calls.append({**support.supported(call.extra), "id": call.id, "type": "function", "function": function})
    return {
        **support.supported(message.extra),
        "role": message.role.value,
        "content": text or None,
        "tool_calls": calls,
    }


def leave_out_pictures(request: Request) -> Request:
    """Return a request in which words stand for the pictures."""
    history = [
        replace(message, text=f"{PICTURES_LEFT_OUT}\n{message.text}", pictures=()) if message.pictures else message
        for message in request.history
    ]
    return replace(request, history=tuple(history))
