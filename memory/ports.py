"""What the library needs from outside, and the default for each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """The only source of wall-clock time."""

    def now(self) -> datetime:
        """The current instant, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FrozenClock:
    """A clock that stands still until it is moved: for tests, and for replaying a day.

    >>> clock = FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
    >>> clock.advance(hours=24)
    >>> clock.now().day
    22
    """

    def __init__(self, at: datetime) -> None:
        self._now = at.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, **span: float) -> None:
        """Move forward; the span is given as for `datetime.timedelta`."""
        self._now += timedelta(**span)
