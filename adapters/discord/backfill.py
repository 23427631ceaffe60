"""Messages missed while the bot was away, and the read positions that tell which."""

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
from adapters.discord.errors import UNREADABLE, failures
from adapters.discord.inbound import role_ids
from adapters.port import AdapterError, AdapterState, SendRefused, SlowDown

if TYPE_CHECKING:
    from discord.types.message import Message as RawMessage


_READ = "channel/"
_DIRECT = "direct/"
_PERSON = "person/"
_BEGINNING = "beginning"
_COMMANDS = "commands"


class ReadPositions:
    """The marks of one account, in memory and on disk."""

    def __init__(self, marks: AdapterState, account: str) -> None:
        self._store = marks
        self._account = account
        self._marks: dict[str, str] = {}

    async def load(self, now: datetime) -> None:
        """Read them; the first time ever, what was written before `now` counts as read."""
        self._marks = dict(await self._store.load(self._account))
        if _BEGINNING not in self._marks:  # lost, the next start would take itself for the first one
            await self._set(_BEGINNING, str(time_snowflake(now)), lasting=True)

    def read_up_to(self, channel: discord.abc.Snowflake, *, joined_at: datetime | None = None) -> int:
        """The id of the last message that was brought to the door.

        Of a channel that was never read it is the account's beginning, or when the bot joined the server.
        """
        mark = self._marks.get(f"{_READ}{channel.id}") or self._marks.get(f"{_DIRECT}{channel.id}")
        if mark:
            return int(mark)
        return max(int(self._marks[_BEGINNING]), time_snowflake(joined_at) if joined_at else 0)

    async def advance(self, channel: discord.abc.Snowflake, message: int) -> None:
        """Note that a channel is read up to there."""
        name = f"{_DIRECT if isinstance(channel, discord.DMChannel) else _READ}{channel.id}"
        if message > int(self._marks.get(name, "0")):
            await self._set(name, str(message))

    def channels(self) -> Iterable[int]:
        """Those of servers, threads too; the last active ones first."""
        read = [(int(mark), name) for name, mark in self._marks.items() if name.startswith(_READ)]
        return (int(name.removeprefix(_READ)) for _, name in sorted(read, reverse=True))

    def directs(self) -> Iterable[int]:
        """The channels of direct messages, which the gateway does not list."""
        known = {name.removeprefix(_DIRECT) for name in self._marks if name.startswith(_DIRECT)}
        known |= {mark for name, mark in self._marks.items() if name.startswith(_PERSON)}
        return map(int, sorted(known))

    def knows(self, person: str) -> bool:
        """Whether the channel to a person has been looked up before."""
        return f"{_PERSON}{person}" in self._marks

    async def meet(self, person: str, channel: int) -> None:
        """Note the channel to a person."""
        await self._set(f"{_PERSON}{person}", str(channel))

    @property
    def commands(self) -> str:
        """What stands for the commands that Discord was last told."""
        return self._marks.get(_COMMANDS, "")

    async def announce(self, commands: str) -> None:
        """Note what Discord has been told."""
        await self._set(_COMMANDS, commands)

    async def _set(self, name: str, value: str, *, lasting: bool = False) -> None:
        self._marks[name] = value
        await self._store.save(self._account, name, value, lasting=lasting)


WAITS_S = (1, 2, 4, 8, 16, 32, 60)
"""Between the attempts to read a history."""

SLEEPING_THREADS = 50
"""Of the threads that are archived by now, so many are looked at: those where something was said last."""

PAGE = 100
"""Messages that Discord hands over at a time."""

log = logging.getLogger(__name__)

T = TypeVar("T")
Readable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.DMChannel


@dataclass(frozen=True, slots=True)
class Missed:
    """What was missed in a channel, oldest first; `up_to` is the id of the newest, also if that cannot be read."""

    channel: Readable
    messages: Sequence[discord.Message]
    up_to: int


class Backfill:
    """Finds missed messages.

    Args:
        client: logged in.
        bookmarks: how far each channel has been read.
        limit: at least so many missed messages of a channel are found; of many more, only the newest.
        pause: waits so many seconds.
    """

    def __init__(
        self,
        client: Client,
        bookmarks: ReadPositions,
        *,
        limit: int,
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client = client
        self._bookmarks = bookmarks
        self._limit = limit
        self._pause = pause
        self._roles: dict[tuple[int, int], tuple[str, ...]] = {}

    def survey(self, guild: discord.Guild) -> dict[int, bool]:
        """The channels and active threads of a server that the bot may read, and whether something new is in them."""
        if guild.unavailable:
            return {}
        listed = (guild.text_channels, guild.voice_channels, guild.stage_channels, guild.threads)
        channels = (channel for kind in listed for channel in kind if _may_read(channel))
        return {channel.id: _has_newer(channel, self._read_up_to(channel)) for channel in channels}

    def elsewhere(self) -> Iterator[int]:
        """Channels that no server's list has: direct messages, and threads that are archived by now."""
        yield from self._bookmarks.directs()
        unlisted = (channel for channel in self._bookmarks.channels() if self._client.get_channel(channel) is None)
        yield from islice(unlisted, SLEEPING_THREADS)

    async def direct(self, person: str) -> int | None:
        """The channel to a person who was never looked up before; None if there is none, or it is known anyway."""
        if self._bookmarks.knows(person):
            return None
        try:
            with failures(f"Looking up the channel to {person}"):
                channel = await self._client.create_dm(discord.Object(int(person)))
        except AdapterError as error:
            log.warning("%s Messages that they wrote before the start may be missed.", error)
            return None
        await self._bookmarks.meet(person, channel.id)
        return channel.id

    async def missed(self, channel: int) -> Missed | None:
        """What was missed in a channel; None if nothing was, or if nobody may read it.

        Raises:
            AdapterError: Discord does not let it be read for the time being.
        """
        try:
            return await self._patiently(f"Reading channel {channel}", partial(self._history, channel))
        except SendRefused as error:
            log.info("%s What was missed there stays unread.", error)
            return None

    async def roles(self, message: discord.Message) -> tuple[str, ...]:
        """The roles of a message's sender, which a history does not tell; none of somebody who has left."""
        guild, person = message.guild, message.author.id
        if guild is None:
            return ()
        if (guild.id, person) not in self._roles:
            try:
                member = await self._patiently(f"Looking up member {person}", partial(guild.fetch_member, person))
            except AdapterError as error:
                log.info("%s They count as somebody without roles.", error)
                return ()
            self._roles[guild.id, person] = role_ids(member)
        return self._roles[guild.id, person]

    async def _patiently(self, what: str, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask Discord, again and again for two minutes; raises what the last attempt did, or a refusal at once."""
        for wait_s in WAITS_S:
            try:
                with failures(what):
                    return await ask()
            except SendRefused:
                raise
            except AdapterError as error:
                log.warning("%s", error)
                await self._pause(error.seconds if isinstance(error, SlowDown) else wait_s)
        with failures(what):
            return await ask()

    async def _history(self, number: int) -> Missed | None:
        channel = self._client.get_channel(number) or await self._client.fetch_channel(number)
        if not isinstance(channel, Readable) or not _may_read(channel):
            return None
        after = self._read_up_to(channel)
        if not _has_newer(channel, after):
            return None
        most = self._limit + PAGE  # some of them were written since the session began
        found = await self._newest(channel, after, most)
        if len(found) == most:
            log.warning("Channel %s: more than %s messages were missed, the older are skipped.", number, self._limit)
        return Missed(channel, list(self._read(channel, reversed(found))), int(found[0]["id"])) if found else None

    async def _newest(self, channel: Readable, after: int, most: int) -> list[RawMessage]:
        """A channel's messages after one of them, as Discord tells them: the newest first."""
        found: list[RawMessage] = []
        while len(found) < most:
            before = int(found[-1]["id"]) if found else None
            page = await self._client.http.logs_from(channel.id, min(PAGE, most - len(found)), before=before)
            fresh = [message for message in page if int(message["id"]) > after]
            found += fresh
            if len(fresh) < PAGE:
                break
        return found

    def _read(self, channel: Readable, told: Iterable[RawMessage]) -> Iterator[discord.Message]:
        for data in told:
            try:
                yield self._client.message(channel, data)
            except UNREADABLE:
                log.exception("Message %s cannot be read by the library; it is left out.", data["id"])

    def _read_up_to(self, channel: Readable) -> int:
        me = channel.guild.me if channel.guild else None
        return self._bookmarks.read_up_to(channel, joined_at=me.joined_at if me else None)


def _has_newer(channel: Readable, read_up_to: int) -> bool:
    """Whether there is something newer; of direct messages, only their history tells."""
    return isinstance(channel, discord.DMChannel) or (channel.last_message_id or 0) > read_up_to


def _may_read(channel: Readable) -> bool:
    """Whether the bot may read the history; asking in vain too often would have it locked out."""
    if isinstance(channel, discord.DMChannel):
        return True
    is_orphan = isinstance(channel, discord.Thread) and channel.parent is None
    if is_orphan or channel.guild.me is None:
        return False
    may = channel.permissions_for(channel.guild.me)
    return may.view_channel and may.read_message_history
