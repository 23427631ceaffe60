"""Inbound messages of Discord, and the download of their files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import aiohttp
import discord

from adapters.discord.errors import translate_errors
from adapters.discord.outbound import InteractionToken, as_word
from adapters.port import (
    MAX_QUARANTINED_CHARS,
    RATINGS,
    Address,
    Attachment,
    ChatKind,
    FileRefused,
    Happening,
    Inbound,
    NotSent,
    Sender,
    SendRefused,
    Unreadable,
)

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

_USER_MESSAGE_TYPES = (discord.MessageType.default, discord.MessageType.reply)
"""Types of messages that people write; other ones are joins, pins, boosts."""
_Source: TypeAlias = discord.Message | discord.MessageSnapshot
_MEDIA_KINDS = {"image", "video", "audio"}
_ID = re.compile(r"\d{1,20}", re.ASCII)

_MENTION = re.compile(r"<@[!&]?(\d+)>")
_NAMED = re.compile(r"<(a?:|/)[^<>:\n]{1,110}:(\d+)>")
"""A custom emoji, or a command of some bot, with the name that others have given it."""


class InboundParser:
    """Parses messages on behalf of one bot account.

    Args:
        bot: its numeric id.
        message_content: whether it may read what is not addressed to it.
        threads: whether a conversation that begins in a server's channel is given a thread. The thread will have the
            id of the message that it begins with, so the conversation's address is known before there is a thread.
    """

    def __init__(self, bot: str, *, message_content: bool, threads: bool) -> None:
        self._bot = bot
        self.account = f"discord.{bot}"
        self._message_content = message_content
        self._threads = threads

    def parse_message(self, message: discord.Message) -> Inbound | None:
        """Parse a new message; None if it is not a person's, or holds nothing for the bot.

        In a channel's history senders have no roles.
        """
        if message.author.bot or message.webhook_id or message.type not in _USER_MESSAGE_TYPES:
            return None
        sender = sender_of(message.author)
        text, to = self._words(message), message.reference
        resolved = to.resolved if to and to.type is not discord.MessageReferenceType.forward else None
        answered = resolved if isinstance(resolved, discord.Message) else None  # None if Discord did not deliver it
        quoted = answered or message
        originals: list[_Source] = [*quoted.message_snapshots] or ([answered] if answered else [])
        # of a forwarded message Discord does not say who wrote it
        author = answered.author if answered and not quoted.message_snapshots else None
        made: list[_Source] = [message, *message.message_snapshots]
        attachments = tuple(_attachment(message, file, original) for original in made for file in original.attachments)
        if answered and str(answered.author.id) != self._bot:  # nobody speaks in them now; the bot knows its own
            made = [answered, *answered.message_snapshots]
            files = (_attachment(answered, file, original) for original in made for file in original.attachments)
            attachments += tuple(replace(file, is_forwarded=True) for file in files)
        addressed = self._is_addressed(message, answered)
        quote = "\n".join(filter(None, map(self._words, originals)))
        if not (text or quote or attachments or message.content) or not (addressed or self._message_content):
            return None
        is_quote_local = answered and author and answered.channel.id == message.channel.id
        return Inbound(
            update=str(message.id),
            address=self.address(message.channel, begun_by=message.id if addressed else None),
            sender=sender,
            text=text,
            message=str(message.id),
            sent_at=message.created_at,
            addressed=addressed,
            quote=quote,
            attachments=attachments,
            quote_by=sender_of(author) if author else None,
            quote_message=str(answered.id) if answered and is_quote_local else "",
            reply_token=str(InteractionToken(sender.id)),
        )

    def _words(self, source: _Source) -> str:
        """Return text and poll of a message; of a sticker that comes alone no name, which others may have given it."""
        poll = source.poll if isinstance(source, discord.Message) else None
        asked = f"[poll: {poll.question} {' / '.join(answer.text for answer in poll.answers)}]" if poll else ""
        return "\n".join(filter(None, (self.text(source), asked))) or ("[sticker]" if source.stickers else "")

    def parse_edit(self, message: discord.Message) -> Inbound | None:
        """Parse an edit of the text; None if something else about the message changed, such as a preview of a link.

        The same edit received twice has the same update id.
        """
        if message.edited_at is None or (inbound := self.parse_message(message)) is None:
            return None
        at = message.edited_at
        update = f"{message.id}:{int(at.timestamp() * 1000)}"
        return replace(inbound, update=update, happening=Happening.EDIT, sent_at=at)

    def parse_rating(self, event: discord.RawReactionActionEvent, channel: object, *, at: datetime) -> Inbound | None:
        """Parse a reaction that was added or taken away; None if it is no rating of a person.

        Args:
            channel: where, if it is known; direct messages and archived threads may not be.
        """
        rating = RATINGS.get((event.emoji.name or "")[:1])
        if rating is None or str(event.user_id) == self._bot:
            return None
        kind = ChatKind.CHANNEL if event.guild_id else ChatKind.PRIVATE
        known = self.address(channel) if isinstance(channel, discord.Thread) else None
        person = event.member
        return Inbound(
            update=f"{event.message_id}:{event.user_id}:{at.timestamp()}",
            address=known or self._address(event.channel_id, kind, guild=event.guild_id),
            sender=sender_of(person) if person else Sender(str(event.user_id), ""),
            text=rating if event.event_type == "REACTION_ADD" else "none",
            message=str(event.message_id),
            sent_at=at,
            happening=Happening.RATING,
        )

    def address(self, channel: MessageableChannel, *, begun_by: int | None = None) -> Address:
        """Return the address of a channel's messages; `begun_by` is the message that may begin a thread there."""
        match channel:
            case discord.DMChannel():
                return self._address(channel.id, ChatKind.PRIVATE)
            case discord.GroupChannel():
                return self._address(channel.id, ChatKind.GROUP)
            case discord.Thread():
                to = self._address(channel.parent_id, thread=channel.id, guild=channel.guild.id)
                return replace(to, is_private_thread=channel.is_private())
            case discord.PartialMessageable():
                return self._address(channel.id, guild=channel.guild_id)
            case discord.TextChannel():
                thread = begun_by if self._threads else None
                return self._address(channel.id, thread=thread, guild=channel.guild.id)
            case _:
                return self._address(channel.id, guild=channel.guild.id)

    def _address(
        self, chat: int, kind: ChatKind = ChatKind.CHANNEL, *, thread: int | None = None, guild: int | None = None
    ) -> Address:
        thread_id, guild_id = (str(number) if number else None for number in (thread, guild))
        return Address("discord", self._bot, str(chat), kind, thread=thread_id, guild=guild_id)

    def _is_addressed(self, message: discord.Message, answered: discord.Message | None) -> bool:
        """Whether it is a direct message, mentions the bot or its role, replies to it, or is in a thread it opened."""
        channel = message.channel
        if isinstance(channel, discord.DMChannel) or any(str(user.id) == self._bot for user in message.mentions):
            return True
        own_role = message.guild.self_role if message.guild else None
        is_named = own_role is not None and own_role.id in message.raw_role_mentions
        is_in_own = isinstance(channel, discord.Thread) and str(channel.owner_id) == self._bot
        return is_named or is_in_own or (answered is not None and str(answered.author.id) == self._bot)

    def text(self, message: _Source) -> str:
        """Return the text as `readable` does; of what is forwarded, Discord does not say whom it mentions."""
        if isinstance(message, discord.MessageSnapshot):
            return self.readable(message.content, {}, None)
        return self.readable(message.content, {str(user.id): user.name for user in message.mentions}, message.guild)

    def readable(self, content: str, accounts: Mapping[str, str], guild: discord.Guild | None) -> str:
        """Return a text without the mention of the bot, with the account names (by their ids) of whom else it mentions.

        Roles of a server are named, too. Others word names at will, and they would count as words of whoever wrote the
        message, so each is one word. Channels are not: who may not see one does not know its name.
        """
        roles = {str(role.id): role.name for role in guild.roles} if guild else {}
        own = {self._bot, str(guild.self_role.id) if guild and guild.self_role else ""}
        names = {number: f"@{as_word(name)}" for number, name in {**accounts, **roles}.items()} | dict.fromkeys(own, "")
        text = _MENTION.sub(lambda mention: names.get(mention[1], mention[0]), content)
        return _NAMED.sub(r"<\1_:\2>", text).strip()  # Discord shows it by its id


def sender_of(person: discord.User | discord.Member) -> Sender:
    """Return a person as a sender, with their roles if the server tells."""
    roles = role_ids(person) if isinstance(person, discord.Member) else ()
    return Sender(str(person.id), person.display_name, person.bot, roles)


def unreadable(account: str, data: object, error: Exception) -> Unreadable:
    """Return the port's event for a message as Discord sent it, which cannot be read.

    What is no id is not taken for one: the event's names a file.
    """
    fields = data if isinstance(data, Mapping) else {}
    author = fields.get("author")
    try:
        raw = json.dumps(data, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        raw = ""  # too deep to be written down
    update = _id(fields.get("id")) or hashlib.sha256(raw.encode(errors="replace")).hexdigest()
    sender = _id(author.get("id")) if isinstance(author, Mapping) else ""
    return Unreadable(account, update, sender, raw[:MAX_QUARANTINED_CHARS], type(error).__name__)


def _id(given: object) -> str:
    """Return an id, or nothing if it is not of the form of one."""
    return str(given) if isinstance(given, str | int) and _ID.fullmatch(str(given)) else ""


def role_ids(member: discord.Member) -> tuple[str, ...]:
    """Return a member's roles in a server, without the one that everybody has."""
    return tuple(str(role.id) for role in member.roles if not role.is_default())


def _attachment(message: discord.Message, file: discord.Attachment, original: _Source) -> Attachment:
    """Return a file of a message, or of an original that it forwards."""
    mime = file.content_type or "application/octet-stream"
    kind = mime.partition("/")[0]
    if original.flags.voice:
        kind = "voice"
    elif kind not in _MEDIA_KINDS:
        kind = "file"
    ref = f"{message.channel.id}/{message.id}/{file.id}"
    seconds = file.duration or 0
    is_forwarded = original is not message
    return Attachment(kind, file.filename, mime, file.size, ref, is_forwarded=is_forwarded, seconds=seconds)


_REF = re.compile(r"(\d+)/(\d+)/(\d+)", re.ASCII)
"""Channel, message, and file."""

CHUNK_BYTES = 256 * 1024
IDLE_TIMEOUT_S = 30
"""How long a download may make no progress."""


async def download(client: discord.Client, attachment: Attachment, into: Path, *, limit: int) -> None:
    """Write an attachment's bytes to a file (`adapters.port.Fetches`).

    The addresses of files expire within a day, so the message is fetched again to get a new one.

    Raises:
        FileRefused: it is gone, or larger than `limit` bytes.
        NotSent: it did not come through; asking again is safe.
    """
    if attachment.size > limit:
        raise FileRefused(f"{attachment.name} has {attachment.size} bytes; at most {limit} are taken.")
    place = _REF.fullmatch(attachment.ref)
    if place is None:
        raise FileRefused(f"{attachment.name} did not come from Discord: its reference is {attachment.ref!r}.")
    channel, message, wanted = map(int, place.groups())
    try:
        with translate_errors(f"Looking for {attachment.name}"):
            carrier = await client.get_partial_messageable(channel).fetch_message(message)
    except SendRefused as error:
        raise FileRefused(str(error)) from error
    files = chain(carrier.attachments, *(forwarded.attachments for forwarded in carrier.message_snapshots))
    url = next((file.url for file in files if file.id == wanted), None)
    if url is None:
        raise FileRefused(f"{attachment.name} was taken off its message.")
    with into.open("wb") as target:
        await _copy(url, target, name=attachment.name, limit=limit, proxy=client.http.proxy)


async def _copy(url: str, target: BinaryIO, *, name: str, limit: int, proxy: str | None) -> None:
    """Write what is at an address to an open file; raises `FileRefused` or `NotSent`."""
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=IDLE_TIMEOUT_S, sock_read=IDLE_TIMEOUT_S)
    written = 0
    try:
        async with aiohttp.ClientSession(timeout=timeout) as web, web.get(url, proxy=proxy) as response:
            if response.status == 429 or response.status >= 500:
                raise NotSent(f"Discord does not hand {name} over at the moment ({response.status}).")
            if response.status != 200:
                raise FileRefused(f"Discord does not hand {name} over ({response.status}).")
            async for chunk in response.content.iter_chunked(CHUNK_BYTES):
                written += len(chunk)
                if written > limit:
                    raise FileRefused(f"{name} is larger than its message said; at most {limit} bytes are taken.")
                await asyncio.to_thread(target.write, chunk)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotSent(f"{name} did not come through ({type(error).__name__}).") from error
