"""Pacing: of edits and messages per chat, of all requests together; the typing notice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from adapters.port import Adapter, AdapterError, Address, Receipt, SlowDown
from adapters.support import LimitedDict

log = logging.getLogger(__name__)

T = TypeVar("T")
Monotonic = Callable[[], float]
"""Returns seconds since some moment; never goes back."""

INTERVAL_GROWTH = 1.25
"""Each draft of a message waits a little longer than the one before it, so that a long answer leaves enough of what the
platform allows for its end."""

MAX_INTERVAL_S = 15.0
MAX_TRACKED_CHATS = 1000


class Pace:
    """The pace of one chat. Everything written there goes through it, one request at a time.

    Args:
        interval_s: the shortest time between a draft and whatever was written before it. A message's first draft comes
            at once, so that its reader need not wait, unless the platform has asked the chat to slow down.
        monotonic: the time.
    """

    def __init__(self, interval_s: float, *, monotonic: Monotonic) -> None:
        self._usual_s = interval_s
        self._shortest_s = interval_s
        self._interval_s = interval_s
        self._monotonic = monotonic
        self._written_at = float("-inf")
        self._blocked_until = float("-inf")
        self._shown: tuple[Receipt, str] | None = None
        self._writing = asyncio.Lock()

    @property
    def wait_s(self) -> float:
        """Seconds that the platform still asks to wait; 0 if it does not."""
        return max(0.0, self._blocked_until - self._monotonic())

    async def final(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write what must arrive, after a draft that is under way.

        Raises:
            SlowDown: the caller must wait so long and retry; until then no request is made.
            AdapterError: what `write` raises.
        """
        async with self._writing:
            if self.wait_s:
                raise SlowDown("The platform has asked to be left alone for a while.", seconds=self.wait_s)
            try:
                return await write()
            except SlowDown as error:
                self._back_off(error.seconds)
                raise
            finally:
                self._written_at = self._monotonic()

    async def draft(self, receipt: Receipt, text: str, write: Callable[[], Awaitable[object]]) -> None:
        """Write what may be left out: it is skipped if it comes too early, is shown already, or fails.

        Let it end rather than cancel it: a request that is on its way can overtake the next one.
        """
        is_first = self._shown is None or self._shown[0] != receipt
        if is_first:
            self._interval_s = self._shortest_s
        is_exempt = is_first and self._shortest_s <= self._usual_s
        is_early = not is_exempt and self._monotonic() - self._written_at < self._interval_s
        if is_early or self.wait_s or self._writing.locked() or self._shown == (receipt, text):
            return
        async with self._writing:
            self._shown = (receipt, text)
            self._interval_s = min(MAX_INTERVAL_S, self._interval_s * INTERVAL_GROWTH)
            try:
                await write()
            except SlowDown as error:
                self._back_off(error.seconds)
            except AdapterError as error:
                log.debug("A draft was left out: %s", error)
            finally:
                self._written_at = self._monotonic()

    def _back_off(self, seconds: float) -> None:
        """Make no request for so long, and write drafts less often from then on."""
        self._blocked_until = self._monotonic() + seconds
        self._shortest_s = min(MAX_INTERVAL_S, self._shortest_s * 2)
        self._interval_s = MAX_INTERVAL_S


class Paces:
    """The paces of an account's chats, by chat id."""

    def __init__(self, *, monotonic: Monotonic) -> None:
        self._monotonic = monotonic
        self._paces = LimitedDict[str, Pace](MAX_TRACKED_CHATS)

    def pace(self, chat: str, interval_s: float) -> Pace:
        """Return a chat's pace; `interval_s` counts for a chat that is not tracked yet."""
        pace = self._paces.get(chat) or Pace(interval_s, monotonic=self._monotonic)
        self._paces[chat] = pace
        return pace


class TokenBucket:
    """A limit that tasks share: `burst` of them at once, then one every `interval_s`, in the order in which they came.

    Args:
        burst: how many may go at once after a rest.
        interval_s: seconds until one more may.
        monotonic: the time.
        pause: waits so many seconds.
    """

    def __init__(
        self, burst: int, interval_s: float, *, monotonic: Monotonic, pause: Callable[[float], Awaitable[None]]
    ) -> None:
        self._tolerance_s = (burst - 1) * interval_s
        self._interval_s = interval_s
        self._monotonic = monotonic
        self._pause = pause
        self._full_at = self._blocked_until = float("-inf")
        self._first_in_line = asyncio.Lock()

    @property
    def wait_s(self) -> float:
        """Seconds until the next one may go; 0 if it may now."""
        free_at = max(self._full_at - self._tolerance_s, self._blocked_until)
        return max(0.0, round(free_at - self._monotonic(), 6))  # what is left of a sum is no wait

    def block(self, seconds: float) -> None:
        """Let nobody through for so long."""
        self._blocked_until = max(self._blocked_until, self._monotonic() + seconds)

    async def take(self) -> None:
        """Wait until it is the caller's turn."""
        async with self._first_in_line:
            while wait_s := self.wait_s:
                await self._pause(wait_s)
            self._full_at = max(self._full_at, self._monotonic()) + self._interval_s


MAX_TYPING_S = 300
"""After that the typing notice is given up."""


async def keep_typing(adapter: Adapter, to: Address, *, pause: Callable[[float], Awaitable[None]]) -> None:
    """Repeat the typing notice before it fades, for at most five minutes; cancel it when the answer is sent."""
    every_s = adapter.capabilities.typing_s * 0.8
    shown_s = 0.0
    while every_s and shown_s < MAX_TYPING_S:
        await adapter.typing(to)
        await pause(every_s)
        shown_s += every_s
