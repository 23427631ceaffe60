"""Delivers messages: to a channel, to a thread that may have to be opened first, or as the answer to an interaction."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import discord

from adapters.discord.failures import Gone, NoReply, failures
from adapters.discord.payload import content, files, fresh
from adapters.discord.threads import Threads, begins_thread
from adapters.discord.ticket import Asked, Ticket
from adapters.discord.wire import Wire
from adapters.port import PLACEHOLDER, AdapterError, Ambiguous, ChatKind, Outbound, Receipt, SendRefused

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


class Sender:
    """Delivers on one connection.

    Args:
        client: logged in.
        now: the current instant, aware.
        attempts: what earlier ones left behind.
    """

    def __init__(self, client: discord.Client, *, now: Callable[[], datetime], attempts: Attempts) -> None:
        self._client = client
        self._wire = Wire(client)
        self._threads = Threads(client)
        self._now = now
        self._attempts = attempts

    async def send(self, out: Outbound) -> Receipt:
        """Deliver a message; raises one of the `AdapterError`s."""
        ticket = Ticket.parse(out.ticket)
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
        ticket = Ticket.parse(out.ticket)
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

    async def _answer(self, out: Outbound, ticket: Ticket, *, is_hidden: bool) -> str | None:
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

    async def _follow(self, out: Outbound, ticket: Ticket, *, is_hidden: bool = False) -> str:
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

    async def _direct(self, ticket: Ticket) -> int:
        """The channel for direct messages to the person who asked."""
        if not ticket.user:
            raise SendRefused("The answer is for one person only, and it is not known for whom.")
        with failures(f"Looking up the channel to {ticket.user}"):
            return (await self._client.create_dm(discord.Object(int(ticket.user)))).id


def _is_hidden(out: Outbound, ticket: Ticket) -> bool:
    """Whether other people would see what is for one of them."""
    return (out.private or ticket.private) and out.to.kind is not ChatKind.PRIVATE


def _place(out: Outbound) -> int:
    return int(out.to.thread or out.to.chat)


def _question(out: Outbound, ticket: Ticket, channel: int) -> str | None:
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
