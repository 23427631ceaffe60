"""Lines that nobody asked for, such as what takes a while at the first start: shown where the owner sits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import structlog

from adapters.port import Adapter, SendRefused

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@runtime_checkable
class Announcer(Protocol):
    """An adapter whose screen takes lines that are no answers."""

    async def announce(self, text: str) -> None:
        """Show a line; raises `SendRefused`."""
        ...


class Notices:
    """Takes lines from wherever they come, and shows them one after the other. All of them are in the log, too.

    Args:
        adapters: those among them that can are shown the lines.
    """

    def __init__(self, adapters: Iterable[Adapter]) -> None:
        self._announcers = [adapter for adapter in adapters if isinstance(adapter, Announcer)]
        self._waiting = asyncio.Queue[str]()

    def say(self, text: str) -> None:
        """Take a line; it is shown soon."""
        log.info("notice", text=text)
        self._waiting.put_nowait(text)

    async def run(self) -> None:
        """Show what comes until cancelled; nobody is told twice who cannot be told."""
        while self._announcers:
            text = await self._waiting.get()
            for announcer in [*self._announcers]:
                try:
                    await announcer.announce(text)
                except SendRefused:
                    self._announcers.remove(announcer)
