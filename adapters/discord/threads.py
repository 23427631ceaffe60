"""Threads that the bot opens, one for each conversation that begins in a server's channel."""

from __future__ import annotations

import logging
from typing import Final

import discord

from adapters.discord.failures import failures
from adapters.port import Outbound, SendRefused

NAMELESS = "Conversation"
LONGEST_NAME = 100
SLEEPS_AFTER_MINUTES: Final = 1440
EXISTS = 160004

log = logging.getLogger(__name__)


def begins_thread(out: Outbound) -> bool:
    """Whether it answers the message that a thread begins with; message and thread have the same id."""
    return out.to.thread is not None and out.to.thread == out.reply_to


class Threads:
    """Finds or opens the place for a message."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def channel(self, out: Outbound) -> int:
        """The channel or thread to send to. Where the bot may not open a thread, the answer stays in the channel."""
        place = int(out.to.thread or out.to.chat)
        if not begins_thread(out) or self._client.get_channel(place):
            return place
        try:
            await self._open(int(out.to.chat), place)
        except SendRefused as error:
            log.warning("%s The answer goes to the channel itself; let the bot create public threads.", error)
            return int(out.to.chat)
        return place

    async def _open(self, channel: int, message: int) -> None:
        name = await self._name(channel, message)
        with failures(f"Opening a thread on message {message}"):
            try:
                await self._client.http.start_thread_with_message(
                    channel, message, name=name, auto_archive_duration=SLEEPS_AFTER_MINUTES
                )
            except discord.HTTPException as error:
                if error.code != EXISTS:
                    raise

    async def _name(self, channel: int, message: int) -> str:
        """The beginning of what was asked."""
        try:
            with failures(f"Reading message {message}"):
                question = await self._client.get_partial_messageable(channel).fetch_message(message)
        except SendRefused:
            return NAMELESS
        me = self._client.user
        text = question.clean_content.replace(f"@{me.display_name}", "") if me else question.clean_content
        return " ".join(text.split())[:LONGEST_NAME] or NAMELESS
