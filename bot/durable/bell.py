"""A bell that wakes everyone who listens, each time it rings."""

from __future__ import annotations

import asyncio


class Bell:
    """To miss nothing: take `listen()` first, look, and wait for what it gave only if there was nothing to see."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def listen(self) -> asyncio.Event:
        """The next ring."""
        return self._next

    def ring(self) -> None:
        """Wake all who listen."""
        self._next.set()
        self._next = asyncio.Event()
