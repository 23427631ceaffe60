"""Says in the log when the bot is let into a chat, or put out of it."""

from __future__ import annotations

import logging

from telegram import Chat, ChatMember, ChatMemberUpdated

_OUTSIDE = {ChatMember.LEFT, ChatMember.BANNED}

log = logging.getLogger(__name__)


def say(change: ChatMemberUpdated) -> None:
    """One line for each change between inside and outside; its chat id is what access rules are written with."""
    was_outside = change.old_chat_member.status in _OUTSIDE
    is_outside = change.new_chat_member.status in _OUTSIDE
    if was_outside == is_outside:
        return
    who = f"user {change.from_user.id}"
    if change.chat.type == Chat.PRIVATE:
        log.info("Telegram: %s has %s the bot.", who, "blocked" if is_outside else "unblocked")
    elif is_outside:
        log.warning("Telegram: %s has removed the bot from chat %s.", who, change.chat.id)
    else:
        log.info("Telegram: %s has added the bot to chat %s (%s).", who, change.chat.id, change.chat.title)
