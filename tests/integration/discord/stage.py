"""The adapter online against the local server, with a door that keeps what it is brought."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from adapters.discord.adapter import DiscordAdapter, DiscordOptions
from adapters.in_memory import InMemoryState
from adapters.port import AdapterState, Address, Audience, ChatKind, Inbound, MenuEntry, Outbound, Unreadable
from memory import SystemClock
from tests.servers.discord.client import Discord
from tests.servers.ledger import Entry
from tests.support.service import Everybody, NoQuarantine

MENU = (
    MenuEntry("recall", "Ask the memory", argument="words", required=True, private=True),
    MenuEntry(
        "remember", "Keep a statement", argument="statement", is_long=True, private=True, on_message="Remember this"
    ),
    MenuEntry("agent", "Choose who answers", argument="agent", suggests=True),
    MenuEntry("help", "List the commands"),
)


class Clock:
    """The real time, moved by a test."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return SystemClock().now() + self.ahead


class BriefTime:
    """Time in which no wait takes long: the real one, or one that stands still but for what a test and waits add."""

    def __init__(self, monotonic: Callable[[], float] | None = None) -> None:
        self._monotonic = monotonic or time.monotonic
        self._is_real = monotonic is None
        self._skipped_s = 0.0

    def monotonic(self) -> float:
        return self._monotonic() + self._skipped_s

    async def pause(self, seconds: float) -> None:
        waited_s = 0.02 if seconds > 0.1 else 0.0
        await asyncio.sleep(waited_s)
        self._skipped_s += seconds - waited_s if self._is_real else seconds


class WatchedMarks(InMemoryState):
    """Marks that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.values: set[str] = set()
        self._grown = asyncio.Condition()

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        await super().save(account, name, value, lasting=lasting)
        async with self._grown:
            self.values.add(value)
            self._grown.notify_all()

    async def until(self, value: str) -> None:
        """Wait until something was marked with this."""
        async with self._grown, asyncio.timeout(15):
            await self._grown.wait_for(lambda: value in self.values)


class Listener(NoQuarantine):
    """A door that recognises repetitions, as the durable one does, and lets in whom it is told to.

    Attributes:
        heard: what was let in, in order.
        unread: what was set aside.
        then: called with each event that is let in, before `receive` returns.
    """

    def __init__(self, *, admits: Callable[[Inbound], bool] = lambda _: True) -> None:
        self.heard: list[Inbound] = []
        self.repeated: list[str] = []
        self.unread: list[Unreadable] = []
        self.ignored: list[str] = []
        self.then: Callable[[Inbound], Any] = lambda _: None
        self._admits = admits
        self._grown = asyncio.Condition()

    async def receive(self, inbound: Inbound) -> bool:
        if not self._admits(inbound):
            self.ignored.append(inbound.text)
            async with self._grown:
                self._grown.notify_all()
            return False
        if any(one.update == inbound.update for one in self.heard):
            self.repeated.append(inbound.update)
            return False
        self.heard.append(inbound)
        self.then(inbound)
        async with self._grown:
            self._grown.notify_all()
        return True

    async def unreadable(self, event: Unreadable) -> None:
        self.unread.append(event)

    async def until(self, count: int) -> list[Inbound]:
        """The first so many events; waits for them."""
        async with self._grown, asyncio.timeout(15):
            await self._grown.wait_for(lambda: len(self.heard) >= count)
        return self.heard[:count]

    async def until_text(self, text: str) -> None:
        """Wait until an event with this text was let in."""
        async with self._grown, asyncio.timeout(15):
            await self._grown.wait_for(lambda: text in self.texts)

    async def until_ignored(self, text: str) -> None:
        """Wait until an event with this text was brought and not let in."""
        async with self._grown, asyncio.timeout(15):
            await self._grown.wait_for(lambda: text in self.ignored)

    @property
    def texts(self) -> list[str]:
        return [inbound.text for inbound in self.heard]


def account(
    server: Discord,
    *,
    state: AdapterState | None = None,
    now: Callable[[], datetime] | None = None,
    monotonic: Callable[[], float] | None = None,
    menu: Sequence[MenuEntry] = MENU,
    audience: Audience | None = None,
    **options: Any,
) -> DiscordAdapter:
    """The bot's account; two with the same state are the same bot before and after a restart."""
    passing = BriefTime(monotonic)
    return DiscordAdapter(
        DiscordOptions(server.token, **{"settle_s": 0.05, "api": server.url, **options}),
        menu=menu,
        audience=audience or Everybody(),
        state=state or InMemoryState(),
        now=now or Clock(),
        pause=passing.pause,
        monotonic=passing.monotonic,
    )


@asynccontextmanager
async def online(server: Discord, adapter: DiscordAdapter, door: Listener | None = None) -> AsyncIterator[Listener]:
    """The adapter has a session of the gateway; what is said from now on reaches the door."""
    door = door or Listener()
    since = len(server.entries())
    async with asyncio.TaskGroup() as group:
        running = group.create_task(adapter.run(door))
        await server.until(lambda entry: entry["kind"] == "identify", since=since)
        try:
            yield door
        finally:
            running.cancel()


async def offering_menu(server: Discord) -> None:
    """Wait until the commands can be used."""
    if not server.call("commands"):
        await server.until(is_announced)


def is_announced(entry: Entry) -> bool:
    return entry["kind"] == "answer" and str(entry["name"]).endswith("/commands")


def reply(asked: Inbound, text: str, *, id: str = "o1", **fields: Any) -> Outbound:
    """The answer to something."""
    return Outbound(id, asked.address, text, reply_to=asked.message, reply_token=asked.reply_token, **fields)


def again(out: Outbound) -> Outbound:
    """The same, after a restart that hid how the first attempt ended."""
    return replace(out, again=True)


def room_address(adapter: DiscordAdapter, channel: int, guild: int) -> Address:
    """A server's channel."""
    return Address("discord", adapter.bot, str(channel), ChatKind.CHANNEL, guild=str(guild))
