"""The client of discord.py: passes events on, and caches as little as possible."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

import discord

if TYPE_CHECKING:
    from discord.abc import MessageableChannel
    from discord.types.message import Message

BETWEEN_SESSIONS_S = 5.0
"""The time that Discord wants between two sessions of one bot."""

MAX_WAIT_S = 30.0
"""The longest that the library itself waits for a rate limit; beyond that it raises `RateLimited`."""


class GatewayEvents(Protocol):
    """Receives the events of the gateway. No method may take time: the order of events depends on it."""

    def session_started(self) -> None:
        """Handle a new session of the gateway; the servers' channels follow."""
        ...

    def session_ready(self) -> None:
        """Handle the end of the list of servers."""
        ...

    def connection_changed(self, *, is_lost: bool) -> None:
        """Handle the end of a connection that the library makes again, or the session's going on in a new one."""
        ...

    def guild_available(self, guild: discord.Guild) -> None:
        """Handle a server that has become available."""
        ...

    def message_received(self, message: discord.Message, *, is_edit: bool) -> None:
        """Handle a message that was written or edited."""
        ...

    def interaction_received(self, interaction: discord.Interaction) -> None:
        """Handle a command that was used or a button that was pressed."""
        ...


class Client(discord.Client):
    """A client that listens to servers and messages only.

    Args:
        events: receives the events.
        message_content: whether to ask for the privileged intent of that name.
        settle_s: how long to wait for another server's data before the list is taken as complete.
        pause: waits so many seconds.
    """

    def __init__(
        self,
        events: GatewayEvents,
        *,
        message_content: bool,
        settle_s: float,
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no voice
        super().__init__(
            intents=discord.Intents(guilds=True, messages=True, message_content=message_content),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=MAX_WAIT_S,
            guild_ready_timeout=settle_s,
        )
        self._events = events
        self._wait = pause

    def message(self, channel: MessageableChannel, data: Message) -> discord.Message:
        """Return a message of a channel's history; raises one of `UNREADABLE` if the library cannot read it."""
        return discord.Message(state=self._connection, channel=channel, data=data)

    def dispatch(self, event: str, /, *args: Any, **options: Any) -> None:
        if event in {"disconnect", "resumed"}:
            self._events.connection_changed(is_lost=event == "disconnect")
        if not self.is_closed():  # a closed client has no event loop
            super().dispatch(event, *args, **options)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        del shard_id
        if not initial:
            await self._wait(BETWEEN_SESSIONS_S)

    async def on_connect(self) -> None:
        self._events.session_started()

    async def on_ready(self) -> None:
        self._events.session_ready()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        self._events.guild_available(guild)

    async def on_message(self, message: discord.Message) -> None:
        self._events.message_received(message, is_edit=False)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        self._events.message_received(event.message, is_edit=True)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self._events.interaction_received(interaction)


async def log_in(client: discord.Client, token: str, *, api: str) -> None:
    """Log in at an API server, and have the client connect to the gateway that it names; at Discord's if none is given.

    The library keeps the two addresses for all clients of a process.
    """
    if api:
        discord.http.Route.BASE = f"{api}/api/v10"
    await client.login(token)
    if api:
        _, gateway, _ = await client.http.get_bot_gateway()
        socket = discord.gateway.DiscordWebSocket
        socket.DEFAULT_GATEWAY = type(socket.DEFAULT_GATEWAY)(gateway)
