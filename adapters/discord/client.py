"""The client of discord.py: passes events on, caches as little as possible, and keeps within what Discord allows."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import aiohttp
import discord

from adapters.discord.errors import UNREADABLE, retry_after_s
from adapters.pacing import Monotonic, TokenBucket

if TYPE_CHECKING:
    from discord.abc import MessageableChannel
    from discord.types.message import Message

    from adapters.discord.gateway import GatewayConnection

log = logging.getLogger(__name__)

BURST_S = 1 / 8
"""For so long requests may come at once after a rest: together with those of the second after it they stay below what
Discord takes, and an address that is refused 10,000 times in ten minutes is banned."""

BETWEEN_SESSIONS_S = 5.0
"""The time that Discord wants between two sessions of one bot."""

SESSION_EVERY_S = 180.0
MAX_SESSIONS_AT_ONCE = 10
SESSIONS_KEPT = 200
"""Sessions of a day that are not used: of the last of its 1,000, Discord takes the token away."""

MAX_WAIT_S = 30.0
"""The longest that the library itself waits for a rate limit; beyond that it raises `RateLimited`."""


class Offline(Exception):
    """The connection ended, or could not be made; another attempt may succeed, after `wait_s` seconds at least."""

    def __init__(self, message: str, *, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class RateLimits:
    """What Discord allows one account, over all its connections: requests a second, and sessions a day."""

    def __init__(self, requests_per_s: int, *, monotonic: Monotonic, pause: Callable[[float], Awaitable[None]]) -> None:
        self.monotonic = monotonic
        burst = max(1, int(requests_per_s * BURST_S))
        self._requests = TokenBucket(burst, 1 / requests_per_s, monotonic=monotonic, pause=pause)
        self._sessions = TokenBucket(MAX_SESSIONS_AT_ONCE, SESSION_EVERY_S, monotonic=monotonic, pause=pause)
        self._identify = TokenBucket(1, BETWEEN_SESSIONS_S, monotonic=monotonic, pause=pause)

    def trace(self) -> aiohttp.TraceConfig:
        """Return what makes a web session wait its turn before each request, whoever makes it, and again at a retry."""

        async def wait(
            session: aiohttp.ClientSession, context: SimpleNamespace, request: aiohttp.TraceRequestStartParams
        ) -> None:
            del session, context
            path = request.url.path
            if "/interactions/" in path or "/webhooks/" in path:  # these do not count, and are urgent
                return
            if self._requests.wait_s > MAX_WAIT_S:
                raise discord.RateLimited(self._requests.wait_s)
            await self._requests.take()

        async def obey(
            session: aiohttp.ClientSession, context: SimpleNamespace, request: aiohttp.TraceRequestEndParams
        ) -> None:
            del session, context
            headers = request.response.headers
            is_general = headers.get("X-RateLimit-Scope") == "global" or "X-RateLimit-Global" in headers
            if request.response.status == 429 and (is_general or "Via" not in headers):  # not of one route
                self._requests.block(retry_after_s(headers))
                log.warning("Discord asks to make no request at all for %.1f s.", self._requests.wait_s)

        trace = aiohttp.TraceConfig()
        trace.on_request_start.append(wait)
        trace.on_request_end.append(obey)
        return trace

    async def begin_session(self, client: discord.Client) -> str:
        """Wait until one more session may begin, and count it; return the gateway's address.

        Raises:
            Offline: that would be too long.
        """
        _, gateway, limit = await client.http.get_bot_gateway()
        if limit["remaining"] <= SESSIONS_KEPT:
            wait_s = limit["reset_after"] / 1000
            raise Offline(
                f"Of the {limit['total']} sessions that a bot may begin in a day, {limit['remaining']} are left: "
                "something ends each of them soon, or the token is used elsewhere, too. The bot stays away until "
                f"Discord counts anew, in {wait_s / 3600:.1f} hours.",
                wait_s=wait_s,
            )
        if self._sessions.wait_s > MAX_WAIT_S:
            raise Offline("Too many sessions have ended soon after they began.", wait_s=self._sessions.wait_s)
        await self._sessions.take()
        await self._identify.take()
        return gateway


NEEDED = frozenset({"READY", "RESUMED"})
"""Events without which there is no session."""


class Parsers(dict[str, Callable[[Any], None]]):
    """The library's parsers by event; what they cannot read ends no connection."""

    def __init__(self, parsers: dict[str, Callable[[Any], None]], events: GatewayConnection) -> None:
        def guard(event: str, parse: Callable[[Any], None], data: object) -> None:
            try:
                parse(data)
            except UNREADABLE as error:
                events.event_unreadable(event, data, error)

        guarded = {name: partial(guard, name, parse) for name, parse in parsers.items() if name not in NEEDED}
        super().__init__(parsers | guarded)

    def __getitem__(self, event: object) -> Callable[[Any], None]:
        return super().__getitem__(event if isinstance(event, str) else "")  # a list, say, is no event either


class Client(discord.Client):
    """A client that listens to servers, messages and reactions only.

    Args:
        message_content: whether to ask for the privileged intent of that name.
        settle_s: how long to wait for another server's data before the list is taken as complete.

    Attributes:
        session_at: when it asked for its last session of the gateway, by the clock of `limits`; None if it did not.
        is_elsewhere: whether it connects to the gateway that an API server of one's own names.
    """

    def __init__(
        self, events: GatewayConnection, *, message_content: bool, settle_s: float, limits: RateLimits
    ) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no voice
        super().__init__(
            intents=discord.Intents(guilds=True, messages=True, reactions=True, message_content=message_content),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=MAX_WAIT_S,
            guild_ready_timeout=settle_s,
            http_trace=limits.trace(),
        )
        self._connection.parsers = Parsers(self._connection.parsers, events)
        self._events = events
        self._limits = limits
        self.session_at: float | None = None
        self.is_elsewhere = False

    def message(self, channel: MessageableChannel, data: Message) -> discord.Message:
        """Return a message of a channel's history; raises one of `UNREADABLE` if the library cannot read it."""
        return discord.Message(state=self._connection, channel=channel, data=data)

    def dispatch(self, event: str, /, *args: Any, **options: Any) -> None:
        if event in {"disconnect", "resumed"}:
            self._events.connection_changed(is_lost=event == "disconnect")
        if event in {"raw_reaction_add", "raw_reaction_remove"}:
            self._events.reaction_changed(*args)
        if not self.is_closed():  # a closed client has no event loop
            super().dispatch(event, *args, **options)

    async def connect(self, *, reconnect: bool = True) -> None:
        await self._begin_session()  # before there is a socket, which a refusal would leave behind
        await super().connect(reconnect=reconnect)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        del shard_id
        if not initial:
            await self._begin_session()

    async def _begin_session(self) -> None:
        gateway = await self._limits.begin_session(self)
        if self.is_elsewhere:
            socket = discord.gateway.DiscordWebSocket
            socket.DEFAULT_GATEWAY = type(socket.DEFAULT_GATEWAY)(gateway)
        self.session_at = self._limits.monotonic()


async def log_in(client: Client, token: str, *, api: str) -> None:
    """Log in at an API server, and have the client connect to the gateway that it names; at Discord's if none is given.

    The library keeps the two addresses for all clients of a process.
    """
    if api:
        discord.http.Route.BASE = f"{api}/api/v10"
        client.is_elsewhere = True
    await client.login(token)
