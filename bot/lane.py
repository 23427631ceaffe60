"""One session's lane: its messages are answered one turn at a time."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from time import perf_counter

import structlog

import memory
from bot.burst import Burst, Joining, gather, put_owner_first, take
from bot.durable.effect_log import TurnEffects
from bot.durable.port import Coordinator, Effects, Grant, Message
from bot.errors import BotError, Fenced, StateError
from bot.live import Live
from bot.progress import Progress
from bot.quoting import Quote, quoted
from bot.rendering import Renderer
from bot.supervision import Done, outcome
from bot.trust.capability import Taint
from bot.trust.origin import standing
from bot.turn import Agent, EffectLog, Reply, Responder, Turn

ATTEMPTS = 3
"""How often a turn may fail before its messages are set aside."""

BEGINNINGS = 10
"""How often a turn may begin, over restarts, before they are: a process is killed for many reasons besides a turn."""

BROKEN_OFF = "⚠ `{tool}` was broken off after it had written. `/undo` takes that back."

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Lane:
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
        self._progress = Progress(grant, coordinator, renderer=renderer, pause=joining.pause)

    async def run(self, waiting: deque[Message]) -> None:
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

    async def _serve(self, waiting: deque[Message]) -> None:
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

    async def _turned(self, burst: Burst) -> bool:
        """Carry one turn out and write down what it leaves; False if it has to be begun again."""
        await self._coordinator.begin(self._grant, burst.seqs, attempt=burst.attempts)
        started, since = perf_counter(), await self._renderer.begin(self._agent)
        quote = await self._quote(burst)
        async with self._progress.of(burst) as live:
            turn = self._turn(burst, quote, live)
            reply = await self._answer(turn, burst)
        if reply is None:
            return False
        is_foreign = Taint.left(turn, reply) is Taint.FOREIGN
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

    async def _answer(self, turn: Turn, burst: Burst) -> Reply | None:
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
        lines = (*await effects.told(), *(BROKEN_OFF.format(tool=call.tool) for call in unfinished))
        return replace(reply, told=(*reply.told, *(line for line in lines if line not in reply.told)))

    async def _masked(self, effects: Effects, since: int) -> Effects:
        """What the turn leaves, without what was forgotten meanwhile; what cannot be cleared now is at the next end."""
        try:
            return await self._renderer.masked(self._agent, effects, since=since)
        except (BotError, memory.Error, OSError):
            log.exception("turn.not_masked", turn=effects.turn)
            return effects

    async def _set_aside(self, burst: Burst) -> None:
        notice = Reply(
            f"I could not answer this: something in me broke, {burst.attempts} times over (error {burst.error_id}). "
            f"I have set your message aside and go on with the next one. The log tells more under {burst.error_id}."
        )
        notice = await self._with_receipts(notice, self._effects(burst))
        reason = f"error {burst.error_id} after {burst.attempts} attempts"
        effects = self._renderer.effects(burst, notice, set_aside=reason, is_foreign=True)
        await self._coordinator.commit(self._grant, effects)
        log.error("turn.set_aside", error_id=burst.error_id, **self._names(burst))

    async def _quote(self, burst: Burst) -> Quote:
        asked = burst.newest
        origin, _ = standing(asked.principal, asked.inbound.address)
        is_own_answer = partial(self._coordinator.is_own_answer, asked.session)
        return await quoted(burst.quoting, origin=origin, is_own_answer=is_own_answer)

    def _turn(self, burst: Burst, quote: Quote, live: Live) -> Turn:
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

    def _effects(self, burst: Burst) -> EffectLog:
        return TurnEffects(self._coordinator, self._grant, burst.turn, is_repeated=burst.attempts > 1)

    def _names(self, burst: Burst) -> dict[str, str | int]:
        return {"turn": burst.turn, "session": str(burst.newest.session), "attempt": burst.attempts}
