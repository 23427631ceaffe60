"""Reactions that show how far an answer has come, and requests in the background whose failure does not matter."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from adapters.port import AdapterError, Address
from adapters.status_marks import StatusMarks
from adapters.telegram.client import BotApiClient

log = logging.getLogger(__name__)

BackgroundCall = Callable[[], Awaitable[None]]

WORKERS = 4
MAX_QUEUED = 1000
"""While Telegram cannot be reached, further calls are dropped."""


class BackgroundCalls:
    """A queue of calls, made while `run` does."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[tuple[str, BackgroundCall]] = asyncio.Queue(MAX_QUEUED)

    def add(self, what: str, call: BackgroundCall) -> bool:
        """Queue a call, which `what` names in the log; returns whether there was room for it."""
        if self._queue.full():
            log.debug("Too much waits: a %s was dropped.", what)
            return False
        self._queue.put_nowait((what, call))
        return True

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


class StatusReactions(StatusMarks):
    """Sets a reaction on each message that is to be answered, until it is."""

    def __init__(self, client: BotApiClient, background: BackgroundCalls) -> None:
        super().__init__(partial(background.add, "reaction"), self._set)
        self._client = client

    async def _set(self, to: Address, message: str, _: str, emoji: str) -> None:
        with self._client.translate_errors(f"react to a message in chat {to.chat}"):
            reaction = [{"type": "emoji", "emoji": emoji}] if emoji else []
            fields = {"chat_id": int(to.chat), "message_id": int(message), "reaction": reaction}
            await self._client.call("setMessageReaction", fields)
