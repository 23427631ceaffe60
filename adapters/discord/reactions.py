"""Read receipts: a reaction on each accepted message, until it is answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

import discord

from adapters.discord.errors import UNREADABLE, translate_errors
from adapters.port import AdapterError, Address, Happening, Inbound, Outbound

log = logging.getLogger(__name__)

MAX_QUEUED = 32
"""Discord takes about four reactions a second in a channel; further ones are dropped."""

TIMEOUT_S = 5
"""A reaction that takes longer is given up."""


class ReadReceipts:
    """Sets and removes reactions one after the other, in the background.

    Args:
        client: logged in.
        receipt: the reaction that marks an accepted message; none if empty.
    """

    def __init__(self, client: discord.Client, *, receipt: str) -> None:
        self._client = client
        self._receipt = receipt
        self._queue: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue(MAX_QUEUED)
        self._marked: dict[Address, set[int]] = {}

    def mark(self, inbound: Inbound) -> None:
        """Mark a message of a server's channel that will be answered."""
        is_question = inbound.happening is Happening.MESSAGE and inbound.addressed
        if self._receipt and is_question and inbound.address.guild and not self._queue.full():
            message = int(inbound.message)
            self._marked.setdefault(inbound.address, set()).add(message)
            self._queue.put_nowait(partial(self._message(inbound.address, message).add_reaction, self._receipt))

    def clear(self, out: Outbound) -> None:
        """Remove the marks of what a reply answers, once its last part was sent: the question and those before it."""
        if not out.last or not out.reply_to or self._client.user is None or out.to not in self._marked:
            return
        marked = self._marked[out.to]
        for message in [message for message in marked if message <= int(out.reply_to)]:
            marked.discard(message)
            if not self._queue.full():
                question = self._message(out.to, message)
                self._queue.put_nowait(partial(question.remove_reaction, self._receipt, self._client.user))
        if not marked:
            del self._marked[out.to]

    async def run(self) -> None:
        """Send the queued reactions until cancelled."""
        while True:
            send = await self._queue.get()
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    with translate_errors("A reaction"):
                        await send()
            except (AdapterError, TimeoutError, *UNREADABLE) as error:
                log.debug("%s", error)

    def _message(self, address: Address, message: int) -> discord.PartialMessage:
        """Return a message; the one that a thread begins with is in the channel, not in the thread."""
        is_inside = address.thread is not None and address.thread != str(message)
        channel = address.thread if address.thread and is_inside else address.chat
        return self._client.get_partial_messageable(int(channel)).get_partial_message(message)
