"""The models in use: one client for each distinct configuration, and several as one, asked in turn when one is out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from random import random
from typing import TYPE_CHECKING

import structlog

from bot.config.options.providers import ModelOptions
from bot.llm.endpoint import endpoint_of
from bot.llm.errors import Blame, CircuitOpen, FallbackTooSmall, ModelError
from bot.llm.retry import CircuitBreaker, ModelHealth, RetryingModel
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Event, Finished, Model, Request
from bot.texts.catalogue import tr
from bot.waiting import pause
from memory import Clock

if TYPE_CHECKING:
    from bot.llm.client import OpenAIModel

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

WARM_UP_AFTER_S = 0.5
"""Seconds after the start: by then the first prompt is there, and reading it takes longer than loading."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model: how much fits, how it counts, whether it answers and who has been told, its name.

    `sees`: pictures are put before it.
    """

    window: Window
    counter: TokenCounter
    health: ModelHealth
    model: str = ""
    sees: bool = False


@dataclass(frozen=True, slots=True)
class OpenModel:
    """A model that is in use: `endpoint` asks it once, `model` again where that helps, if the breaker lets it."""

    options: ModelOptions
    model: RetryingModel
    info: ModelInfo
    endpoint: OpenAIModel
    breaker: CircuitBreaker

    async def warm_up(self) -> None:
        """Load what the first answer would have to wait for, a moment after the start."""
        await pause(WARM_UP_AFTER_S)
        await self.endpoint.connection.open()


class Models(AsyncExitStack):
    """The models in use; leaving the block closes their connections.

    Agents with the same options share one: what one of them has learnt (a rate limit, an outage) the others keep. With
    `at_once` the first is prepared as it is opened, before anybody can write: later it would keep them waiting.
    """

    def __init__(self, clock: Clock, *, at_once: bool = False) -> None:
        super().__init__()
        self._clock = clock
        self._at_once = at_once
        self._open: dict[ModelOptions, OpenModel] = {}

    async def open(self, options: ModelOptions) -> OpenModel:
        """Return the model of these options. Nothing is sent yet."""
        if options not in self._open:
            from bot.llm.client import OpenAIModel

            endpoint = await self.enter_async_context(OpenAIModel(endpoint_of(options), clock=self._clock))
            health, breaker = ModelHealth(self._clock), CircuitBreaker(self._clock)
            model = RetryingModel(
                endpoint, clock=self._clock, pause=pause, jitter=random, breaker=breaker, health=health
            )
            window = Window(options.context_tokens, options.output_tokens or 0)
            info = ModelInfo(window, TokenCounter(), health, model=endpoint.name, sees=options.sees_pictures)
            self._open[options] = OpenModel(options, model, info, endpoint, breaker)
            if self._at_once and len(self._open) == 1:
                await endpoint.connection.open()
        return self._open[options]


RETRY_S = 10.0
"""Seconds after which a model is not tried again if there is another one: long enough for a hiccup of the network."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may be asked: how, what is known of it, and what lets it rest after a failure."""

    model: Model
    info: ModelInfo
    breaker: CircuitBreaker


class FailoverModel:
    """Several models as one (`bot.llm.types.Model`), at least one; the first that answers does.

    The next one is asked for what another model can mend: an outage, a rate limit, a refused key, an unknown model.
    What is wrong with a request stays an error. Who failed rests as its breaker says, and is then tried again. After
    the first words of an answer no other model is asked: a model raises no error from there on.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = tuple(candidates)
        self.name = candidates[0].model.name

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises; what is raised when none answers is the first one's error.

        Raises:
            FallbackTooSmall: the request does not fit into the window of a model that is left.
        """
        failed: ModelError | None = None
        first, last = self._candidates[0], self._candidates[-1]
        for candidate in self._candidates:
            if candidate is not first:
                check_fit(request, candidate.info)
            asked = request
            if candidate is not last:
                asked = replace(request, limits=replace(request.limits, retry_s=RETRY_S))
            try:
                async with aclosing(candidate.model.stream(asked)) as events:
                    async for event in events:
                        yield replace(event, model=candidate.model.name) if isinstance(event, Finished) else event
                return
            except ModelError as error:
                if error.blame is Blame.REQUEST:
                    raise
                failed = failed or error
                if candidate is not last and not isinstance(error, CircuitOpen):
                    log.warning("model.next_asked", model=candidate.model.name, reason=error.message)
                    if error.seconds is None:  # else it is known when to ask again
                        candidate.breaker.rest(error)
        raise failed or AssertionError("there is a model")


def check_fit(request: Request, info: ModelInfo) -> None:
    """Raise `FallbackTooSmall` if a request that was made for another model does not fit into this one's window."""
    tokens = info.counter.request(request, model=info.model)
    if tokens > info.window.request:
        message = tr(
            "{model} cannot take a request of this length ({tokens:,} tokens).", model=info.model, tokens=tokens
        )
        hint = tr("Begin afresh with /new, or give the conversation a model with a larger window.")
        window = int(info.window.tokens / max(1.0, info.counter.ratio(info.model)))  # as requests are assembled
        raise FallbackTooSmall(message, hint=hint, window=window, output=info.window.output)
