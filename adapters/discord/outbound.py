"""Sending to Discord: REST client, threads, payloads, interaction tokens, delivery."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import discord
from discord.http import Route
from discord.utils import snowflake_time

from adapters.discord.errors import Gone, NoReply, failures
from adapters.port import PLACEHOLDER, AdapterError, Ambiguous, Button, ChatKind, Outbound, Receipt, SendRefused

NAMELESS = "Conversation"
LONGEST_NAME = 100
SLEEPS_AFTER_MINUTES: Final = 1440
EXISTS = 160004


def begins_thread(out: Outbound) -> bool:
    """Whether it answers the message that a thread begins with; message and thread have the same id."""
    return out.to.thread is not None and out.to.thread == out.reply_to


class Threads:
    """Finds or opens the place for a message."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def channel(self, out: Outbound) -> int:
        """The channel or thread to send to. Where the bot may not open a thread, the answer stays in the channel."""
        place = int(out.to.thread or out.to.chat)
        if not begins_thread(out) or self._client.get_channel(place):
            return place
        try:
            await self._open(int(out.to.chat), place)
        except SendRefused as error:
            log.warning("%s The answer goes to the channel itself; let the bot create public threads.", error)
            return int(out.to.chat)
        return place

    async def _open(self, channel: int, message: int) -> None:
        name = await self._name(channel, message)
        with failures(f"Opening a thread on message {message}"):
            try:
                await self._client.http.start_thread_with_message(
                    channel, message, name=name, auto_archive_duration=SLEEPS_AFTER_MINUTES
                )
            except discord.HTTPException as error:
                if error.code != EXISTS:
                    raise

    async def _name(self, channel: int, message: int) -> str:
        """The beginning of what was asked."""
        try:
            with failures(f"Reading message {message}"):
                question = await self._client.get_partial_messageable(channel).fetch_message(message)
        except SendRefused:
            return NAMELESS
        me = self._client.user
        text = question.clean_content.replace(f"@{me.display_name}", "") if me else question.clean_content
        return " ".join(text.split())[:LONGEST_NAME] or NAMELESS


OPEN_FOR = timedelta(minutes=14, seconds=30)
"""Discord takes answers to an interaction for fifteen minutes; the rest is for the way there."""


class Asked(StrEnum):
    """How somebody addressed the bot."""

    MESSAGE = "message"
    COMMAND = "command"
    TAP = "tap"


@dataclass(frozen=True, slots=True)
class InteractionToken:
    """Who asked, and the right to answer a command or a tap.

    Attributes:
        user: the person's id.
        asked: how.
        interaction: its id, which also says when it began.
        token: with it, the interaction can be answered.
        private: the answer that was announced is seen by this person only.
    """

    user: str = ""
    asked: Asked = Asked.MESSAGE
    interaction: str = ""
    token: str = ""
    private: bool = False

    @classmethod
    def parse(cls, text: str) -> InteractionToken:
        """A ticket as it was written; an empty text is one that leads nowhere."""
        if not text:
            return cls()
        fields = json.loads(text)
        return cls(**{**fields, "asked": Asked(fields["asked"])})

    def __str__(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    def is_open(self, now: datetime) -> bool:
        """Whether the interaction may still be answered."""
        return bool(self.token) and now - snowflake_time(int(self.interaction)) < OPEN_FOR


ORIGINAL = "@original"
"""The message that answers an interaction first, or that holds the button which was pressed."""


class RestClient:
    """Writes and changes messages."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def write(self, channel: int, fields: Mapping[str, Any], files: Sequence[Path] = ()) -> str:
        """Send a message to a channel; its id. The same nonce again, within minutes, gives the same message."""
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel)
        return await self._message(route, fields, files, what=f"Sending to channel {channel}")

    async def change(self, channel: int, message: str, fields: Mapping[str, Any], files: Sequence[Path] = ()) -> str:
        """Replace what a message of the bot's shows."""
        path = "/channels/{channel_id}/messages/{message_id}"
        route = Route("PATCH", path, channel_id=channel, message_id=int(message))
        return await self._message(route, fields, files, what=f"Editing message {message}")

    async def complete(
        self,
        ticket: InteractionToken,
        fields: Mapping[str, Any],
        files: Sequence[Path] = (),
        *,
        message: str = ORIGINAL,
    ) -> str:
        """Fill the message that a deferred interaction has left open, or change one of its later messages."""
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/{message}"
        route = Route("PATCH", path, **self._right(ticket), message=message)
        if message == ORIGINAL:  # the quoting of a path parameter would spoil the sign in front of it
            route.url = route.url.replace("%40original", ORIGINAL)
        return await self._message(route, fields, files, what=f"Answering interaction {ticket.interaction}")

    async def follow(self, ticket: InteractionToken, fields: Mapping[str, Any], files: Sequence[Path] = ()) -> str:
        """Send one more message after an interaction's first. There is no nonce: sent again, it is there twice."""
        route = Route("POST", "/webhooks/{webhook_id}/{webhook_token}", **self._right(ticket))
        return await self._message(route, fields, files, what=f"Following interaction {ticket.interaction}")

    def _right(self, ticket: InteractionToken) -> dict[str, Any]:
        return {"webhook_id": self._client.application_id, "webhook_token": ticket.token}

    async def _message(self, route: Route, fields: Mapping[str, Any], files: Sequence[Path], *, what: str) -> str:
        with failures(what):
            answer = await self._request(route, fields, files)
        return str(answer["id"])

    async def _request(self, route: Route, fields: Mapping[str, Any], files: Sequence[Path]) -> Any:
        if not files:
            return await self._client.http.request(route, json=fields)
        opened = [discord.File(path) for path in files]
        try:
            return await self._client.http.request(route, form=_form(fields, opened), files=opened)
        finally:
            for file in opened:
                file.close()


def _form(fields: Mapping[str, Any], files: Sequence[discord.File]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"name": "payload_json", "value": json.dumps(fields)}]
    for number, file in enumerate(files):
        parts.append(
            {
                "name": f"files[{number}]",
                "value": file.fp,
                "filename": file.filename,
                "content_type": "application/octet-stream",
            }
        )
    return parts


FILE_LIMIT = 10 * 2**20
MOST_FILES = 10
MOST_BUTTONS = 25
ROW = 5
LONGEST_LABEL = 80
LONGEST_ID = 100

PREFIX = "sj:"
"""Begins the custom id of every button, so that a tap on one that an earlier process made is known as ours."""

SUPPRESS_EMBEDS = 1 << 2
EPHEMERAL = 1 << 6

_ROW_TYPE, _BUTTON_TYPE, _SECONDARY = 1, 2, 2


def content(out: Outbound, *, is_hidden: bool = False) -> dict[str, Any]:
    """The fields that say what a message shows; nobody is notified by a mention in it, and links stay links.

    Raises:
        SendRefused: Discord would not take the files or the buttons.
    """
    return {
        "content": out.text,
        "components": _rows(out.buttons),
        "attachments": [{"id": number, "filename": path.name} for number, path in enumerate(files(out))],
        "allowed_mentions": {"parse": [], "replied_user": False},
        "flags": SUPPRESS_EMBEDS | (EPHEMERAL if is_hidden else 0),
    }


def fresh(out: Outbound, *, channel: int, refers_to: str | None) -> dict[str, Any]:
    """The fields of a new message in a channel, under its own nonce, as a reply to another one if it refers to it."""
    fields = content(out) | {"nonce": out.id, "enforce_nonce": True}
    if refers_to:
        fields["message_reference"] = {
            "message_id": refers_to,
            "channel_id": str(channel),
            "fail_if_not_exists": False,
        }
    return fields


def files(out: Outbound) -> Sequence[Path]:
    """The files to attach, in order.

    Raises:
        SendRefused: too many, too large, or not there.
    """
    paths = [Path(file) for file in out.files]
    if len(paths) > MOST_FILES:
        raise SendRefused(f"Discord takes {MOST_FILES} files with a message, not {len(paths)}.")
    for path in paths:
        if not path.is_file():
            raise SendRefused(f"The file {path.name} is no longer there.")
        if path.stat().st_size > FILE_LIMIT:
            raise SendRefused(f"Discord takes files of up to {FILE_LIMIT // 2**20} MiB; {path.name} is larger.")
    return paths


def _rows(buttons: Sequence[Button]) -> list[dict[str, Any]]:
    if len(buttons) > MOST_BUTTONS:
        raise SendRefused(f"Discord shows {MOST_BUTTONS} buttons under a message, not {len(buttons)}.")
    shown = [_button(button) for button in buttons]
    return [{"type": _ROW_TYPE, "components": shown[at : at + ROW]} for at in range(0, len(shown), ROW)]


def _button(button: Button) -> dict[str, Any]:
    custom_id = f"{PREFIX}{button.data}"
    if len(custom_id) > LONGEST_ID:
        raise SendRefused(f"A button's data has at most {LONGEST_ID - len(PREFIX)} characters: {button.data[:20]}...")
    return {"type": _BUTTON_TYPE, "style": _SECONDARY, "label": button.label[:LONGEST_LABEL], "custom_id": custom_id}


SEARCHED = 200
"""Messages among which one that may have arrived is looked for, the newest first."""

ELSEWHERE = "Only you can see my answer."
"""Stands where everybody can read it, in the place of an answer that is for one person."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attempts:
    """What is known of messages that may have arrived; outlives the connections.

    Attributes:
        unclear: outbox ids of those of which it is not known.
        placed: by outbox id, the message that holds the place of one, which is to be edited into it.
    """

    unclear: set[str] = field(default_factory=set)
    placed: dict[str, str] = field(default_factory=dict)


class MessageSender:
    """Delivers on one connection.

    Args:
        client: logged in.
        now: the current instant, aware.
        attempts: what earlier ones left behind.
    """

    def __init__(self, client: discord.Client, *, now: Callable[[], datetime], attempts: Attempts) -> None:
        self._client = client
        self._wire = RestClient(client)
        self._threads = Threads(client)
        self._now = now
        self._attempts = attempts

    async def send(self, out: Outbound) -> Receipt:
        """Deliver a message; raises one of the `AdapterError`s."""
        ticket = InteractionToken.parse(out.ticket)
        is_hidden, is_open = _is_hidden(out, ticket), ticket.is_open(self._now())
        try:
            if is_open and (answer := await self._answer(out, ticket, is_hidden=is_hidden)):
                return Receipt(answer)
            if out.replaces and not is_hidden:
                return Receipt(await self._wire.change(_place(out), out.replaces, content(out), files(out)))
        except Gone as error:
            log.info("%s The answer becomes a message of its own.", error)
        channel = await self._direct(ticket) if is_hidden else await self._threads.channel(out)
        try:
            return Receipt(await self._write(out, channel, refers_to=_question(out, ticket, channel)))
        except SendRefused:
            if not is_open or is_hidden:
                raise
            return Receipt(await self._follow(out, ticket))  # commands work where writing is barred

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Replace a delivered message; raises one of the `AdapterError`s."""
        ticket = InteractionToken.parse(out.ticket)
        is_hidden = _is_hidden(out, ticket)
        try:
            if ticket.is_open(self._now()) and (is_hidden or out.replaces or not out.part):
                await self._wire.complete(ticket, content(out), files(out), message=receipt.message)
                return
        except Gone as error:
            log.debug("%s It is looked for in the channel.", error)
        channel = await self._direct(ticket) if is_hidden else _place(out)
        try:
            await self._wire.change(channel, receipt.message, content(out), files(out))
        except Gone:
            if not begins_thread(out):
                raise
            await self._wire.change(int(out.to.chat), receipt.message, content(out), files(out))

    async def _answer(self, out: Outbound, ticket: InteractionToken, *, is_hidden: bool) -> str | None:
        """Answer as the interaction was promised; None if this message is to be an ordinary one."""
        is_command = ticket.asked is Asked.COMMAND
        fills = not out.part if is_command else bool(out.replaces)
        if fills and (ticket.private or not is_hidden):
            return await self._wire.complete(ticket, content(out), files(out))
        if fills and is_command:
            await self._wire.complete(ticket, content(Outbound(out.id, out.to, ELSEWHERE)))
        if is_hidden:
            return await self._follow(out, ticket, is_hidden=True)
        return None

    async def _follow(self, out: Outbound, ticket: InteractionToken, *, is_hidden: bool = False) -> str:
        """Answer an interaction once more. That knows no nonce, so it is a placeholder that the text is edited into."""
        placed = self._attempts.placed
        if out.id not in placed:
            held = content(Outbound(out.id, out.to, PLACEHOLDER), is_hidden=is_hidden)
            placed[out.id] = await self._wire.follow(ticket, held)
        try:
            await self._wire.complete(ticket, content(out), files(out), message=placed[out.id])
        except SendRefused:
            del placed[out.id]
            raise
        return placed.pop(out.id)

    async def _write(self, out: Outbound, channel: int, *, refers_to: str | None) -> str:
        """Send to a channel, unless it is there already."""
        if (out.again or out.id in self._attempts.unclear) and (found := await self._find(out, channel)):
            return found
        self._attempts.unclear.add(out.id)
        try:
            written = await self._wire.write(channel, fresh(out, channel=channel, refers_to=refers_to), files(out))
        except Ambiguous:
            raise
        except NoReply:
            written = await self._wire.write(channel, fresh(out, channel=channel, refers_to=None), files(out))
        except AdapterError:
            self._attempts.unclear.discard(out.id)
            raise
        self._attempts.unclear.discard(out.id)
        return written

    async def _find(self, out: Outbound, channel: int) -> str | None:
        """A message that an earlier attempt has left: under the same nonce, or saying the same after the question."""
        after = discord.Object(int(out.reply_to)) if out.reply_to else None
        with failures(f"Looking for message {out.id} in channel {channel}"):
            history = self._client.get_partial_messageable(channel).history(
                limit=SEARCHED, after=after, oldest_first=False
            )
            async for message in history:
                if message.author == self._client.user and _is_same(message, out):
                    return str(message.id)
        return None

    async def _direct(self, ticket: InteractionToken) -> int:
        """The channel for direct messages to the person who asked."""
        if not ticket.user:
            raise SendRefused("The answer is for one person only, and it is not known for whom.")
        with failures(f"Looking up the channel to {ticket.user}"):
            return (await self._client.create_dm(discord.Object(int(ticket.user)))).id


def _is_hidden(out: Outbound, ticket: InteractionToken) -> bool:
    """Whether other people would see what is for one of them."""
    return (out.private or ticket.private) and out.to.kind is not ChatKind.PRIVATE


def _place(out: Outbound) -> int:
    return int(out.to.thread or out.to.chat)


def _question(out: Outbound, ticket: InteractionToken, channel: int) -> str | None:
    """The message in the same channel to which the first part of a reply refers."""
    is_message = ticket.asked is not Asked.COMMAND and not _is_hidden(out, ticket)
    return out.reply_to if is_message and not out.part and out.reply_to != str(channel) else None


def _is_same(message: discord.Message, out: Outbound) -> bool:
    if message.nonce is not None and str(message.nonce) == out.id:
        return True
    if out.reply_to is None:  # the same words may have been meant twice
        return False
    refers_to = str(message.reference.message_id) if message.reference else out.reply_to
    names = [file.filename for file in message.attachments]
    is_text_same = message.content.strip() == out.text.strip() and names == [path.name for path in files(out)]
    return is_text_same and refers_to == out.reply_to
