"""Workers: one turn after another in a session, sessions side by side."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TypeVar

import structlog
from structlog.contextvars import bound_contextvars

import memory
from adapters.port import Address, Button, ChatKind, Happening, Inbound, MarksMessages, Status
from bot.access.chat_settings import ChatSettings, QueueMode
from bot.access.permissions import Taint, origin_and_scope
from bot.commands import again
from bot.errors import BotError, Fenced, StateError
from bot.pipeline.batch import MessageBatch, find_question, put_owner_first
from bot.pipeline.delivery.outbox import Adapters
from bot.pipeline.delivery.rendering import Renderer, quoted
from bot.pipeline.delivery.streaming import ReplyStream, SettingsOf
from bot.pipeline.scheduler import ON_TIME, is_background
from bot.sessions.forgetting import Forgetting
from bot.storage.coordinator import Coordinator
from bot.storage.effect_log import EffectLog
from bot.storage.keys import Principal, SessionKey
from bot.storage.port import Envelope, Grant, Job, Notice, QueuedMessage
from bot.supervision import Done, KeyedQueues, outcome
from bot.texts.catalogue import current_language, in_language, mark, tr
from bot.texts.formatting import split_command
from bot.texts.memory import of_memory
from bot.turn import PASSING, Agent, Reply, Responder, Turn
from bot.waiting import Pause, pause
from memory.privacy.secrets import values_in

MAX_SEARCHED_AT_ONCE = 1000
"""Characters of a message that is searched for secrets at once: to have a thread do it would take longer."""

MAX_ATTEMPTS = 3
"""How often a turn may fail before its messages are set aside."""

AGAIN_S = 5.0
"""How long a turn waits before it begins again after something that passes."""

MAX_DEATHS = 3
"""In how many attempts at it alone the process may end before a turn waits until the process is steady.

If the process ends in it then, too, its messages are set aside: a process is killed for many reasons besides a turn.
"""

CRASH_SERIES = 2
"""After so many crashes in a row, one turn is worked on at a time, so that the next crash tells which one it was."""

STEADY_S = 60.0
"""A process that has lived for so long is steady: the crashes before it are over."""

MAX_BATCH = 20
"""How many messages are answered by one turn at most."""

PIECES_S = 1.0
"""How long a message that came in pieces waits for a further one."""

MAX_WAITS = 10

BROKEN_OFF = mark("⚠ `{tool}` was broken off after it had written. `/undo` takes that back.")

LATE = mark("(This was due at {at}. It comes late: I was not running then, or busy.)")

T = TypeVar("T")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class Worker:
    """Works for the agents that this process holds.

    Attributes:
        cancel: ends the turn of a session for a person who asks for it; whether there was one.
        forgetting: takes out of what a turn leaves what was forgotten while it ran.
        one_by_one: agents that take each message for itself.
        guests_at_once: how many turns of guests are worked on at the same time, so that the owner's need not wait for
            them; 0 for any number.
        given_up: makes the notice that tells the owner of messages set aside, unless they wrote these in private.
        resets: makes the job that ends a conversation by itself, after a message of it; None if none does.
        shares: whether people of a chat see all that an agent knows.
        captures: makes the job that notes what a turn's messages tell; None if none does.
        language: returns the language that messages are answered in; None for the one that holds.
    """

    coordinator: Coordinator
    _: KW_ONLY
    agents: Mapping[str, Agent]
    respond: Responder
    renderer: Renderer
    adapters: Adapters
    cancel: Callable[[str, Principal], bool] = field(default=lambda _session, _by: False)
    forgetting: Forgetting | None = None
    settings: SettingsOf = field(default=lambda _to: ChatSettings())
    batch_limit: int = MAX_BATCH
    one_by_one: Collection[str] = ()
    guests_at_once: int = 0
    given_up: Callable[[Sequence[str], Address, str], Awaitable[Notice | None]] | None = None
    resets: Callable[[Envelope], Job | None] = field(default=lambda _: None)
    shares: Callable[[Address, str], bool] = field(default=lambda _to, _agent: False)
    captures: Callable[[Turn, Reply], Job | None] = field(default=lambda _turn, _reply: None)
    language: Callable[[Sequence[Envelope]], Awaitable[str]] | None = None
    pause: Pause = pause

    def __post_init__(self) -> None:
        self.guests: AbstractAsyncContextManager[None] = nullcontext()
        if self.guests_at_once:
            self.guests = asyncio.Semaphore(self.guests_at_once)
        self.secrets: dict[SessionKey, frozenset[str]] = {}  # told in a conversation, and not masked everywhere yet
        self._is_steady = False
        self._under_way = 0
        self._changed = asyncio.Condition()

    async def run(self, grant: Grant) -> None:
        """Serve one agent until cancelled. What was left over from an earlier process comes first."""

        async def become_steady() -> None:
            await self.pause(STEADY_S)
            await self.coordinator.record_survival(grant)
            async with self._changed:
                self._is_steady = True
                self._changed.notify_all()

        async with asyncio.TaskGroup() as group:
            group.create_task(become_steady())
            worker = SessionWorker(grant, self)
            sessions = KeyedQueues(group, worker.run)
            owed = await self.forgetting.owed(grant.agent) if self.forgetting else {}
            self.secrets = {**owed, **self.secrets}
            for conversation in self._to_be_masked(grant):
                group.create_task(self.settle(grant, conversation))
            seen = 0
            while True:
                for message in await self.coordinator.pending(grant, after=seen):
                    seen = message.seq
                    session, command = str(message.envelope.session), urgent_command(message)
                    session += " (background)" if is_background(message.envelope.inbound) else ""
                    self.mark(message.envelope, Status.QUEUED)
                    ends_turn = command == "stop" or worker.is_interrupted_by(message)
                    is_ended = ends_turn and self.cancel(session, message.envelope.principal)
                    # the answer to `/stop` comes right behind the one that it has cut short
                    waits_with = f"{session} (urgent)" if command and not is_ended else session
                    sessions.put(waits_with, message, first=is_ended and bool(command))

    @asynccontextmanager
    async def under_way(self, grant: Grant, message: QueuedMessage) -> AsyncIterator[None]:
        """Count a turn as under way, as soon as the crashes before this process let its first message be taken up."""

        def may_begin() -> bool:
            is_first = grant.crashes < CRASH_SERIES or not self._under_way
            return self._is_steady or (is_first and message.deaths != MAX_DEATHS)  # with more, it is given up

        async with self._changed:
            await self._changed.wait_for(may_begin)
            self._under_way += 1
        try:
            yield
        finally:
            async with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    async def finish(self, grant: Grant) -> None:
        """Mask what is left to be masked of an agent's conversations, but where an answer has still to arrive."""
        for session in self._to_be_masked(grant):
            if not (session.address.account in self.adapters and await self.coordinator.owes(grant, session.address)):
                await self.conceal(session)

    def _to_be_masked(self, grant: Grant) -> list[SessionKey]:
        return [session for session in self.secrets if session.agent == grant.agent]

    async def settle(self, grant: Grant, session: SessionKey) -> None:
        """Mask what was told in a conversation once the answer has arrived, as it was written."""
        if session.address.account in self.adapters:
            await self.coordinator.wait_delivered(grant, session.address)
        await self.conceal(session)

    async def conceal(self, session: SessionKey) -> None:
        """Mask the secrets that were told where the transcript is not: in the inbox, the input history, the answer."""
        secrets = self.secrets.get(session, frozenset())
        try:
            if self.forgetting:
                await self.forgetting.conceal(session, secrets)
        except (BotError, OSError) as error:
            log.warning("secret.not_masked", reason=str(error))
        if self.secrets.get(session) == secrets:
            del self.secrets[session]

    def mark(self, envelope: Envelope, status: Status) -> None:
        """Show on a message that was said to the bot how far its answer has come, where its platform and chat do."""
        inbound = envelope.inbound
        adapter = self.adapters.get(inbound.address.account)
        is_question = inbound.happening is Happening.MESSAGE and inbound.addressed
        if adapter is None or not is_question or not self.settings(inbound.address).reactions:
            return
        if isinstance(adapter, MarksMessages):
            adapter.mark(inbound.address, inbound.message, status)


def late(turn: Turn) -> str:
    """Return when the job of a turn was due, on the owner's clock; empty if it is on time."""
    return f"{turn.local:%Y-%m-%d %H:%M}" if turn.agent.clock.now() - turn.at > ON_TIME else ""


def urgent_command(message: QueuedMessage) -> str:
    """Return the name of a command that must not wait for the turn before it; empty for any other message.

    A button can be made to bring anything, so what is no command waits, and for its share of the guests' turns, too.
    """
    inbound = message.envelope.inbound
    command = split_command(inbound.text) if inbound.is_urgent and not inbound.piece_of else None
    return command[0] if command else ""


class SessionWorker:
    """Answers what waits in the sessions of one agent."""

    def __init__(self, grant: Grant, worker: Worker) -> None:
        self._grant = grant
        self._worker = worker
        self._agent = worker.agents[grant.agent]
        self._coordinator = worker.coordinator
        self._failures: Counter[str] = Counter()
        self._running: dict[str, MessageBatch] = {}
        self._stream = ReplyStream(
            grant,
            worker.coordinator,
            adapters=worker.adapters,
            renderer=worker.renderer,
            pause=worker.pause,
            settings=worker.settings,
        )

    async def run(self, waiting: deque[QueuedMessage]) -> None:
        """Answer until nobody waits; only a failing state file, or its loss to another process, ends it early."""
        has_waited = False
        while waiting:
            await self._wait_for_pieces(waiting)
            put_owner_first(waiting)
            await self._wait_for_delivery(waiting[0].envelope.inbound)
            is_free = waiting[0].envelope.principal.is_owner or urgent_command(waiting[0])
            slot = nullcontext() if is_free else self._worker.guests
            async with self._worker.under_way(self._grant, waiting[0]), slot:  # what has to wait keeps no guest waiting
                put_owner_first(waiting)  # who may have come meanwhile
                if has_waited:
                    self._worker.mark(waiting[0].envelope, Status.WORKING)
                session = waiting[0].envelope.session
                await self._serve(waiting)
            if session in self._worker.secrets:
                await self._worker.settle(self._grant, session)
            has_waited = True

    def is_interrupted_by(self, message: QueuedMessage) -> bool:
        """Return whether a message that has just come is to stop the turn of its session, as an edit always does."""
        interrupts = self._mode(message.envelope) is QueueMode.INTERRUPT
        session = message.envelope.session
        running = (batch for batch in self._running.values() if batch.newest.session == session)
        return any(batch.is_edited_by(message) or (interrupts and batch.is_meant_by(message)) for batch in running)

    def _mode(self, envelope: Envelope) -> QueueMode:
        return self._worker.settings(envelope.inbound.address).queue

    async def _wait_for_pieces(self, waiting: deque[QueuedMessage]) -> None:
        """Let the pieces of a message that is still coming in arrive, so that they can be taken together.

        What is older than this process has long been complete.
        """
        count = 0
        for _ in range(MAX_WAITS):
            fresh = (message for message in waiting if message.seq >= self._grant.first and message.turn is None)
            if not any(message.envelope.inbound.piece_of for message in fresh) or len(waiting) == count:
                return
            count = len(waiting)
            await self._worker.pause(PIECES_S)

    async def _wait_for_delivery(self, inbound: Inbound) -> None:
        """Let the answer arrive whose place the next one may take, or which a job in the background is about.

        People correct a slip at once. It can take as long as the platform is out, so nobody elsewhere waits.
        """
        is_again = split_command(inbound.text) == (again.COMMAND.name, "")
        is_about_answer = is_again or inbound.happening is Happening.EDIT or is_background(inbound)
        if is_about_answer and inbound.address.account in self._worker.adapters:
            await self._coordinator.wait_delivered(self._grant, inbound.address)

    async def _serve(self, waiting: deque[QueuedMessage]) -> None:
        """Take the next turn's messages and answer them; if that breaks, they wait again, or are set aside."""
        is_single = self._grant.agent in self._worker.one_by_one
        is_single |= self._mode(waiting[0].envelope) is QueueMode.FOLLOW_UP
        limit = 1 if is_single else self._worker.batch_limit
        batch = MessageBatch.take(waiting, before=self._grant.first, limit=limit)
        with bound_contextvars(agent=self._grant.agent, turn=batch.turn):  # every line of the log, until it has ended
            foreseen = (StateError, Fenced)
            if self._failures[batch.turn] >= MAX_ATTEMPTS or batch.deaths > MAX_DEATHS:
                # a turn that cannot even be set aside waits for the next start
                aside = self._in_its_language(batch, self._set_aside)
                await outcome(aside, f"setting {batch.turn} aside", foreseen=foreseen)
                del self._failures[batch.turn]
                return
            batch = self._running[batch.turn] = batch.begun()
            turn = self._in_its_language(batch, partial(self._run_turn, waiting=waiting))
            ended = await outcome(turn, f"turn {batch.turn}", foreseen=foreseen)
            batch = self._running.pop(batch.turn)
            if isinstance(ended, Done) and ended.result:
                del self._failures[batch.turn]
            else:
                self._failures[batch.turn] += 1
                waiting.extendleft(reversed(batch.messages))

    async def _in_its_language(self, batch: MessageBatch, work: Callable[[MessageBatch], Awaitable[T]]) -> T:
        find = self._worker.language
        with in_language(await find(batch.envelopes) if find else current_language()):
            return await work(batch)

    async def _steer(self, turn: Turn, waiting: deque[QueuedMessage]) -> Turn | None:
        """Return what the person of a turn has added since, as a turn of the same kind; None if it is nothing.

        It belongs to the turn from now on, also after a crash: both are answered by the same commit.
        """
        batch = self._running[turn.id]
        if self._mode(batch.newest) is not QueueMode.STEER:
            return None
        additions = batch.take_additions(waiting, limit=self._worker.batch_limit)
        if not additions:
            return None
        batch = self._running[turn.id] = replace(batch, messages=(*batch.messages, *additions))
        await self._coordinator.begin(self._grant, batch.seqs, attempt=batch.attempts)
        for message in additions:
            self._worker.mark(message.envelope, Status.WORKING)
        added = replace(batch, messages=additions)
        return replace(turn, text=added.text, at=added.newest.inbound.sent_at, quote="", before=(), attachments=())

    async def _run_turn(self, batch: MessageBatch, waiting: deque[QueuedMessage]) -> bool:
        """Run one turn and commit its effects; return False if it has to be begun again."""
        count, forgetting, started = len(batch.messages), self._worker.forgetting, perf_counter()
        await self._coordinator.begin(self._grant, batch.seqs, attempt=batch.attempts)
        log.debug("turn.started", **_log_fields(batch))
        since = forgetting.begin(self._agent) if forgetting else 0
        batch, refusal = await find_question(batch, self._coordinator, self._worker.adapters)
        turn = await self._make_turn(batch)
        was_due = late(turn) if turn.is_job and not is_background(batch.newest.inbound) else ""
        async with self._stream.show(batch, may_be_silent=turn.may_be_silent or turn.is_job) as live:
            turn = replace(turn, live=live, steer=partial(self._steer, turn, waiting))
            try:
                reply = refusal or await self._worker.respond(turn)
            except (BotError, memory.Error) as error:
                if isinstance(error, PASSING) and not turn.is_last:
                    log.warning("turn.begins_again", reason=str(error), **_log_fields(batch))
                    await self._worker.pause(AGAIN_S)
                    return False
                reply = Reply(of_memory(error))  # a failure with a cause and a remedy is an answer
            except Exception:
                log.exception("turn.failed", error_id=batch.error_id, **_log_fields(batch))
                return False
            reply = await self._with_receipts(reply, turn.effects)
        batch = replace(batch, messages=(*batch.messages, *self._running[turn.id].messages[count:]))
        if was_due and not reply.is_silent:
            reply = reply.with_note(tr(LATE, at=was_due))
        reply = await self._with_masked(batch, turn, reply)
        is_foreign = turn.taint_left(reply) is Taint.FOREIGN
        effects = self._worker.renderer.effects(batch, reply, is_foreign=is_foreign)
        try:
            effects = await forgetting.masked(self._agent, effects, since=since) if forgetting else effects
        except (BotError, memory.Error, OSError):  # what cannot be masked now is at the end of the next turn
            log.exception("turn.not_masked", turn=effects.turn)
        if not turn.is_job:
            jobs = (self._worker.resets(batch.newest), self._worker.captures(replace(turn, text=batch.text), reply))
            effects = replace(effects, jobs=tuple(filter(None, jobs)))
        await self._coordinator.commit(self._grant, effects)
        for envelope in () if effects.parts else batch.envelopes:
            self._worker.mark(envelope, Status.DONE)
        if reply.masked:
            secrets = self._worker.secrets.get(turn.session, frozenset())
            self._worker.secrets[turn.session] = secrets.union(reply.masked)
        log.info("turn.finished", ms=round((perf_counter() - started) * 1000), **_log_fields(batch))
        return True

    async def _with_masked(self, batch: MessageBatch, turn: Turn, reply: Reply) -> Reply:
        """Return a reply with the secrets told in its turn, and note durably that they are to be masked."""
        text = "\n\n".join(filter(None, (batch.text, turn.quote, *(file.said for file in reply.spoken))))
        secrets = values_in(text) if len(text) < MAX_SEARCHED_AT_ONCE else await asyncio.to_thread(values_in, text)
        if self._worker.forgetting and (secrets or reply.masked):
            await self._worker.forgetting.owe(turn.session)
        return replace(reply, masked=(*reply.masked, *secrets))

    async def _make_turn(self, batch: MessageBatch) -> Turn:
        newest, settings = batch.newest, self._worker.settings(batch.newest.inbound.address)
        is_shared = self._worker.shares(newest.inbound.address, newest.agent)
        origin, scope = origin_and_scope(newest.principal, newest.inbound.address, is_shared=is_shared)
        is_own_answer = partial(self._coordinator.is_own_answer, newest.session)
        quoting = [envelope.inbound for envelope in batch.envelopes if envelope.inbound.quote]
        quote = await quoted(quoting, origin=origin, is_own_answer=is_own_answer)
        return Turn(
            id=batch.turn,
            agent=self._agent,
            session=newest.session,
            principal=newest.principal,
            origin=origin,
            scope=scope,
            text=batch.text,
            at=newest.inbound.sent_at,
            effects=self._effects(batch),
            quote=quote.text,
            quote_by=quote.by,
            quote_origin=quote.origin,
            is_unattended=newest.inbound.is_unattended,
            is_confined=any(envelope.inbound.is_confined for envelope in batch.envelopes),
            attachments=batch.attachments,
            before=batch.before,
            may_be_silent=settings.silence and not batch.is_addressed,
            is_tap=newest.inbound.happening is Happening.BUTTON,
            asked=batch.asked,
            edited=batch.edited,
            edited_text=batch.edited_text,
            is_job=newest.inbound.happening is Happening.JOB,
            is_verbose=settings.verbose,
            is_last=self._failures[batch.turn] >= MAX_ATTEMPTS - 1,
        )

    async def _with_receipts(self, reply: Reply, effects: EffectLog) -> Reply:
        """Add a line for everything that tools have written in any attempt at the turn."""
        begun = (await effects.unfinished()).items()
        broken_off = [tool for op_id, tool in begun if await self._agent.memory.is_done(op_id)]
        lines = (*await effects.receipts(), *(tr(BROKEN_OFF, tool=tool) for tool in broken_off))
        return replace(reply, told=(*reply.told, *(line for line in lines if line not in reply.told)))

    async def _set_aside(self, batch: MessageBatch) -> None:
        """Give up the messages of a turn that fails again and again; say so in the chat, unless it is a job's."""
        why = tr("something in me broke, {attempts} times over", attempts=batch.attempts)
        if batch.deaths > MAX_DEATHS:
            why = tr("I was interrupted {deaths} times while I worked on nothing else", deaths=batch.deaths)
        notice = Reply(
            tr(
                "I could not answer this: {why} (error {error_id}). I have set your message aside and go on with the "
                "next one. The log tells more under {error_id}.",
                why=why,
                error_id=batch.error_id,
            )
        )
        asked, ids = batch.newest, [f"{self._grant.agent}:{seq}" for seq in batch.seqs]
        is_own = asked.principal.is_owner and asked.inbound.address.kind is ChatKind.PRIVATE
        if is_own and len(ids) == 1:
            notice = replace(notice, buttons=(Button(tr("Retry"), f"/dead retry {ids[0]}"),))
        if asked.inbound.happening is Happening.JOB:  # nobody there has asked for anything
            notice = Reply("", is_silent=True)
        else:
            notice = await self._with_receipts(notice, self._effects(batch))
        reason = f"error {batch.error_id} after {batch.attempts} attempts"
        effects = self._worker.renderer.effects(batch, notice, set_aside=reason, is_foreign=True)
        if self._worker.given_up and not is_own:
            owners_notice = await self._worker.given_up(ids, asked.inbound.address, reason)
            effects = replace(effects, notices=(owners_notice,) if owners_notice else ())
        await self._coordinator.commit(self._grant, effects)
        for envelope in batch.envelopes:
            self._worker.mark(envelope, Status.FAILED)
        log.error("turn.set_aside", error_id=batch.error_id, **_log_fields(batch))

    def _effects(self, batch: MessageBatch) -> EffectLog:
        return EffectLog(self._coordinator, self._grant, batch.turn, is_repeated=batch.attempts > 1)


def _log_fields(batch: MessageBatch) -> dict[str, str | int]:
    session = batch.newest.session
    return {"turn": batch.turn, "agent": session.agent, "session": str(session), "attempt": batch.attempts}
