"""What happens in the service, as it happens: the stream that the log and the dashboard share.

Whatever this program logs is an event, also what is below the log's level. Events name things by their ids, and have no
words of conversations in them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count

KEPT = 2000
"""Events that can be looked back at."""

QUEUED = 500
"""Events that wait for one reader; of more, the oldest are lost to it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        number: grows with every event; a gap means that some were lost to this reader.
        name: what it is, as in the log: `turn.finished`.
        at: ISO instant.
        level: `debug`, `info`, `warning`, `error`, `critical`.
    """

    number: int
    name: str
    at: str
    level: str
    logger: str
    fields: Mapping[str, object]


class Subscription:
    """The events that one reader wants and has yet to read; iterate over it in the event loop in which it was made.

    Whoever clears `waiting` has read all.
    """

    def __init__(self, is_wanted: Callable[[Event], bool]) -> None:
        self._is_wanted = is_wanted
        self._loop = asyncio.get_running_loop()
        self.waiting: deque[Event] = deque(maxlen=QUEUED)
        self._woken = asyncio.Event()

    def put(self, event: Event) -> None:
        """Add an event that is wanted, from any thread; who has something to read already needs no waking."""
        if not self._is_wanted(event):
            return
        is_first = not self.waiting
        self.waiting.append(event)
        if is_first:
            with suppress(RuntimeError):  # the loop has ended, and its reader with it
                self._loop.call_soon_threadsafe(self._woken.set)

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        while True:
            try:
                return self.waiting.popleft()
            except IndexError:
                self._woken.clear()
            if not self.waiting:  # else one came from another thread this very moment
                await self._woken.wait()


class Events:
    """The events of one service. Telling one never waits for whoever reads."""

    def __init__(self) -> None:
        self._kept: deque[Event] = deque(maxlen=KEPT)
        self._numbers = count(1)
        self._readers: set[Callable[[Event], None]] = set()

    def publish(self, name: str, *, at: str, level: str, logger: str, fields: Mapping[str, object]) -> None:
        """Tell that something has happened, from any thread."""
        event = Event(next(self._numbers), name, at, level, logger, fields)
        self._kept.append(event)
        for reader in (*self._readers,):
            reader(event)

    def recent(self) -> tuple[Event, ...]:
        """Return the newest events, the oldest of them first."""
        return tuple(self._kept)

    @contextmanager
    def subscribe(self, is_wanted: Callable[[Event], bool]) -> Iterator[Subscription]:
        """Yield what tells the wanted ones of all events from now on, until the block ends."""
        subscription = Subscription(is_wanted)
        with self.telling(subscription.put):
            yield subscription

    @contextmanager
    def telling(self, reader: Callable[[Event], None]) -> Iterator[None]:
        """Call a reader with every event, where it happens, until the block ends; the reader must not raise."""
        self._readers.add(reader)
        try:
            yield
        finally:
            self._readers.discard(reader)
