"""The connection to the gateway of Discord: its lifecycle, and the messages of each channel in order."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import aiohttp
import discord

from adapters.discord.adapter import HINT, DiscordOptions
from adapters.discord.backfill import Backfill, ReadPositions
from adapters.discord.client import Client, log_in
from adapters.discord.errors import UNREADABLE
from adapters.discord.inbound import InboundParser, unreadable
from adapters.discord.interactions import CommandMenu, Interactions
from adapters.discord.outbound import Attempts, MessageSender
from adapters.discord.reactions import StatusReactions
from adapters.port import AccountNotFound, AdapterError, ConnectionState, InboundHandler, LoginRefused
from adapters.support import first_error

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Event:
    """A message that was written, or edited."""

    message: discord.Message
    is_edit: bool = False
    is_missed: bool = False


@dataclass(frozen=True, slots=True)
class _Position:
    """How far a channel has been read."""

    channel: discord.abc.Snowflake
    up_to: int


class MessageIngest:
    """Hands the messages of one connection to the handler, each channel's in order.

    A session of the gateway begins with `start_session`; until `finish_session` tells where messages were missed, new
    ones are deferred. A channel's read position is saved only after its messages were handled, so a crash loses none:
    they are read again, and the handler recognises them.
    """

    def __init__(
        self,
        group: asyncio.TaskGroup,
        handler: InboundHandler,
        *,
        parser: InboundParser,
        positions: ReadPositions,
        backfill: Backfill,
    ) -> None:
        self._group = group
        self._handler = handler
        self._parser = parser
        self._positions = positions
        self._backfill = backfill
        self._queues: dict[int, deque[_Event | None]] = {}  # None: read what was missed
        self._deferred: list[_Event] | None = []
        self._checked: set[int] = set()
        self._backfilled: defaultdict[int, set[int]] = defaultdict(set)
        self._failed: set[int] = set()

    def start_session(self) -> None:
        """Begin a new session; the gateway sends nothing of what happened before it."""
        self._checked.clear()
        self._backfilled.clear()
        self._failed.clear()
        if self._deferred is None:
            self._deferred = []

    def finish_session(self, channels: Mapping[int, bool]) -> None:
        """Check these channels, each with whether it has unread messages; from now on, messages are handled."""
        deferred, self._deferred = self._deferred or [], None
        self.check_channels(channels)
        for event in deferred:
            self._add(event)

    def check_channels(self, channels: Mapping[int, bool]) -> None:
        """Read what was missed in the channels with unread messages, once in a session."""
        for channel, is_unread in channels.items():
            if channel not in self._checked:
                self._checked.add(channel)
                if is_unread:
                    self._enqueue(channel, None)

    @property
    def is_deferring(self) -> bool:
        """Whether the list of channels is not complete yet."""
        return self._deferred is not None

    def add(self, message: discord.Message, *, is_edit: bool = False) -> None:
        """Add a message that was written or edited just now."""
        event = _Event(message, is_edit)
        if self._deferred is None:
            self._add(event)
        else:
            self._deferred.append(event)

    def _add(self, event: _Event) -> None:
        channel = event.message.channel.id
        self.check_channels({channel: True})  # a person's first message may have been written while offline
        self._enqueue(channel, event)

    def _enqueue(self, channel: int, item: _Event | None) -> None:
        if channel in self._queues:
            self._queues[channel].append(item)
            return
        self._queues[channel] = deque([item])
        self._group.create_task(self._process_channel(channel), name=f"discord channel {channel}")

    async def _process_channel(self, channel: int) -> None:
        queue, last = self._queues[channel], None
        while queue:
            item = queue.popleft()
            read = await self._backfill_channel(channel) if item is None else await self._deliver(item)
            last = read or last
            if last and not queue and channel not in self._failed:
                await self._positions.advance(last.channel, last.up_to)
        del self._queues[channel]

    async def _backfill_channel(self, channel: int) -> _Position | None:
        try:
            missed = await self._backfill.missed(channel)
        except AdapterError as error:
            log.warning("%s It is tried again with the next connection.", error)
            self._failed.add(channel)
            return None
        if missed is None:
            return None
        for message in missed.messages:
            await self._deliver(_Event(message, is_missed=True))
            self._backfilled[channel].add(message.id)
        return _Position(missed.channel, missed.up_to)

    async def _deliver(self, event: _Event) -> _Position | None:
        """Hand an event to the handler; returns how far its channel is read then."""
        message = event.message
        if not event.is_edit and message.id in self._backfilled[message.channel.id]:
            return _Position(message.channel, message.id)  # so recent that the gateway sends it as well
        try:
            parse = self._parser.parse_edit if event.is_edit else self._parser.parse_message
            inbound = parse(message)
        except UNREADABLE as error:
            log.exception("Message %s cannot be read; it is left out.", message.id)
            inbound = None
            await self._handler.unreadable(unreadable(self._parser.account, message, error))
        if inbound is not None:
            if event.is_missed and inbound.addressed:
                roles = await self._backfill.roles(message)
                inbound = replace(inbound, sender=replace(inbound.sender, roles=roles))
            await self._handler.receive(inbound)
        return None if event.is_edit else _Position(message.channel, message.id)


CLOSE_TIMEOUT_S = 5
CANCEL_TIMEOUT_S = 0.5
FATAL_CLOSE_CODES = {
    4004: "the token is wrong or was reset",
    4010: "invalid shard",
    4011: "the bot is in so many servers that it must be sharded",
    4012: "this version of the gateway is no longer served",
    4013: "invalid intents",
}
"""Close codes after which another attempt would fail in the same way."""


class Offline(Exception):
    """The connection ended, or could not be made; another attempt may succeed."""


class ContentRefused(Exception):
    """Discord does not grant the bot the intent to read all messages."""


@dataclass(frozen=True, slots=True)
class Account:
    """What stays the same from one connection to the next."""

    bot: str
    options: DiscordOptions
    menu: CommandMenu
    positions: ReadPositions
    now: Callable[[], datetime]
    pause: Callable[[float], Awaitable[None]]
    connection: ConnectionState
    attempts: Attempts = field(default_factory=Attempts)


class GatewayConnection:
    """One connection to the gateway; passes its events (`client.GatewayEvents`) to the handler.

    Attributes:
        client: for requests, once `is_logged_in`.
        sender: delivers messages, likewise.
        reactions: marks messages, likewise.
        was_online: whether a session of the gateway began.
    """

    def __init__(self, account: Account, handler: InboundHandler, *, message_content: bool) -> None:
        options = account.options
        self.client = Client(self, message_content=message_content, settle_s=options.settle_s, pause=account.pause)
        self.client.http.proxy = options.proxy or None
        self.client.activity = discord.CustomActivity(options.presence) if options.presence else None
        self.sender = MessageSender(self.client, now=account.now, attempts=account.attempts)
        self.reactions = StatusReactions(self.client)
        self.is_logged_in = False
        self.was_online = False
        self._account = account
        self._handler = handler
        self._message_content = message_content
        self._backfill = Backfill(self.client, account.positions, limit=options.backfill, pause=account.pause)
        self._parser = InboundParser(account.bot, message_content=message_content, threads=options.threads)
        self._interactions = Interactions(handler, parser=self._parser, menu=account.menu)
        self._group: asyncio.TaskGroup | None = None  # while events are handled
        self._ingest: MessageIngest

    async def run(self) -> None:
        """Serve until the connection ends.

        Raises:
            LoginRefused: no further attempt makes sense.
            ContentRefused: an attempt without the privileged intent may succeed.
            Offline: a later attempt may succeed.
            Exception: whatever the handler raised.
        """
        try:
            async with asyncio.TaskGroup() as group:
                await self._serve(group)
        except ExceptionGroup as errors:
            raise first_error(errors) from errors
        finally:
            self.is_logged_in = False
            try:
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await self.client.close()
            except (TimeoutError, aiohttp.ClientError, OSError) as error:
                log.info("Discord: the connection did not close in an orderly way (%s).", type(error).__name__)

    async def _serve(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._ingest = MessageIngest(
            group,
            self._handler,
            parser=self._parser,
            positions=self._account.positions,
            backfill=self._backfill,
        )
        online = group.create_task(self._stay_online(group), name="discord gateway")
        try:
            await asyncio.wait([online])
        finally:
            self._group = None
            while not online.done():  # the library waits in a way that, in Python 3.11, may swallow a cancellation
                online.cancel()
                await asyncio.wait([online], timeout=CANCEL_TIMEOUT_S)

    async def _stay_online(self, group: asyncio.TaskGroup) -> None:
        """Log in and stay connected; raises what `run` does, however the connection ends."""
        account = self._account
        try:
            await log_in(self.client, account.options.token, api=account.options.api)
            self.is_logged_in = True
            group.create_task(account.menu.publish(self.client, account.positions), name="discord menu")
            group.create_task(self.reactions.run(), name="discord reactions")
            await self.client.connect()
        except discord.LoginFailure as error:
            raise LoginRefused(f"Discord does not accept the bot's token (401). {HINT}") from error
        except discord.NotFound as error:
            raise AccountNotFound(
                "What answers in Discord's place knows no bot (404): a proxy on the way is wrong, or just starting."
            ) from error
        except discord.PrivilegedIntentsRequired as error:
            if self._message_content:
                raise ContentRefused from error
            raise LoginRefused("Discord refuses the bot's intents (4014), although it asks for none.") from error
        except discord.ConnectionClosed as error:
            if error.code in FATAL_CLOSE_CODES:
                reason = FATAL_CLOSE_CODES[error.code]
                raise LoginRefused(f"Discord closed the connection: {reason} ({error.code}).") from error
            raise Offline(f"Discord closed the connection ({error.code}).") from error
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Offline(f"Discord cannot be reached ({type(error).__name__}).") from error
        except UNREADABLE as error:
            log.exception("Discord sent an event that the library cannot read; it is left out.")
            raise Offline("The connection was given up over an unreadable event.") from error
        raise Offline("The connection was closed.")

    def session_started(self) -> None:
        self.was_online = True
        self._ingest.start_session()

    def session_ready(self) -> None:
        if self._group is None:
            return
        channels = dict.fromkeys(self._backfill.unlisted_channels(), True)
        for guild in self.client.guilds:
            channels |= self._backfill.unread_channels(guild)
        self._ingest.finish_session(channels)
        self._group.create_task(self._find_direct_channels())
        self._account.connection.set("")
        log.info("Discord: online as %s in %s servers.", self.client.user, len(self.client.guilds))

    def connection_changed(self, *, is_lost: bool) -> None:
        if self._group:
            self._account.connection.set("Discord has closed the connection; it is made again." if is_lost else "")

    def guild_available(self, guild: discord.Guild) -> None:
        if self._group and not self._ingest.is_deferring:
            self._ingest.check_channels(self._backfill.unread_channels(guild))

    def message_received(self, message: discord.Message, *, is_edit: bool) -> None:
        if self._group:
            self._ingest.add(message, is_edit=is_edit)

    def interaction_received(self, interaction: discord.Interaction) -> None:
        if self._group:
            self._group.create_task(self._interactions.handle(interaction))

    async def _find_direct_channels(self) -> None:
        """Check the channels to people whose direct messages are expected; the gateway does not list them."""
        for person in self._account.options.people:
            channel = await self._backfill.direct_channel(person)
            if channel:
                self._ingest.check_channels({channel: True})
