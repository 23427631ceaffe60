"""Shows a turn while it is under way: a typing notice, then the answer as it grows, in the message that it ends in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, replace

from adapters.pacing import keep_typing
from adapters.port import PLACEHOLDER, Adapter, Address, ChatKind, Growing, Receipt, ShowsProgress
from bot.access.chat_settings import ChatSettings
from bot.pipeline.batch import MessageBatch
from bot.pipeline.delivery.outbox import Adapters, attempt, edit
from bot.pipeline.delivery.rendering import Renderer
from bot.storage.coordinator import Coordinator
from bot.storage.port import Grant
from bot.turn import SILENT, AdapterSink, ProgressSink
from bot.waiting import Pause, either

SettingsOf = Callable[[Address], ChatSettings]
"""Says what holds in a chat."""

OFFER_S = 0.5
"""How often a growing answer is offered to its adapter, which keeps to the chat's own pace."""

FIRST_OFFER_S = 0.3
"""How long an answer may grow beside its placeholder: one that is ready by then is edited in once, and all of it."""

HELD_BACK_S = 1.0
"""How long an answer for several people is held back, where each edit counts: it may be ready, and is sent at once."""

TYPING_AFTER_S = 0.3
"""Commands have been answered by then."""


class StreamBuffer:
    """What a turn has told of itself so far (`bot.turn.ProgressSink`).

    Attributes:
        begun: there is something to show, or the turn has ended.
    """

    def __init__(self) -> None:
        self.begun, self.over = asyncio.Event(), asyncio.Event()
        self._text: Growing = str
        self._doing = ""

    @property
    def shown(self) -> str:
        """The answer as far as it has come, and what goes on."""
        busy = f"_{self._doing} …_" if self._doing else ""
        return "\n\n".join(filter(None, (self._text().strip(), busy))) or PLACEHOLDER

    async def text(self, so_far: Growing) -> None:
        self._text = so_far
        if not self.begun.is_set() and so_far().strip():
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


@dataclass
class ReplyStream:
    """Shows the turns of one agent.

    The coordinator writes placeholders down, so that the answer is edited into them whatever happens.
    """

    grant: Grant
    coordinator: Coordinator
    _: KW_ONLY
    adapters: Adapters
    renderer: Renderer
    pause: Pause
    settings: SettingsOf

    @asynccontextmanager
    async def show(self, batch: MessageBatch, *, may_be_silent: bool = False) -> AsyncIterator[ProgressSink]:
        """Show what the turn tells until the block ends; no exception but a cancellation may leave the block.

        Of a turn that may end without an answer nothing is shown.
        """
        to = batch.newest.inbound.address
        adapter = self.adapters.get(to.account)
        if adapter is None or may_be_silent:
            yield SILENT
        elif isinstance(adapter, ShowsProgress):
            yield AdapterSink(adapter, to)
        else:
            buffer, can = StreamBuffer(), adapter.capabilities

            async def show_typing() -> None:
                if can.typing_s:
                    await self.pause(TYPING_AFTER_S)
                    await keep_typing(adapter, to, pause=self.pause)

            async with asyncio.TaskGroup() as group:
                typing = group.create_task(show_typing())
                # a repeated turn has its placeholder from an earlier attempt
                if can.edits and batch.attempts == 1 and self.settings(to).streaming:
                    group.create_task(self._grow(batch, adapter, buffer, typing=typing))
                yield buffer
                buffer.end()
                typing.cancel()

    async def _grow(
        self, batch: MessageBatch, adapter: Adapter, buffer: StreamBuffer, *, typing: asyncio.Task[None]
    ) -> None:
        """Edit what there is into a placeholder, again and again. A request under way is let end, not cancelled."""
        to, can = batch.newest.inbound.address, adapter.capabilities
        await buffer.begun.wait()
        if can.idempotent:  # a short answer comes whole, with one request
            typing.cancel()
            await buffer.rest(OFFER_S)
        elif to.kind is not ChatKind.PRIVATE:
            await buffer.rest(HELD_BACK_S)
        if not buffer.over.is_set() and await self.coordinator.owes(self.grant, to):
            # an answer before this one is to be above it
            await either(self.coordinator.wait_delivered(self.grant, to), buffer.over.wait())
        if buffer.over.is_set():
            return
        # where ids are recognised, the message becomes the answer whatever happens, and so may begin with its words
        begins_with = buffer.shown if can.idempotent else PLACEHOLDER
        out = replace(self.renderer.draft(batch, begins_with), draft=False)
        placeholder = await attempt(adapter.send(out), out)
        if not isinstance(placeholder, Receipt):
            return  # it cannot be sent now: the outbox sees to the answer alone
        await self.coordinator.record_placeholder(self.grant, out.id, placeholder, is_urgent=False)  # still empty
        typing.cancel()
        await buffer.rest(OFFER_S if can.idempotent else FIRST_OFFER_S)
        while not buffer.over.is_set():
            draft = self.renderer.draft(batch, buffer.shown)
            await attempt(edit(adapter, placeholder, draft), draft)
            await buffer.rest(OFFER_S)
