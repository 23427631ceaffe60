"""Telegram's limits on how fast a bot may write. Off until a test sets them."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.servers.telegram.refusals import too_many_requests

Limit = Sequence[float]
"""So many messages in so many seconds."""


@dataclass(slots=True)
class Flood:
    """Sliding windows: over everything, per private chat, per group. Edits count as messages."""

    overall: Limit | None = None
    chat: Limit | None = None
    group: Limit | None = None
    monotonic: Callable[[], float] = time.monotonic
    _sent: dict[int, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def limit(self, *, overall: Limit | None, chat: Limit | None, group: Limit | None) -> None:
        """Set the limits; what was sent before does not count."""
        self.overall, self.chat, self.group = overall, chat, group
        self._sent.clear()

    def admit(self, chat: int) -> None:
        """Count a message to this chat.

        Raises:
            Refused: it is one too many; says when to come back.
        """
        now = self.monotonic()
        for key, limit in ((0, self.overall), (chat, self.group if chat < 0 else self.chat)):
            if limit and (wait_s := self._wait(key, limit, now)) > 0:
                raise too_many_requests(wait_s)
        for key in (0, chat):
            self._sent[key].append(now)

    def _wait(self, key: int, limit: Limit, now: float) -> float:
        most, window_s = limit
        sent = self._sent[key]
        while sent and now - sent[0] >= window_s:
            sent.popleft()
        return 0 if len(sent) < most else sent[0] + window_s - now
