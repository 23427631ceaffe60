"""Turns what Telegram hands over into events of the port."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from telegram import CallbackQuery, Chat, MaybeInaccessibleMessage, Message, MessageEntity, Update, User
from telegram.constants import ChatType

from adapters.port import Address, ChatKind, Happening, Inbound, Sender
from adapters.telegram.content import Quoted, attachments, author, first_author, is_passed_on, quoted, replied_to, words
from adapters.telegram.pieces import Pieces

GENERAL = "1"
"""The topic of a forum that is always there. Messages in it carry no topic; it is known by this number all the same."""

_CHAT_KINDS = {ChatType.PRIVATE: ChatKind.PRIVATE, ChatType.CHANNEL: ChatKind.CHANNEL}


class Reader:
    """Reads one bot's updates.

    Args:
        me: the bot.
        now: the current instant, aware; taps on buttons carry no time.
    """

    def __init__(self, me: User, *, now: Callable[[], datetime]) -> None:
        self._me = me
        self._now = now
        self._pieces = Pieces()
        name = re.escape(me.username or "")
        self._mention = re.compile(rf"^\s*@{name}\b[\s,:]*|\s*@{name}\s*$", re.IGNORECASE)
        self._command = re.compile(rf"^(/\w+)@{name}\b", re.IGNORECASE)

    def event(self, update: Update) -> Inbound | None:
        """The event in an update; None if there is nothing in it to be answered.

        Raises:
            ArithmeticError, AttributeError, LookupError, TypeError, ValueError: the update makes no sense.
        """
        if update.callback_query:
            return self._tap(str(update.update_id), update.callback_query)
        message = update.message or update.channel_post
        if message:
            return self._message(str(update.update_id), message, Happening.MESSAGE)
        message = update.edited_message or update.edited_channel_post
        if message and (message.text or message.caption):  # a live location moves as an edit every few seconds
            return self._message(str(update.update_id), message, Happening.EDIT)
        return None

    def _message(self, update: str, message: Message, happening: Happening) -> Inbound | None:
        sender = author(message)
        if message.migrate_to_chat_id and sender:
            return self._moved(update, message, sender)
        text, files = words(message), attachments(message)
        if sender is None or sender.id == str(self._me.id) or not (text or files):
            return None
        quote = quoted(message)
        if is_passed_on(message):
            text, quote = "", Quoted(text, first_author(message))
        piece_of = self._pieces.name(message, sender.id) if happening is Happening.MESSAGE else ""
        is_named = self._is_addressed(message)
        return Inbound(
            update=update,
            address=self._address(message),
            sender=sender,
            text=self._without_mention(text, message.chat),
            message=str(message.message_id),
            sent_at=message.edit_date or message.date,
            happening=happening,
            addressed=self._pieces.is_addressed(message.chat.id, piece_of, is_named=is_named),
            quote=quote.text,
            attachments=files,
            quote_by=quote.by,
            quote_message=quote.message,
            piece_of=piece_of,
        )

    def _tap(self, update: str, query: CallbackQuery) -> Inbound | None:
        if query.message is None or not query.data:
            return None
        return Inbound(
            update=update,
            address=self._address(query.message),
            sender=Sender(str(query.from_user.id), query.from_user.full_name, query.from_user.is_bot),
            text=query.data,
            message=str(query.message.message_id),
            sent_at=self._now(),
            happening=Happening.BUTTON,
        )

    def _moved(self, update: str, message: Message, sender: Sender) -> Inbound:
        return Inbound(
            update=update,
            address=self._address(message),
            sender=sender,
            text=str(message.migrate_to_chat_id),
            message=str(message.message_id),
            sent_at=message.date,
            happening=Happening.MOVED,
            addressed=False,
        )

    def _address(self, message: MaybeInaccessibleMessage) -> Address:
        kind = _CHAT_KINDS.get(ChatType(message.chat.type), ChatKind.GROUP)
        return Address("telegram", str(self._me.id), str(message.chat.id), kind, thread=_thread(message))

    def _is_addressed(self, message: Message) -> bool:
        """In private always; elsewhere if the bot is mentioned or answered, or a command names it."""
        if message.chat.type == ChatType.PRIVATE:
            return True
        answered = replied_to(message)
        if answered and answered.from_user and answered.from_user.id == self._me.id:
            return True
        entities = message.parse_entities() if message.text else message.parse_caption_entities()
        return any(self._names_me(entity, text) for entity, text in entities.items())

    def _names_me(self, entity: MessageEntity, text: str) -> bool:
        name = f"@{self._me.username}".lower()
        if entity.type == MessageEntity.TEXT_MENTION:
            return entity.user is not None and entity.user.id == self._me.id
        if entity.type == MessageEntity.BOT_COMMAND:
            return text.lower().endswith(name)
        return entity.type == MessageEntity.MENTION and text.lower() == name

    def _without_mention(self, text: str, chat: Chat) -> str:
        """What is meant, without the name that it was called by."""
        text = self._command.sub(r"\1", text)
        return text if chat.type == ChatType.PRIVATE else self._mention.sub("", text)


def sender_id(raw: Mapping[str, Any]) -> str:
    """Whose an update is that cannot be read: the id stands in the same place in all kinds; empty if it does not."""
    for event in raw.values():
        sender = event.get("from") if isinstance(event, dict) else None
        number = sender.get("id") if isinstance(sender, dict) else None
        if isinstance(number, int):
            return str(number)
    return ""


def _thread(message: MaybeInaccessibleMessage) -> str | None:
    if isinstance(message, Message) and message.is_topic_message and message.message_thread_id:
        return str(message.message_thread_id)
    return GENERAL if message.chat.is_forum and message.chat.type == ChatType.SUPERGROUP else None
