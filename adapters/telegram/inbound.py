"""Inbound messages of Telegram, with albums and split texts grouped, and the download of their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from telegram import (
    Animation,
    Audio,
    CallbackQuery,
    Document,
    ExternalReplyInfo,
    MaybeInaccessibleMessage,
    Message,
    MessageEntity,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginUser,
    MessageReactionUpdated,
    ReactionType,
    ReactionTypeEmoji,
    Update,
    User,
    Video,
    VideoNote,
    Voice,
)
from telegram.constants import ChatType

from adapters.port import RATINGS, Address, Attachment, ChatKind, FileRefused, Happening, Inbound, Sender
from adapters.support import LimitedDict
from adapters.telegram.client import BotApiClient, Refusal
from adapters.telegram.conversion import utf16_length

_File: TypeAlias = Animation | Audio | Document | Video | VideoNote | Voice

_FILE_KINDS: dict[str, tuple[str, str]] = {
    "animation": ("video/mp4", "mp4"),
    "audio": ("audio/mpeg", "mp3"),
    "document": ("application/octet-stream", "bin"),
    "video": ("video/mp4", "mp4"),
    "video_note": ("video/mp4", "mp4"),
    "voice": ("audio/ogg", "ogg"),
}
"""The message's fields for files -> default type and suffix. Animations come as documents, too."""


def message_text(message: Message) -> str:
    """Return what is written in it, with the targets of links; else what a place, a contact, a sticker says."""
    text, entities = message.text or message.caption or "", message.entities or message.caption_entities
    if not text:
        return "\n".join(_descriptions(message))
    units, parts, at = text.encode("utf-16-le"), [], 0
    for link in (entity for entity in entities if entity.type == MessageEntity.TEXT_LINK and entity.url):
        end = link.offset + link.length
        parts += [units[2 * at : 2 * end].decode("utf-16-le", "replace"), f" ({link.url})"]
        at = end
    return "".join([*parts, units[2 * at :].decode("utf-16-le", "replace")])


def _descriptions(message: Message) -> Iterator[str]:
    """Yield what a message without text says, in brackets."""
    if message.venue:
        yield f"[place: {message.venue.title}, {message.venue.address}]"
    if message.location:
        yield f"[location: {message.location.latitude:.5f}, {message.location.longitude:.5f}]"
    if message.contact:
        name = " ".join(filter(None, [message.contact.first_name, message.contact.last_name]))
        yield f"[contact: {name}, {message.contact.phone_number}]"
    if message.sticker:
        yield f"[sticker: {message.sticker.emoji}]" if message.sticker.emoji else "[sticker]"
    if message.dice:
        yield f"[{message.dice.emoji} {message.dice.value}]"
    if message.poll:
        yield f"[poll: {message.poll.question} {' / '.join(option.text for option in message.poll.options)}]"


def attachments(message: Message | ExternalReplyInfo, *, is_forwarded: bool) -> tuple[Attachment, ...]:
    """Return its files; of a photo the largest form. A size that Telegram does not give is 0."""
    if message.photo:
        photo = max(message.photo, key=lambda form: form.width * form.height)
        name = f"photo-{photo.file_unique_id}.jpg"
        return (Attachment("photo", name, "image/jpeg", photo.file_size or 0, photo.file_id, is_forwarded),)
    for kind, (default, suffix) in _FILE_KINDS.items():
        file: _File | None = getattr(message, kind)
        if file is not None:
            name = getattr(file, "file_name", None) or f"{kind}-{file.file_unique_id}.{suffix}"
            mime = getattr(file, "mime_type", None) or default
            seconds = float(message.voice.to_dict()["duration"]) if message.voice else 0
            return (Attachment(kind, name, mime, file.file_size or 0, file.file_id, is_forwarded, seconds),)
    return ()


@dataclass(frozen=True, slots=True)
class Quote:
    """The text that a message replies to or forwards.

    `by` is who first wrote it, `message` the message of this chat in which they did; None and empty if that is not
    known, or was in another chat.
    """

    text: str = ""
    by: Sender | None = None
    message: str = ""


def parse_quote(message: Message) -> Quote:
    """Return what a message replies to: the marked passage if there is one, else the whole text."""
    answered, marked = replied_message(message), message.quote.text if message.quote else ""
    if answered is None:
        external, sender = message.external_reply, author(message)
        by = _origin_sender(external.origin) if external else None
        # What the sender wrote in the other chat may have been forwarded there, so that its author is not known.
        return Quote(marked, None if by is None or sender is None or by.id == sender.id else by)
    written_here = "" if is_forwarded(answered) else str(answered.message_id)
    return Quote(marked or message_text(answered), original_author(answered), written_here)


def is_forwarded(message: Message) -> bool:
    """Whether somebody else wrote its text: it was forwarded, or another program wrote it for the sender."""
    return bool(message.forward_origin or message.via_bot or message.sender_business_bot)


def original_author(message: Message) -> Sender | None:
    """Return who wrote its text, whoever sent it. What a person forwards may be a program's."""
    program = message.via_bot or message.sender_business_bot
    if program:
        return Sender(str(program.id), program.full_name, program.is_bot)
    return _origin_sender(message.forward_origin) if message.forward_origin else author(message)


def replied_message(message: Message) -> Message | None:
    """Return the message that it replies to; in a topic, Telegram gives the one that opened it, which is not meant."""
    answered = message.reply_to_message
    is_opening = answered is not None and (
        answered.forum_topic_created is not None
        or (message.is_topic_message and answered.message_id == message.message_thread_id)
    )
    return None if is_opening else answered


def replied_files(message: Message, *, bot: int) -> tuple[Attachment, ...]:
    """Return the files of the message that it replies to, unless this bot sent them, which knows them.

    They are as if forwarded, since nobody speaks in them now; only a photo that the same person took stays theirs.
    """
    answered, sender = replied_message(message), author(message)
    if answered is None:
        return attachments(message.external_reply, is_forwarded=True) if message.external_reply else ()
    if answered.from_user and answered.from_user.id == bot:
        return ()
    by = original_author(answered)
    is_own = bool(answered.photo and by and sender and by.id == sender.id and not is_forwarded(answered))
    return attachments(answered, is_forwarded=not is_own)


def author(message: Message) -> Sender | None:
    """Return who sent it. Channels and anonymous administrators write in the name of a chat: the id is the chat's."""
    if message.sender_chat:
        return Sender(str(message.sender_chat.id), message.sender_chat.effective_name or "")
    if message.from_user:
        return Sender(str(message.from_user.id), message.from_user.full_name, message.from_user.is_bot)
    return None


def _origin_sender(origin: MessageOrigin) -> Sender:
    """Return who wrote a forwarded message; the id is empty if that person hides it."""
    match origin:
        case MessageOriginUser(sender_user=user):
            return Sender(str(user.id), user.full_name, user.is_bot)
        case MessageOriginChat(sender_chat=chat) | MessageOriginChannel(chat=chat):
            return Sender(str(chat.id), chat.effective_name or "")
        case hidden:
            return Sender("", str(getattr(hidden, "sender_user_name", "")))


MIN_SPLIT_UNITS = 3900
"""The length from which on a text may be the first part of a longer one: apps cut at 4096, or at a space before."""
MAX_PART_GAP = timedelta(seconds=2)
"""Times are in whole seconds, so that a difference of one can be anything up to two."""


class MessageParts:
    """Groups the parts of one message: albums, and long texts that an app has split."""

    def __init__(self) -> None:
        self._open = LimitedDict[tuple[int, int | None, str], tuple[str, datetime]]()  # group, and the last part's time
        self._addressed = LimitedDict[tuple[int, str], None]()

    def group(self, message: Message, sender: str) -> str:
        """Return the name of the group that a message belongs to; empty if it stands alone."""
        if message.media_group_id:
            return f"album:{message.media_group_id}"
        if message.text is None or message.forward_origin:
            return ""
        key = (message.chat.id, message.message_thread_id, sender)
        group, at = self._open.pop(key, ("", message.date))
        may_continue = utf16_length(message.text) >= MIN_SPLIT_UNITS
        if not group or message.date - at > MAX_PART_GAP:
            group = f"text:{message.message_id}" if may_continue else ""
        if may_continue:
            self._open[key] = group, message.date
        return group

    def is_addressed(self, chat: int, group: str, *, is_named: bool) -> bool:
        """Whether a message addresses the bot: by itself, or by an earlier part of the same group."""
        if not group:
            return is_named
        if is_named:
            self._addressed[chat, group] = None
        return (chat, group) in self._addressed


_NUMBER = re.compile(r"-?[0-9]{1,20}")


def _check_ids(*ids: object) -> None:
    """Raise `ValueError` if one of them is no number: nothing could be sent there, and nobody be known by it."""
    if not all(_NUMBER.fullmatch(str(number)) for number in ids):
        raise ValueError(f"an id that is no number among {ids!r}"[:200])


_NAMED_COMMAND = re.compile(r"/\w+@(\w+)", re.ASCII)

GENERAL_TOPIC = "1"
"""The number of the topic that every forum has. Messages in it carry no number."""

_CHAT_KINDS = {ChatType.PRIVATE: ChatKind.PRIVATE, ChatType.CHANNEL: ChatKind.CHANNEL}


class InboundParser:
    """Parses one bot's updates.

    Args:
        now: the current instant, aware; taps on buttons carry no time.
        commands: the bot's commands. In a group they are taken without its name, too, unless another bot is there.
    """

    def __init__(self, me: User, *, now: Callable[[], datetime], commands: Collection[str] = ()) -> None:
        self._me = me
        self._now = now
        self._bare_commands = {f"/{command}" for command in commands}
        self._chats_with_other_bots = LimitedDict[int, None]()
        self._parts = MessageParts()
        name = re.escape(me.username or "")
        self._mention = re.compile(rf"^\s*@{name}\b[\s,:]*|\s*@{name}\s*$", re.IGNORECASE)
        self._command = re.compile(rf"^(/\w+)@{name}\b", re.IGNORECASE)

    def parse(self, update: Update) -> Inbound | None:
        """Parse an update; None if it contains nothing to be answered.

        Raises:
            ArithmeticError, AttributeError, LookupError, TypeError, ValueError: the update is malformed.
        """
        number = str(update.update_id)
        if update.callback_query:
            return self._parse_button(number, update.callback_query)
        if update.message_reaction:
            return self._parse_rating(number, update.message_reaction)
        message = update.message or update.channel_post
        if message:
            return self._parse_message(number, message, Happening.MESSAGE)
        message = update.edited_message or update.edited_channel_post
        if message and (message.text or message.caption):  # a live location moves as an edit every few seconds
            return self._parse_message(number, message, Happening.EDIT)
        return None

    def _parse_message(self, update: str, message: Message, happening: Happening) -> Inbound | None:
        sender = author(message)
        _check_ids(message.message_id, message.chat.id, message.message_thread_id or 0, sender.id if sender else 0)
        # It is told in the old chat and in the new one, whose messages need not come in the order of both.
        old, new = message.migrate_from_chat_id or message.chat.id, message.migrate_to_chat_id or message.chat.id
        if old != new and message.chat.type in {ChatType.GROUP, ChatType.SUPERGROUP} and sender:
            _check_ids(old, new)
            return Inbound(
                update=update,
                address=replace(self._address(message), chat=str(old), thread=None),
                sender=sender,
                text=str(new),
                message=str(message.message_id),
                sent_at=message.date,
                happening=Happening.MOVED,
                addressed=False,
            )
        if self._shows_other_bot(message):
            self._chats_with_other_bots[message.chat.id] = None
        text, files = message_text(message), attachments(message, is_forwarded=is_forwarded(message))
        is_for_other = message.chat.type != ChatType.PRIVATE and self._is_for_other_bot(message)
        if sender is None or sender.id == str(self._me.id) or is_for_other or not (text or files):
            return None
        quote = parse_quote(message)
        if is_forwarded(message):
            text, quote = "", Quote(text, original_author(message))
        piece_of = self._parts.group(message, sender.id) if happening is Happening.MESSAGE else ""
        text = self._command.sub(r"\1", text)
        if message.chat.type != ChatType.PRIVATE:
            text = self._mention.sub("", text)
        return Inbound(
            update=update,
            address=self._address(message),
            sender=sender,
            text=text,
            message=str(message.message_id),
            sent_at=message.edit_date or message.date,
            happening=happening,
            addressed=self._parts.is_addressed(message.chat.id, piece_of, is_named=self._is_named(message)),
            quote=quote.text,
            attachments=(*files, *replied_files(message, bot=self._me.id)),
            quote_by=quote.by,
            quote_message=quote.message,
            piece_of=piece_of,
        )

    def _parse_button(self, update: str, query: CallbackQuery) -> Inbound | None:
        if query.message is None or not query.data:
            return None
        _check_ids(query.message.message_id, query.message.chat.id, query.from_user.id)
        return Inbound(
            update=update,
            address=self._address(query.message),
            sender=Sender(str(query.from_user.id), query.from_user.full_name, query.from_user.is_bot),
            text=query.data,
            message=str(query.message.message_id),
            sent_at=self._now(),
            happening=Happening.BUTTON,
        )

    def _parse_rating(self, update: str, change: MessageReactionUpdated) -> Inbound | None:
        """Parse a change of somebody's reactions; None if it is no rating, or if nobody says who they are."""
        before, now = _rating(change.old_reaction), _rating(change.new_reaction)
        if before == now or change.user is None:
            return None
        return Inbound(
            update=update,
            address=self._address(change),
            sender=Sender(str(change.user.id), change.user.full_name, change.user.is_bot),
            text=now,
            message=str(change.message_id),
            sent_at=change.date,
            happening=Happening.RATING,
        )

    def _address(self, message: MaybeInaccessibleMessage | MessageReactionUpdated) -> Address:
        chat, thread = message.chat, None
        if isinstance(message, Message) and message.is_topic_message and message.message_thread_id:
            thread = str(message.message_thread_id)
        elif chat.is_forum and chat.type == ChatType.SUPERGROUP:
            thread = GENERAL_TOPIC
        kind = _CHAT_KINDS.get(ChatType(chat.type), ChatKind.GROUP)
        return Address("telegram", str(self._me.id), str(chat.id), kind, thread=thread)

    def _is_named(self, message: Message) -> bool:
        """Whether a message is private, replies to the bot, mentions it, or has a command for it."""
        if message.chat.type == ChatType.PRIVATE:
            return True
        answered = replied_message(message)
        if answered and answered.from_user and answered.from_user.id == self._me.id:
            return True
        command = (message.text or message.caption or "").split(maxsplit=1)[:1]
        is_bare = bool(command) and command[0].lower() in self._bare_commands
        if is_bare and message.chat.id not in self._chats_with_other_bots:
            return True
        name = f"@{self._me.username}".lower()
        entities = message.parse_entities() if message.text else message.parse_caption_entities()
        for entity, text in entities.items():
            is_mentioned = entity.type == MessageEntity.MENTION and text.lower() == name
            is_linked = entity.type == MessageEntity.TEXT_MENTION and entity.user and entity.user.id == self._me.id
            is_command = entity.type == MessageEntity.BOT_COMMAND and text.lower().endswith(name)
            if is_mentioned or is_linked or is_command:
                return True
        return False

    def _shows_other_bot(self, message: Message) -> bool:
        """Whether a message tells that another bot is in its chat: it joined, is replied to, or is given a command."""
        answered = replied_message(message)
        author = answered.from_user if answered and not answered.sender_chat else None
        bots = [user for user in (*message.new_chat_members, *([author] if author else [])) if user.is_bot]
        return self._is_for_other_bot(message) or any(user.id != self._me.id for user in bots)

    def _is_for_other_bot(self, message: Message) -> bool:
        named = _NAMED_COMMAND.match(message.text or message.caption or "")
        return named is not None and named[1].lower() != str(self._me.username).lower()


def _rating(reactions: Sequence[ReactionType]) -> str:
    ratings = (RATINGS.get(reaction.emoji[:1]) for reaction in reactions if isinstance(reaction, ReactionTypeEmoji))
    return next(filter(None, ratings), "none")


MAX_DOWNLOAD_BYTES = 20 * 2**20
"""The largest file that a bot can download."""


async def download(client: BotApiClient, attachment: Attachment, into: Path, *, limit: int) -> None:
    """Write an attachment's bytes to a file (`adapters.port.Fetches`).

    Raises:
        FileRefused: it is larger than `limit` bytes or Telegram's own limit, or Telegram no longer has it.
        AdapterError: as for any other request.
    """
    most = min(limit, MAX_DOWNLOAD_BYTES)
    too_large = FileRefused(f"{attachment.name} is too large to be fetched: {most / 2**20:.0f} MB are the most.")
    if attachment.size > most:
        raise too_large
    with client.translate_errors(f"hand over the file {attachment.name}"):
        try:
            is_whole = await client.save(attachment.ref, into, limit=most)
        except Refusal as refusal:
            if refusal.status not in {400, 404}:
                raise
            raise FileRefused(f"Telegram does not hand {attachment.name} over: {refusal.description}.") from None
    if not is_whole:  # its size was not given, or wrong
        raise too_large
