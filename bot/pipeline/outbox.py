"""Delivers what is owed: in order within a chat, chats side by side."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import structlog

from adapters.port import PLACEHOLDER, Adapter, Receipt
from bot.pipeline.sending import Adapters, SendFailure, SendOutcome, attempt
from bot.pipeline.worker import KeyedQueues
from bot.storage.port import Coordinator, Grant, OutboxPart, PartState
from bot.waiting import Pause

LONGEST_WAIT_S = 60
REPEATS = 5
"""How often a part at which the adapter itself failed is sent again where the platform recognises the repetition, and
how many placeholders are made in the place of others that were deleted."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Outbox:
    """Hands parts to their adapters until each has a receipt or is given up."""

    def __init__(self, coordinator: Coordinator, *, platforms: Adapters, pause: Pause) -> None:
        self._coordinator = coordinator
        self._platforms = platforms
        self._pause = pause

    async def run(self, grant: Grant) -> None:
        """Deliver for one agent until cancelled, beginning with what an earlier process still owed."""
        async with asyncio.TaskGroup() as group:
            lanes: KeyedQueues[OutboxPart] = KeyedQueues(group, partial(self._serve, grant))
            accounts = self._platforms.accounts
            seen = 0
            while True:
                for part in await self._coordinator.outgoing(grant, accounts, after=seen):
                    lanes.put(_chat(part), part)
                    seen = part.seq

    async def _serve(self, grant: Grant, owed: deque[OutboxPart]) -> None:
        while owed:
            part = owed.popleft()
            adapter = self._platforms.adapter(part.out.to)
            if adapter.capabilities.edits and not adapter.capabilities.idempotent:
                await self._fill(grant, part, adapter)
            elif part.state is PartState.SENDING and not adapter.capabilities.repeats:
                await self._give_up(grant, part, "the process ended while it was being sent; it may have arrived")
            else:
                await self._deliver(grant, part, adapter)

    async def _deliver(self, grant: Grant, part: OutboxPart, adapter: Adapter) -> None:
        """Send it; again, if it is clear that it has not arrived, or if the platform takes repetitions."""
        repeatable = adapter.capabilities.repeats
        if part.seq < grant.first:  # an earlier process may have sent it longer ago than the platform remembers
            part = replace(part, out=replace(part.out, again=True))
        for tries, usual_wait in enumerate(_waits(), start=1):
            if not repeatable:  # where a repetition is taken, recovery may as well begin anew
                await self._coordinator.sending(grant, part.seq)
            outcome = await attempt(adapter.send(part.out), part.out)
            match outcome:
                case Receipt():
                    return await self._coordinator.receipt(grant, part.seq, outcome)
                case SendFailure(SendOutcome.REFUSED | SendOutcome.GONE | SendOutcome.MOVED, reason):
                    return await self._give_up(grant, part, reason)
                case SendFailure(SendOutcome.UNCLEAR, reason) if not repeatable:
                    return await self._give_up(grant, part, f"{reason}; it may have arrived")
                case SendFailure(SendOutcome.BROKEN, reason) if not repeatable or tries > REPEATS:
                    return await self._give_up(grant, part, f"{reason}; it may have arrived")
                case SendFailure():
                    if not repeatable:
                        await self._coordinator.requeue(grant, part.seq)
                    await self._wait(part, outcome, usual_wait)
        return None

    async def _fill(self, grant: Grant, part: OutboxPart, adapter: Adapter) -> None:
        """Edit it into a placeholder whose id is on disk.

        A crash can leave a placeholder too many, never a text: editing the same text in again changes nothing.
        """
        if part.out.replaces and not part.placed:
            part = replace(part, placed=Receipt(part.out.replaces))
        gone, waits = 0, _waits()
        while True:
            outcome = await attempt(_fill_in(adapter, part), part.out)
            match outcome:
                case Receipt() if part.placed:
                    return await self._coordinator.receipt(grant, part.seq, outcome)
                case Receipt():
                    await self._coordinator.placed(grant, part.out.id, outcome)
                    part, waits = replace(part, placed=outcome), _waits()
                case SendFailure(SendOutcome.MOVED, chat=chat):
                    part = _moved(part, chat)
                case SendFailure(SendOutcome.GONE) if gone < REPEATS:
                    part, gone = replace(part, placed=None, out=replace(part.out, replaces=None)), gone + 1
                case SendFailure(SendOutcome.UNSENT | SendOutcome.UNCLEAR):
                    await self._wait(part, outcome, next(waits))
                case SendFailure(_, reason):
                    return await self._give_up(grant, part, reason)

    async def _wait(self, part: OutboxPart, failure: SendFailure, usual_wait: float) -> None:
        log.warning("part.delayed", part=part.out.id, chat=_chat(part), reason=failure.reason)
        await self._pause(usual_wait if failure.wait_s is None else failure.wait_s)

    async def _give_up(self, grant: Grant, part: OutboxPart, reason: str) -> None:
        log.error("part.dead", part=part.out.id, chat=_chat(part), reason=reason)
        await self._coordinator.dead(grant, part.seq, reason)


async def _fill_in(adapter: Adapter, part: OutboxPart) -> Receipt:
    """Make the placeholder, or edit the text into it; the receipt of the message."""
    if part.placed is None:
        return await adapter.send(replace(part.out, text=PLACEHOLDER, buttons=(), files=(), last=False))
    await adapter.edit(part.placed, part.out)
    return part.placed


def _moved(part: OutboxPart, chat: str) -> OutboxPart:
    """The same part for the chat's new id; what stands under the old one cannot be edited any more."""
    return replace(part, placed=None, out=replace(part.out, to=replace(part.out.to, chat=chat), replaces=None))


def _waits() -> Iterator[float]:
    """Seconds between tries: 1, 2, 4 ... up to a minute, without end: what is owed stays owed."""
    wait_s = 1
    while True:
        yield wait_s
        wait_s = min(2 * wait_s, LONGEST_WAIT_S)


def _chat(part: OutboxPart) -> str:
    return f"{part.out.to.account}:{part.out.to.chat}"
