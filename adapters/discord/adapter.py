"""Discord adapter: one bot account, its options, tokens masked in the log."""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.discord.backfill import ReadPositions
from adapters.discord.client import Offline, RateLimits
from adapters.discord.inbound import download
from adapters.discord.interactions import CommandMenu
from adapters.discord.outbound import Attempts
from adapters.discord.reactions import StatusReactions
from adapters.pacing import Monotonic, Pace, Paces
from adapters.port import (
    CONNECTING,
    AdapterError,
    AdapterState,
    Address,
    Attachment,
    Audience,
    Capabilities,
    ConnectionState,
    InboundHandler,
    LoginRefused,
    MenuEntry,
    NotSent,
    Outbound,
    Receipt,
    Status,
)
from adapters.support import backoff_s

if TYPE_CHECKING:
    from adapters.discord.gateway import GatewayConnection

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DiscordOptions:
    """One bot account.

    Attributes:
        message_content: ask for the privileged intent of that name. Without it, only direct messages, mentions and
            replies to the bot carry text.
        threads: give each conversation that begins in a server's channel a thread of its own.
        backfill: up to so many missed messages of one channel are answered after a gap; of many more, the newest.
        requests_per_s: how many requests are made in a second; Discord takes 50 from most bots.
        settle_s: how long to wait for another server's data before the list is taken as complete.
        presence: what stands under the bot's name; nothing if empty.
        api: the API server, one for all accounts of a process; Discord's own if empty.
        proxy: the HTTP proxy through which everything is reached; none if empty.
    """

    token: str = field(repr=False)
    message_content: bool = True
    threads: bool = False
    backfill: int = 500
    requests_per_s: int = 40
    settle_s: float = 1.0
    presence: str = ""
    api: str = ""
    proxy: str = field(default="", repr=False)


_TOKEN = re.compile(r"(?P<id>[\w-]{20,32})\.[\w-]{4,}\.[\w-]{20,}", re.ASCII)
HINT = (
    "Copy it anew from the developer portal: your application, Bot, Reset Token. "
    "It has three parts with dots between them; the client secret and the public key are something else."
)


def bot_id(token: str) -> str:
    """Return the numeric id of the bot account that a token belongs to: its first part, in base64.

    >>> bot_id("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs")
    '198622483471925248'

    Raises:
        LoginRefused: this is not a bot token; the message does not repeat it.
    """
    parts = _TOKEN.fullmatch(token.strip())
    encoded = parts["id"] if parts else ""
    try:
        digits = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        digits = ""
    if not digits.isdecimal():
        raise LoginRefused(f"What is given as Discord's bot token is not one. {HINT}")
    return digits


_WEBHOOK_TOKEN = re.compile(r"(/(?:webhooks|interactions)/\d+/)[^/?\s]+", re.ASCII)
"""The part of an address with which anybody can answer an interaction."""
RECONNECTING = "Attempting a reconnect in %.2fs"
"""What discord.py logs as an error, with a traceback, where it goes on by itself; nothing but the wording tells it."""


def edit_record(record: logging.LogRecord) -> bool:
    """Mask the tokens of interactions in a record of the library, and make a warning of a connection that broke."""
    if isinstance(record.args, tuple):
        record.args = tuple(_WEBHOOK_TOKEN.sub(r"\1***", arg) if isinstance(arg, str) else arg for arg in record.args)
    if record.exc_info and record.exc_info[1] and record.msg == RECONNECTING:
        record.msg = f"Discord: the connection broke ({type(record.exc_info[1]).__name__}). Next try in %.0f s."
        record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
    return True


def edit_logs() -> None:
    """Keep the texts of messages (logged below INFO) and the tokens of interactions out of the library's log."""
    logging.getLogger("discord").setLevel(logging.INFO)
    for part in ("http", "client"):
        logging.getLogger(f"discord.{part}").addFilter(edit_record)  # the same function again is not added again


DRAFT_S = 1.2
"""The shortest time between two drafts of an answer."""

MAX_WAIT_S = 20.0
"""The longest time between two attempts to connect."""

STEADY_S = 60.0
"""A session that lasted so long was well; after a shorter one the next has to wait longer."""

MAX_WAIT_BETWEEN_SESSIONS_S = 600.0
"""The longest time between two sessions, of which Discord allows 1,000 a day."""

TYPING_TIMEOUT_S = 5
"""A typing notice that takes longer comes too late."""


@dataclass(frozen=True, slots=True)
class Account:
    """What stays the same from one connection to the next, also where the account was refused in between."""

    bot: str
    options: DiscordOptions
    menu: CommandMenu
    positions: ReadPositions
    audience: Audience
    limits: RateLimits
    now: Callable[[], datetime]
    pause: Callable[[float], Awaitable[None]]
    connection: ConnectionState = field(default_factory=ConnectionState)
    reactions: StatusReactions = field(default_factory=StatusReactions)
    attempts: Attempts = field(default_factory=Attempts)


class DiscordAdapter:
    """`adapters.port.Adapter` for Discord.

    Args:
        menu: the commands to offer; they arrive as messages that begin with a slash.
        audience: who is let in; missed messages of others are not looked for.
        state: what is kept across restarts.
        now: the current instant, aware.
        monotonic: the time that drafts, requests and sessions are paced by.

    Raises:
        LoginRefused: what is given as the token is not one.
    """

    platform = "discord"
    capabilities = Capabilities(
        text_limit=2000,
        edits=True,
        idempotent=True,
        typing_s=10,
        tables=False,
        file_limit=10 * 2**20,
        sends_while_connected=True,
    )

    def __init__(
        self,
        options: DiscordOptions,
        *,
        menu: Sequence[MenuEntry] = (),
        audience: Audience,
        state: AdapterState,
        now: Callable[[], datetime],
        pause: Callable[[float], Awaitable[None]],
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self.bot = bot_id(options.token)
        self._account = account = Account(
            self.bot,
            options,
            CommandMenu(menu),
            ReadPositions(state, f"{self.platform}.{self.bot}", now=now),
            audience,
            RateLimits(options.requests_per_s, monotonic=monotonic, pause=pause),
            now=now,
            pause=pause,
        )
        self.connection, self._reactions = account.connection, account.reactions
        self._paces = Paces(monotonic=monotonic)
        self._is_begun = False  # never, where another process has the account
        self._gateway: GatewayConnection | None = None  # the last one

    async def run(self, handler: InboundHandler) -> None:
        """Hand events to the handler until cancelled, through as many connections as it takes.

        Raises:
            LoginRefused: Discord will not let this account in, until somebody has changed its token or settings.
        """
        from adapters.discord.gateway import ContentRefused, GatewayConnection

        if not self.connection.problem:
            self.connection.set(CONNECTING)  # it is begun anew
        edit_logs()
        account, self._is_begun = self._account, True
        await account.positions.load()
        message_content, failures = account.options.message_content, 1
        while True:
            gateway = self._gateway = GatewayConnection(account, handler, message_content=message_content)
            try:
                await gateway.run()
            except LoginRefused as refusal:
                self.connection.set(str(refusal))
                raise
            except ContentRefused:
                message_content = False
                log.warning(
                    "Discord does not let the bot read messages that do not mention it. It goes on without them. "
                    "To change that, turn on Message Content Intent in the developer portal, and start again."
                )
            except Offline as error:
                self.connection.set(str(error))
                began_at = gateway.client.session_at
                lasted_s = 0.0 if began_at is None else account.limits.monotonic() - began_at
                failures = 1 if lasted_s >= STEADY_S else failures + 1
                longest_s = MAX_WAIT_S if began_at is None else MAX_WAIT_BETWEEN_SESSIONS_S
                wait_s = max(error.wait_s, backoff_s(failures, max_s=longest_s))
                log.warning("%s The next attempt is in %.0f s.", error, wait_s)
                await account.pause(wait_s)

    async def send(self, out: Outbound) -> Receipt:
        """Deliver a message; raises one of the `AdapterError`s.

        The same id again is recognised for some minutes; later, or after a restart, only if `out.again` says so.
        """
        receipt = await self._pace(out).final(partial(self._online().sender.send, out))
        self._reactions.clear(out)
        return receipt

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Replace a delivered message; raises one of the `AdapterError`s. A draft may be left out, and never fails."""
        write = partial(self._online().sender.edit, receipt, out)
        if out.draft:
            await self._pace(out).draft(receipt, out.text, write)
            return
        await self._pace(out).final(write)
        self._reactions.clear(out)

    def mark(self, to: Address, message: str, status: Status) -> None:
        if self._is_begun:
            self._reactions.mark(to, message, status)

    async def typing(self, to: Address) -> None:
        """Show for ten seconds that an answer is being prepared; best effort."""
        try:
            async with asyncio.timeout(TYPING_TIMEOUT_S):
                await self._online().sender.typing(to)
        except (AdapterError, TimeoutError) as error:
            log.debug("%s", error)

    async def fetch(self, attachment: Attachment, into: Path, *, limit: int) -> None:
        await download(self._online().client, attachment, into, limit=limit)

    def _pace(self, out: Outbound) -> Pace:
        return self._paces.pace(out.to.thread or out.to.chat, DRAFT_S)

    def _online(self) -> GatewayConnection:
        """Return the connection; raises `NotSent` if nothing can be sent through one."""
        if self._gateway is None or not self._gateway.is_logged_in:
            raise NotSent(f"Discord: the bot is not logged in at the moment: {self.connection.problem}")
        return self._gateway
