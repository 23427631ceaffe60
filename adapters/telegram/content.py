"""What a message holds: its words, what it quotes, its files; odd kinds of message as a few words in brackets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from telegram import (
    Animation,
    Audio,
    Document,
    Message,
    MessageEntity,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginUser,
    Sticker,
    Video,
    VideoNote,
    Voice,
)

from adapters.port import Attachment, Sender

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
