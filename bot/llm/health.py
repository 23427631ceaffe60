"""Whether a model answers, and who has been told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.llm.errors import Blame, ModelError
from memory import Clock


@dataclass(frozen=True, slots=True)
class Outage:
    """The model does not answer: since when, and why (the latest reason)."""

    since: datetime
    error: ModelError


@dataclass(frozen=True, slots=True)
class Recovery:
    """The model answers again."""

    outage: Outage


class Health:
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
        """The model answered."""
        self.outage = None

    def failed(self, error: ModelError) -> None:
        """It did not, all tries included. What is the fault of one request says nothing about the model."""
        if error.blame is Blame.REQUEST:
            return
        since = self.outage.since if self.outage else self._clock.now()
        self.outage = self._last = Outage(since, error)

    def news(self, listener: str) -> Outage | Recovery | None:
        """What this listener (a session, the owner) has not heard yet; None if there is nothing new."""
        if self.outage and listener not in self._told:
            self._told.add(listener)
            return self.outage
        if not self.outage and self._last and listener in self._told:
            self._told.discard(listener)
            return Recovery(self._last)
        return None
