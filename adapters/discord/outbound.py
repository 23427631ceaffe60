"""Outbound messages of Discord: REST client, threads, payloads, interaction tokens, delivery."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import aiohttp
import discord
from discord.http import Route
from discord.utils import snowflake_time

from adapters.discord.errors import Gone, ReplyRefused, translate_errors
from adapters.discord.rendering import MAX_CHARS, render
from adapters.port import PLACEHOLDER, AdapterError, Address, Ambiguous, ChatKind, Outbound, Receipt, SendRefused
from adapters.support import LimitedDict

log = logging.getLogger(__name__)

DEFAULT_THREAD_NAME = "Conversation"
MAX_THREAD_NAME_CHARS = 100
ARCHIVE_AFTER_MINUTES: Final = 1440
THREAD_EXISTS = 160004


def begins_thread(out: Outbound) -> bool:
    """Whether it answers the message that a thread begins with; both have the same id."""
    return out.to.thread is not None and out.to.thread == out.reply_to


async def open_channel(client: discord.Client, out: Outbound) -> int:
    """Return the channel or thread to send to, and open the thread; the channel, where the bot may not do that."""
    place = _channel_id(out)
    if not begins_thread(out) or client.get_channel(place):
        return place
    channel = int(out.to.chat)
    name = await _thread_name(client, channel, place)
    try:
        with translate_errors(f"Opening a thread on message {place}"):
            try:
                await client.http.start_thread_with_message(
                    channel, place, name=name, auto_archive_duration=ARCHIVE_AFTER_MINUTES
                )
            except discord.HTTPException as error:
                if error.code != THREAD_EXISTS:
                    raise
    except SendRefused as error:
        log.warning("%s The answer goes to the channel itself; let the bot create public threads.", error)
        return channel
    return place


async def _thread_name(client: discord.Client, channel: int, message: int) -> str:
    """Return the beginning of the question, as the name of its thread."""
    try:
        with translate_errors(f"Reading message {message}"):
            question = await client.get_partial_messageable(channel).fetch_message(message)
    except SendRefused:
        return DEFAULT_THREAD_NAME
    me = client.user
    text = question.clean_content.replace(f"@{me.display_name}", "") if me else question.clean_content
    return " ".join(text.split())[:MAX_THREAD_NAME_CHARS] or DEFAULT_THREAD_NAME


TOKEN_LIFETIME = timedelta(minutes=14, seconds=30)
"""Discord takes answers to an interaction for fifteen minutes; the rest is for the request."""


class Asked(StrEnum):
    """How a person addressed the bot."""

    MESSAGE = "message"
    COMMAND = "command"
    TAP = "tap"


@dataclass(frozen=True, slots=True)
class InteractionToken:
    """The reply token of Discord: who asked, and the token to answer a command or a tap with.

    Attributes:
        user: the person's id.
        asked: how they addressed the bot.
        interaction: its id, which also says when it began.
        token: Discord's own, with which the interaction can be answered.
        private: the deferred answer is seen by this person only.
    """

    user: str = ""
    asked: Asked = Asked.MESSAGE
    interaction: str = ""
    token: str = ""
    private: bool = False

    @classmethod
    def of(cls, interaction: discord.Interaction, asked: Asked, *, private: bool) -> InteractionToken:
        """Make the token to answer an interaction with."""
        return cls(str(interaction.user.id), asked, str(interaction.id), interaction.token, private)

    @classmethod
    def parse(cls, text: str) -> InteractionToken:
        """Parse what `str` made of a token; an empty text gives a token without rights."""
        if not text:
            return cls()
        fields = json.loads(text)
        return cls(**{**fields, "asked": Asked(fields["asked"])})

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    def is_open(self, now: datetime) -> bool:
        return bool(self.token) and now - snowflake_time(int(self.interaction)) < TOKEN_LIFETIME


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot as it is at the moment: its id, its text without space around it, its rows of buttons."""

    message: str
    content: str
    rows: int

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Shown:
        """Read what Discord returns for a message; raises `Ambiguous` if somebody on the way has put in a page."""
        try:
            return cls(str(message["id"]), message["content"].strip(), len(message["components"]))
        except (LookupError, TypeError) as error:
            raise Ambiguous("The answer is not one of Discord's API.") from error

    def shows(self, fields: Mapping[str, Any]) -> bool:
        """Whether it is what was to be sent, not a placeholder for it."""
        return self.content == fields["content"].strip() and self.rows == len(fields["components"])


CONNECT_S, READ_S = 30, 30
"""How long Discord may take to be reached, and to answer once it has all of a message; sending it may take any time."""

ORIGINAL = "@original"
"""The message that answers an interaction first, or that holds the button which was pressed."""


class RestClient:
    """Sends and edits messages."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def send_message(self, channel: int, fields: Mapping[str, Any], files: Sequence[Path] = ()) -> Shown:
        """Send a message to a channel. The same nonce within minutes gives the message that is there, as it is."""
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
        return await self._request(route, fields, files, what=f"Sending to channel {channel}")

    async def edit_message(
        self, channel: int, message: str, fields: Mapping[str, Any], files: Sequence[Path] = ()
    ) -> str:
        """Replace the content of one of the bot's messages."""
        path = "/channels/{channel_id}/messages/{message_id}"
        route = Route("PATCH", path, channel_id=channel, message_id=int(message))
        return (await self._request(route, fields, files, what=f"Editing message {message}")).message

    async def edit_response(
        self,
        reply_token: InteractionToken,
        fields: Mapping[str, Any],
        files: Sequence[Path] = (),
        *,
        message: str = ORIGINAL,
    ) -> str:
        """Fill in the response of a deferred interaction, or edit one of its later messages."""
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/{message}"
        route = Route("PATCH", path, **self._webhook(reply_token), message=message)
        if message == ORIGINAL:  # the library would quote the @
            route.url = route.url.replace("%40original", ORIGINAL)
        what = f"Answering interaction {reply_token.interaction}"
        return (await self._request(route, fields, files, what=what)).message

    async def send_followup(self, reply_token: InteractionToken, fields: Mapping[str, Any]) -> str:
        """Send one more message after an interaction's response. Without a nonce: sent again, it is there twice."""
        route = Route("POST", "/webhooks/{webhook_id}/{webhook_token}", **self._webhook(reply_token))
        what = f"Following interaction {reply_token.interaction}"
        return (await self._request(route, fields, (), what=what)).message

    def _webhook(self, reply_token: InteractionToken) -> dict[str, Any]:
        return {"webhook_id": self._client.application_id, "webhook_token": reply_token.token}

    async def _request(self, route: Route, fields: Mapping[str, Any], files: Sequence[Path], *, what: str) -> Shown:
        """Make a request, with files as a form of several parts; returns the message as it is then."""
        with translate_errors(what):
            timeout = aiohttp.ClientTimeout(sock_connect=CONNECT_S, sock_read=READ_S)  # the library's ends long uploads
            if not files:
                return Shown.of(await self._client.http.request(route, json=fields, timeout=timeout))
            opened = [discord.File(path) for path in files]
            try:
                form: list[dict[str, Any]] = [{"name": "payload_json", "value": json.dumps(fields)}]
                for number, file in enumerate(opened):
                    part = {"name": f"files[{number}]", "value": file.fp, "filename": file.filename}
                    form.append(part | {"content_type": "application/octet-stream"})
                return Shown.of(await self._client.http.request(route, form=form, files=opened, timeout=timeout))
            finally:
                for file in opened:
                    file.close()


MAX_FILE_BYTES = 10 * 2**20
MAX_FILES = 10
MAX_BUTTONS = 25
BUTTONS_PER_ROW = 5
MAX_LABEL_CHARS = 80
MAX_CUSTOM_ID_CHARS = 100

CUSTOM_ID_PREFIX = "sj:"
"""Begins the custom id of every button, so that buttons of an earlier process are recognised."""

FIND_TIMEOUT_S, MAX_FOUND = 5, 100
"""How long it may take to find whose name something is, and among how many whose names begin like it."""

SUPPRESS_EMBEDS = 1 << 2
EPHEMERAL = 1 << 6
SUPPRESS_NOTIFICATIONS = 1 << 12

_ROW_TYPE, _BUTTON_TYPE, _SECONDARY = 1, 2, 2


def message_fields(out: Outbound, *, is_hidden: bool = False) -> dict[str, Any]:
    """Return the fields for what a message shows; mentions notify only where it calls, and links have no preview.

    Raises:
        SendRefused: Discord would not take the files or the buttons.
    """
    if len(out.buttons) > MAX_BUTTONS:
        raise SendRefused(f"Discord shows {MAX_BUTTONS} buttons under a message, not {len(out.buttons)}.")
    buttons: list[dict[str, Any]] = []
    for button in out.buttons:
        custom_id, label = f"{CUSTOM_ID_PREFIX}{button.data}", button.label[:MAX_LABEL_CHARS]
        if len(custom_id) > MAX_CUSTOM_ID_CHARS:
            most = MAX_CUSTOM_ID_CHARS - len(CUSTOM_ID_PREFIX)
            raise SendRefused(f"A button's data has at most {most} characters: {button.data[:20]}...")
        buttons.append({"type": _BUTTON_TYPE, "style": _SECONDARY, "label": label, "custom_id": custom_id})
    starts = range(0, len(buttons), BUTTONS_PER_ROW)
    users, roles = (re.findall(rf"<@{kind}(\d+)>", "".join(out.calls)) for kind in ("", "&"))
    return {
        "content": render(out.text),
        "components": [{"type": _ROW_TYPE, "components": buttons[at : at + BUTTONS_PER_ROW]} for at in starts],
        "attachments": [{"id": number, "filename": path.name} for number, path in enumerate(files(out))],
        "allowed_mentions": {"parse": [], "replied_user": False, "users": users, "roles": roles},
        "flags": SUPPRESS_EMBEDS | (EPHEMERAL if is_hidden else 0),
    }


def new_message_fields(out: Outbound, *, channel: int, reply_to: str | None) -> dict[str, Any]:
    """Return the fields of a new message in a channel, with its nonce, as a reply if `reply_to` is a message."""
    fields = message_fields(out) | {"nonce": out.id, "enforce_nonce": True}
    fields["flags"] |= SUPPRESS_NOTIFICATIONS if out.quiet else 0
    if reply_to:
        fields["message_reference"] = {"message_id": reply_to, "channel_id": str(channel), "fail_if_not_exists": False}
    return fields


def files(out: Outbound) -> Sequence[Path]:
    """Return the files to attach, in order.

    Raises:
        SendRefused: too many, too large, or not there.
    """
    paths = [Path(file) for file in out.files]
    if len(paths) > MAX_FILES:
        raise SendRefused(f"Discord takes {MAX_FILES} files with a message, not {len(paths)}.")
    for path in paths:
        if not path.is_file():
            raise SendRefused(f"The file {path.name} is no longer there.")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SendRefused(f"Discord takes files of up to {MAX_FILE_BYTES // 2**20} MiB; {path.name} is larger.")
    return paths


MAX_SEARCHED_MESSAGES = 200
"""How many messages are searched for one that may have arrived, the newest first."""

HIDDEN_NOTICE = "Only you can see my answer."
"""What everybody can read, in the place of an answer that is for one person."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """What is known of the last messages that may have arrived; outlives the connections.

    Attributes:
        ambiguous: outbox ids of messages that may have arrived.
        placeholders: by outbox id, the message that is to be edited into one.
    """

    ambiguous: LimitedDict[str, None] = field(default_factory=LimitedDict)
    placeholders: LimitedDict[str, str] = field(default_factory=LimitedDict)


class MessageSender:
    """Delivers messages on one connection.

    Args:
        client: logged in.
        now: the current instant, aware.
        attempts: what earlier connections left.
    """

    def __init__(self, client: discord.Client, *, now: Callable[[], datetime], attempts: Attempts) -> None:
        self._client = client
        self._rest = RestClient(client)
        self._now = now
        self._attempts = attempts

    async def send(self, out: Outbound) -> Receipt:
        """Deliver a message; raises one of the `AdapterError`s."""
        reply_token = InteractionToken.parse(out.reply_token)
        is_hidden, is_open = _is_hidden(out, reply_token), reply_token.is_open(self._now())
        if out.calls and (guild := self._client.get_guild(int(out.to.guild or 0))):
            out = await _with_mentions(out, guild)
        try:
            if is_open and (response := await self._respond(out, reply_token, is_hidden=is_hidden)):
                return Receipt(response)
            if out.replaces and not is_hidden:
                channel = _channel_id(out)
                return Receipt(await self._rest.edit_message(channel, out.replaces, message_fields(out), files(out)))
        except Gone as error:
            log.info("%s The answer becomes a message of its own.", error)
        channel = await self._direct_channel(reply_token) if is_hidden else await open_channel(self._client, out)
        is_reply = reply_token.asked is not Asked.COMMAND and not is_hidden and not out.part
        reply_to = out.reply_to if is_reply and out.reply_to != str(channel) else None
        try:
            return Receipt(await self._send_once(out, channel, reply_to=reply_to))
        except SendRefused:
            if not is_open or is_hidden:
                raise
            return Receipt(await self._follow_up(out, reply_token))  # commands work where the bot may not write

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Replace a delivered message; raises one of the `AdapterError`s.

        Where others read along, a placeholder for what turns out to be for one person says so, and is `Gone`.
        """
        reply_token, fields = InteractionToken.parse(out.reply_token), message_fields(out)
        is_hidden = _is_hidden(out, reply_token)
        if is_hidden and reply_token.asked is Asked.MESSAGE:
            notice = message_fields(Outbound(out.id, out.to, HIDDEN_NOTICE))
            await self._rest.edit_message(_channel_id(out), receipt.message, notice)
            raise Gone("The answer is for one person only.")
        try:
            if reply_token.is_open(self._now()) and (is_hidden or out.replaces or not out.part):
                await self._rest.edit_response(reply_token, fields, files(out), message=receipt.message)
                return
        except Gone as error:
            log.debug("%s It is looked for in the channel.", error)
        channel = await self._direct_channel(reply_token) if is_hidden else _channel_id(out)
        try:
            await self._rest.edit_message(channel, receipt.message, fields, files(out))
        except Gone:
            if not begins_thread(out):
                raise
            await self._rest.edit_message(int(out.to.chat), receipt.message, fields, files(out))

    async def typing(self, to: Address) -> None:
        """Show for ten seconds that an answer is being prepared."""
        is_thread_open = to.thread is not None and self._client.get_channel(int(to.thread)) is not None
        channel = to.thread if to.thread and is_thread_open else to.chat
        with translate_errors("Typing"):
            await self._client.get_partial_messageable(int(channel)).typing()

    async def _respond(self, out: Outbound, reply_token: InteractionToken, *, is_hidden: bool) -> str | None:
        """Fill in the deferred response of an interaction; None if this message is to be an ordinary one."""
        is_command = reply_token.asked is Asked.COMMAND
        is_response = not out.part if is_command else bool(out.replaces)
        if is_response and (reply_token.private or not is_hidden):
            return await self._rest.edit_response(reply_token, message_fields(out), files(out))
        if is_response and is_command:
            await self._rest.edit_response(reply_token, message_fields(Outbound(out.id, out.to, HIDDEN_NOTICE)))
        if is_hidden:
            return await self._follow_up(out, reply_token, is_hidden=True)
        return None

    async def _follow_up(self, out: Outbound, reply_token: InteractionToken, *, is_hidden: bool = False) -> str:
        """Send one more message to an interaction: a placeholder first, since there is no nonce, then its text."""
        placeholders = self._attempts.placeholders
        if out.id not in placeholders:
            placeholder = message_fields(Outbound(out.id, out.to, PLACEHOLDER), is_hidden=is_hidden)
            placeholders[out.id] = await self._rest.send_followup(reply_token, placeholder)
        try:
            fields = message_fields(out)
            await self._rest.edit_response(reply_token, fields, files(out), message=placeholders[out.id])
        except SendRefused:
            del placeholders[out.id]
            raise
        return placeholders.pop(out.id)

    async def _send_once(self, out: Outbound, channel: int, *, reply_to: str | None) -> str:
        """Send to a channel, unless an earlier attempt has arrived there; the message then shows what was to be sent.

        What has arrived may be the placeholder of an answer that grew, which nobody has written down.
        """
        fields = new_message_fields(out, channel=channel, reply_to=reply_to)
        may_be_there = out.again or out.id in self._attempts.ambiguous
        sent = await self._find(out, channel) if may_be_there else None
        sent = sent or await self._send_fields(out, channel, fields)
        if not sent.shows(fields):
            try:
                await self._rest.edit_message(channel, sent.message, message_fields(out), files(out))
            except Gone:  # it was deleted, but its nonce is still known
                sent = await self._send_fields(out, channel, fields | {"enforce_nonce": False})
        return sent.message

    async def _send_fields(self, out: Outbound, channel: int, fields: Mapping[str, Any]) -> Shown:
        """Send, and remember whether it may have arrived."""
        self._attempts.ambiguous[out.id] = None
        try:
            sent = await self._rest.send_message(channel, fields, files(out))
        except Ambiguous:
            raise
        except ReplyRefused:
            fields = {name: value for name, value in fields.items() if name != "message_reference"}
            sent = await self._rest.send_message(channel, fields, files(out))
        except AdapterError:
            self._attempts.ambiguous.pop(out.id, None)
            raise
        self._attempts.ambiguous.pop(out.id, None)
        return sent

    async def _find(self, out: Outbound, channel: int) -> Shown | None:
        """Find the message of an earlier attempt: one with the same nonce, or the same content after the question."""
        after = discord.Object(int(out.reply_to)) if out.reply_to else None
        with translate_errors(f"Looking for message {out.id} in channel {channel}"):
            history = self._client.get_partial_messageable(channel).history(
                limit=MAX_SEARCHED_MESSAGES, after=after, oldest_first=False
            )
            async for message in history:
                if message.author == self._client.user and _is_same(message, out):
                    return Shown(str(message.id), message.content.strip(), len(message.components))
        return None

    async def _direct_channel(self, reply_token: InteractionToken) -> int:
        """Return the channel for direct messages to the person who asked."""
        if not reply_token.user:
            raise SendRefused("The answer is for one person only, and it is not known for whom.")
        with translate_errors(f"Looking up the channel to {reply_token.user}"):
            return (await self._client.create_dm(discord.Object(int(reply_token.user)))).id


def as_word(name: str) -> str:
    """Return a name as a single word of letters, digits, dots and underscores: it then says nothing by itself."""
    return re.sub(r"[^\w.]+", "_", name)


async def _with_mentions(out: Outbound, guild: discord.Guild) -> Outbound:
    """Return a message that mentions whom it calls by name: accounts, and roles that everybody may mention."""
    calls = [name.casefold() for name in out.calls]
    named = {role: as_word(role.name).casefold() for role in guild.roles if role.mentionable}
    known = {name: role.mention for role, name in named.items() if [*named.values()].count(name) == 1}  # else unclear
    with suppress(discord.DiscordException, OSError, RuntimeError, TimeoutError):  # it is not connected
        async with asyncio.timeout(FIND_TIMEOUT_S):
            for name in calls:
                members = await guild.query_members(name, limit=MAX_FOUND, cache=False)
                known |= {member.name.casefold(): member.mention for member in members}
    mentions = {name: mention for name, mention in known.items() if name in calls}
    text = re.sub(r"@([\w.]*\w)", lambda name: mentions.get(name[1].casefold(), name[0]), out.text)
    return replace(out, text=text, calls=tuple(mentions.values())) if len(render(text)) <= MAX_CHARS else out


def _is_hidden(out: Outbound, reply_token: InteractionToken) -> bool:
    """Whether other people would see what is for one of them."""
    return (out.private or reply_token.private) and out.to.kind is not ChatKind.PRIVATE


def _channel_id(out: Outbound) -> int:
    return int(out.to.thread or out.to.chat)


def _is_same(message: discord.Message, out: Outbound) -> bool:
    """Whether a message is what an attempt to send `out` would have left."""
    if message.nonce is not None and str(message.nonce) == out.id:
        return True
    if out.reply_to is None:  # the same words may have been meant twice
        return False
    reply_to = str(message.reference.message_id) if message.reference else out.reply_to
    names = [file.filename for file in message.attachments]
    is_text_same = message.content.strip() == render(out.text).strip()
    return is_text_same and names == [path.name for path in files(out)] and reply_to == out.reply_to
