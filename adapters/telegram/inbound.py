"""Updates of Telegram as inbound messages; albums and split pastes are grouped."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from telegram import (
    Animation,
    Audio,
    CallbackQuery,
    Chat,
    Document,
    MaybeInaccessibleMessage,
    Message,
    MessageEntity,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginUser,
    Sticker,
    Update,
    User,
    Video,
    VideoNote,
    Voice,
)
from telegram.constants import ChatType

from adapters.port import Address, Attachment, ChatKind, Happening, Inbound, Sender
from adapters.telegram.rendering import utf16_length

_File: TypeAlias = Animation | Audio | Document | Video | VideoNote | Voice

_KINDS: dict[str, tuple[str, str]] = {
    "animation": ("video/mp4", "mp4"),
    "audio": ("audio/mpeg", "mp3"),
    "document": ("application/octet-stream", "bin"),
    "video": ("video/mp4", "mp4"),
    "video_note": ("video/mp4", "mp4"),
    "voice": ("audio/ogg", "ogg"),
}
"""The message's fields for files -> type and suffix where Telegram tells none. Animations come as documents, too."""


def words(message: Message) -> str:
    """What is written in it, or said in another way: a place, a contact, a sticker."""
    if message.text or message.caption:
        return _with_targets(message)
    return "\n".join(_in_brackets(message))


def attachments(message: Message) -> tuple[Attachment, ...]:
    """Its files; of a photo the largest form. A size that Telegram does not tell is 0."""
    if message.photo:
        photo = max(message.photo, key=lambda form: form.width * form.height)
        name = f"photo-{photo.file_unique_id}.jpg"
        return (Attachment("photo", name, "image/jpeg", photo.file_size or 0, photo.file_id),)
    for kind in _KINDS:
        file: _File | None = getattr(message, kind)
        if file is not None:
            return (_attachment(kind, file),)
    return ()


@dataclass(frozen=True, slots=True)
class Quoted:
    """A text that a message answers to or passes on.

    `by` is who first wrote it, `message` the message of this chat in which they did; None and empty if that is not
    known, or was elsewhere.
    """

    text: str = ""
    by: Sender | None = None
    message: str = ""


def quoted(message: Message) -> Quoted:
    """What it answers to: the marked passage if there is one, else all of it."""
    answered, marked = replied_to(message), message.quote.text if message.quote else ""
    if answered is None:
        return Quoted(marked, _author_elsewhere(message))
    written_here = "" if is_passed_on(answered) else str(answered.message_id)
    return Quoted(marked or words(answered), first_author(answered), written_here)


def is_passed_on(message: Message) -> bool:
    """Whether its words are not those of whoever sent it: it was forwarded, or another program wrote it for them."""
    return bool(message.forward_origin or message.via_bot or message.sender_business_bot)


def first_author(message: Message) -> Sender | None:
    """Who wrote its words, whoever sent them here. What a person forwards may have been a program's before."""
    program = message.via_bot or message.sender_business_bot
    if program:
        return Sender(str(program.id), program.full_name, program.is_bot)
    return _origin(message.forward_origin) if message.forward_origin else author(message)


def replied_to(message: Message) -> Message | None:
    """The message that it answers. In a topic, the message that opened it is not meant, though it is given."""
    answered = message.reply_to_message
    is_opening = answered is not None and (
        answered.forum_topic_created is not None
        or (message.is_topic_message and answered.message_id == message.message_thread_id)
    )
    return None if is_opening else answered


def author(message: Message) -> Sender | None:
    """Who wrote it. Channels and anonymous administrators write in the name of a chat, whose id counts for them."""
    if message.sender_chat:
        return Sender(str(message.sender_chat.id), message.sender_chat.effective_name or "")
    if message.from_user:
        return Sender(str(message.from_user.id), message.from_user.full_name, message.from_user.is_bot)
    return None


def _author_elsewhere(message: Message) -> Sender | None:
    """Who wrote what a message answers to in another chat.

    A message of the sender's own, which may have been forwarded to that chat, counts as nobody's.
    """
    answered, sender = message.external_reply, author(message)
    by = _origin(answered.origin) if answered else None
    return None if by is None or sender is None or by.id == sender.id else by


def _origin(origin: MessageOrigin) -> Sender:
    """Who wrote a message that was passed on; the id is empty if that person hides it."""
    match origin:
        case MessageOriginUser(sender_user=user):
            return Sender(str(user.id), user.full_name, user.is_bot)
        case MessageOriginChat(sender_chat=chat) | MessageOriginChannel(chat=chat):
            return Sender(str(chat.id), chat.effective_name or "")
        case hidden:
            return Sender("", str(getattr(hidden, "sender_user_name", "")))


def _attachment(kind: str, file: _File) -> Attachment:
    mime, suffix = _KINDS[kind]
    name = getattr(file, "file_name", None) or f"{kind}-{file.file_unique_id}.{suffix}"
    return Attachment(kind, name, getattr(file, "mime_type", None) or mime, file.file_size or 0, file.file_id)


def _with_targets(message: Message) -> str:
    """The text, with the targets of links that hide theirs behind words."""
    text, entities = message.text or message.caption or "", message.entities or message.caption_entities
    units, parts, at = text.encode("utf-16-le"), [], 0
    for link in (entity for entity in entities if entity.type == MessageEntity.TEXT_LINK and entity.url):
        end = link.offset + link.length
        parts += [units[2 * at : 2 * end].decode("utf-16-le", "replace"), f" ({link.url})"]
        at = end
    return "".join([*parts, units[2 * at :].decode("utf-16-le", "replace")])


def _in_brackets(message: Message) -> Iterator[str]:
    if message.venue:
        yield f"[place: {message.venue.title}, {message.venue.address}]"
    if message.location:
        yield f"[location: {message.location.latitude:.5f}, {message.location.longitude:.5f}]"
    if message.contact:
        name = " ".join(filter(None, [message.contact.first_name, message.contact.last_name]))
        yield f"[contact: {name}, {message.contact.phone_number}]"
    if message.sticker:
        yield _sticker(message.sticker)
    if message.dice:
        yield f"[{message.dice.emoji} {message.dice.value}]"
    if message.poll:
        yield f"[poll: {message.poll.question} {' / '.join(option.text for option in message.poll.options)}]"


def _sticker(sticker: Sticker) -> str:
    return f"[sticker: {sticker.emoji}]" if sticker.emoji else "[sticker]"


CUT_FROM = 3900
"""Units from which on a text may be the beginning of a longer one: apps cut at 4096, or at a space before that."""
SOON = timedelta(seconds=2)
"""Telegram tells whole seconds, so that one second apart can be anything up to two."""
REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    at: datetime


class MessageParts:
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


GENERAL = "1"
"""The topic of a forum that is always there. Messages in it carry no topic; it is known by this number all the same."""

_CHAT_KINDS = {ChatType.PRIVATE: ChatKind.PRIVATE, ChatType.CHANNEL: ChatKind.CHANNEL}


class InboundParser:
    """Reads one bot's updates.

    Args:
        me: the bot.
        now: the current instant, aware; taps on buttons carry no time.
    """

    def __init__(self, me: User, *, now: Callable[[], datetime]) -> None:
        self._me = me
        self._now = now
        self._pieces = MessageParts()
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
