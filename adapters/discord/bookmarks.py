"""How far each channel has been read, kept as marks."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import discord
from discord.utils import time_snowflake

from adapters.marks import Marks

_READ = "channel/"
_DIRECT = "direct/"
_PERSON = "person/"
_BEGINNING = "beginning"
_COMMANDS = "commands"


class Bookmarks:
    """The marks of one account, in memory and on disk."""

    def __init__(self, marks: Marks, account: str) -> None:
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
