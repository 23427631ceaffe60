"""Read receipts, and requests in the background whose failure does not matter."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from telegram.constants import ReactionEmoji

from adapters.port import AdapterError, Address, ChatKind, Happening, Inbound, Outbound
from adapters.support import LimitedDict
from adapters.telegram.client import BotApiClient

log = logging.getLogger(__name__)

BackgroundCall = Callable[[], Awaitable[None]]

WORKERS = 4
MAX_QUEUED = 1000
"""While Telegram cannot be reached, further calls are dropped."""

MAX_MARKED_MESSAGES = 1000
"""How many marked messages are remembered; the mark of a forgotten one, as after a restart, stays unless the answer
refers to that message."""


class BackgroundCalls:
    """A queue of calls, made while `run` does."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[tuple[str, BackgroundCall]] = asyncio.Queue(MAX_QUEUED)

    def add(self, what: str, call: BackgroundCall) -> None:
        """Queue a call; `what` names it in the log."""
        if self._queue.full():
            log.debug("Too much waits: a %s was dropped.", what)
            return
        self._queue.put_nowait((what, call))

    async def run(self) -> None:
        """Make the queued calls until cancelled."""
        async with asyncio.TaskGroup() as group:
            for number in range(WORKERS):
                group.create_task(self._work(), name=f"telegram background calls {number}")

    async def _work(self) -> None:
        while True:
            what, call = await self._queue.get()
            try:
                await call()
            except AdapterError as error:
                log.debug("A %s failed: %s", what, error)


class ReadReceipts:
    """Sets a reaction on each accepted message of a group, until it is answered."""

    def __init__(self, client: BotApiClient, background: BackgroundCalls) -> None:
        self._client = client
        self._background = background
        self._marked = LimitedDict[tuple[Address, str], None](MAX_MARKED_MESSAGES)

    def mark(self, inbound: Inbound) -> None:
        """Mark a message of a group that will be answered."""
        is_question = inbound.happening is Happening.MESSAGE and inbound.addressed
        if is_question and inbound.address.kind is ChatKind.GROUP:
            self._marked[inbound.address, inbound.message] = None
            self._react(inbound.address, inbound.message, ReactionEmoji.EYES)

    def clear(self, out: Outbound) -> None:
        """Remove the marks of what a reply answers, once its last part was sent: the question and those before it."""
        if out.reply_to is None or not out.last or out.to.kind is not ChatKind.GROUP:
            return
        answered = [mark for mark in self._marked if mark[0] == out.to and int(mark[1]) <= int(out.reply_to)]
        for mark in answered:
            del self._marked[mark]
        for message in {message for _, message in answered} | {out.reply_to}:
            self._react(out.to, message, None)

    def _react(self, to: Address, message: str, emoji: str | None) -> None:
        async def react() -> None:
            with self._client.translate_errors(f"react to a message in chat {to.chat}"):
                await self._client.bot.set_message_reaction(int(to.chat), int(message), emoji)

        self._background.add("reaction", react)
