"""Models behind the OpenAI protocol: the cloud's, and those that Ollama, LM Studio or llama.cpp serve at home."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self

import structlog

from bot.llm.assembly import Assembly
from bot.llm.connection import Connection, Patience
from bot.llm.dialect import Dialect
from bot.llm.endpoint import Endpoint
from bot.llm.errors import ModelError, Rejected
from bot.llm.failures import broken_off, not_a_model
from bot.llm.port import Event, Request
from bot.llm.wire import body
from memory import Clock

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class OpenAIModel:
    """One model at one endpoint. Asks once: asking again is the business of `bot.llm.retry`.

    The connection opens with the first request; `async with` closes it.
    """

    def __init__(self, endpoint: Endpoint, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._connection = Connection(endpoint, clock=clock)
        self._dialect = Dialect()

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
        """As `bot.llm.port.Model` promises."""
        assembly = Assembly(self.name)
        failure: ModelError = broken_off(self._endpoint, "the stream had no end")
        patience = Patience(request.limits.total_s)
        try:
            async with aclosing(self._chunks(request, patience)) as chunks:
                async for chunk in chunks:
                    for event in assembly.feed(chunk):
                        yield event
                    if assembly.is_over:
                        patience.shorten()
        except ModelError as error:
            failure = error
        for event in assembly.rest():
            yield event
        if assembly.is_over:
            yield assembly.finished()
        elif assembly.has_text:
            yield assembly.truncated(failure)
        else:
            raise failure

    async def models(self) -> tuple[str, ...]:
        """The ids of the models that the endpoint offers, sorted.

        Raises:
            ModelError: it does not tell.
        """
        answer = await self._connection.get("/models")
        listed = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(listed, list):
            raise not_a_model(self._endpoint, "something else")
        return tuple(sorted(str(model["id"]) for model in listed if isinstance(model, Mapping) and "id" in model))

    async def _chunks(self, request: Request, patience: Patience) -> AsyncGenerator[object, None]:
        """The chunks of an answer; what the endpoint does not understand is left out and asked again without."""
        while True:
            asked = body(request, self._endpoint, self._dialect)
            try:
                async with aclosing(self._connection.completion(asked, patience)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except Rejected as error:
                if not self._learns(error, asked):
                    raise

    def _learns(self, error: Rejected, asked: Mapping[str, Any]) -> bool:
        learnt = self._dialect.learn(error.message, asked)
        if learnt:
            log.warning("model.parameters_left_out", model=self.name, parameters=learnt)
        return bool(learnt)
