"""Updates as they come: what can be read of malformed ones."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from telegram import Message

log = logging.getLogger(__name__)

UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What parsing a malformed update raises."""

_MESSAGES = ("message", "channel_post", "edited_message", "edited_channel_post")
_ESSENTIAL = frozenset(
    "message_id date edit_date chat from sender_chat text caption migrate_to_chat_id message_thread_id "
    "is_topic_message forward_origin via_bot sender_business_bot".split()
)
"""Fields of a message that say who wrote what and where. Without one of them it could count as somebody else's."""


def readable_part(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an update without those fields of its message that cannot be parsed; None if there are none to leave out.

    What was left out is named in brackets if the message has no other text.
    """
    kind = next((kind for kind in _MESSAGES if isinstance(raw.get(kind), dict)), "")
    message: Mapping[str, Any] = raw.get(kind) or {}
    kept = {name: value for name, value in message.items() if name in _ESSENTIAL}
    lost = []
    for name, value in message.items():
        try:
            Message.de_json({**kept, name: value}, None)
        except UNREADABLE:
            lost.append(name)
        else:
            kept[name] = value
    if not lost or not _ESSENTIAL.isdisjoint(lost):
        return None
    log.warning("Telegram: of update %s what cannot be read was left out: %s.", raw["update_id"], ", ".join(lost))
    if kind == "message" and not (kept.get("text") or kept.get("caption")):
        kept["text"] = f"[{lost[0]} that cannot be read]"
    return {"update_id": raw["update_id"], kind: kept}


def sender_id(raw: Mapping[str, Any]) -> str:
    """Return the sender's id of an update that cannot be parsed; empty if it is not where all kinds have it."""
    for event in raw.values():
        sender = event.get("from") if isinstance(event, dict) else None
        number = sender.get("id") if isinstance(sender, dict) else None
        if isinstance(number, int):
            return str(number)
    return ""


def chat_id(raw: Mapping[str, Any]) -> str:
    """Return the chat's id of an update that is not parsed yet; empty if it is not where all kinds have it."""
    for event in raw.values():
        if isinstance(event, dict):
            place = event["message"] if isinstance(event.get("message"), dict) else event  # a tap's is its message's
            chat = place.get("chat")
            return str(chat.get("id", "")) if isinstance(chat, dict) else ""
    return ""
