"""The connection to the gateway of Discord: its lifecycle, and events taken in per channel."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import aiohttp
import discord

from adapters.discord.adapter import HINT, DiscordOptions
from adapters.discord.backfill import Backfill, ReadPositions
from adapters.discord.client import Client
from adapters.discord.errors import UNREADABLE
from adapters.discord.inbound import InboundParser, unreadable
from adapters.discord.interactions import Interactions, Menu
from adapters.discord.outbound import Attempts, MessageSender
from adapters.discord.reactions import ReadReceipts
from adapters.port import AdapterError, InboundHandler, LoginRefused


@dataclass(frozen=True, slots=True)
class _Event:
    """A message that was written, or edited."""

    message: discord.Message
    is_edit: bool = False
    is_missed: bool = False


@dataclass(frozen=True, slots=True)
class _Read:
    """How far a channel is read."""

    channel: discord.abc.Snowflake
    up_to: int


class MessageIngest:
    """The messages of one connection.

    A session of the gateway begins with `begin`; until `complete` tells where something was missed, what is new is
    held back. A channel is marked as read only after the door has taken its messages, so a crash loses none: they are
    read again, and the door recognises them.
    """

    def __init__(
        self, group: asyncio.TaskGroup, door: InboundHandler, *, reader: InboundParser, bookmarks: ReadPositions,
        gaps: Backfill, courtesy: ReadReceipts,
    ) -> None:  # fmt: skip
        self._group = group
        self._door = door
        self._reader = reader
        self._bookmarks = bookmarks
        self._gaps = gaps
        self._courtesy = courtesy
        self._queues: dict[int, deque[_Event | None]] = {}
        self._held: list[_Event] | None = []
        self._looked_into: set[int] = set()
        self._found: defaultdict[int, set[int]] = defaultdict(set)
        self._unread: set[int] = set()

    def begin(self) -> None:
        """A new session has begun, which is told nothing of what happened before it."""
        self._looked_into.clear()
        self._found.clear()
        self._unread.clear()
        if self._held is None:
            self._held = []

    def complete(self, surveyed: Mapping[int, bool]) -> None:
        """These channels are known, and whether something was missed there; from now on, messages are taken."""
        held, self._held = self._held or [], None
        self.look_into(surveyed)
        for event in held:
            self._take(event)

    def look_into(self, surveyed: Mapping[int, bool]) -> None:
        """Read what was missed in the channels of which that is said, once in a session."""
        for channel, is_missing in surveyed.items():
            if channel not in self._looked_into:
                self._looked_into.add(channel)
                if is_missing:
                    self._put(channel, None)

    @property
    def is_held(self) -> bool:
        """Whether it is not known yet what was missed."""
        return self._held is not None

    def take(self, message: discord.Message, *, is_edit: bool = False) -> None:
        """Something was written or edited just now."""
        event = _Event(message, is_edit)
        if self._held is None:
            self._take(event)
        else:
            self._held.append(event)

    def _take(self, event: _Event) -> None:
        channel = event.message.channel.id
        self.look_into({channel: True})  # perhaps a person wrote for the first time while nobody listened
        self._put(channel, event)

    def _put(self, channel: int, item: _Event | None) -> None:
        if channel in self._queues:
            self._queues[channel].append(item)
            return
        self._queues[channel] = deque([item])
        self._group.create_task(self._serve(channel), name=f"discord channel {channel}")

    async def _serve(self, channel: int) -> None:
        queue, last = self._queues[channel], None
        while queue:
            item = queue.popleft()
            read = await self._catch_up(channel) if item is None else await self._bring(item)
            last = read or last
            if last and not queue and channel not in self._unread:
                await self._bookmarks.advance(last.channel, last.up_to)
        del self._queues[channel]

    async def _catch_up(self, channel: int) -> _Read | None:
        try:
            missed = await self._gaps.missed(channel)
        except AdapterError as error:
            log.warning("%s It is tried again with the next connection.", error)
            self._unread.add(channel)
            return None
        if missed is None:
            return None
        for message in missed.messages:
            await self._bring(_Event(message, is_missed=True))
            self._found[channel].add(message.id)
        return _Read(missed.channel, missed.up_to)

    async def _bring(self, event: _Event) -> _Read | None:
        """Take an event to the door; how far its channel is read now."""
        message = event.message
        if not event.is_edit and message.id in self._found[message.channel.id]:
            return _Read(message.channel, message.id)  # it was written so recently that it is told as new as well
        try:
            inbound = self._reader.edit(message) if event.is_edit else self._reader.message(message)
        except UNREADABLE as error:
            log.exception("Message %s cannot be read; it is left out.", message.id)
            inbound = None
            await self._door.unreadable(unreadable(self._reader.account, message, error))
        if inbound is not None:
            if event.is_missed and inbound.addressed:
                roles = await self._gaps.roles(message)
                inbound = replace(inbound, sender=replace(inbound.sender, roles=roles))
            if await self._door.receive(inbound):
                self._courtesy.accepted(inbound)
        return None if event.is_edit else _Read(message.channel, message.id)


CLOSE_S = 5
CANCEL_S = 0.5
FATAL = {
    4004: "the token is wrong or was reset",
    4010: "invalid shard",
    4011: "the bot is in so many servers that it must be sharded",
    4012: "this version of the gateway is no longer served",
    4013: "invalid intents",
}
"""Close codes after which another attempt would fail in the same way."""

log = logging.getLogger(__name__)


class Offline(Exception):
    """The connection ended, or never was; another one may do better."""


class ContentRefused(Exception):
    """Discord does not grant the bot the intent to read all messages."""


@dataclass(frozen=True, slots=True)
class Account:
    """What stays the same from one connection to the next; for the last three see `adapter` and `sender`."""

    bot: str
    options: DiscordOptions
    menu: Menu
    bookmarks: ReadPositions
    now: Callable[[], datetime]
    pause: Callable[[float], Awaitable[None]]
    attempts: Attempts = field(default_factory=Attempts)


class Connection:
    """Hears what the gateway tells (`client.Events`) and brings it to the door.

    Attributes:
        client: for requests, once `is_logged_in`.
        sender: delivers messages, likewise.
        courtesy: sends small signs, likewise.
        was_online: whether a session of the gateway began.
    """

    def __init__(self, account: Account, door: InboundHandler, *, message_content: bool) -> None:
        options = account.options
        self.client = Client(self, message_content=message_content, settle_s=options.settle_s, pause=account.pause)
        self.sender = MessageSender(self.client, now=account.now, attempts=account.attempts)
        self.courtesy = ReadReceipts(self.client, receipt=options.receipt)
        self.is_logged_in = False
        self.was_online = False
        self._account = account
        self._door = door
        self._message_content = message_content
        self._gaps = Backfill(self.client, account.bookmarks, limit=options.backfill, pause=account.pause)
        self._reader = InboundParser(account.bot, message_content=message_content, threads=options.threads)
        self._interactions = Interactions(door, reader=self._reader, menu=account.menu)
        self._group: asyncio.TaskGroup | None = None  # while events are taken
        self._intake: MessageIngest

    async def run(self) -> None:
        """Serve until the connection ends.

        Raises:
            LoginRefused: no further attempt makes sense.
            ContentRefused: an attempt without the privileged intent may succeed.
            Offline: a later attempt may succeed.
            Exception: whatever the door raised.
        """
        try:
            async with asyncio.TaskGroup() as group:
                await self._serve(group)
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        finally:
            self.is_logged_in = False
            await self._close()

    async def _serve(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._intake = MessageIngest(
            group,
            self._door,
            reader=self._reader,
            bookmarks=self._account.bookmarks,
            gaps=self._gaps,
            courtesy=self.courtesy,
        )
        online = group.create_task(self._stay_online(group), name="discord gateway")
        try:
            await asyncio.wait([online])
        finally:
            self._group = None
            while not online.done():  # the library waits in a way that, in Python 3.11, may swallow a cancellation
                online.cancel()
                await asyncio.wait([online], timeout=CANCEL_S)

    async def _stay_online(self, group: asyncio.TaskGroup) -> None:
        account = self._account
        with self._ends():
            await self.client.login(account.options.token)
            self.is_logged_in = True
            group.create_task(account.menu.announce(self.client, account.bookmarks), name="discord menu")
            group.create_task(self.courtesy.run(), name="discord courtesy")
            await self.client.connect()

    def session_began(self) -> None:
        self.was_online = True
        self._intake.begin()

    def session_complete(self) -> None:
        if self._group is None:
            return
        surveyed = dict.fromkeys(self._gaps.elsewhere(), True)
        for guild in self.client.guilds:
            surveyed |= self._gaps.survey(guild)
        self._intake.complete(surveyed)
        self._spawn(self._meet)
        log.info("Discord: online as %s in %s servers.", self.client.user, len(self.client.guilds))

    def server_known(self, guild: discord.Guild) -> None:
        if self._group and not self._intake.is_held:
            self._intake.look_into(self._gaps.survey(guild))

    def said(self, message: discord.Message, *, is_edit: bool) -> None:
        if self._group:
            self._intake.take(message, is_edit=is_edit)

    def asked(self, interaction: discord.Interaction) -> None:
        self._spawn(partial(self._interactions.take, interaction))

    def _spawn(self, start: Callable[[], Coroutine[None, None, None]]) -> None:
        if self._group:
            self._group.create_task(start())

    async def _meet(self) -> None:
        """Look up the channels to people whose direct messages are waited for; the gateway does not list them."""
        for person in self._account.options.people:
            channel = await self._gaps.direct(person)
            if channel:
                self._intake.look_into({channel: True})

    async def _close(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_S):
                await self.client.close()
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            log.info("Discord: the connection did not close in an orderly way (%s).", type(error).__name__)

    @contextmanager
    def _ends(self) -> Iterator[None]:
        """Sort the ends of a connection by what can be done about them."""
        try:
            yield
        except discord.LoginFailure as error:
            raise LoginRefused(f"Discord does not accept the bot's token (401). {HINT}") from error
        except discord.PrivilegedIntentsRequired as error:
            if self._message_content:
                raise ContentRefused from error
            raise LoginRefused("Discord refuses the bot's intents (4014), although it asks for none.") from error
        except discord.ConnectionClosed as error:
            if error.code in FATAL:
                raise LoginRefused(f"Discord closed the connection: {FATAL[error.code]} ({error.code}).") from error
            raise Offline(f"Discord closed the connection ({error.code}).") from error
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Offline(f"Discord cannot be reached ({type(error).__name__}).") from error
        except UNREADABLE as error:
            log.exception("Discord sent an event that the library cannot read; it is left out.")
            raise Offline("The connection was given up over an unreadable event.") from error
        raise Offline("The connection was closed.")
