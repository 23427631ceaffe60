"""What happens in the service, as it happens: the stream that the log and the dashboard share."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Event:
    number: int
    name: str
    at: datetime
    level: str
    logger: str
    fields: Mapping[str, object] = field(default_factory=dict)


class Subscription:
    def __init__(self) -> None:
        self.queue: deque[Event] = deque(maxlen=256)
        self.wake = asyncio.Event()

    def clear(self) -> None:
        self.queue.clear()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        while not self.queue:
            self.wake.clear()
            await self.wake.wait()
        return self.queue.popleft()


class Events:
    def __init__(self, *, kept: int = 2000) -> None:
        self._kept: deque[Event] = deque(maxlen=kept)

    def recent(self, limit: int = 200) -> tuple[Event, ...]:
        return tuple(self._kept)[-limit:]

    @contextmanager
    def subscribe(self) -> Iterator[Subscription]:
        yield Subscription()
