"""Tells which messages are pieces of one: albums, and texts that were too long for one message.

Every piece is an event of its own, on disk before it is acknowledged; what belongs together carries the same name, and
is joined where it is answered. Held back until the last piece is there, the first would be lost with the process.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta

from telegram import Message

from adapters.telegram.rendering import utf16_length

CUT_FROM = 3900
"""Units from which on a text may be the beginning of a longer one: apps cut at 4096, or at a space before that."""
SOON = timedelta(seconds=2)
"""Telegram tells whole seconds, so that one second apart can be anything up to two."""
REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    at: datetime


class Pieces:
    """Remembers who has just sent a piece that may go on."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[int, int | None, str], _Piece] = OrderedDict()
        self._addressed: OrderedDict[tuple[int, str], None] = OrderedDict()

    def name(self, message: Message, sender: str) -> str:
        """The name of the whole that this message is a piece of; empty if it stands alone."""
        if message.media_group_id:
            return f"album:{message.media_group_id}"
        if message.text is None or message.forward_origin:
            return ""
        key = (message.chat.id, message.message_thread_id, sender)
        before = self._open.pop(key, None)
        goes_on = utf16_length(message.text) >= CUT_FROM
        is_next = before is not None and message.date - before.at <= SOON
        name = before.name if before and is_next else f"text:{message.message_id}" if goes_on else ""
        if goes_on:
            self._open[key] = _Piece(name, message.date)
            if len(self._open) > REMEMBERED:
                self._open.popitem(last=False)
        return name

    def is_addressed(self, chat: int, name: str, *, is_named: bool) -> bool:
        """Whether a message speaks to the bot; who is named in one piece of it is spoken to in all that follow."""
        if not name:
            return is_named
        if is_named:
            self._addressed[chat, name] = None
            if len(self._addressed) > REMEMBERED:
                self._addressed.popitem(last=False)
        return (chat, name) in self._addressed
