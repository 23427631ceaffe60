"""simcord's Discord on the real clock, with every message written to the ledger.

simcord (pinned to 3.2.1) is the platform: permissions, intents, interactions, error codes. It is used without its own
environment, which would patch discord.py and event loops; only its store and its REST routes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from simcord._clock import Clock as SimcordClock
from simcord.backend import Backend
from simcord.backend.models import Message

from memory.ports import Clock
from tests.servers.ledger import Ledger

LOADING = 1 << 7
SESSIONS_A_DAY = 1000
SPOKEN = {0, 19, 20, 23}
"""Message types that somebody wrote: plain, reply, answers to commands. The rest are notices."""


class WallClock(SimcordClock):
    """simcord's own clock stands still on a fixed day; clients on sockets live in real time."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def now(self) -> datetime:
        return self._clock.now()


class RecordedBackend(Backend):
    """The store. Its own transcripts are kept empty: they would grow without end.

    Attributes:
        sessions_left: how many sessions of the gateway the bot may still begin today.
    """

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self.sessions_left = SESSIONS_A_DAY
        super().__init__(clock=WallClock(clock))

    def emit(self, event: str, payload: Mapping[str, Any]) -> None:
        super().emit(event, payload)
        self.transcript.clear()

    def commit_message(self, message: Message, *, broadcast: bool = True) -> Message:
        self._note("message", message)  # first, so that what it causes comes after it
        return super().commit_message(message, broadcast=broadcast)

    def edit_message(self, channel_id: int, message_id: int, fields: dict[str, Any]) -> Message:
        message = super().edit_message(channel_id, message_id, fields)
        self._note("edit", message)
        return message

    def delete_message(self, channel_id: int, message_id: int) -> None:
        super().delete_message(channel_id, message_id)
        self._ledger.record("delete", chat=str(channel_id), id=str(message_id))

    def _note(self, kind: str, message: Message) -> None:
        """Record a message in the form that the history checker reads."""
        if message.type not in SPOKEN:
            return
        reference = message.reference or {}
        self._ledger.record(
            kind,
            chat=str(message.channel_id),
            thread="",
            id=str(message.id),
            by="bot" if message.author_id == self.bot_user.id else "user",
            author=str(message.author_id),
            text=message.content,
            reply_to=str(reference.get("message_id", "")),
            files=[attachment["filename"] for attachment in message.attachments],
            ephemeral=message.is_ephemeral,
            loading=bool(message.flags & LOADING),
        )
