"""The library's client: tells of what the gateway brings, and keeps nothing that it need not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

import discord

if TYPE_CHECKING:
    from discord.abc import MessageableChannel
    from discord.types.message import Message

BETWEEN_SESSIONS_S = 5.0
"""Discord wants so much time between two sessions of one bot."""

LONGEST_WAIT_S = 30.0
"""What a rate limit may delay a request inside the library; what takes longer is the caller's to plan."""


class Events(Protocol):
    """Who wants to know. None of these may take time: the order of events depends on it."""

    def session_began(self) -> None:
        """The gateway has accepted the bot; the servers' channels follow."""
        ...

    def session_complete(self) -> None:
        """All servers are known."""
        ...

    def server_known(self, guild: discord.Guild) -> None:
        """A server has become available."""
        ...

    def said(self, message: discord.Message, *, is_edit: bool) -> None:
        """A message was written or edited."""
        ...

    def asked(self, interaction: discord.Interaction) -> None:
        """A command was used or a button pressed."""
        ...


class Client(discord.Client):
    """A connection that notices no more than it needs: which servers there are, and what is written.

    Args:
        events: who is told.
        message_content: whether to ask for that privileged intent.
        settle_s: how long to wait for another server's data before the list is taken as complete.
        pause: waits so many seconds.
    """

    def __init__(
        self,
        events: Events,
        *,
        message_content: bool,
        settle_s: float,
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody talks here
        super().__init__(
            intents=discord.Intents(guilds=True, messages=True, message_content=message_content),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=LONGEST_WAIT_S,
            guild_ready_timeout=settle_s,
        )
        self._events = events
        self._wait = pause

    def message(self, channel: MessageableChannel, data: Message) -> discord.Message:
        """A message as a history holds it; raises one of `UNREADABLE` if the library cannot make it out."""
        return discord.Message(state=self._connection, channel=channel, data=data)

    def dispatch(self, event: str, /, *args: Any, **options: Any) -> None:
        if not self.is_closed():  # a closed client has no loop to tell anybody on
            super().dispatch(event, *args, **options)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        del shard_id
        if not initial:
            await self._wait(BETWEEN_SESSIONS_S)

    async def on_connect(self) -> None:
        self._events.session_began()

    async def on_ready(self) -> None:
        self._events.session_complete()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        self._events.server_known(guild)

    async def on_message(self, message: discord.Message) -> None:
        self._events.said(message, is_edit=False)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        self._events.said(event.message, is_edit=True)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self._events.asked(interaction)
