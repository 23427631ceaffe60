"""The models in use: one client for each distinct configuration, however many agents share it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import random
from typing import Self

from bot.config.providers import ModelOptions
from bot.llm.client import OpenAIModel
from bot.llm.endpoint import endpoint_of
from bot.llm.retry import CircuitBreaker, ModelHealth, RetryingModel
from bot.llm.tokens import TokenCounter, Window
from bot.waiting import pause
from memory import Clock

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
    """A model that is in use.

    Attributes:
        options: as configured.
        model: asks it, again where that helps.
        info: what is known of it.
        endpoint: asks it once.
        breaker: decides whether it may be asked at all.
    """

    options: ModelOptions
    model: RetryingModel
    info: ModelInfo
    endpoint: OpenAIModel
    breaker: CircuitBreaker

    async def warm_up(self) -> None:
        """Load what the first answer would have to wait for, a moment after the start."""
        await pause(WARM_UP_AFTER_S)
        await self.endpoint.prepare()


class Models:
    """The models in use; leaving the block closes their connections.

    Agents with the same options share one: what one of them has learnt (a rate limit, an outage) the others keep.

    Args:
        clock: source of time.
        at_once: the first is prepared as it is opened, before anybody can write: later it would keep them waiting.
    """

    def __init__(self, clock: Clock, *, at_once: bool = False) -> None:
        self._clock = clock
        self._at_once = at_once
        self._stack = AsyncExitStack()
        self._open: dict[ModelOptions, OpenModel] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def open(self, options: ModelOptions) -> OpenModel:
        """Return the model of these options. Nothing is sent yet."""
        if options not in self._open:
            endpoint = await self._stack.enter_async_context(OpenAIModel(endpoint_of(options), clock=self._clock))
            health, breaker = ModelHealth(self._clock), CircuitBreaker(self._clock)
            model = RetryingModel(
                endpoint, clock=self._clock, pause=pause, jitter=random, breaker=breaker, health=health
            )
            info = ModelInfo(
                Window(options.context_tokens), TokenCounter(), health, model=endpoint.name, sees=options.sees_pictures
            )
            self._open[options] = OpenModel(options, model, info, endpoint, breaker)
            if self._at_once and len(self._open) == 1:
                await endpoint.prepare()
        return self._open[options]
