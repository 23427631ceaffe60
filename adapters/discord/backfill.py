"""Messages missed while the bot was offline, and the read positions that tell which."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import discord
from discord.utils import time_snowflake

from adapters.discord.client import Client
from adapters.discord.errors import UNREADABLE, Gone, translate_errors
from adapters.discord.inbound import InboundParser, role_ids
from adapters.port import AdapterError, AdapterState, Audience, Inbound, NotSent, SendRefused, SlowDown
from adapters.support import backoff_s

if TYPE_CHECKING:
    from discord.types.message import Message as RawMessage

log = logging.getLogger(__name__)

_READ = "channel/"
_DIRECT = "direct/"
_PERSON = "person/"
_BEGINNING = "beginning"


SETTLE_STEP_MS = 60_000
"""How far the account's beginning moves at a time, and stays behind: servers' messages may overtake one another."""

MS_SHIFT = 22
"""The bits of an id that are not milliseconds."""


class ReadPositions:
    """How far each channel of one account has been read: in memory, and on disk as far as a restart needs it.

    What was written before the account's beginning counts as read everywhere. It moves on as everything is handled, so
    that chatter, of which nothing is kept, leaves no trace on the disk.

    Attributes:
        values: all that is kept of the account on disk, by name.
    """

    def __init__(self, state: AdapterState, account: str, *, now: Callable[[], datetime]) -> None:
        self._state = state
        self._account = account
        self._now = now
        self.values: dict[str, str] = {}
        self._read: dict[int, int] = {}
        self._beginning = 0
        self.is_first_start = False

    async def load(self) -> None:
        """Load them; the first time ever, what was written before that counts as read."""
        self.values = dict(await self._state.load(self._account))
        self.is_first_start = _BEGINNING not in self.values
        if self.is_first_start:  # lasting: without it, the next start would count as the first one
            await self.save(_BEGINNING, str(time_snowflake(self._now())), lasting=True)
        self._beginning = int(self.values[_BEGINNING])
        for name, position in self.values.items():
            if name.startswith((_READ, _DIRECT)):
                self._read[int(name.partition("/")[2])] = int(position)

    def read_up_to(self, channel: discord.abc.Snowflake, *, joined_at: datetime | None = None) -> int:
        """Return the id of the last message that counts as handled.

        Of a channel that was never read it is the account's beginning, or when the bot joined the server.
        """
        joined = time_snowflake(joined_at) if joined_at else 0
        return max(self._read.get(channel.id, 0), self._beginning, joined)

    async def advance(self, channel: discord.abc.Snowflake, message: int, *, is_kept: bool = True) -> None:
        """Note that a channel is read up to this message; on disk if something of it is kept there."""
        if not self._read.get(channel.id, 0) < message <= self._latest:
            return
        self._read[channel.id] = message
        if is_kept:
            prefix = _DIRECT if isinstance(channel, discord.DMChannel) else _READ
            await self.save(f"{prefix}{channel.id}", str(message))

    async def settle(self, message: int) -> None:
        """Move the beginning, for the next start, up to shortly before this message: all before it is handled."""
        settled = max(0, (message >> MS_SHIFT) - SETTLE_STEP_MS) << MS_SHIFT
        if message <= self._latest and settled - int(self.values[_BEGINNING]) > SETTLE_STEP_MS << MS_SHIFT:
            await self.save(_BEGINNING, str(settled))

    @property
    def _latest(self) -> int:
        """An id above those of all messages until now; a greater one is damaged, and would hide what comes after it."""
        return time_snowflake(self._now() + timedelta(days=1))

    def server_channels(self) -> Iterable[int]:
        """Return the channels and threads of servers in which something was kept, the last active ones first."""
        read = [(int(position), name) for name, position in self.values.items() if name.startswith(_READ)]
        return (int(name.removeprefix(_READ)) for _, name in sorted(read, reverse=True))

    def direct_channel(self, person: str) -> int | None:
        """Return the channel to a person, which the gateway does not list; None if it was not looked up before."""
        channel = self.values.get(f"{_PERSON}{person}")
        return int(channel) if channel else None

    async def add_person(self, person: str, channel: int) -> None:
        """Save the channel to a person."""
        if self.direct_channel(person) != channel:
            await self.save(f"{_PERSON}{person}", str(channel))

    async def save(self, name: str, value: str, *, lasting: bool = False) -> None:
        """Keep a value of the account under a name, as `AdapterState.save` does."""
        self.values[name] = value
        await self._state.save(self._account, name, value, lasting=lasting)


MAX_RETRIES = 7
MAX_RETRY_WAIT_S = 60.0

BETWEEN_LOOKUPS_S = 2.0
"""Between two people to whom a channel is opened."""

MAX_ARCHIVED_THREADS = 50
"""How many archived threads are checked: the last active ones."""

PAGE_SIZE = 100
"""Messages that Discord returns at a time."""

MAX_PAGES = 50
"""How far back a channel is read for what was meant for the bot, among what was not."""

MAX_QUERIED_PEOPLE = 100
MAX_LOOKED_UP_GUILDS = 500
"""Servers that are not open to everybody, in which the people that are let in are looked for: each takes a request."""

T = TypeVar("T")
GuildReadable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
Readable = GuildReadable | discord.DMChannel


@dataclass(frozen=True, slots=True)
class Missed:
    """Messages missed in a channel, oldest first; `up_to` is the id of the newest, even if that cannot be read.

    Attributes:
        unreadable: as they came, with the reason.
    """

    channel: Readable
    messages: Sequence[discord.Message]
    up_to: int
    unreadable: Sequence[tuple[RawMessage, Exception]] = ()


class Backfill:
    """Finds missed messages, where somebody may have written who is let in.

    Args:
        client: logged in.
        positions: how far each channel has been read.
        parser: tells what a message says, and to whom.
        audience: who is let in.
        limit: at least so many missed messages of a channel are found; of many more, only the newest. What was not
            meant for the bot does not count.
    """

    def __init__(
        self,
        client: Client,
        positions: ReadPositions,
        *,
        parser: InboundParser,
        audience: Audience,
        limit: int,
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client = client
        self._positions = positions
        self._parser = parser
        self._audience = audience
        self._limit = limit
        self._pause = pause
        self._roles: dict[tuple[int, int], tuple[str, ...]] = {}
        self._frequented: set[int] = set()

    def is_expected(self, message: discord.Message) -> bool:
        """Whether before this message others may have been missed that would be answered."""
        channel = message.channel
        return self._audience.knows(f"discord:{message.author.id}") or (
            not isinstance(channel, discord.DMChannel) and self._audience.is_open(self._parser.address(channel))
        )

    def is_admitted(self, inbound: Inbound) -> bool:
        """Whether a message is to be answered."""
        return self._audience.admit(inbound) is not None

    def unread_channels(self, guild: discord.Guild) -> dict[int, bool]:
        """Return the channels and active threads of a server that are to be read, and whether each has news."""
        return {channel.id: news for channel, news in self._readable(guild) if not news or self._may_concern(channel)}

    async def find_people(self, guilds: Sequence[discord.Guild]) -> AsyncIterator[dict[int, bool]]:
        """Yield the channels of servers that are not open to everybody, but in which somebody is who is let in.

        The gateway is asked, which costs no request of the bot's limit.

        Raises:
            NotSent: of some servers it did not say.
        """
        people = [int(person) for person in self._audience.people("discord")][:MAX_QUERIED_PEOPLE]
        unknown = (
            guild
            for guild in guilds
            if any(news and not self._may_concern(channel) for channel, news in self._readable(guild))
        )
        silent: list[str] = []
        for guild in islice(unknown, MAX_LOOKED_UP_GUILDS if people else 0):
            try:
                members = await guild.query_members(user_ids=people, cache=False)
            except TimeoutError:
                silent.append(str(guild.id))
                continue
            if members:
                self._frequented.add(guild.id)
                yield self.unread_channels(guild)
        if silent:
            raise NotSent(f"Discord does not say who is in these servers, and may be asked again: {', '.join(silent)}.")

    def _readable(self, guild: discord.Guild) -> Iterator[tuple[GuildReadable, bool]]:
        """Yield the channels that the bot may read, each with whether it has news; none of an unavailable server."""
        if guild.unavailable:
            return iter(())
        listed = (guild.text_channels, guild.voice_channels, guild.stage_channels, guild.threads)
        channels = (channel for kind in listed for channel in kind if _may_read(channel))
        return ((channel, _has_newer(channel, self._read_up_to(channel))) for channel in channels)

    def _may_concern(self, channel: GuildReadable) -> bool:
        """Whether somebody may have written there who is let in, as far as is known without asking."""
        return channel.guild.id in self._frequented or self._audience.is_open(self._parser.address(channel))

    def unlisted_channels(self) -> Iterator[int]:
        """Yield the channels that no server lists: direct messages, and archived threads of which something is kept."""
        people = self._audience.people("discord")
        yield from (channel for person in people if (channel := self._positions.direct_channel(person)))
        unlisted = (one for one in self._positions.server_channels() if self._client.get_channel(one) is None)
        yield from islice(unlisted, MAX_ARCHIVED_THREADS)

    async def find_direct_channels(self) -> AsyncIterator[dict[int, bool]]:
        """Look up the channels to people who are let in and have never written; slowly, or Discord takes it for spam.

        Before the first start nobody can have written.

        Raises:
            AdapterError: one of them cannot be looked up for the time being.
        """
        for person in () if self._positions.is_first_start else self._audience.people("discord"):
            if self._positions.direct_channel(person):
                continue
            await self._pause(BETWEEN_LOOKUPS_S)
            look_up = partial(self._client.create_dm, discord.Object(int(person)))
            try:
                channel = await self._retry(f"Looking up the channel to {person}", look_up)
            except SendRefused as error:
                log.info("%s Messages that they wrote before the start may be missed.", error)
                continue
            await self._positions.add_person(person, channel.id)
            yield {channel.id: True}

    async def missed(self, channel: int) -> Missed | None:
        """Read what was missed in a channel; None if nothing was, or if the bot may not read it.

        Raises:
            AdapterError: it cannot be read for the time being.
        """
        try:
            return await self._retry(f"Reading channel {channel}", partial(self._read_history, channel))
        except SendRefused as error:
            log.info("%s What was missed there stays unread.", error)
            return None

    async def roles(self, message: discord.Message) -> tuple[str, ...]:
        """Return the roles of a message's sender, which a history lacks; none for somebody who has left."""
        guild, person = message.guild, message.author.id
        if guild is None:
            return ()
        if (guild.id, person) not in self._roles:
            try:
                member = await self._retry(f"Looking up member {person}", partial(guild.fetch_member, person))
            except AdapterError as error:
                log.info("%s They count as somebody without roles.", error)
                if not isinstance(error, Gone):
                    return ()
                self._roles[guild.id, person] = ()
            else:
                self._roles[guild.id, person] = role_ids(member)
        return self._roles[guild.id, person]

    async def _retry(self, what: str, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request, repeated for two minutes; raises the error of the last attempt, or a refusal at once."""
        failures = 0
        while True:
            try:
                with translate_errors(what):
                    return await request()
            except SendRefused:
                raise
            except AdapterError as error:
                failures += 1
                if failures > MAX_RETRIES:
                    raise
                log.info("%s", error)
                wait_s = backoff_s(failures, max_s=MAX_RETRY_WAIT_S)
                await self._pause(error.seconds if isinstance(error, SlowDown) else wait_s)

    async def _read_history(self, number: int) -> Missed | None:
        channel = self._client.get_channel(number) or await self._client.fetch_channel(number)
        if not isinstance(channel, Readable) or not _may_read(channel):
            return None
        after = self._read_up_to(channel)
        if not _has_newer(channel, after):
            return None
        messages: list[discord.Message] = []  # newest first, as the pages are
        unreadable: list[tuple[RawMessage, Exception]] = []
        newest = before = None
        meant = 0
        for _ in range(MAX_PAGES):
            page = await self._client.http.logs_from(channel.id, PAGE_SIZE, before=before)
            fresh = [data for data in page if int(data["id"]) > after]
            newest = newest or (int(fresh[0]["id"]) if fresh else None)
            for data in fresh:
                try:
                    messages.append(self._client.message(channel, data))
                    inbound = self._parser.parse_message(messages[-1])
                    meant += inbound is not None and self.is_admitted(inbound)
                except UNREADABLE as error:
                    unreadable.append((data, error))
            if len(fresh) < PAGE_SIZE:
                break
            if meant > self._limit:
                log.warning(
                    "Channel %s: more than %s messages were missed, the older are skipped.", number, self._limit
                )
                break
            before = int(fresh[-1]["id"])
        else:
            log.warning("Channel %s: the last %s missed messages are read, no more.", number, MAX_PAGES * PAGE_SIZE)
        return Missed(channel, messages[::-1], newest, unreadable[::-1]) if newest else None

    def _read_up_to(self, channel: Readable) -> int:
        me = channel.guild.me if channel.guild else None
        return self._positions.read_up_to(channel, joined_at=me.joined_at if me else None)


def _has_newer(channel: Readable, read_up_to: int) -> bool:
    """Whether a channel has newer messages; for direct messages, only reading their history tells."""
    return isinstance(channel, discord.DMChannel) or (channel.last_message_id or 0) > read_up_to


def _may_read(channel: Readable) -> bool:
    """Whether the bot may read a channel's history; too many refused requests would have it locked out."""
    if isinstance(channel, discord.DMChannel):
        return True
    is_orphan = isinstance(channel, discord.Thread) and channel.parent is None
    if is_orphan or channel.guild.me is None:
        return False
    may = channel.permissions_for(channel.guild.me)
    return may.view_channel and may.read_message_history
