"""Small things that nobody waits for: they are done soon, beside everything else, and may fail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from adapters.port import AdapterError

Errand = Callable[[], Awaitable[None]]

AT_ONCE = 4
MOST = 1000
"""Errands that may wait; when Telegram is not there, further ones are dropped."""

log = logging.getLogger(__name__)


class Errands:
    """A queue of errands; they are run while `run` does."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[tuple[str, Errand]] = asyncio.Queue(MOST)

    def add(self, what: str, errand: Errand) -> None:
        """Have something done; `what` names it in the log."""
        if self._waiting.full():
            log.debug("Too much waits: a %s was dropped.", what)
            return
        self._waiting.put_nowait((what, errand))

    async def run(self) -> None:
        """Do what comes until cancelled."""
        async with asyncio.TaskGroup() as group:
            for number in range(AT_ONCE):
                group.create_task(self._work(), name=f"telegram errands {number}")

    async def _work(self) -> None:
        while True:
            what, errand = await self._waiting.get()
            try:
                await errand()
            except AdapterError as error:
                log.debug("A %s failed: %s", what, error)
