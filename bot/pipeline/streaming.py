"""Shows a turn while it is under way: a typing notice, then the answer as it grows, in the message that it ends in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from adapters.pacing import keep_typing
from adapters.port import PLACEHOLDER, Adapter, Outbound, Receipt, ShowsProgress
from bot.pipeline.batch import MessageBatch
from bot.pipeline.rendering import Renderer
from bot.pipeline.sending import attempt
from bot.storage.port import Coordinator, Grant
from bot.turn import SILENT, AdapterSink, ProgressSink
from bot.waiting import Pause

OFFER_S = 1.0
"""How often a growing answer is offered to its adapter, which keeps to the chat's own pace."""

CLEAR_S = 0.1
"""How often it is looked whether an earlier answer has arrived."""

TYPING_AFTER_S = 0.3
"""Commands have been answered by then."""


class StreamBuffer:
    """What a turn has told of itself so far (`bot.turn.ProgressSink`).

    Attributes:
        begun: there is something to show, or the turn has ended.
        over: the turn has ended.
    """

    def __init__(self) -> None:
        self.begun, self.over = asyncio.Event(), asyncio.Event()
        self._text = ""
        self._doing = ""

    @property
    def shown(self) -> str:
        """The answer as far as it has come, and what goes on."""
        busy = f"_{self._doing} …_" if self._doing else ""
        return "\n\n".join(filter(None, (self._text.strip(), busy))) or PLACEHOLDER

    async def text(self, so_far: str) -> None:
        self._text = so_far
        if so_far.strip():
            self.begun.set()

    async def doing(self, what: str) -> None:
        self._doing = what
        if what:
            self.begun.set()

    async def rest(self, seconds: float) -> None:
        """Wait so long, but not beyond the end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.over.wait()

    def end(self) -> None:
        self.over.set()
        self.begun.set()


class ReplyStream:
    """Shows the turns of one agent.

    Args:
        grant: for the agent.
        coordinator: where placeholders are put down, so that the answer is edited into them whatever happens.
        renderer: makes what a chat is sent of a text.
        pause: waits between typing notices.
    """

    def __init__(self, grant: Grant, coordinator: Coordinator, *, renderer: Renderer, pause: Pause) -> None:
        self._grant = grant
        self._coordinator = coordinator
        self._renderer = renderer
        self._pause = pause

    @asynccontextmanager
    async def of(self, burst: MessageBatch) -> AsyncIterator[ProgressSink]:
        """Show what the turn tells until the block ends; no exception but a cancellation may leave the block."""
        adapter = self._renderer.adapter(burst)
        if adapter is None:
            yield SILENT
        elif isinstance(adapter, ShowsProgress):
            yield AdapterSink(adapter, burst.newest.inbound.address)
        else:
            growth = StreamBuffer()
            async with asyncio.TaskGroup() as group:
                typing = group.create_task(self._type(burst, adapter))
                if _can_grow(burst, adapter):
                    group.create_task(self._grow(burst, adapter, growth, typing=typing))
                yield growth
                growth.end()
                typing.cancel()

    async def _type(self, burst: MessageBatch, adapter: Adapter) -> None:
        if adapter.capabilities.typing_s:
            await self._pause(TYPING_AFTER_S)
            await keep_typing(adapter, burst.newest.inbound.address, pause=self._pause)

    async def _grow(
        self, burst: MessageBatch, adapter: Adapter, growth: StreamBuffer, *, typing: asyncio.Task[None]
    ) -> None:
        """Edit what there is into a placeholder, again and again. A request under way is let end, not cancelled."""
        await growth.begun.wait()
        while not growth.over.is_set() and await self._coordinator.owes(self._grant, burst.newest.inbound.address):
            await growth.rest(CLEAR_S)  # the answer before this one is on its way, and is to stand above it
        placeholder = None if growth.over.is_set() else await self._place(burst, adapter)
        if placeholder is None:
            return
        typing.cancel()
        while not growth.over.is_set():
            draft = self._renderer.draft(burst, growth.shown)
            await attempt(_edit(adapter, placeholder, draft), draft)
            await growth.rest(OFFER_S)

    async def _place(self, burst: MessageBatch, adapter: Adapter) -> Receipt | None:
        """The placeholder, on disk; None if it cannot be sent now: then the outbox sees to the answer alone."""
        out = replace(self._renderer.draft(burst, PLACEHOLDER), draft=False)
        outcome = await attempt(adapter.send(out), out)
        if not isinstance(outcome, Receipt):
            return None
        await self._coordinator.placed(self._grant, out.id, outcome)
        return outcome


def _can_grow(burst: MessageBatch, adapter: Adapter) -> bool:
    """Whether the answer will be edited into a placeholder, and there is none yet from an earlier attempt."""
    limits = adapter.capabilities
    return limits.edits and not limits.idempotent and burst.attempts == 1


async def _edit(adapter: Adapter, placeholder: Receipt, draft: Outbound) -> Receipt:
    await adapter.edit(placeholder, draft)
    return placeholder
