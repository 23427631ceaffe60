"""Read receipts by reaction, and calls whose failure does not matter."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from telegram.constants import ReactionEmoji

from adapters.port import AdapterError, Address, ChatKind, Happening, Inbound, Outbound
from adapters.telegram.client import BotApiClient

Errand = Callable[[], Awaitable[None]]

AT_ONCE = 4
MOST = 1000
"""Errands that may wait; when Telegram is not there, further ones are dropped."""

log = logging.getLogger(__name__)


class BackgroundCalls:
    """A queue of errands; they are run while `run` does."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[tuple[str, Errand]] = asyncio.Queue(MOST)

    def add(self, what: str, errand: Errand) -> None:
        """Have something done; `what` names it in the log."""
        if self._waiting.full():
            log.debug("Too much waits: a %s was dropped.", what)
            return
        self._waiting.put_nowait((what, errand))

    async def run(self) -> None:
        """Do what comes until cancelled."""
        async with asyncio.TaskGroup() as group:
            for number in range(AT_ONCE):
                group.create_task(self._work(), name=f"telegram errands {number}")

    async def _work(self) -> None:
        while True:
            what, errand = await self._waiting.get()
            try:
                await errand()
            except AdapterError as error:
                log.debug("A %s failed: %s", what, error)


REMEMBERED = 1000
"""Marked messages that are kept in mind; a mark that is forgotten, as by a restart, stays if its message is not the one
that the answer refers to."""


class ReadReceipts:
    """The marks of one account."""

    def __init__(self, account: BotApiClient, errands: BackgroundCalls) -> None:
        self._account = account
        self._errands = errands
        self._marked: OrderedDict[tuple[Address, str], None] = OrderedDict()

    def open(self, inbound: Inbound) -> None:
        """Mark a message that was let in."""
        is_question = inbound.happening is Happening.MESSAGE and inbound.addressed
        if not is_question or inbound.address.kind is not ChatKind.GROUP:
            return
        self._marked[inbound.address, inbound.message] = None
        if len(self._marked) > REMEMBERED:
            self._marked.popitem(last=False)
        self._react(inbound.address, inbound.message, ReactionEmoji.EYES)

    def close(self, out: Outbound) -> None:
        """Take the marks off the message that has been answered, and off those before it that it answers as well."""
        if out.reply_to is None or not out.last or out.to.kind is not ChatKind.GROUP:
            return
        answered = [mark for mark in self._marked if mark[0] == out.to and int(mark[1]) <= int(out.reply_to)]
        for mark in answered:
            del self._marked[mark]
        for message in {message for _, message in answered} | {out.reply_to}:
            self._react(out.to, message, None)

    def _react(self, to: Address, message: str, emoji: str | None) -> None:
        async def react() -> None:
            with self._account.asking(f"react to a message in chat {to.chat}"):
                await self._account.bot.set_message_reaction(int(to.chat), int(message), emoji)

        self._errands.add("reaction", react)
