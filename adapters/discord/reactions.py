"""Small signs that cost nothing if they fail: the reaction to a message until it is answered, and typing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

import discord

from adapters.discord.errors import failures
from adapters.port import AdapterError, Address, Happening, Inbound, Outbound

MOST_WAITING = 32
"""Discord takes about four reactions a second in a channel; what does not get its turn goes without."""

SIGN_S = 5
"""A sign that takes longer comes too late."""

log = logging.getLogger(__name__)


class ReadReceipts:
    """Sends signs one after the other, and never lets anybody wait for them.

    Args:
        client: logged in.
        receipt: the reaction that says that a message was accepted; none if empty.
    """

    def __init__(self, client: discord.Client, *, receipt: str) -> None:
        self._client = client
        self._receipt = receipt
        self._waiting: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue(MOST_WAITING)
        self._marked: dict[Address, set[int]] = {}

    def accepted(self, inbound: Inbound) -> None:
        """In a server's channel, mark a message that will be answered."""
        is_question = inbound.happening is Happening.MESSAGE and inbound.addressed
        if self._receipt and is_question and inbound.address.guild and not self._waiting.full():
            message = int(inbound.message)
            self._marked.setdefault(inbound.address, set()).add(message)
            place = self._place(inbound.address, message)
            self._waiting.put_nowait(partial(place.get_partial_message(message).add_reaction, self._receipt))

    def answered(self, out: Outbound) -> None:
        """Take the marks off what a reply answers, when its last part has arrived: the question and those before it."""
        if not out.last or not out.reply_to or self._client.user is None or out.to not in self._marked:
            return
        marked = self._marked[out.to]
        for message in [message for message in marked if message <= int(out.reply_to)]:
            marked.discard(message)
            if not self._waiting.full():
                question = self._place(out.to, message).get_partial_message(message)
                self._waiting.put_nowait(partial(question.remove_reaction, self._receipt, self._client.user))
        if not marked:
            del self._marked[out.to]

    async def run(self) -> None:
        """Send what is to be sent, until cancelled."""
        while True:
            await _briefly("A reaction", await self._waiting.get())

    async def type(self, to: Address) -> None:
        """Show for ten seconds that an answer is being prepared."""
        is_thread_open = to.thread is not None and self._client.get_channel(int(to.thread)) is not None
        channel = to.thread if to.thread and is_thread_open else to.chat
        await _briefly("Typing", self._client.get_partial_messageable(int(channel)).typing)

    def _place(self, address: Address, message: int) -> discord.PartialMessageable:
        """Where a message stands: the one that a thread begins with is outside of it."""
        is_inside = address.thread is not None and address.thread != str(message)
        channel = address.thread if address.thread and is_inside else address.chat
        return self._client.get_partial_messageable(int(channel))


async def _briefly(what: str, sign: Callable[[], Awaitable[None]]) -> None:
    try:
        async with asyncio.timeout(SIGN_S):
            with failures(what):
                await sign()
    except (AdapterError, TimeoutError) as error:
        log.debug("%s", error)
