"""Pacing: of edits and messages per chat, of all requests together; the typing notice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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
RECOVERY_S = 60.0
"""How long nothing must be refused until a chat's drafts come twice as often again."""

MAX_TRACKED_CHATS = 1000


@dataclass(slots=True)
class FloodState:
    """How the platform has limited a chat; shared by the chat's threads.

    Attributes:
        until: when it may be written to again.
        times: for how many refusals its drafts still come less often, as of `until`.
    """

    until: float = float("-inf")
    times: int = 0

    def slowness(self, now: float) -> int:
        """Return how often the usual interval is doubled: once less for each minute without a refusal."""
        return max(0, self.times - int(max(0.0, now - self.until) // RECOVERY_S)) if self.times else 0


class Pace:
    """The pace of one chat, or of a thread in it. What is written there goes through it, one request at a time.

    Args:
        interval_s: the shortest time between a draft and whatever was written before it.
    """

    def __init__(self, interval_s: float, *, monotonic: Monotonic, flood: FloodState | None = None) -> None:
        self._usual_s = interval_s
        self._interval_s = interval_s
        self._monotonic = monotonic
        self._flood = flood or FloodState()
        self._written_at = float("-inf")
        self._shown: tuple[Receipt, str] | None = None
        self._writing = asyncio.Lock()

    @property
    def wait_s(self) -> float:
        """Seconds that the platform still asks to wait; 0 if it does not."""
        return max(0.0, self._flood.until - self._monotonic())

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
            self._interval_s = min(MAX_INTERVAL_S, self._usual_s * 2 ** self._flood.slowness(self._monotonic()))
        is_exempt = is_first and self._interval_s <= self._usual_s
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
        now = self._monotonic()
        self._flood.times = self._flood.slowness(now) + 1
        self._flood.until = now + seconds
        self._interval_s = MAX_INTERVAL_S


class Paces:
    """The paces of an account's chats and their threads."""

    def __init__(self, *, monotonic: Monotonic) -> None:
        self._monotonic = monotonic
        self._paces = LimitedDict[tuple[str, str | None], Pace](MAX_TRACKED_CHATS)
        self._floods = LimitedDict[str, FloodState](MAX_TRACKED_CHATS)

    def pace(self, chat: str, interval_s: float, *, thread: str | None = None) -> Pace:
        """Return the pace of a chat or of a thread in it; `interval_s` counts for one that is not tracked yet."""
        place, flood = (chat, thread), self._floods.get(chat) or FloodState()
        self._floods[chat] = flood
        pace = self._paces.get(place) or Pace(interval_s, monotonic=self._monotonic, flood=flood)
        self._paces[place] = pace
        return pace


class TokenBucket:
    """A limit that tasks share: `burst` of them at once, then one every `interval_s`, in the order in which they came.

    Args:
        burst: how many may go at once after a rest.
        interval_s: seconds until one more may.
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
