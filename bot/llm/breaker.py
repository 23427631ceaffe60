"""Leaves a failing model alone for a while, so that nobody waits for what will not come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from bot.llm.errors import Blame, ModelError, Resting
from memory import Clock

FAILURES = 5
WITHIN_S = 60
REST_S = 30


class Breaker:
    """One model of one provider, shared by everybody who asks it.

    Five failures of the provider within a minute open it, one failure of the account does too. While it is open
    nothing is sent. After 30 s one request goes through as a probe: an answer closes it, a failure opens it again.
    A request that is refused for its own sake counts as an answer, so that one bad session cannot silence the others.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures: deque[datetime] = deque(maxlen=FAILURES)
        self._opened: datetime | None = None
        self._last: ModelError | None = None
        self._is_probing = False

    @property
    def is_open(self) -> bool:
        """Whether requests are turned away; true until a probe has been answered."""
        return self._opened is not None

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Around one request. Say `passed` or `failed` inside; a request that was cancelled says neither.

        Raises:
            Resting: it is not the time to ask.
        """
        is_probe = self._admit()
        self._is_probing = self._is_probing or is_probe
        try:
            yield
        finally:
            self._is_probing = self._is_probing and not is_probe

    def passed(self) -> None:
        """The model answered."""
        self._failures.clear()
        self._opened = None

    def failed(self, error: ModelError) -> None:
        """It did not."""
        if error.blame is Blame.REQUEST:
            return self.passed()
        now = self._clock.now()
        self._failures.append(now)
        self._last = error
        is_many = len(self._failures) == FAILURES and (now - self._failures[0]).total_seconds() <= WITHIN_S
        if is_many or self._opened or error.blame is Blame.ACCOUNT:
            self._opened = now
        return None

    def _admit(self) -> bool:
        """Whether this request is the probe."""
        if self._opened is None or self._last is None:
            return False
        rested = (self._clock.now() - self._opened).total_seconds()
        # a clock that was set back must not keep the model silent for as long
        left = REST_S - rested if rested >= 0 else 0
        if left > 0 or self._is_probing:
            message = f"{self._last.message} It is asked again in {max(1, round(left))} s."
            raise Resting(message, hint=self._last.hint, seconds=max(left, 0))
        return True
