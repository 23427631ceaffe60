"""Intake: which events are admitted, within which limits, to which agent they go, and what strangers are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace

import structlog

from adapters.port import Address, ChatKind, Happening, Inbound, Outbound, Suggestion, Unreadable
from bot.access.access import Access, identity
from bot.access.limits import Limiter
from bot.access.pairing import TAKEN, WELCOME, IdentityLinks, Pairings, answer_id
from bot.access.routing import Routing
from bot.errors import Fenced, Refused, StateError
from bot.pipeline.delivery.owner import OwnerChats
from bot.pipeline.group_context import GroupContext
from bot.pipeline.quarantine import Quarantine
from bot.storage.coordinator import Coordinator
from bot.storage.keys import Principal
from bot.storage.port import Envelope, outbox_id
from bot.storage.tables.people import AccessStore, RatedPart
from bot.supervision import Done, outcome
from bot.texts.catalogue import current_language, in_language, mark, tr, trn
from bot.texts.formatting import all_well_formed, split_command

CODE = mark("I do not know you yet. If this bot is a friend's, tell them this code within an hour:\n\n`{code}`")

ASK = "ask"
"""The command that says something to the agent."""

MAX_MESSAGE_CHARS = 200_000
"""Characters; what is longer is refused before anything searches it: secrets alone would take seconds to find."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class Intake:
    """What adapters bring events to (`adapters.port.InboundHandler`).

    Attributes:
        register: knows which chats have got another id.
        pairings: gives codes to strangers; without it they hear nothing.
        linking: takes the owner's code from an account that is not let in; what is said in a group ends it.
        limiter: knows what is above a limit; without one nothing is.
        quarantine: sets aside what cannot be taken; without one, its error is raised.
        owner: remembers the chats in which the owner can be told something, and tells there who has got a code.
        context: keeps what is said in groups to others; without it nothing is kept.
        rate: keeps what somebody thinks of an answer; without it ratings are ignored.
        parts: finds the message that a button is under, whose agent is meant; without it, it is who answers there.
        expect: is told of what will be answered, while it is put on disk.
        suggester: suggests arguments of the command that a person types to an agent, by its name; None for none.
        language: returns the language that an event is answered in.
    """

    coordinator: Coordinator
    _: KW_ONLY
    access: Access
    routing: Routing
    register: AccessStore
    pairings: Pairings | None = None
    linking: IdentityLinks | None = None
    limiter: Limiter | None = None
    quarantine: Quarantine | None = None
    owner: OwnerChats | None = None
    context: GroupContext | None = None
    rate: Callable[[Inbound, Principal], Awaitable[object]] | None = None
    parts: Callable[[Inbound], Awaitable[Sequence[RatedPart]]] | None = None
    expect: Callable[[Envelope], None] = field(default=lambda _: None)
    suggester: Callable[[Inbound, Principal, str], Awaitable[Sequence[Suggestion]]] | None = None
    language: Callable[[Inbound], str] = field(default=lambda _: current_language())

    def __post_init__(self) -> None:
        self._is_open = True

    async def receive(self, inbound: Inbound) -> bool:
        """Take an event; return whether it is on disk now, to be answered.

        It is not if it was seen before or given up, comes from nobody who is let in, or is above a limit. What is too
        long is not kept, but its answer is. After `close` this does not return, so that nothing is acknowledged that
        will not be answered.
        """
        if not self._is_open:
            await asyncio.Event().wait()
        inbound = all_well_formed(inbound)
        if self.linking and inbound.address.kind is not ChatKind.PRIVATE:
            self.linking.expose(inbound.text)
        with in_language(self.language(inbound)):
            if self.quarantine is None:
                return await self._take(inbound)
            return await self.quarantine.attempt(self._take, inbound)

    async def unreadable(self, event: Unreadable) -> None:
        """Set an event aside that an adapter can make nothing of."""
        if not self._is_open:
            await asyncio.Event().wait()
        if self.quarantine is None:
            log.error("event.unreadable", account=event.account, update=event.update, reason=event.reason)
            return
        await self.quarantine.set_aside(all_well_formed(event))

    async def suggest(self, inbound: Inbound) -> Sequence[Suggestion]:
        """Return suggestions for the argument of a command that somebody who is let in is typing."""
        principal = self.access.admit(inbound)
        if principal is None or self.suggester is None:
            return ()
        return await self.suggester(inbound, principal, self.routing.decide(inbound.address, inbound.sender).agent)

    async def isolate(self, work: Awaitable[None], what: str) -> Exception | None:
        """Do the work of one event; returns the error that nobody foresaw. Raises `StateError` and `Fenced`."""
        done = await outcome(work, what, foreseen=(StateError, Fenced))
        return None if isinstance(done, Done) else done

    async def _take(self, inbound: Inbound) -> bool:
        address = self.register.known(inbound.address)
        inbound = inbound if address is inbound.address else replace(inbound, address=address)
        if inbound.happening is Happening.MOVED:  # nobody said anything: there is nothing to answer
            await self._move(inbound.address, to=inbound.text)
            return False
        principal = self.access.admit(inbound)
        if principal is None:
            if self.context:
                self.context.note(inbound)
            if self.pairings and not self.access.is_closed:
                await self._answer_stranger(inbound, self.pairings)
            return False
        if inbound.happening is Happening.RATING:  # it is no order, and begins no turn
            if self.rate:
                await self.rate(inbound, principal)
            return False
        if self.owner:
            await self.owner.remember(principal, inbound)
        is_tap = inbound.happening is Happening.BUTTON
        speakers = [part.agent for part in await self.parts(inbound)] if is_tap and self.parts else []
        answering = self.routing.decide(inbound.address, inbound.sender).agent
        agent = next(filter(self.routing.knows, speakers), answering)  # the one whose message a button is under
        command = split_command(inbound.text)
        if command and command[0] == ASK and command[1]:  # it says what is to be said, and is no command itself
            inbound = replace(inbound, text=command[1])
        if self.limiter and not await self._is_within_limits(inbound, principal, agent, self.limiter):
            return False
        return await self._publish(Envelope(agent, principal, inbound))

    async def _answer_stranger(self, inbound: Inbound, pairings: Pairings) -> None:
        """Answer a person in a private chat, if there is something to say; what happens elsewhere is ignored."""
        is_message = inbound.happening is Happening.MESSAGE
        if inbound.address.kind is not ChatKind.PRIVATE or inbound.sender.is_bot or not is_message:
            return
        inbound = replace(inbound, reply_token="")  # an adapter answers the interaction of whom it does not know itself
        who, name, update = identity(inbound), inbound.sender.name, inbound.update
        agent = self.routing.decide(inbound.address, inbound.sender).agent
        out_id = answer_id(inbound.address.account, update)
        typed, by = split_command(inbound.text), None
        if typed and typed[0] == "link" and self.linking:
            with suppress(Refused):  # too many wrong codes
                by = self.linking.take(typed[1], Principal(who, name, is_owner=False), is_stranger=True)
        if await pairings.accept(inbound):
            log.info("pairing.owner", who=who, name=name)
            if self.owner and (principal := self.access.admit(inbound)):
                await self.owner.remember(principal, inbound)
            await self._tell(inbound, agent, tr(WELCOME), out_id=out_id, update=update)
        elif by:
            await self._tell(inbound, agent, tr(TAKEN, id=by.id), out_id=out_id, update=update)
        elif code := await pairings.ask(inbound):
            log.info("pairing.asked", who=who, name=name, approve="scrubjay pair list")
            await self._tell(inbound, agent, tr(CODE, code=code), out_id=out_id, update=update)
            if self.owner:
                await self.owner.report_stranger(who, name, code)

    async def _is_within_limits(self, inbound: Inbound, principal: Principal, agent: str, limiter: Limiter) -> bool:
        """Return whether a message may become a turn; tell its sender if not, and the owner that there were some."""
        if principal.is_owner and inbound.address.kind is ChatKind.PRIVATE and (count := await limiter.report()):
            text = trn(
                "{count:,} message of guests was not answered, because a limit was reached (`limits` in config.yaml). "
                "`/status` shows whose.",
                "{count:,} messages of guests were not answered, because a limit was reached (`limits` in "
                "config.yaml). `/status` shows whose.",
                count,
            )
            await self._tell(inbound, agent, text, update=f"{inbound.update}:limits")
        refusal = await limiter.admit(inbound, principal)
        if refusal and (not refusal.is_told or inbound.awaits_answer):
            log.warning("limit.reached", who=principal.id, chat=inbound.address.chat)
            await self._tell(inbound, agent, refusal.text, update=inbound.update)
        return refusal is None

    async def _tell(self, inbound: Inbound, agent: str, text: str, *, update: str, out_id: str = "") -> bool:
        """Answer an event that becomes no turn; return False if it was answered before."""
        name, token = out_id or outbox_id(f"{inbound.address.account}:{update}:limits"), inbound.reply_token
        out = Outbound(name, inbound.address, text, inbound.message, private=True, reply_token=token)
        return await self.coordinator.tell(agent, out, update=update)

    async def _move(self, chat: Address, *, to: str) -> None:
        """Note a chat's new id, which comes twice; of one that nobody speaks in nothing is kept."""
        is_noted = self.register.known(replace(chat, chat=to)).known_as == chat.lasting
        if not is_noted and (self.access.is_open(chat) or await self.coordinator.knows(chat)):
            await self.register.move(chat, to=to)
            log.info("chat.moved", chat=chat.chat, account=chat.account, to=to)

    async def _publish(self, envelope: Envelope) -> bool:
        """Put a message on disk, with what was said in its group before it; or say that it is too long."""
        number, inbound = 0, envelope.inbound
        if refusal := too_long(inbound.text):
            return await self._tell(inbound, envelope.agent, refusal, update=inbound.update)
        if self.context:
            envelope, number = self.context.attach(envelope)
        self.expect(envelope)
        is_new = await self.coordinator.publish(envelope)
        if is_new:
            account = inbound.address.account
            log.debug("message.received", agent=envelope.agent, session=str(envelope.session), account=account)
            if self.context:
                self.context.attached(envelope, number)
        return is_new

    def close(self) -> None:
        """Take nothing more."""
        self._is_open = False


def too_long(text: str) -> str:
    """Return why a text is too long to be answered; empty if it is not."""
    if len(text) <= MAX_MESSAGE_CHARS:
        return ""
    return tr(
        "A message has at most {most:,} characters; this one has {count:,}, and I did not read it. Say it shorter, or "
        "put it into a file of the workspace.",
        most=MAX_MESSAGE_CHARS,
        count=len(text),
    )
