"""The connection to the gateway of Discord: its lifecycle, and the messages of each channel in order."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncIterator, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import aiohttp
import discord

from adapters.discord.adapter import HINT, Account
from adapters.discord.backfill import Backfill, ReadPositions
from adapters.discord.client import Client, Offline, log_in
from adapters.discord.errors import UNREADABLE
from adapters.discord.inbound import InboundParser, unreadable
from adapters.discord.interactions import Interactions
from adapters.discord.outbound import MessageSender
from adapters.port import AccountNotFound, AdapterError, InboundHandler, LoginRefused
from adapters.support import first_error

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Event:
    """A message that was written, or edited."""

    message: discord.Message
    is_edit: bool = False
    is_missed: bool = False


@dataclass(slots=True)
class _Progress:
    """How far a channel has been read, and whether something of that is kept."""

    channel: discord.abc.Snowflake | None = None
    up_to: int = 0
    is_kept: bool = False


SURVEYED_AT_ONCE = 6
"""Channels in which missed messages are looked for at the same time."""


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
        self._unread: OrderedDict[int, None] = OrderedDict()  # queues that wait for their turn to be read
        self._readers = 0
        self._deferred: list[_Event] | None = []
        self._checked: set[int] = set()
        self._backfilled: defaultdict[int, dict[int, datetime | None]] = defaultdict(dict)  # when each was edited
        self._failed: set[int] = set()
        self._newest = self._missed = 0
        self.is_survey_complete = False

    def start_session(self) -> None:
        """Begin a new session; the gateway sends nothing of what happened before it."""
        self.is_survey_complete = False
        self._missed = 0
        self._checked.clear()
        self._backfilled.clear()
        self._failed.clear()
        self._deferred = self._deferred or []

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
        message, channel = event.message, event.message.channel.id
        if channel not in self._checked and self._backfill.is_expected(message):
            self.check_channels({channel: True})  # a person's first message may have been written while offline
        elif isinstance(message.channel, discord.DMChannel) and not message.author.bot:
            self._checked.add(channel)  # a stranger's: what they wrote before is not read, also once they are let in
        self._enqueue(channel, event)

    def _enqueue(self, channel: int, item: _Event | None) -> None:
        if channel in self._queues:
            self._queues[channel].append(item)
            if channel in self._unread:  # somebody is there now
                self._unread.move_to_end(channel, last=False)
            return
        self._queues[channel] = deque([item])
        if item is not None:
            self._group.create_task(self._process_channel(channel), name=f"discord channel {channel}")
            return
        self._unread[channel] = None
        if self._readers < SURVEYED_AT_ONCE:
            self._readers += 1
            self._group.create_task(self._read_channels(), name=f"discord backfill {self._readers}")

    async def _read_channels(self) -> None:
        while self._unread:
            channel, _ = self._unread.popitem(last=False)
            await self._process_channel(channel)
        self._readers -= 1
        if not self._readers and self._missed:
            log.info("Discord: missed messages read: %s; channels left for later: %s.", self._missed, len(self._failed))
            self._missed = 0

    async def _process_channel(self, channel: int) -> None:
        queue, progress = self._queues[channel], _Progress()
        while queue:
            item = queue.popleft()
            if item is None:
                if await self._handler.isolate(self._backfill_channel(channel, progress), f"Discord channel {channel}"):
                    self._failed.add(channel)
            else:
                await self._deliver(item, progress)
            is_read = channel in self._checked and channel not in self._failed  # else something before it may be missed
            if progress.channel and not queue and is_read:
                await self._positions.advance(progress.channel, progress.up_to, is_kept=progress.is_kept)
                progress.is_kept = False
        del self._queues[channel]
        self._newest = max(self._newest, progress.up_to)
        if self.is_survey_complete and not self._queues and not self._failed:
            await self._positions.settle(self._newest)

    async def _backfill_channel(self, channel: int, progress: _Progress) -> None:
        try:
            missed = await self._backfill.missed(channel)
        except AdapterError as error:
            log.info("%s It is tried again with the next connection.", error)
            self._failed.add(channel)
            return
        if missed is None:
            return
        self._missed += len(missed.messages)
        for data, reason in missed.unreadable:
            await self._handler.unreadable(unreadable(self._parser.account, data, reason))
        for message in missed.messages:
            await self._deliver(_Event(message, is_missed=True), progress)
            self._backfilled[channel][message.id] = message.edited_at
        progress.channel, progress.up_to = missed.channel, missed.up_to
        progress.is_kept |= bool(missed.unreadable)

    async def _deliver(self, event: _Event, progress: _Progress) -> None:
        """Hand an event to the handler; one that cannot be handed over is set aside."""
        message = event.message
        read = self._backfilled[message.channel.id]
        is_read = message.id in read and (not event.is_edit or read[message.id] == message.edited_at)
        if not is_read:  # else the gateway sends it as well, or tells of a preview or thread that it has got since
            error = await self._handler.isolate(self._hand_over(event, progress), f"Discord message {message.id}")
            if error:
                who, said = {"id": str(message.author.id)}, message.content
                data = {"id": str(message.id), "channel_id": str(message.channel.id), "author": who, "content": said}
                await self._handler.unreadable(unreadable(self._parser.account, data, error))
                progress.is_kept = True
        if not event.is_edit:
            progress.channel, progress.up_to = message.channel, message.id

    async def _hand_over(self, event: _Event, progress: _Progress) -> None:
        message = event.message
        inbound = self._parser.parse_edit(message) if event.is_edit else self._parser.parse_message(message)
        if inbound is None:
            return
        is_admitted = self._backfill.is_admitted(inbound)
        if event.is_missed and is_admitted:
            roles = await self._backfill.roles(message)
            inbound = replace(inbound, sender=replace(inbound.sender, roles=roles))
        progress.is_kept |= await self._handler.receive(inbound) or is_admitted  # above a limit, it is not asked again
        if isinstance(message.channel, discord.DMChannel) and self._backfill.is_expected(message):
            await self._positions.add_person(inbound.sender.id, message.channel.id)
            progress.is_kept = True  # also of what made them known: it is not to be taken for words later


CLOSE_TIMEOUT_S = 5
CANCEL_TIMEOUT_S = 0.5
FATAL_CLOSE_CODES = {
    4004: "the token is wrong or was reset",
    4010: "invalid shard",
    4011: "the bot is in more servers than one connection may serve (2,500), and Scrubjay makes one only. Let the bot "
    "leave some of them, or make a second bot for a part of them and add its token to discord.more_tokens",
    4012: "this version of the gateway is no longer served",
    4013: "invalid intents",
}
"""Close codes after which another attempt would fail in the same way."""


GIVE_UP_AFTER_S = 60.0
"""How long the library may try to make a lost connection again; its waits grow to a quarter of an hour."""


class ContentRefused(Exception):
    """Discord does not grant the bot the intent to read all messages."""


class GatewayConnection:
    """One connection to the gateway; passes its events, as its client tells them, to the handler.

    The methods for events may take no time: the order of events depends on it.

    Attributes:
        client: for requests, once `is_logged_in`.
        sender: delivers messages, likewise.
    """

    def __init__(self, account: Account, handler: InboundHandler, *, message_content: bool) -> None:
        options = account.options
        self.client = Client(self, message_content=message_content, settle_s=options.settle_s, limits=account.limits)
        for listener in (
            self.on_connect,
            self.on_ready,
            self.on_guild_available,
            self.on_message,
            self.on_raw_message_edit,
            self.on_interaction,
        ):
            self.client.event(listener)  # under its name, by which the library calls it
        self.client.http.proxy = options.proxy or None
        self.client.activity = discord.CustomActivity(options.presence) if options.presence else None
        self.sender = MessageSender(self.client, now=account.now, attempts=account.attempts)
        self.is_logged_in = False
        self._session = self._searches = 0
        self._lost_at: float | None = None
        self._account = account
        self._handler = handler
        self._message_content = message_content
        self._parser = InboundParser(account.bot, message_content=message_content, threads=options.threads)
        self._backfill = Backfill(
            self.client,
            account.positions,
            parser=self._parser,
            audience=account.audience,
            limit=options.backfill,
            pause=account.pause,
        )
        self._interactions = Interactions(handler, parser=self._parser, menu=account.menu, audience=account.audience)
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
            group, self._handler, parser=self._parser, positions=self._account.positions, backfill=self._backfill
        )
        online = group.create_task(self._stay_online(), name="discord gateway")
        try:
            await asyncio.wait([online])
        finally:
            self._group = None
            while not online.done():  # the library waits in a way that, in Python 3.11, may swallow a cancellation
                online.cancel()
                await asyncio.wait([online], timeout=CANCEL_TIMEOUT_S)

    async def _stay_online(self) -> None:
        """Log in and stay connected; raises what `run` does, however the connection ends."""
        account = self._account
        try:
            await log_in(self.client, account.options.token, api=account.options.api)
            self.is_logged_in = True
            self._spawn(account.menu.publish(self.client, account.positions), "the menu")
            self._spawn(account.reactions.run(self.client), "the reactions")
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

    async def on_connect(self) -> None:
        """Handle a new session of the gateway; the servers' channels follow."""
        self._session += 1
        self._searches = 0
        self._ingest.start_session()

    async def on_ready(self) -> None:
        """Handle the end of the list of servers."""
        if self._group is None:
            return
        channels = dict.fromkeys(self._backfill.unlisted_channels(), True)
        for guild in self.client.guilds:
            try:
                channels |= self._backfill.unread_channels(guild)
            except UNREADABLE:
                log.exception("Server %s cannot be read; what was missed there stays unread.", guild.id)
        self._ingest.finish_session(channels)
        self._search(self._backfill.find_people(self.client.guilds))
        self._search(self._backfill.find_direct_channels())
        self.connection_changed(is_lost=False)
        log.info("Discord: online as %s (servers: %s).", self.client.user, len(self.client.guilds))

    def connection_changed(self, *, is_lost: bool) -> None:
        """Handle the end of a connection that the library makes again, or the session's going on in a new one.

        At each attempt that has failed, too; what is then raised ends `Client.connect`.
        """
        if self._group is None:
            return
        self._account.connection.set("Discord has closed the connection; it is made again." if is_lost else "")
        now, lost_at = self._account.limits.monotonic(), self._lost_at
        self._lost_at = (now if lost_at is None else lost_at) if is_lost else None
        if self._lost_at is not None and now - self._lost_at >= GIVE_UP_AFTER_S:
            raise Offline("The lost connection could not be made again.")
        if not is_lost and lost_at is not None:
            log.info("Discord: connected again.")

    async def on_guild_available(self, guild: discord.Guild) -> None:
        if self._group and not self._ingest.is_deferring:
            self._ingest.check_channels(self._backfill.unread_channels(guild))
            self._search(self._backfill.find_people([guild]))

    async def on_message(self, message: discord.Message) -> None:
        if self._group:
            self._ingest.add(message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        if self._group:
            self._ingest.add(event.message, is_edit=True)

    def reaction_changed(self, event: discord.RawReactionActionEvent) -> None:
        async def hand_over() -> None:
            channel = self.client.get_channel(event.channel_id)
            if inbound := self._parser.parse_rating(event, channel, at=self._account.now()):
                await self._handler.receive(inbound)

        self._spawn(hand_over(), f"reaction on message {event.message_id}")

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self._spawn(self._interactions.handle(interaction), f"interaction {interaction.id}")

    def event_unreadable(self, event: str, data: object, error: Exception) -> None:
        log.warning("Discord sent an event that the library cannot read (%s: %r); it is left out.", event, error)
        if event in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}:
            self._spawn(self._handler.unreadable(unreadable(self._parser.account, data, error)), event)
        elif event == "INTERACTION_CREATE" and isinstance(data, Mapping):
            self._spawn(self._interactions.refuse(self.client, data), event)

    def _spawn(self, work: Coroutine[None, None, None], what: str) -> None:
        """Do something beside the events; its failure is logged, and ends nothing."""
        if self._group:
            self._group.create_task(self._handler.isolate(work, f"Discord: {what}"), name=f"discord {what}")
        else:
            work.close()

    def _search(self, batches: AsyncIterator[Mapping[int, bool]]) -> None:
        """Check channels that the gateway does not list, or of which it does not say whether they matter."""

        async def search(session: int) -> None:
            try:
                async for channels in batches:
                    if session != self._session:
                        return  # what it knows of channels is of before the connection was lost
                    self._ingest.check_channels(channels)
            except AdapterError as error:
                log.info("%s It is tried again with the next connection.", error)
                return  # the survey stays incomplete
            if session == self._session:
                self._searches -= 1
                is_whole = not any(guild.unavailable for guild in self.client.guilds)
                self._ingest.is_survey_complete = is_whole and not self._searches

        self._searches += 1
        self._ingest.is_survey_complete = False
        self._spawn(search(self._session), "the search for missed messages")
