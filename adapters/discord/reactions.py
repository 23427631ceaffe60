"""Reactions that show how far the answer to a message has come."""

from __future__ import annotations

import asyncio

import discord

from adapters.discord.errors import UNREADABLE, translate_errors
from adapters.port import AdapterError, Address
from adapters.status_marks import StatusMarks
from adapters.support import BackgroundCalls

TIMEOUT_S = 5
"""A reaction that takes longer is given up."""


class StatusReactions(StatusMarks):
    """Sets a reaction on each message that is to be answered, until it is; one request after the other."""

    def __init__(self) -> None:
        super().__init__(BackgroundCalls(workers=1, harmless=(AdapterError, *UNREADABLE)), self._set)
        self._client: discord.Client | None = None  # of the last connection

    async def _set(self, to: Address, message: str, shown: str, emoji: str) -> None:
        assert self._client is not None, "requests are made by `run`"
        # The message that a thread begins with is in the channel, not in the thread.
        channel = to.thread if to.thread and to.thread != message else to.chat
        target = self._client.get_partial_messageable(int(channel)).get_partial_message(int(message))
        with translate_errors("A reaction"):
            async with asyncio.timeout(TIMEOUT_S):
                if shown and self._client.user:
                    await target.remove_reaction(shown, self._client.user)
                if emoji:
                    await target.add_reaction(emoji)

    async def run(self, client: discord.Client) -> None:
        """Send the queued reactions through a client that is logged in, until cancelled."""
        self._client = client
        await self._background.run()
