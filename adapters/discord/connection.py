"""One connection to Discord, from login until it cannot go on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import aiohttp
import discord

from adapters.discord.bookmarks import Bookmarks
from adapters.discord.client import Client
from adapters.discord.courtesy import Courtesy
from adapters.discord.credentials import HINT
from adapters.discord.failures import UNREADABLE
from adapters.discord.gaps import Gaps
from adapters.discord.intake import Intake
from adapters.discord.interactions import Interactions
from adapters.discord.menu import Menu
from adapters.discord.options import DiscordOptions
from adapters.discord.reading import Reader
from adapters.discord.sender import Attempts, Sender
from adapters.port import Door, LoginRefused

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
    bookmarks: Bookmarks
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

    def __init__(self, account: Account, door: Door, *, message_content: bool) -> None:
        options = account.options
        self.client = Client(self, message_content=message_content, settle_s=options.settle_s, pause=account.pause)
        self.sender = Sender(self.client, now=account.now, attempts=account.attempts)
        self.courtesy = Courtesy(self.client, receipt=options.receipt)
        self.is_logged_in = False
        self.was_online = False
        self._account = account
        self._door = door
        self._message_content = message_content
        self._gaps = Gaps(self.client, account.bookmarks, limit=options.backfill, pause=account.pause)
        self._reader = Reader(account.bot, message_content=message_content, threads=options.threads)
        self._interactions = Interactions(door, reader=self._reader, menu=account.menu)
        self._group: asyncio.TaskGroup | None = None  # while events are taken
        self._intake: Intake

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
        self._intake = Intake(
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
