"""Telegram as a chat platform: one bot account, its command menu, and updates that cannot be read."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Self

from telegram import BotCommand, CallbackQuery, Chat, ChatMember, ChatMemberUpdated, Update

from adapters.pacing import Monotonic, Pace, Paces
from adapters.port import (
    AdapterError,
    Address,
    Attachment,
    Capabilities,
    ChatKind,
    Inbound,
    InboundHandler,
    MenuEntry,
    MessageGone,
    Outbound,
    Receipt,
    Unreadable,
)
from adapters.telegram.client import BotApiClient, Poller, RawUpdate
from adapters.telegram.inbound import InboundParser, sender_id
from adapters.telegram.options import TelegramOptions
from adapters.telegram.outbound import MAX_UPLOAD_BYTES as UPLOAD_LIMIT
from adapters.telegram.outbound import MessageSender, download
from adapters.telegram.reactions import BackgroundCalls, ReadReceipts
from adapters.telegram.rendering import CAPTION_LIMIT, TEXT_LIMIT

MOST = 100
LONGEST_SUMMARY = 256
_NAME = re.compile(r"[a-z0-9_]{1,32}")


async def publish(account: BotApiClient, entries: Sequence[MenuEntry]) -> None:
    """Make the menu what it should be, unless it is already. Names that Telegram does not take are left out."""
    wanted = tuple(
        BotCommand(entry.name, entry.summary[:LONGEST_SUMMARY]) for entry in entries if _NAME.fullmatch(entry.name)
    )[:MOST]
    with account.asking("show the menu of commands"):
        if await account.bot.get_my_commands() != wanted:
            await account.bot.set_my_commands(wanted)


_OUTSIDE = {ChatMember.LEFT, ChatMember.BANNED}


def say(change: ChatMemberUpdated) -> None:
    """One line for each change between inside and outside; its chat id is what access rules are written with."""
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


DRAFT_S = 1.5
DRAFT_IN_GROUPS_S = 3.0
"""The shortest time between two states of a growing answer. Bots that edit much more often are silenced for minutes."""

SENSELESS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading an update raises if it is not made as it should be."""

LONGEST_LIST = 1000
"""Telegram's own longest list is that of a text's entities: a hundred. Reading thousands keeps everybody waiting."""

LONGEST_KEPT = 100_000
"""Characters of an update that cannot be read."""

REMEMBERED = 1000
"""Chats whose newest message is kept in mind."""

log = logging.getLogger(__name__)


class TelegramAdapter:
    """`adapters.port.Adapter` for Telegram. Make one with `open`."""

    platform = "telegram"
    capabilities = Capabilities(
        text_limit=TEXT_LIMIT,
        text_unit="utf16",
        edits=True,
        typing_s=5,
        buttons=True,
        file_limit=UPLOAD_LIMIT,
        caption_limit=CAPTION_LIMIT,
    )

    def __init__(
        self,
        account: BotApiClient,
        *,
        menu: Sequence[MenuEntry],
        now: Callable[[], datetime],
        monotonic: Monotonic,
        pause: Callable[[float], Awaitable[None]],
    ) -> None:
        self.bot = account.id
        self._account = account
        self._menu = menu
        self._now = now
        self._poller = Poller(account, pause=pause)
        self._paces = Paces(monotonic=monotonic)
        self._sending = MessageSender(account)
        self._errands = BackgroundCalls()
        self._eyes = ReadReceipts(account, self._errands)
        self._newest: OrderedDict[str, str] = OrderedDict()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        options: TelegramOptions,
        *,
        menu: Sequence[MenuEntry] = (),
        now: Callable[[], datetime],
        monotonic: Monotonic = time.monotonic,
        pause: Callable[[float], Awaitable[None]],
    ) -> AsyncIterator[Self]:
        """The adapter of one account; leaving the block closes its connections.

        Args:
            options: the account.
            menu: the commands that the apps offer.
            now: the current instant, aware.
            monotonic: seconds, for the pace of edits.
            pause: waits so many of them.

        Raises:
            LoginRefused: what is given as the token is not one.
        """
        account = BotApiClient(options.token, api=options.api)
        try:
            yield cls(account, menu=menu, now=now, monotonic=monotonic, pause=pause)
        finally:
            await account.close()

    async def run(self, door: InboundHandler) -> None:
        """Bring events to the door until cancelled. Each is on disk before Telegram hears that it was received.

        Raises:
            LoginRefused: the token is not accepted, or no longer.
        """
        try:
            async with asyncio.TaskGroup() as group:
                errands = group.create_task(self._errands.run())
                await self._bring(door)
                errands.cancel()
        except ExceptionGroup as failures:
            raise _first(failures) from failures

    async def send(self, out: Outbound) -> Receipt:
        """Deliver a message; raises one of the `AdapterError`s."""
        if out.replaces is not None:
            try:
                await self.edit(Receipt(out.replaces), out)
                return Receipt(out.replaces)
            except MessageGone as error:
                log.info("%s A new message takes its place.", error)
        shown = out if self._is_reply(out) else replace(out, reply_to=None)
        receipt = await self._pace(out.to).final(partial(self._sending.send, shown))
        self._eyes.close(out)
        return receipt

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Replace a delivered message; raises one of the `AdapterError`s unless it is a draft."""
        edit = partial(self._sending.edit, receipt, out)
        if out.draft:
            await self._pace(out.to).draft(receipt, out.text, edit)
            return
        await self._pace(out.to).final(edit)
        self._eyes.close(out)

    async def typing(self, to: Address) -> None:
        """Show for five seconds that an answer is being prepared."""
        if self._pace(to).wait_s:
            return
        try:
            await self._sending.typing(to)
        except AdapterError as error:
            log.debug("%s", error)

    async def fetch(self, attachment: Attachment, into: Path, *, limit: int) -> None:
        """Write an attachment's bytes into this file, whole or not at all.

        Raises:
            FileRefused: it is larger than `limit` or than Telegram's own 20 MB, or gone.
        """
        await download(self._account, attachment, into, limit=limit)

    async def _bring(self, door: InboundHandler) -> None:
        me = await self._poller.persistently("log in", self._account.bot.get_me)
        log.info("Telegram: @%s is there.", me.username)
        self._errands.add("menu", partial(publish, self._account, self._menu))
        reader = InboundParser(me, now=self._now)
        async with aclosing(self._poller.batches()) as batches:
            async for batch in batches:
                for update in batch:
                    await self._take(update, reader, door)

    async def _take(self, raw: RawUpdate, reader: InboundParser, door: InboundHandler) -> None:
        try:
            _check_size(raw)
            update = Update.de_json(raw, self._account.bot)
            inbound = reader.event(update)
            if update.my_chat_member:
                say(update.my_chat_member)
        except SENSELESS as error:
            log.exception("Telegram sent an update that cannot be read: %s.", raw["update_id"])
            await door.unreadable(self._unreadable(raw, error))
            return
        if inbound and await door.receive(inbound):
            self._received(inbound)
        if update.callback_query:
            self._errands.add("tap", partial(self._answer, update.callback_query))

    def _unreadable(self, raw: RawUpdate, error: Exception) -> Unreadable:
        told = json.dumps(raw, ensure_ascii=False)[:LONGEST_KEPT]
        account = f"{self.platform}.{self.bot}"
        return Unreadable(account, str(raw["update_id"]), sender_id(raw), told, type(error).__name__)

    def _received(self, inbound: Inbound) -> None:
        self._eyes.open(inbound)
        self._newest[inbound.address.chat] = inbound.message
        self._newest.move_to_end(inbound.address.chat)
        if len(self._newest) > REMEMBERED:
            self._newest.popitem(last=False)

    async def _answer(self, query: CallbackQuery) -> None:
        """Let the button stop turning; what comes of the tap shows in the chat."""
        with self._account.asking("answer a tap"):
            await self._account.bot.answer_callback_query(query.id)

    def _is_reply(self, out: Outbound) -> bool:
        """Whether to show which message is answered: among several people, or when something came in between."""
        return out.to.kind is not ChatKind.PRIVATE or self._newest.get(out.to.chat) != out.reply_to

    def _pace(self, to: Address) -> Pace:
        return self._paces.pace(to.chat, DRAFT_S if to.kind is ChatKind.PRIVATE else DRAFT_IN_GROUPS_S)


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    """The first failure itself."""
    failure: Exception = failures
    while isinstance(failure, ExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def _check_size(raw: RawUpdate) -> None:
    """Raises `ValueError` if there is a list in an update that is longer than Telegram makes any."""
    waiting: list[object] = [raw]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list) and len(value) > LONGEST_LIST:
            raise ValueError(f"a list of {len(value):,} things")
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
