"""Discord's messages as events of the port."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import discord

from adapters.discord.outbound import InteractionToken
from adapters.port import Address, Attachment, ChatKind, Happening, Inbound, Sender, Unreadable

if TYPE_CHECKING:
    from discord.abc import MessageableChannel

_SPOKEN = (discord.MessageType.default, discord.MessageType.reply)
"""What people write; other types tell of joins, pins, boosts."""
_KINDS = {"image", "video", "audio"}
_USER = re.compile(r"<@!?(\d+)>")


class InboundParser:
    """Reads on behalf of one bot account.

    Args:
        bot: its numeric id.
        message_content: whether it hears what is not addressed to it.
        threads: whether a conversation that begins in a server's channel is given a thread. The thread will have the
            id of the message that it begins with, so the conversation's address is known before there is a thread.
    """

    def __init__(self, bot: str, *, message_content: bool, threads: bool) -> None:
        self._bot = bot
        self._message_content = message_content
        self._threads = threads

    @property
    def account(self) -> str:
        """The bot account (`Address.account`)."""
        return f"discord.{self._bot}"

    def message(self, message: discord.Message) -> Inbound | None:
        """A new message; None if it is not a person's, or holds nothing for the bot.

        In what is read from a channel's history the sender is without roles.
        """
        if message.author.bot or message.webhook_id or message.type not in _SPOKEN:
            return None
        sender = sender_of(message.author)
        text, answered = self.text(message), _referenced(message)
        quote = _quoted_text(answered or message) if answered or message.message_snapshots else ""
        attachments = tuple(_attachment(message, one) for one in message.attachments)
        addressed = self._is_addressed(message)
        if not (text or quote or attachments) or not (addressed or self._message_content):
            return None
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
            quote_by=sender_of(answered.author) if answered and not answered.message_snapshots else None,
            quote_message=str(answered.id) if answered and _is_written_here(answered, message) else "",
            ticket=str(InteractionToken(sender.id)),
        )

    def edit(self, message: discord.Message) -> Inbound | None:
        """An edit of the text; None if something else about the message changed, such as a preview of a link.

        The same edit told twice has the same update id.
        """
        if message.edited_at is None or (inbound := self.message(message)) is None:
            return None
        at = message.edited_at
        update = f"{message.id}:{int(at.timestamp() * 1000)}"
        return replace(inbound, update=update, happening=Happening.EDIT, sent_at=at)

    def address(self, channel: MessageableChannel, *, begun_by: int | None = None) -> Address:
        """Where a channel's messages belong; `begun_by` is the message that may begin a thread there."""
        match channel:
            case discord.DMChannel():
                return self._address(channel.id, ChatKind.PRIVATE)
            case discord.GroupChannel():
                return self._address(channel.id, ChatKind.GROUP)
            case discord.Thread():
                return self._address(channel.parent_id, thread=channel.id, guild=channel.guild.id)
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
        return Address("discord", self._bot, str(chat), kind, thread=_text_of(thread), guild=_text_of(guild))

    def _is_addressed(self, message: discord.Message) -> bool:
        """In a direct message; by a mention of the bot or of its role, by a reply to it, in a thread that it opened."""
        channel = message.channel
        if isinstance(channel, discord.DMChannel) or any(str(user.id) == self._bot for user in message.mentions):
            return True
        own_role = message.guild.self_role if message.guild else None
        if own_role is not None and own_role.id in message.raw_role_mentions:
            return True
        if isinstance(channel, discord.Thread) and str(channel.owner_id) == self._bot:
            return True
        answered = _referenced(message)
        return answered is not None and str(answered.author.id) == self._bot

    def text(self, message: discord.Message) -> str:
        """What was written, without the mention of the bot, other people by name."""
        names = {str(user.id): f"@{user.display_name}" for user in message.mentions} | {self._bot: ""}
        text = _USER.sub(lambda found: names.get(found[1], found[0]), message.content)
        own_role = message.guild.self_role if message.guild else None
        if own_role is not None:
            text = text.replace(own_role.mention, "")
        return text.strip()


def sender_of(person: discord.User | discord.Member) -> Sender:
    """Who did something, with their roles if the server tells."""
    roles = role_ids(person) if isinstance(person, discord.Member) else ()
    return Sender(str(person.id), person.display_name, person.bot, roles)


def unreadable(account: str, message: discord.Message, error: Exception) -> Unreadable:
    """A message that nothing can be made of, with what the library made of it."""
    told = {"id": message.id, "channel": message.channel.id, "sender": message.author.id, "content": message.content}
    return Unreadable(account, str(message.id), str(message.author.id), json.dumps(told), type(error).__name__)


def role_ids(member: discord.Member) -> tuple[str, ...]:
    """A member's roles in a server, without the one that everybody has."""
    return tuple(str(role.id) for role in member.roles if not role.is_default())


def _text_of(id: int | None) -> str | None:
    return None if id is None else str(id)


def _referenced(message: discord.Message) -> discord.Message | None:
    """The message that is replied to, if Discord handed it over."""
    to = message.reference
    resolved = to.resolved if to and to.type is not discord.MessageReferenceType.forward else None
    return resolved if isinstance(resolved, discord.Message) else None


def _quoted_text(message: discord.Message) -> str:
    """What stands in a message, or in the one that it passes on; of that one Discord does not say who wrote it."""
    return "\n".join(forwarded.content for forwarded in message.message_snapshots) or message.content


def _is_written_here(answered: discord.Message, message: discord.Message) -> bool:
    """Whether what a message replies to was first written in its channel."""
    return not answered.message_snapshots and answered.channel.id == message.channel.id


def _attachment(message: discord.Message, file: discord.Attachment) -> Attachment:
    mime = file.content_type or "application/octet-stream"
    kind = mime.partition("/")[0]
    if message.flags.voice:
        kind = "voice"
    elif kind not in _KINDS:
        kind = "file"
    ref = f"{message.channel.id}/{message.id}/{file.id}"
    return Attachment(kind=kind, name=file.filename, mime=mime, size=file.size, ref=ref)
