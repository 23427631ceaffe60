"""Brings messages to the door: in order within a channel, channels side by side, what was missed before what is new."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

import discord

from adapters.discord.bookmarks import Bookmarks
from adapters.discord.courtesy import Courtesy
from adapters.discord.failures import UNREADABLE
from adapters.discord.gaps import Gaps
from adapters.discord.reading import Reader, unreadable
from adapters.port import AdapterError, Door

log = logging.getLogger(__name__)


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


class Intake:
    """The messages of one connection.

    A session of the gateway begins with `begin`; until `complete` tells where something was missed, what is new is
    held back. A channel is marked as read only after the door has taken its messages, so a crash loses none: they are
    read again, and the door recognises them.
    """

    def __init__(
        self, group: asyncio.TaskGroup, door: Door, *, reader: Reader, bookmarks: Bookmarks, gaps: Gaps,
        courtesy: Courtesy,
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
