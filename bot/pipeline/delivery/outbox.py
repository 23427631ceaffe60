"""Delivers what is owed: in order within a chat or a thread of it, chats and threads side by side."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path

import structlog
from structlog.contextvars import bound_contextvars

from adapters.port import (
    PLACEHOLDER,
    Adapter,
    AdapterError,
    Address,
    Ambiguous,
    Capabilities,
    ChatKind,
    ChatMoved,
    ComesAndGoes,
    LoginRefused,
    MessageGone,
    NotSent,
    Outbound,
    Receipt,
    SendRefused,
    SlowDown,
)
from bot.storage.coordinator import Coordinator
from bot.storage.port import Grant, OutboxPart, PartState
from bot.supervision import KeyedQueues
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import in_code
from bot.waiting import Pause, backoff

TIMEOUT_S = 120
SLOWEST_BYTES_S = 16 * 1024
"""Bytes a second at which files go out at least; as long as they may take so, their message is not sent again."""

MAX_WAIT_S = 20
MAX_REPEATS = 5
"""How often a part at which the adapter itself failed is sent again where the platform recognises the repetition, and
how many placeholders are made in the place of others that were deleted."""

MAX_DIRECT_CHARS = 1000
"""The longest answer that is sent without a placeholder."""

REPEATED = mark("(You may have seen this already.)")
NOT_SHOWN = mark("My answer could not be shown here: {reason}")

UNKNOWN = Capabilities(text_limit=2000)
"""What any platform can take, for a chat whose adapter does not run at the moment."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Adapters(dict[str, Adapter]):
    """The adapters that run, by their bot accounts (`Address.account`)."""

    def __init__(self, adapters: Iterable[Adapter]) -> None:
        super().__init__({f"{adapter.platform}.{adapter.bot}": adapter for adapter in adapters})

    def reaches(self, to: Address) -> bool:
        """Return whether a message to a chat would be delivered now, as far as this process knows."""
        adapter = self.get(to.account)
        return adapter is not None and (not isinstance(adapter, ComesAndGoes) or adapter.is_present(to))

    def capabilities(self, to: Address) -> Capabilities:
        """Return what can be sent to a chat."""
        adapter = self.get(to.account)
        return adapter.capabilities if adapter else UNKNOWN


class SendOutcome(Enum):
    """What is known about a message whose request failed."""

    UNSENT = "no byte was taken"
    UNCLEAR = "it may have arrived"
    REFUSED = "it never will"
    GONE = "what was to be edited is not there"
    MOVED = "the chat has another id"
    BROKEN = "the adapter failed in a way of its own"


_OUTCOMES: tuple[tuple[type[AdapterError], SendOutcome], ...] = (
    (ChatMoved, SendOutcome.MOVED),
    (MessageGone, SendOutcome.GONE),
    (SendRefused, SendOutcome.REFUSED),
    (SlowDown, SendOutcome.UNSENT),
    (NotSent, SendOutcome.UNSENT),
    (LoginRefused, SendOutcome.UNSENT),
    (Ambiguous, SendOutcome.UNCLEAR),
)
"""The first that fits counts."""


@dataclass(frozen=True, slots=True)
class SendFailure:
    """A request that failed; `wait_s` if the platform asked for it, `chat` if it has another id now."""

    outcome: SendOutcome
    reason: str
    wait_s: float | None = None
    chat: str = ""


async def attempt(request: Awaitable[Receipt], out: Outbound) -> Receipt | SendFailure:
    """Wait for a request about a message, but not for ever."""
    limit_s = TIMEOUT_S
    try:
        limit_s += sum(path.stat().st_size for path in map(Path, out.files) if path.is_file()) // SLOWEST_BYTES_S
        async with asyncio.timeout(limit_s):
            return await request
    except TimeoutError:
        return SendFailure(SendOutcome.UNCLEAR, f"no answer within {limit_s} s")
    except Exception as error:
        outcome = next((outcome for kind, outcome in _OUTCOMES if isinstance(error, kind)), SendOutcome.BROKEN)
        if outcome is SendOutcome.BROKEN:
            log.exception("adapter.failed", part=out.id, platform=out.to.platform)
        reason = str(error) if isinstance(error, AdapterError) else f"{out.to.platform} adapter: {type(error).__name__}"
        return SendFailure(outcome, reason, getattr(error, "seconds", None), getattr(error, "chat", ""))


class Strategy(Enum):
    """How a platform is kept from showing a message twice."""

    IDEMPOTENT = (
        "it recognises a repetition, so a part is sent until it is known to have arrived; into a placeholder that a "
        "growing answer has left, the text is edited"
    )
    PLACEHOLDER = "a placeholder whose id is on disk is sent first; the text is edited into it, as often as need be"
    DIRECT = "the text is sent; if that may have arrived, it is sent again by a placeholder, and says so"
    ONCE = "neither: a part that may have arrived is not sent again"

    @classmethod
    def of(cls, part: OutboxPart, can: Capabilities) -> Strategy:
        """Return the strategy for a part on a platform that can do this.

        Where several people are, platforms allow few requests a minute, and an edit is one: a short answer is sent
        with one request.
        """
        if can.idempotent or not can.edits:
            return cls.IDEMPOTENT if can.repeats else cls.ONCE
        is_short = part.out.last and not part.out.part and len(part.out.text) <= MAX_DIRECT_CHARS
        is_new = part.placed is None and part.out.replaces is None and part.state is PartState.QUEUED
        return cls.DIRECT if part.out.to.kind is not ChatKind.PRIVATE and is_short and is_new else cls.PLACEHOLDER


_NOTED = {Strategy.ONCE, Strategy.DIRECT}
"""That a request is about to be made is written down: after a crash it is known that the part may have arrived."""

_EDITING = {Strategy.PLACEHOLDER, Strategy.DIRECT}
_UNKNOWN_OUTCOMES = {SendOutcome.UNCLEAR, SendOutcome.BROKEN}


@dataclass
class Outbox:
    """Hands parts to their adapters until each has a receipt or is given up.

    `given_up` hears of the latter: the ids of the dead letters, for which chat, and why. `find_files` returns where
    files that go out lie on this machine.
    """

    coordinator: Coordinator
    _: KW_ONLY
    adapters: Adapters
    pause: Pause
    given_up: Callable[[Sequence[str], Address, str], Awaitable[None]] | None = None
    find_files: Callable[[Sequence[str]], Awaitable[tuple[str, ...]]] | None = None

    async def run(self, grant: Grant, accounts: Collection[str] = ()) -> None:
        """Deliver for one agent until cancelled, beginning with what an earlier process still owed.

        It goes through these bot accounts, or through all if none are named.
        """
        with bound_contextvars(agent=grant.agent):
            async with asyncio.TaskGroup() as group:
                chats: KeyedQueues[OutboxPart] = KeyedQueues(group, partial(self._serve, grant))
                through = accounts or frozenset(self.adapters)
                seen = 0
                while True:
                    for part in await self.coordinator.outgoing(grant, through, after=seen):
                        chats.put(f"{_chat(part)}/{part.out.to.thread or ''}", part)
                        seen = part.seq

    async def _serve(self, grant: Grant, owed: deque[OutboxPart]) -> None:
        while owed:
            part = owed.popleft()
            part = replace(part, out=replace(part.out, agent=grant.agent))
            if part.out.files and self.find_files:
                part = replace(part, out=replace(part.out, files=await self.find_files(part.out.files)))
            adapter = self.adapters[part.out.to.account]
            strategy = Strategy.of(part, adapter.capabilities)
            if strategy is Strategy.ONCE and part.state is PartState.SENDING:
                await self._give_up(grant, part, "the process ended while it was being sent; it may have arrived")
                continue
            if strategy is Strategy.PLACEHOLDER and part.state is PartState.SENDING:
                part = _marked(part)
            if strategy is Strategy.PLACEHOLDER and part.out.replaces and not part.placed:
                part = replace(part, placed=Receipt(part.out.replaces))
            elif part.seq < grant.first:  # an earlier process may have sent it longer ago than the platform remembers
                part = replace(part, out=replace(part.out, again=True))
            await self._deliver(grant, part, adapter, strategy)

    async def _deliver(self, grant: Grant, part: OutboxPart, adapter: Adapter, strategy: Strategy) -> None:
        """Send a part until it has a receipt, or until it has to be given up.

        A crash can leave a placeholder too many, never a text: editing the same text in again changes nothing.
        """
        tries, gone, waits, left = 0, 0, backoff(MAX_WAIT_S), None
        while True:
            by_placeholder = strategy is Strategy.PLACEHOLDER
            tries += 1
            result = await self._request(grant, part, adapter, strategy)
            if isinstance(result, Receipt):
                if part.placed or not by_placeholder:
                    log.debug("reply.delivered", agent=grant.agent, part=part.out.id, chat=_chat(part))
                    return await self.coordinator.move(grant, part.seq, PartState.DELIVERED, note=result.message)
                await self.coordinator.record_placeholder(grant, part.out.id, result)
                part, waits = replace(part, placed=result), backoff(MAX_WAIT_S)
            elif strategy is Strategy.DIRECT and result.outcome in _UNKNOWN_OUTCOMES:
                log.warning("part.repeated", part=part.out.id, chat=_chat(part), reason=result.reason)
                part, strategy = _marked(part), Strategy.PLACEHOLDER
            elif result.outcome is SendOutcome.MOVED and strategy in _EDITING:
                to = replace(part.out.to, chat=result.chat, known_as=part.out.to.lasting)
                # under the chat's old id nothing can be edited any more
                part, left = replace(part, placed=None, out=replace(part.out, to=to, replaces=None)), None
            elif part.placed and gone < MAX_REPEATS and result.outcome in {SendOutcome.GONE, SendOutcome.REFUSED}:
                left, gone = part.placed, gone + 1
                part = replace(part, placed=None, out=replace(part.out, replaces=None))
                is_uneditable = result.outcome is SendOutcome.REFUSED or gone > 1  # the first may have been deleted
                strategy = Strategy.DIRECT if by_placeholder and is_uneditable else strategy
            elif _is_repeated(result.outcome, strategy, tries):
                if strategy in _NOTED:
                    await self.coordinator.move(grant, part.seq, PartState.QUEUED)
                log.warning("part.delayed", part=part.out.id, chat=_chat(part), reason=result.reason)
                usual_wait = next(waits)
                await self.pause(usual_wait if result.wait_s is None else result.wait_s)
            else:
                may_have_arrived = result.outcome in _UNKNOWN_OUTCOMES and not by_placeholder
                reason = f"{result.reason}; it may have arrived" if may_have_arrived else result.reason
                return await self._give_up(grant, part, reason, place=part.placed or left)

    async def _request(
        self, grant: Grant, part: OutboxPart, adapter: Adapter, strategy: Strategy
    ) -> Receipt | SendFailure:
        """Make one request: send the part, make the placeholder, or edit the text into it."""
        if strategy in _NOTED:
            await self.coordinator.move(grant, part.seq, PartState.SENDING)
        if isinstance(adapter, ComesAndGoes):
            await adapter.present(part.out)
        if part.placed:
            return await attempt(edit(adapter, part.placed, part.out), part.out)
        if strategy is Strategy.PLACEHOLDER:
            placeholder = replace(part.out, text=PLACEHOLDER, buttons=(), files=(), last=False)
            return await attempt(adapter.send(placeholder), part.out)
        return await attempt(adapter.send(part.out), part.out)

    async def _give_up(self, grant: Grant, part: OutboxPart, reason: str, *, place: Receipt | None = None) -> None:
        """Give a part up, and say so in the message that was to become it."""
        if place:
            notice = replace(part.out, text=tr(NOT_SHOWN, reason=in_code(reason)), buttons=(), files=())
            await attempt(edit(self.adapters[part.out.to.account], place, notice), notice)
        log.error("part.dead", part=part.out.id, chat=_chat(part), reason=reason)
        await self.coordinator.move(grant, part.seq, PartState.DEAD, note=reason)
        if self.given_up:
            await self.given_up([f"{grant.agent}:{part.seq}"], part.out.to, reason)


async def edit(adapter: Adapter, receipt: Receipt, out: Outbound) -> Receipt:
    """Edit a message; its receipt stays the same."""
    await adapter.edit(receipt, out)
    return receipt


def _is_repeated(outcome: SendOutcome, strategy: Strategy, tries: int) -> bool:
    """Return whether the same request is made again after a failure."""
    if outcome is SendOutcome.BROKEN:
        return strategy is Strategy.IDEMPOTENT and tries <= MAX_REPEATS
    return outcome is SendOutcome.UNSENT or (outcome is SendOutcome.UNCLEAR and strategy is not Strategy.ONCE)


def _marked(part: OutboxPart) -> OutboxPart:
    """Return a part that says that it may be a repetition."""
    return replace(part, out=replace(part.out, text=f"{tr(REPEATED)}\n\n{part.out.text}"))


def _chat(part: OutboxPart) -> str:
    return f"{part.out.to.account}:{part.out.to.chat}"
