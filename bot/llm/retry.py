"""Retries, the circuit breaker, and what is said of an outage."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from bot.llm.errors import Blame, CircuitOpen, ModelError, RateLimited
from bot.llm.types import Event, Finished, Model, Request
from bot.texts.catalogue import tr
from bot.waiting import Pause, backoff
from memory import Clock

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

FAILURES = 5
WITHIN_S = 60
REST_S = 30

MAX_REST_S = 600
"""Seconds for which a model is left alone at most, while another one answers."""


class CircuitBreaker:
    """One model of one provider, shared by everybody who asks it.

    Five failures of the provider within a minute open it, one failure of the account does too. While it is open
    nothing is sent. After 30 s one request goes through as a probe: an answer closes it, a failure opens it again.
    A request that is refused for its own sake counts as an answer, so that one bad session cannot silence the others.
    Where another model answers meanwhile (`rest`), nobody waits for this one: with each failed probe the time until the
    next one doubles.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures: deque[datetime] = deque(maxlen=FAILURES)
        self._opened: datetime | None = None
        self._last: ModelError | None = None
        self._is_probing = False
        self._rest_s = REST_S
        self._rests_until: datetime | None = None

    @property
    def left_s(self) -> float:
        """Seconds until it is asked again; 0 if that may be now."""
        if self._opened is None:
            return 0
        rested = (self._clock.now() - self._opened).total_seconds()
        # a clock that was set back must not keep the model silent for as long
        return max(0, self._rest_s - rested) if rested >= 0 else 0

    @property
    def is_open(self) -> bool:
        """Whether requests are turned away; true until a probe has been answered."""
        return self._opened is not None

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Around one request: say `passed` or `failed` inside, or neither if it was cancelled. Raises `CircuitOpen`."""
        cause = self._last.again() if self._last and self._opened else None
        is_probe, left_s = cause is not None, self.left_s
        if cause and (left_s > 0 or self._is_probing):
            again = tr("It is asked again in {seconds} s.", seconds=max(1, round(left_s)))
            raise CircuitOpen(f"{cause.message} {again}", hint=cause.hint, seconds=left_s) from cause
        self._is_probing = self._is_probing or is_probe
        try:
            yield
        finally:
            self._is_probing = self._is_probing and not is_probe

    def passed(self) -> None:
        """Record that the model answered."""
        self._failures.clear()
        self._opened = self._rests_until = None
        self._rest_s = REST_S

    def rest(self, error: ModelError) -> None:
        """Open it after one failure, for longer than last time: there is another model to ask meanwhile."""
        now = self._clock.now()
        if self._rests_until and now >= self._rests_until:  # else others have failed at the same time
            self._rest_s = min(2 * self._rest_s, MAX_REST_S)
        self._last, self._opened = error, now
        self._rests_until = now + timedelta(seconds=self._rest_s)

    def failed(self, error: ModelError) -> None:
        if error.blame is Blame.REQUEST:
            self.passed()
            return
        now = self._clock.now()
        self._failures.append(now)
        self._last = error
        is_many = len(self._failures) == FAILURES and (now - self._failures[0]).total_seconds() <= WITHIN_S
        if is_many or self._opened or error.blame is Blame.ACCOUNT:
            self._opened = now


@dataclass(frozen=True, slots=True)
class Outage:
    """The model does not answer: since when, and why (the latest reason, which is told in many languages: `again`)."""

    since: datetime
    error: ModelError


@dataclass(frozen=True, slots=True)
class Recovery:
    """The model answers again."""


class ModelHealth:
    """What is known of one model.

    Whoever falls back on another way of answering asks for `news`, and says it once: one notice when the model is gone,
    one when it is back, however many messages lie between.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: set[str] = set()
        self._last: Outage | None = None
        self.outage: Outage | None = None
        """None: it answered last time, or was never asked."""

    def passed(self) -> None:
        """Record that the model answered."""
        self.outage = None

    def failed(self, error: ModelError) -> None:
        """Record a failure after all tries. What is the fault of one request says nothing about the model."""
        if error.blame is Blame.REQUEST or (self.outage and isinstance(error, CircuitOpen)):
            return
        if isinstance(error, CircuitOpen) and isinstance(error.__cause__, ModelError):
            error = error.__cause__  # whose words do not count seconds
        self.outage = self._last = Outage(self.outage.since if self.outage else self._clock.now(), error)

    def news(self, listener: str) -> Outage | Recovery | None:
        """Return what this listener (a session, the owner) has not heard yet; None if there is nothing new."""
        if self.outage and listener not in self._told:
            self._told.add(listener)
            return self.outage
        if not self.outage and self._last and listener in self._told:
            self._told.discard(listener)
            return Recovery()
        return None


FIRST_WAIT_S = 2.0
MAX_WAIT_S = 30.0

MAX_RETRY_AFTER_S = 60.0
"""How long a provider may make us wait with Retry-After while somebody sits in front of the chat."""

MAX_LIMIT_S = 300.0
"""A Retry-After of hours is not believed for longer than this; then one request finds out."""

T = TypeVar("T")


async def ask_again(ask: Callable[[], Awaitable[T]], *, pause: Pause) -> T:
    """Make a request that is no model's turn, as often as its errors are worth it; raises the last `ModelError`."""
    for number, usual_s in enumerate(backoff(MAX_WAIT_S, first_s=FIRST_WAIT_S), 1):
        try:
            return await ask()
        except ModelError as error:
            wait_s = usual_s if error.seconds is None else error.seconds
            if number >= error.tries or wait_s > MAX_RETRY_AFTER_S:
                raise
            await pause(wait_s)
    raise AssertionError("the last try returns or raises")


@dataclass
class RetryingModel:
    """A model that is asked again. One for all sessions, so that a rate limit met by one is kept by the others.

    The jitter, a random number from 0 to 1, spreads the waits of many clients.
    """

    model: Model
    _: KW_ONLY
    clock: Clock
    pause: Pause
    jitter: Callable[[], float]
    breaker: CircuitBreaker
    health: ModelHealth
    _limited: RateLimited | None = field(default=None, init=False)
    _limited_at: datetime = field(init=False)  # set together with it

    @property
    def name(self) -> str:
        return self.model.name

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """As `bot.llm.types.Model` promises; `request.limits.total_s` covers all tries and the waits between them."""
        limits, now = request.limits, self.clock.now()
        until = now + timedelta(seconds=limits.total_s)
        last_try = now + timedelta(seconds=min(limits.total_s, limits.retry_s))
        for number, usual_s in enumerate(backoff(MAX_WAIT_S, first_s=FIRST_WAIT_S), 1):
            await self._wait_for_limit(last_try)
            try:
                async with aclosing(self._attempt(request, until)) as events:
                    async for event in events:
                        yield event
                return
            except ModelError as error:
                if isinstance(error, RateLimited) and error.seconds is not None:
                    self._limited = error
                    self._limited_at = self.clock.now()
                wait_s = error.seconds if error.seconds is not None else self.jitter() * usual_s
                if number >= error.tries or not self._is_bearable(wait_s, last_try):
                    self.health.failed(error)
                    raise
                log.warning("model.asked_again", model=self.name, tries=number, wait_s=wait_s, reason=error.message)
            await self.pause(wait_s)

    async def _attempt(self, request: Request, until: datetime) -> AsyncGenerator[Event, None]:
        limits = replace(request.limits, total_s=min(request.limits.total_s, self._left(until)))
        with self.breaker.attempt():
            try:
                async with aclosing(self.model.stream(replace(request, limits=limits))) as events:
                    async for event in events:
                        self._record(event)
                        yield event
            except ModelError as error:
                self.breaker.failed(error)
                raise

    def _record(self, event: Event) -> None:
        """Note how an answer ended. One that broke off is a failure of the provider, and ends no outage."""
        if isinstance(event, Finished) and event.error:
            self.breaker.failed(event.error)
        elif isinstance(event, Finished):
            if self.health.outage:
                log.info("model.answers_again", model=self.name)
            self.health.passed()
            self.breaker.passed()

    def _is_bearable(self, wait_s: float, until: datetime) -> bool:
        return wait_s <= MAX_RETRY_AFTER_S and wait_s < self._left(until)

    async def _wait_for_limit(self, until: datetime) -> None:
        """Wait until a rate limit that another session has met is over; raises `RateLimited` if it lasts too long."""
        wait_s = self._limit_left_s()
        if self._limited is None or not wait_s:
            return
        if not self._is_bearable(wait_s, until):
            known = self._limited.again()
            error = RateLimited(known.message, hint=known.hint, seconds=wait_s)
            self.health.failed(error)
            raise error
        await self.pause(wait_s)

    @property
    def left_s(self) -> float:
        """Seconds until it is asked again: after a rate limit, or when the breaker lets it; 0 if that may be now."""
        return max(self.breaker.left_s, self._limit_left_s())

    def _limit_left_s(self) -> float:
        if self._limited is None or self._limited.seconds is None:
            return 0
        now = self.clock.now()
        # the limit of a clock that was set back begins anew: it never lasts longer than was announced
        self._limited_at = min(self._limited_at, now)
        return max(0, min(self._limited.seconds, MAX_LIMIT_S) - (now - self._limited_at).total_seconds())

    def _left(self, until: datetime) -> float:
        return (until - self.clock.now()).total_seconds()


@dataclass(frozen=True, slots=True)
class ModelState:
    """What is known without asking it.

    Attributes:
        name: the model and where it runs.
        outage: since when it does not answer, and why; None if it answered last time or was not asked.
        left_s: seconds until it is asked again.
        is_default: it is asked first where none was chosen.
    """

    name: str
    outage: Outage | None
    left_s: float = 0
    is_default: bool = True

    @property
    def id(self) -> str:
        """The name of the model alone."""
        return self.name.partition(" at ")[0]

    @property
    def retry(self) -> str:
        """When it is asked again, in words."""
        if self.left_s >= 90:
            return tr("in {minutes} min", minutes=round(self.left_s / 60))
        return tr("in {seconds} s", seconds=max(1, round(self.left_s)))
