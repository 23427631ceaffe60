"""Reactions that show how far the answer to a message has come."""

from __future__ import annotations

from functools import partial

from adapters.port import Address
from adapters.status_marks import StatusMarks
from adapters.support import BackgroundCalls
from adapters.telegram.client import BotApiClient


class StatusReactions(StatusMarks):
    """Sets a reaction on each message that is to be answered, until it is."""

    def __init__(self, client: BotApiClient, background: BackgroundCalls) -> None:
        super().__init__(partial(background.add, "reaction"), self._set)
        self._client = client

    async def _set(self, to: Address, message: str, _: str, emoji: str) -> None:
        with self._client.translate_errors(f"react to a message in chat {to.chat}"):
            reaction = [{"type": "emoji", "emoji": emoji}] if emoji else []
            fields = {"chat_id": int(to.chat), "message_id": int(message), "reaction": reaction}
            await self._client.call("setMessageReaction", fields)
