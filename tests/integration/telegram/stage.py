"""A bot on the Telegram server, and a door that notes what comes in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adapters.port import Address, Button, ChatKind, Inbound, InboundHandler, MenuEntry, Outbound
from adapters.telegram.adapter import TelegramAdapter, TelegramOptions
from adapters.telegram.webhook import WebhookServer
from tests.servers.telegram.client import TOKEN, Telegram
from tests.support.factories import NOON
from tests.support.service import NoQuarantine

BOT = TOKEN.partition(":")[0]


class Time:
    """Passes only when somebody waits, and then at once."""

    def __init__(self) -> None:
        self.waited: list[float] = []
        self._now = 1000.0

    def monotonic(self) -> float:
        return self._now

    def passes(self, seconds: float) -> None:
        self._now += seconds

    async def pause(self, seconds: float) -> None:
        self.waited.append(seconds)
        self._now += seconds
        await asyncio.sleep(0)


class Notebook(NoQuarantine):
    """A door that lets everybody in but those named in `strangers`, and notes what they did."""

    def __init__(self, *, strangers: frozenset[str] = frozenset()) -> None:
        self.heard: list[Inbound] = []
        self._strangers = strangers
        self._grown = asyncio.Event()

    async def receive(self, inbound: Inbound) -> bool:
        self.heard.append(inbound)
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()
        return inbound.sender.id not in self._strangers

    async def until(self, count: int) -> list[Inbound]:
        """What was heard, once it is so much."""
        async with asyncio.timeout(10):
            while len(self.heard) < count:
                await self._grown.wait()
        return self.heard


@asynccontextmanager
async def opened(
    telegram: Telegram,
    folder: Path,
    *,
    time: Time | None = None,
    menu: tuple[MenuEntry, ...] = (),
    token: str = TOKEN,
    api: str = "",
    proxy: str = "",
    webhook: WebhookServer | None = None,
) -> AsyncIterator[TelegramAdapter]:
    """The adapter, not running."""
    time = time or Time()
    options = TelegramOptions(token, api=api or telegram.url, proxy=proxy)
    async with TelegramAdapter(
        options, menu=menu, now=lambda: NOON, monotonic=time.monotonic, pause=time.pause, webhook=webhook
    ) as adapter:
        yield adapter


@asynccontextmanager
async def running(adapter: TelegramAdapter, door: InboundHandler) -> AsyncIterator[None]:
    """The adapter brings what comes to the door, until the block ends."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(adapter.run(door))
        yield
        task.cancel()


def private(chat: int) -> Address:
    return Address("telegram", BOT, str(chat), ChatKind.PRIVATE)


def group(chat: int, *, thread: int | None = None) -> Address:
    return Address("telegram", BOT, str(chat), ChatKind.GROUP, thread=str(thread) if thread else None)


def message(chat: int, text: str, *buttons: Button, **more: Any) -> Outbound:
    """Something to say in a private chat, or in a group if the chat's id is negative."""
    to = group(chat) if chat < 0 else private(chat)
    return Outbound(**{"id": "o", "to": to, "text": text, "buttons": buttons, **more})
