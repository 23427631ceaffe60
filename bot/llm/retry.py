"""Asks a model again where that helps, and only there.

| failure                                  | asked in all | wait before                                     |
|------------------------------------------|--------------|-------------------------------------------------|
| no connection, 408, 409, 5xx             | 3 times      | full jitter: up to 2 s, then up to 4 s          |
| 429 (or any with Retry-After)            | 3 times      | as long as it says, if that is a minute or less |
| the stream broke off before any text     | twice        | as for no connection                            |
| garbage instead of an answer             | twice        | as for no connection                            |
| 400, 401, 402, 403, 404, a web page      | once         |                                                 |
| anything after the first piece of text   | once         |                                                 |

Full jitter is a uniform random part of an exponentially growing span (M. Brooker, "Exponential Backoff And Jitter",
AWS Architecture Blog, 2015). We wait ourselves, not through a retry library: those wait inside a decorator on the
process's clock, and a stream of events, a shared Retry-After, a breaker and a deadline do not fit into one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

import structlog

from bot.llm.breaker import Breaker
from bot.llm.errors import ModelError, RateLimited
from bot.llm.health import Health
from bot.llm.port import Event, Finished, Model, Request
from bot.pause import Pause
from memory import Clock

FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 30.0
LONGEST_PATIENCE_S = 60.0
"""How long a provider may make us wait with Retry-After while somebody sits in front of the chat."""

LONGEST_REST_S = 300.0
"""A Retry-After of hours is not believed for longer than this; then one request finds out."""

Jitter = Callable[[], float]
"""A random number from 0 to 1."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class RetryingModel:
    """A model that is asked again. One for all sessions, so that a rate limit met by one is kept by the others.

    Args:
        model: the one that asks once.
        clock: for deadlines.
        pause: waits.
        jitter: spreads the waits of many clients.
        breaker: decides whether it may be asked at all.
        health: hears how each request ended.
    """

    def __init__(
        self, model: Model, *, clock: Clock, pause: Pause, jitter: Jitter, breaker: Breaker, health: Health
    ) -> None:
        self._model = model
        self._clock = clock
        self._pause = pause
        self._jitter = jitter
        self._breaker = breaker
        self.health = health
        self._limited: RateLimited | None = None
        self._limited_at = clock.now()

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.port.Model` promises; `request.limits.total_s` covers all tries and the waits between them."""
        until = self._clock.now() + timedelta(seconds=request.limits.total_s)
        for number in count(1):
            await self._wait_for_turn(until)
            try:
                async with aclosing(self._attempt(request, until)) as events:
                    async for event in events:
                        yield event
                return
            except ModelError as error:
                self._note_limit(error)
                wait_s = self._wait_s(error, number)
                if number >= error.tries or not self._is_bearable(wait_s, until):
                    self.health.failed(error)
                    raise
                log.warning("model.asked_again", model=self.name, tries=number, wait_s=wait_s, reason=error.message)
            await self._pause(wait_s)

    async def _attempt(self, request: Request, until: datetime) -> AsyncGenerator[Event, None]:
        limits = replace(request.limits, total_s=min(request.limits.total_s, self._left(until)))
        with self._breaker.attempt():
            try:
                async with aclosing(self._model.stream(replace(request, limits=limits))) as events:
                    async for event in events:
                        self._judge(event)
                        yield event
            except ModelError as error:
                self._breaker.failed(error)
                raise

    def _judge(self, event: Event) -> None:
        """An answer that broke off half-way is an answer for its reader, and a failure of the provider."""
        if not isinstance(event, Finished):
            return
        self.health.passed()
        if event.error:
            self._breaker.failed(event.error)
        else:
            self._breaker.passed()

    def _wait_s(self, error: ModelError, number: int) -> float:
        """Seconds until the next try."""
        if error.seconds is not None:
            return error.seconds
        return self._jitter() * min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (number - 1))

    def _is_bearable(self, wait_s: float, until: datetime) -> bool:
        return wait_s <= LONGEST_PATIENCE_S and wait_s < self._left(until)

    def _note_limit(self, error: ModelError) -> None:
        if isinstance(error, RateLimited) and error.seconds is not None:
            self._limited = error
            self._limited_at = self._clock.now()

    async def _wait_for_turn(self, until: datetime) -> None:
        """Keep a rate limit that another session has met.

        Raises:
            RateLimited: it lasts too long.
        """
        if self._limited is None or self._limited.seconds is None:
            return
        now = self._clock.now()
        # the limit of a clock that was set back begins anew: it never lasts longer than was announced
        self._limited_at = min(self._limited_at, now)
        wait_s = min(self._limited.seconds, LONGEST_REST_S) - (now - self._limited_at).total_seconds()
        if wait_s <= 0:
            return
        if not self._is_bearable(wait_s, until):
            error = RateLimited(self._limited.message, hint=self._limited.hint, seconds=wait_s)
            self.health.failed(error)
            raise error
        await self._pause(wait_s)

    def _left(self, until: datetime) -> float:
        return (until - self._clock.now()).total_seconds()
