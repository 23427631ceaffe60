"""Messages missed while the bot was offline, and the read positions that tell which."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import discord
from discord.utils import time_snowflake

from adapters.discord.client import Client
from adapters.discord.errors import UNREADABLE, translate_errors
from adapters.discord.inbound import role_ids
from adapters.port import AdapterError, AdapterState, SendRefused, SlowDown
from adapters.support import backoff_s

if TYPE_CHECKING:
    from discord.types.message import Message as RawMessage

log = logging.getLogger(__name__)

_READ = "channel/"
_DIRECT = "direct/"
_PERSON = "person/"
_BEGINNING = "beginning"
_COMMANDS = "commands"


class ReadPositions:
    """How far each channel of one account has been read, in memory and on disk."""

    def __init__(self, state: AdapterState, account: str) -> None:
        self._state = state
        self._account = account
        self._values: dict[str, str] = {}

    async def load(self, now: datetime) -> None:
        """Load them; the first time ever, what was written before `now` counts as read."""
        self._values = dict(await self._state.load(self._account))
        if _BEGINNING not in self._values:  # lasting: without it, the next start would count as the first one
            await self._set(_BEGINNING, str(time_snowflake(now)), lasting=True)

    def read_up_to(self, channel: discord.abc.Snowflake, *, joined_at: datetime | None = None) -> int:
        """Return the id of the last message that was handled.

        Of a channel that was never read it is the account's beginning, or when the bot joined the server.
        """
        position = self._values.get(f"{_READ}{channel.id}") or self._values.get(f"{_DIRECT}{channel.id}")
        if position:
            return int(position)
        return max(int(self._values[_BEGINNING]), time_snowflake(joined_at) if joined_at else 0)

    async def advance(self, channel: discord.abc.Snowflake, message: int) -> None:
        """Save that a channel is read up to this message."""
        name = f"{_DIRECT if isinstance(channel, discord.DMChannel) else _READ}{channel.id}"
        if message > int(self._values.get(name, "0")):
            await self._set(name, str(message))

    def server_channels(self) -> Iterable[int]:
        """Return the channels and threads of servers, the last active ones first."""
        read = [(int(position), name) for name, position in self._values.items() if name.startswith(_READ)]
        return (int(name.removeprefix(_READ)) for _, name in sorted(read, reverse=True))

    def direct_channels(self) -> Iterable[int]:
        """Return the channels of direct messages, which the gateway does not list."""
        known = {name.removeprefix(_DIRECT) for name in self._values if name.startswith(_DIRECT)}
        known |= {channel for name, channel in self._values.items() if name.startswith(_PERSON)}
        return map(int, sorted(known))

    def has_person(self, person: str) -> bool:
        """Whether the channel to a person has been looked up before."""
        return f"{_PERSON}{person}" in self._values

    async def add_person(self, person: str, channel: int) -> None:
        """Save the channel to a person."""
        await self._set(f"{_PERSON}{person}", str(channel))

    @property
    def commands_digest(self) -> str:
        """The digest of the commands that were published last."""
        return self._values.get(_COMMANDS, "")

    async def save_commands_digest(self, digest: str) -> None:
        """Save the digest of the commands that were published."""
        await self._set(_COMMANDS, digest)

    async def _set(self, name: str, value: str, *, lasting: bool = False) -> None:
        self._values[name] = value
        await self._state.save(self._account, name, value, lasting=lasting)


MAX_RETRIES = 7
MAX_RETRY_WAIT_S = 60.0

MAX_ARCHIVED_THREADS = 50
"""How many archived threads are checked: the last active ones."""

PAGE_SIZE = 100
"""Messages that Discord returns at a time."""

T = TypeVar("T")
Readable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.DMChannel


@dataclass(frozen=True, slots=True)
class Missed:
    """Messages missed in a channel, oldest first; `up_to` is the id of the newest, even if that cannot be read."""

    channel: Readable
    messages: Sequence[discord.Message]
    up_to: int


class Backfill:
    """Finds missed messages.

    Args:
        client: logged in.
        positions: how far each channel has been read.
        limit: at least so many missed messages of a channel are found; of many more, only the newest.
        pause: waits so many seconds.
    """

    def __init__(
        self,
        client: Client,
        positions: ReadPositions,
        *,
        limit: int,
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client = client
        self._positions = positions
        self._limit = limit
        self._pause = pause
        self._roles: dict[tuple[int, int], tuple[str, ...]] = {}

    def unread_channels(self, guild: discord.Guild) -> dict[int, bool]:
        """Return the channels and active threads of a server that the bot may read, and whether each has news."""
        if guild.unavailable:
            return {}
        listed = (guild.text_channels, guild.voice_channels, guild.stage_channels, guild.threads)
        channels = (channel for kind in listed for channel in kind if _may_read(channel))
        return {channel.id: _has_newer(channel, self._read_up_to(channel)) for channel in channels}

    def unlisted_channels(self) -> Iterator[int]:
        """Yield the channels that no server lists: direct messages, and archived threads."""
        yield from self._positions.direct_channels()
        unlisted = (
            channel for channel in self._positions.server_channels() if self._client.get_channel(channel) is None
        )
        yield from islice(unlisted, MAX_ARCHIVED_THREADS)

    async def direct_channel(self, person: str) -> int | None:
        """Look up the channel to a person; None if there is none, or if it was looked up before."""
        if self._positions.has_person(person):
            return None
        try:
            with translate_errors(f"Looking up the channel to {person}"):
                channel = await self._client.create_dm(discord.Object(int(person)))
        except AdapterError as error:
            log.warning("%s Messages that they wrote before the start may be missed.", error)
            return None
        await self._positions.add_person(person, channel.id)
        return channel.id

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
                return ()
            self._roles[guild.id, person] = role_ids(member)
        return self._roles[guild.id, person]

    async def _retry(self, what: str, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request, repeated for two minutes; raises the error of the last attempt, or a refusal at once."""
        for failures in range(1, MAX_RETRIES + 1):
            try:
                with translate_errors(what):
                    return await request()
            except SendRefused:
                raise
            except AdapterError as error:
                log.warning("%s", error)
                wait_s = backoff_s(failures, max_s=MAX_RETRY_WAIT_S)
                await self._pause(error.seconds if isinstance(error, SlowDown) else wait_s)
        with translate_errors(what):
            return await request()

    async def _read_history(self, number: int) -> Missed | None:
        channel = self._client.get_channel(number) or await self._client.fetch_channel(number)
        if not isinstance(channel, Readable) or not _may_read(channel):
            return None
        after = self._read_up_to(channel)
        if not _has_newer(channel, after):
            return None
        most = self._limit + PAGE_SIZE  # some of them were written since the session began
        found: list[RawMessage] = []  # newest first
        while len(found) < most:
            before = int(found[-1]["id"]) if found else None
            page = await self._client.http.logs_from(channel.id, min(PAGE_SIZE, most - len(found)), before=before)
            fresh = [message for message in page if int(message["id"]) > after]
            found += fresh
            if len(fresh) < PAGE_SIZE:
                break
        if len(found) == most:
            log.warning("Channel %s: more than %s messages were missed, the older are skipped.", number, self._limit)
        messages = []
        for data in reversed(found):
            try:
                messages.append(self._client.message(channel, data))
            except UNREADABLE:
                log.exception("Message %s cannot be read by the library; it is left out.", data["id"])
        return Missed(channel, messages, int(found[0]["id"])) if found else None

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
