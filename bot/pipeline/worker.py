"""Workers: one turn after another in a session, sessions side by side."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Generic, TypeVar

import structlog

import memory
from bot.access.permissions import Taint, standing
from bot.errors import BotError, Fenced, StateError
from bot.pipeline.batch import Joining, MessageBatch, gather, put_owner_first, take
from bot.pipeline.rendering import Quote, Renderer, quoted
from bot.pipeline.responder import Stopping
from bot.pipeline.streaming import ReplyStream
from bot.storage.effect_log import EffectLog
from bot.storage.port import Coordinator, Effects, Grant, QueuedMessage
from bot.supervision import Done, outcome
from bot.turn import Agent, ProgressSink, Reply, Responder, Turn, taint_left
from bot.waiting import pause

ATTEMPTS = 3
"""How often a turn may fail before its messages are set aside."""

BEGINNINGS = 10
"""How often a turn may begin, over restarts, before they are: a process is killed for many reasons besides a turn."""

BROKEN_OFF = "⚠ `{tool}` was broken off after it had written. `/undo` takes that back."

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class SessionWorker:
    """Answers what waits in a session of one agent."""

    def __init__(
        self,
        grant: Grant,
        agent: Agent,
        *,
        coordinator: Coordinator,
        respond: Responder,
        renderer: Renderer,
        joining: Joining,
        guests: AbstractAsyncContextManager[None],
    ) -> None:
        self._grant = grant
        self._agent = agent
        self._coordinator = coordinator
        self._respond = respond
        self._renderer = renderer
        self._joining = joining
        self._guests = guests
        self._failed: Counter[str] = Counter()
        self._progress = ReplyStream(grant, coordinator, renderer=renderer, pause=joining.pause)

    async def run(self, waiting: deque[QueuedMessage]) -> None:
        """Answer until nobody waits; only a failing state file, or its loss to another process, ends it early."""
        while waiting:
            await gather(waiting, after=self._grant.first, pause=self._joining.pause)
            put_owner_first(waiting)
            if waiting[0].envelope.principal.is_owner:
                await self._serve(waiting)
            else:
                async with self._guests:
                    put_owner_first(waiting)  # who may have come meanwhile
                    await self._serve(waiting)

    async def _serve(self, waiting: deque[QueuedMessage]) -> None:
        """Take the next turn's messages and answer them; if that breaks, they wait again."""
        burst = take(waiting, before=self._grant.first, limit=self._joining.limit)
        if (
            self._failed[burst.turn] >= ATTEMPTS or burst.attempts >= BEGINNINGS
        ):  # one that cannot even be set aside waits for the next start
            await outcome(self._set_aside(burst), f"setting {burst.turn} aside", foreseen=(StateError, Fenced))
            return
        burst = burst.begun()
        ended = await outcome(self._turned(burst), f"turn {burst.turn}", foreseen=(StateError, Fenced))
        if isinstance(ended, Done) and ended.result:
            self._failed.pop(burst.turn, None)
        else:
            self._failed[burst.turn] += 1
            waiting.extendleft(reversed(burst.messages))

    async def _turned(self, burst: MessageBatch) -> bool:
        """Carry one turn out and write down what it leaves; False if it has to be begun again."""
        await self._coordinator.begin(self._grant, burst.seqs, attempt=burst.attempts)
        started, since = perf_counter(), await self._renderer.begin(self._agent)
        quote = await self._quote(burst)
        async with self._progress.of(burst) as live:
            turn = self._turn(burst, quote, live)
            reply = await self._answer(turn, burst)
        if reply is None:
            return False
        is_foreign = taint_left(turn, reply) is Taint.FOREIGN
        effects = self._renderer.effects(burst, reply, is_foreign=is_foreign)
        effects = await self._masked(effects, since)
        await self._coordinator.commit(self._grant, effects)
        await self._conceal(reply)
        log.info("turn.finished", ms=round((perf_counter() - started) * 1000), **self._names(burst))
        return True

    async def _conceal(self, reply: Reply) -> None:
        """The inbox and the input history still hold what the transcript does not; a failure leaves them for later."""
        try:
            await self._renderer.conceal(self._agent, reply)
        except (BotError, OSError) as error:
            log.warning("secret.not_masked", reason=str(error))

    async def _answer(self, turn: Turn, burst: MessageBatch) -> Reply | None:
        """The answer; None if something broke that nobody foresaw."""
        try:
            reply = await self._respond(turn)
        except (BotError, memory.Error) as error:
            reply = Reply(str(error))  # a failure with a cause and a remedy is an answer
        except Exception:
            log.exception("turn.failed", error_id=burst.error_id, **self._names(burst))
            return None
        return await self._with_receipts(reply, turn.effects)

    async def _with_receipts(self, reply: Reply, effects: EffectLog) -> Reply:
        """The answer, however it came to be, with a line for everything that tools have written in any attempt."""
        unfinished = [call for call in await effects.unfinished() if await self._agent.memory.is_done(call.op_id)]
        lines = (*await effects.receipts(), *(BROKEN_OFF.format(tool=call.tool) for call in unfinished))
        return replace(reply, told=(*reply.told, *(line for line in lines if line not in reply.told)))

    async def _masked(self, effects: Effects, since: int) -> Effects:
        """What the turn leaves, without what was forgotten meanwhile; what cannot be cleared now is at the next end."""
        try:
            return await self._renderer.masked(self._agent, effects, since=since)
        except (BotError, memory.Error, OSError):
            log.exception("turn.not_masked", turn=effects.turn)
            return effects

    async def _set_aside(self, burst: MessageBatch) -> None:
        notice = Reply(
            f"I could not answer this: something in me broke, {burst.attempts} times over (error {burst.error_id}). "
            f"I have set your message aside and go on with the next one. The log tells more under {burst.error_id}."
        )
        notice = await self._with_receipts(notice, self._effects(burst))
        reason = f"error {burst.error_id} after {burst.attempts} attempts"
        effects = self._renderer.effects(burst, notice, set_aside=reason, is_foreign=True)
        await self._coordinator.commit(self._grant, effects)
        log.error("turn.set_aside", error_id=burst.error_id, **self._names(burst))

    async def _quote(self, burst: MessageBatch) -> Quote:
        asked = burst.newest
        origin, _ = standing(asked.principal, asked.inbound.address)
        is_own_answer = partial(self._coordinator.is_own_answer, asked.session)
        return await quoted(burst.quoting, origin=origin, is_own_answer=is_own_answer)

    def _turn(self, burst: MessageBatch, quote: Quote, live: ProgressSink) -> Turn:
        asked = burst.newest
        origin, scope = standing(asked.principal, asked.inbound.address)
        return Turn(
            id=burst.turn,
            agent=self._agent,
            session=asked.session,
            principal=asked.principal,
            origin=origin,
            scope=scope,
            text=burst.text,
            at=asked.inbound.sent_at,
            effects=self._effects(burst),
            live=live,
            quote=quote.text,
            quote_by=quote.by,
            quote_origin=quote.origin,
            is_unattended=asked.inbound.is_unattended,
            attachments=burst.attachments,
        )

    def _effects(self, burst: MessageBatch) -> EffectLog:
        return EffectLog(self._coordinator, self._grant, burst.turn, is_repeated=burst.attempts > 1)

    def _names(self, burst: MessageBatch) -> dict[str, str | int]:
        return {"turn": burst.turn, "session": str(burst.newest.session), "attempt": burst.attempts}


T = TypeVar("T")


class KeyedQueues(Generic[T]):
    """A queue for each key, and a task for each queue that is not empty.

    `serve` is given the queue and takes from its left what it serves next, until it is empty.
    """

    def __init__(self, group: asyncio.TaskGroup, serve: Callable[[deque[T]], Awaitable[None]]) -> None:
        self._group = group
        self._serve = serve
        self._queues: dict[str, deque[T]] = {}

    def put(self, key: str, item: T) -> None:
        """Queue an item."""
        if key in self._queues:
            self._queues[key].append(item)
            return
        self._queues[key] = deque([item])
        self._group.create_task(self._run(key), name=f"lane {key}")

    async def _run(self, key: str) -> None:
        await self._serve(self._queues[key])
        del self._queues[key]  # nothing can have been put since: no other task ran after `serve` found it empty


USUAL = Joining(limit=20, pause=pause)
"""At most so many messages are answered by one turn."""


class Worker:
    """Works for the agents that this process holds.

    Args:
        coordinator: where messages wait.
        agents: by name.
        respond: answers a turn.
        renderer: turns replies into what is committed.
        stopping: ends the turns that `/stop` means.
        joining: how waiting messages of one person become one turn.
        one_by_one: agents that take each message for itself.
        guests_at_once: how many turns of guests are worked on at the same time, so that the owner's need not wait for
            them; 0 for any number.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        agents: Mapping[str, Agent],
        respond: Responder,
        renderer: Renderer,
        stopping: Stopping | None = None,
        joining: Joining = USUAL,
        one_by_one: Collection[str] = (),
        guests_at_once: int = 0,
    ) -> None:
        self._coordinator = coordinator
        self._agents = agents
        self._respond = respond
        self._renderer = renderer
        self._stopping = stopping or Stopping()
        self._joining = joining
        self._one_by_one = one_by_one
        self._guests = asyncio.Semaphore(guests_at_once) if guests_at_once else nullcontext()

    async def run(self, grant: Grant) -> None:
        """Serve one agent until cancelled. What was left over from an earlier process comes first."""
        async with asyncio.TaskGroup() as group:
            lanes: KeyedQueues[QueuedMessage] = KeyedQueues(group, self._lane(grant).run)
            seen = 0
            while True:
                for message in await self._coordinator.pending(grant, after=seen):
                    session = str(message.envelope.session)
                    if is_stop(message):
                        self._stopping.stop(session, by=message.envelope.principal)
                    lanes.put(session, message)
                    seen = message.seq

    def _lane(self, grant: Grant) -> SessionWorker:
        return SessionWorker(
            grant,
            self._agents[grant.agent],
            coordinator=self._coordinator,
            respond=self._respond,
            renderer=self._renderer,
            joining=replace(self._joining, limit=1) if grant.agent in self._one_by_one else self._joining,
            guests=self._guests,
        )


def is_stop(message: QueuedMessage) -> bool:
    """Whether a message asks to end the turn before it."""
    return message.envelope.inbound.text.split(maxsplit=1)[:1] == ["/stop"]
