"""Shows that an answer is being prepared, until told to stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from adapters.port import Adapter, Address

LONGEST_S = 300
"""Whoever still waits after that is not helped by three dots."""


async def keep_typing(adapter: Adapter, to: Address, *, pause: Callable[[float], Awaitable[None]]) -> None:
    """Repeat the typing notice before it fades, for at most five minutes; cancel it when the answer shows."""
    every_s = adapter.capabilities.typing_s * 0.8
    shown_s = 0.0
    while every_s and shown_s < LONGEST_S:
        await adapter.typing(to)
        await pause(every_s)
        shown_s += every_s
