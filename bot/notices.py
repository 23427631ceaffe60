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
    """Takes lines from wherever they come, and shows them one after the other. All of them are in the log, too."""

    def __init__(self) -> None:
        self._waiting = asyncio.Queue[str]()

    def say(self, text: str) -> None:
        """Take a line; it is shown soon."""
        log.info("notice", text=text)
        self._waiting.put_nowait(text)

    async def run(self, adapters: Iterable[Adapter]) -> None:
        """Show what comes on those adapters that can, until cancelled; nobody is told twice who cannot be told."""
        announcers = [adapter for adapter in adapters if isinstance(adapter, Announcer)]
        while announcers:
            text = await self._waiting.get()
            for announcer in [*announcers]:
                try:
                    await announcer.announce(text)
                except SendRefused:
                    announcers.remove(announcer)
