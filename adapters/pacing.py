"""Pacing of edits and messages per chat, and the typing notice."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from adapters.port import Adapter, AdapterError, Address, Receipt, SlowDown

T = TypeVar("T")
Monotonic = Callable[[], float]
"""Seconds since some moment; never goes back."""

GROWTH = 1.25
MAX_INTERVAL_S = 15.0
"""Each draft of a message waits a little longer than the one before it, so that a long answer does not use up what the
platform allows for its end."""

REMEMBERED = 1000
"""Chats whose pace is kept in mind; the one that was quiet the longest is forgotten first."""

log = logging.getLogger(__name__)


class Pace:
    """One chat's pace. All that is written there goes through it, one thing at a time.

    Args:
        interval_s: the shortest time between a draft and whatever was written before it.
        monotonic: the time.
    """

    def __init__(self, interval_s: float, *, monotonic: Monotonic) -> None:
        self._shortest_s = interval_s
        self._interval_s = interval_s
        self._monotonic = monotonic
        self._written_at = float("-inf")
        self._blocked_until = float("-inf")
        self._shown: tuple[Receipt, str] | None = None
        self._writing = asyncio.Lock()

    @property
    def wait_s(self) -> float:
        """How long the platform still wants to be left alone; 0 if it does not."""
        return max(0.0, self._blocked_until - self._monotonic())

    async def final(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write what must arrive, after a draft that is under way.

        Raises:
            SlowDown: not now. Whoever owes the text waits so long and comes back; nothing is asked of the platform
                before that.
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
        """Write what may be left out: it is if it comes too early, is shown already, or fails.

        Let it end rather than cancel it: a request that is on its way can overtake the next one.
        """
        if self._shown is None or self._shown[0] != receipt:
            self._interval_s = self._shortest_s
        is_early = self._monotonic() - self._written_at < self._interval_s
        if is_early or self.wait_s or self._writing.locked() or self._shown == (receipt, text):
            return
        async with self._writing:
            self._shown = (receipt, text)
            self._interval_s = min(MAX_INTERVAL_S, self._interval_s * GROWTH)
            try:
                await write()
            except SlowDown as error:
                self._back_off(error.seconds)
            except AdapterError as error:
                log.debug("A draft was left out: %s", error)
            finally:
                self._written_at = self._monotonic()

    def _back_off(self, seconds: float) -> None:
        """Be quiet for so long, and slower ever after."""
        self._blocked_until = self._monotonic() + seconds
        self._shortest_s = min(MAX_INTERVAL_S, self._shortest_s * 2)
        self._interval_s = MAX_INTERVAL_S


class Paces:
    """The paces of an account's chats, by chat id."""

    def __init__(self, *, monotonic: Monotonic) -> None:
        self._monotonic = monotonic
        self._paces: OrderedDict[str, Pace] = OrderedDict()

    def pace(self, chat: str, interval_s: float) -> Pace:
        """A chat's pace; the interval counts when the chat is met for the first time."""
        pace = self._paces.setdefault(chat, Pace(interval_s, monotonic=self._monotonic))
        self._paces.move_to_end(chat)
        if len(self._paces) > REMEMBERED:
            self._paces.popitem(last=False)
        return pace


MAX_TYPING_S = 300
"""Whoever still waits after that is not helped by three dots."""


async def keep_typing(adapter: Adapter, to: Address, *, pause: Callable[[float], Awaitable[None]]) -> None:
    """Repeat the typing notice before it fades, for at most five minutes; cancel it when the answer shows."""
    every_s = adapter.capabilities.typing_s * 0.8
    shown_s = 0.0
    while every_s and shown_s < MAX_TYPING_S:
        await adapter.typing(to)
        await pause(every_s)
        shown_s += every_s
