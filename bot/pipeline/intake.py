"""Intake: which events are admitted, to which agent they go, and what strangers are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace

import structlog

from adapters.port import ChatKind, Happening, Inbound, Outbound, Unreadable
from bot.access.access import Access, identity
from bot.access.limits import Limiter
from bot.access.pairing import Pairings
from bot.access.routing import Routing
from bot.errors import Fenced, StateError
from bot.formatting import all_well_formed
from bot.pipeline.owner import OwnerChats
from bot.pipeline.quarantine import Quarantine
from bot.storage.keys import Principal
from bot.storage.people import AccessStore
from bot.storage.port import Coordinator, Envelope, outbox_id
from bot.supervision import Done, outcome

CODE = "I do not know you yet. If this bot is a friend's, tell them this code within an hour:\n\n`{code}`"
WELCOME = "Now I know you: you are my owner. Tell me something and I note it; ask and I look it up. `/help` lists more."


class StrangerHandler:
    """Where events go that nobody admits.

    Args:
        coordinator: owes the answers.
        pairings: the codes.
        routing: whose outbox an answer goes through.
    """

    def __init__(self, coordinator: Coordinator, *, pairings: Pairings, routing: Routing) -> None:
        self._coordinator = coordinator
        self._pairings = pairings
        self._routing = routing

    async def meet(self, inbound: Inbound) -> None:
        """Answer a person in a private chat, if there is something to say; what happens elsewhere is ignored."""
        is_message = inbound.happening is Happening.MESSAGE
        if inbound.address.kind is not ChatKind.PRIVATE or inbound.sender.is_bot or not is_message:
            return
        if await self._pairings.accept(inbound):
            log.info("pairing.owner", who=identity(inbound), name=inbound.sender.name)
            await self._tell(inbound, WELCOME)
            return
        code = await self._pairings.ask(inbound)
        if code is None:
            return
        log.info("pairing.asked", who=identity(inbound), name=inbound.sender.name, approve="scrubjay pair list")
        await self._tell(inbound, CODE.format(code=code))

    async def _tell(self, inbound: Inbound, text: str) -> None:
        agent = self._routing.decide(inbound.address, inbound.sender).agent
        out = Outbound(
            id=outbox_id(f"{inbound.address.account}:{inbound.update}:reception"),
            to=inbound.address,
            text=text,
            reply_to=inbound.message,
            private=True,
        )
        await self._coordinator.tell(agent, out, update=inbound.update)


class LimitGate:
    """What stands between being let in and being answered.

    Args:
        coordinator: owes what people are told.
        limiter: counts.
    """

    def __init__(self, coordinator: Coordinator, limiter: Limiter) -> None:
        self._coordinator = coordinator
        self._limiter = limiter

    async def admits(self, inbound: Inbound, principal: Principal, *, agent: str) -> bool:
        """Whether a message may become a turn of this agent."""
        if principal.is_owner and inbound.address.kind is ChatKind.PRIVATE and (count := await self._limiter.report()):
            messages = "1 message of guests was" if count == 1 else f"{count:,} messages of guests were"
            why = "because a limit was reached (`limits` in config.yaml). `/status` shows whose."
            await self._tell(inbound, agent, f"{messages} not answered, {why}", update=f"{inbound.update}:limits")
        refusal = await self._limiter.admit(inbound, principal)
        if refusal is None:
            return True
        if refusal.told:
            log.warning("limit.reached", who=principal.id, chat=inbound.address.chat)
            await self._tell(inbound, agent, refusal.told, update=inbound.update)
        return False

    async def _tell(self, inbound: Inbound, agent: str, text: str, *, update: str) -> None:
        out = Outbound(
            id=outbox_id(f"{inbound.address.account}:{update}:limits"),
            to=inbound.address,
            text=text,
            reply_to=inbound.message,
            private=True,
            reply_token=inbound.reply_token,
        )
        await self._coordinator.tell(agent, out, update=update)


log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Intake:
    """What adapters bring events to (`adapters.port.InboundHandler`).

    Args:
        coordinator: puts them on disk.
        access: says who is let in.
        routing: says who answers.
        register: knows which chats have got another id.
        reception: answers strangers; without one they hear nothing.
        limiting: keeps out what is above a limit; without one nothing is.
        quarantine: sets aside what cannot be taken; without one, its error is raised.
        owner: hears where the owner can be told something.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        access: Access,
        routing: Routing,
        register: AccessStore,
        reception: StrangerHandler | None = None,
        limiting: LimitGate | None = None,
        quarantine: Quarantine | None = None,
        owner: OwnerChats | None = None,
    ) -> None:
        self._coordinator = coordinator
        self._access = access
        self._routing = routing
        self._register = register
        self._reception = reception
        self._limiting = limiting
        self._quarantine = quarantine
        self._owner = owner
        self._is_open = True

    async def receive(self, inbound: Inbound) -> bool:
        """Take an event. When this returns True it is on disk; False: seen before, given up, or of nobody let in.

        What is above a limit is not taken either. After `close` it does not return, so that nothing is acknowledged
        that will not be answered.
        """
        if not self._is_open:
            await asyncio.Event().wait()
        inbound = all_well_formed(inbound)
        if self._quarantine is None:
            return await self._take(inbound)
        return await self._quarantine.attempt(self._take, inbound)

    async def unreadable(self, event: Unreadable) -> None:
        """Set an event aside that an adapter can make nothing of."""
        if not self._is_open:
            await asyncio.Event().wait()
        if self._quarantine is None:
            log.error("event.unreadable", account=event.account, update=event.update, reason=event.reason)
            return
        await self._quarantine.set_aside(all_well_formed(event))

    async def isolate(self, work: Awaitable[None], what: str) -> Exception | None:
        """Do the work of one event; returns the error that nobody foresaw. Raises `StateError` and `Fenced`."""
        done = await outcome(work, what, foreseen=(StateError, Fenced))
        return None if isinstance(done, Done) else done

    async def _take(self, inbound: Inbound) -> bool:
        inbound = replace(inbound, address=self._register.known(inbound.address))
        if inbound.happening is Happening.MOVED:  # nobody said anything: there is nothing to answer
            to = inbound.address
            if self._access.is_open(to) or await self._coordinator.knows(to):  # else nothing of the chat is kept
                await self._register.move(to, to=inbound.text)
                log.info("chat.moved", chat=to.chat, account=to.account, to=inbound.text)
            return False
        principal = self._access.admit(inbound)
        if principal is None:
            if self._reception and not self._access.is_closed:
                await self._reception.meet(inbound)
            return False
        if self._owner:
            await self._owner.remember(principal, inbound.address)
        agent = self._routing.decide(inbound.address, inbound.sender).agent
        if self._limiting and not await self._limiting.admits(inbound, principal, agent=agent):
            return False
        return await self._coordinator.publish(Envelope(agent, principal, inbound))

    def close(self) -> None:
        """Take nothing more."""
        self._is_open = False
