"""Telegram adapter: one bot account, its command menu, and updates that cannot be read."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from telegram import BotCommand, CallbackQuery, Chat, ChatMember, ChatMemberUpdated, Update

from adapters.pacing import RECOVERY_S, Monotonic, Pace, Paces, TokenBucket
from adapters.port import (
    CONNECTING,
    MAX_QUARANTINED_CHARS,
    AdapterError,
    Address,
    Attachment,
    Capabilities,
    ChatKind,
    ConnectionState,
    Happening,
    Inbound,
    InboundHandler,
    MenuEntry,
    MessageGone,
    Outbound,
    Receipt,
    SlowDown,
    Unreadable,
)
from adapters.status_marks import StatusMarks
from adapters.support import BackgroundCalls, LimitedDict, first_error
from adapters.telegram.client import BotApiClient, Poller, RawUpdate
from adapters.telegram.inbound import InboundParser, download
from adapters.telegram.outbound import MAX_UPLOAD_BYTES, MessageSender
from adapters.telegram.rendering import MAX_TEXT_UNITS
from adapters.telegram.updates import UNREADABLE, readable_part, sender_id

if TYPE_CHECKING:
    from adapters.telegram.webhook import WebhookServer

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TelegramOptions:
    """One bot account.

    Attributes:
        token: as @BotFather gives it.
        api: the Bot API server.
        proxy: the HTTP proxy through which it is reached; if empty, the one of the environment, if any.
    """

    token: str = field(repr=False)
    api: str
    proxy: str = field(default="", repr=False)


MAX_COMMANDS = 100
MAX_SUMMARY_CHARS = 256
_COMMAND_NAME = re.compile(r"[a-z0-9_]{1,32}")


async def publish_menu(client: BotApiClient, entries: Sequence[MenuEntry]) -> None:
    """Register the commands unless they are registered already. Names that Telegram does not take are left out."""
    wanted = tuple(
        BotCommand(entry.name, entry.summary[:MAX_SUMMARY_CHARS])
        for entry in entries
        if _COMMAND_NAME.fullmatch(entry.name)
    )[:MAX_COMMANDS]
    with client.translate_errors("show the menu of commands"):
        if await client.bot.get_my_commands() != wanted:
            await client.bot.set_my_commands(wanted)


_OUTSIDE = {ChatMember.LEFT, ChatMember.BANNED}


def log_membership(change: ChatMemberUpdated) -> None:
    """Log that the bot was added to a chat or removed; access rules are written with the chat id in that line."""
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


MESSAGES_PER_S = 30
"""How many messages and edits Telegram takes over all chats at worst: from bots whose chats it has just limited."""

DRAFT_S = 1.5
DRAFT_IN_GROUPS_S = 3.0
"""The shortest time between two drafts of an answer. Bots that edit much more often are rate-limited for minutes."""

MAX_LIST_ITEMS = 1000
"""Telegram's longest list has a hundred items: a text's entities. Parsing thousands would delay everybody."""


class TelegramAdapter:
    """`adapters.port.Adapter` for Telegram; leaving its block closes its connections.

    Args:
        menu: the commands that the apps offer.
        now: the current instant, aware.
        monotonic: seconds, for the pace of edits.
        webhook: where Telegram posts updates; without it they are fetched.

    Raises:
        LoginRefused: what is given as the token is not one.
    """

    platform = "telegram"
    capabilities = Capabilities(
        text_limit=MAX_TEXT_UNITS, text_unit="utf16", edits=True, typing_s=5, file_limit=MAX_UPLOAD_BYTES
    )

    def __init__(
        self,
        options: TelegramOptions,
        *,
        menu: Sequence[MenuEntry] = (),
        now: Callable[[], datetime],
        pause: Callable[[float], Awaitable[None]],
        monotonic: Monotonic = time.monotonic,
        webhook: WebhookServer | None = None,
    ) -> None:
        client = self._client = BotApiClient(options.token, api=options.api, proxy=options.proxy)
        self.bot = client.id
        self._menu = menu
        self._now = now
        self.connection = ConnectionState()
        self._poller = Poller(client, connection=self.connection, pause=pause)
        self._webhook_server = webhook
        self._paces = Paces(monotonic=monotonic)
        self._monotonic = monotonic
        self._limit = TokenBucket(MESSAGES_PER_S, 1 / MESSAGES_PER_S, monotonic=monotonic, pause=pause)
        self._limited_at = LimitedDict[str, float](2)  # when the last two chats were
        self._sender = MessageSender(client)
        self._background = BackgroundCalls(workers=4)
        self._reactions = StatusMarks(self._background, self._react)
        self.mark = self._reactions.mark
        self._newest_message = LimitedDict[str, str]()  # by chat

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def run(self, handler: InboundHandler) -> None:
        """Hand events to the handler until cancelled. Each is on disk before it is confirmed to Telegram.

        Raises:
            LoginRefused: the token is not accepted, or no longer; or Telegram cannot post updates here.
        """
        if not self.connection.problem:
            self.connection.set(CONNECTING)  # it is begun anew
        try:
            async with asyncio.TaskGroup() as group:
                background = group.create_task(self._background.run())
                await self._receive_updates(handler)
                background.cancel()
        except ExceptionGroup as errors:
            raise first_error(errors) from errors

    async def send(self, out: Outbound) -> Receipt:
        if out.replaces is not None:
            try:
                await self.edit(Receipt(out.replaces), out)
                return Receipt(out.replaces)
            except MessageGone as error:
                log.info("%s A new message takes its place.", error)
        is_direct_answer = self._newest_message.get(out.to.chat) == out.reply_to  # nothing came in between
        needs_reference = out.to.kind is not ChatKind.PRIVATE or not is_direct_answer
        send = partial(self._sender.send, out if needs_reference else replace(out, reply_to=None))
        receipt = await self._pace(out.to).final(partial(self._take_turn, out.to, send))
        self._reactions.clear(out)
        return receipt

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Replace a delivered message; raises one of the `AdapterError`s unless it is a draft."""
        edit = partial(self._sender.edit, receipt, out)
        if out.draft:
            if not self._limit.wait_s:
                await self._pace(out.to).draft(receipt, out.text, partial(self._take_turn, out.to, edit))
            return
        await self._pace(out.to).final(partial(self._take_turn, out.to, edit))
        self._reactions.clear(out)

    async def typing(self, to: Address) -> None:
        """Show for five seconds that an answer is being prepared."""
        if self._pace(to).wait_s:
            return
        try:
            await self._sender.typing(to)
        except AdapterError as error:
            log.debug("%s", error)

    async def fetch(self, attachment: Attachment, into: Path, *, limit: int) -> None:
        await download(self._client, attachment, into, limit=limit)

    async def _receive_updates(self, handler: InboundHandler) -> None:
        me = await self._poller.retry("log in", self._client.bot.get_me)
        log.info("Telegram: @%s is there.", me.username)
        self._background.add("menu", partial(publish_menu, self._client, self._menu))
        parser = InboundParser(me, now=self._now, commands=[entry.name for entry in self._menu])
        if self._webhook_server:
            from adapters.telegram.webhook import Webhook

            async def handle(raw: RawUpdate) -> bool:
                work = self._handle_update(raw, parser, handler)
                return await handler.isolate(work, f"Telegram update {raw['update_id']}") is None

            await Webhook(self._webhook_server, self._poller, now=self._now).run(handle)
            return
        async with aclosing(self._poller.batches()) as batches:
            async for batch in batches:
                for update in batch:
                    await self._handle_update(update, parser, handler)

    async def _handle_update(self, raw: RawUpdate, parser: InboundParser, handler: InboundHandler) -> None:
        try:
            _check_size(raw)
            update, inbound = self._parse(raw, parser)
        except UNREADABLE as error:
            log.exception("Telegram sent an update that cannot be read: %s.", raw["update_id"])
            kept = json.dumps(raw, ensure_ascii=False)[:MAX_QUARANTINED_CHARS]
            account = f"{self.platform}.{self.bot}"
            event = Unreadable(account, str(raw["update_id"]), sender_id(raw), kept, type(error).__name__)
            await handler.unreadable(event)
            return
        is_taken = inbound is not None and await handler.receive(inbound)
        if inbound and is_taken and inbound.happening is Happening.MESSAGE:  # an edited one may stand far above
            self._newest_message[inbound.address.chat] = inbound.message
        if update.callback_query:
            self._background.add("tap", partial(self._acknowledge, update.callback_query))

    def _parse(self, raw: RawUpdate, parser: InboundParser) -> tuple[Update, Inbound | None]:
        """Parse an update, or what can be read of it."""
        try:
            update = Update.de_json(raw, self._client.bot)
        except UNREADABLE:
            part = readable_part(raw)
            if part is None:
                raise
            update = Update.de_json(part, self._client.bot)
        if update.my_chat_member:
            log_membership(update.my_chat_member)
        return update, parser.parse(update)

    async def _acknowledge(self, query: CallbackQuery) -> None:
        """Stop the button's progress indicator; the answer to the tap comes as a message."""
        with self._client.translate_errors("answer a tap"):
            await self._client.bot.answer_callback_query(query.id)

    async def _react(self, to: Address, message: str, _shown: str, emoji: str) -> None:
        with self._client.translate_errors(f"react to a message in chat {to.chat}"):
            reaction = [{"type": "emoji", "emoji": emoji}] if emoji else []
            fields = {"chat_id": int(to.chat), "message_id": int(message), "reaction": reaction}
            await self._client.call("setMessageReaction", fields)

    def _pace(self, to: Address) -> Pace:
        interval_s = DRAFT_S if to.kind is ChatKind.PRIVATE else DRAFT_IN_GROUPS_S
        return self._paces.pace(to.chat, interval_s, thread=to.thread)

    async def _take_turn(self, to: Address, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request; within a minute of limits to two chats, when the limit over all chats allows it.

        A limit to one chat says nothing about the others, and without any there is no reason to let people wait.
        """
        if len(self._limited_at) > 1 and self._monotonic() - min(self._limited_at.values()) < RECOVERY_S:
            await self._limit.take()
        try:
            return await request()
        except SlowDown:
            self._limited_at[to.chat] = self._monotonic()
            raise


def _check_size(raw: RawUpdate) -> None:
    """Raise `ValueError` if an update contains a list that is longer than any of Telegram's."""
    remaining: list[object] = [raw]
    while remaining:
        value = remaining.pop()
        if isinstance(value, list) and len(value) > MAX_LIST_ITEMS:
            raise ValueError(f"a list of {len(value):,} things")
        remaining += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
