"""The one way in: admit, route, and put on disk."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import structlog

from adapters.port import Happening, Inbound, Unreadable
from bot.durable.port import Coordinator, Envelope
from bot.durable.register import Register
from bot.owner import OwnerChats
from bot.quarantine import Quarantine
from bot.text import all_well_formed
from bot.trust.access import Access
from bot.trust.limiting import Limiting
from bot.trust.reception import Reception
from bot.trust.routing import Routing

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Door:
    """What adapters bring events to (`adapters.port.Door`).

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
        register: Register | None = None,
        reception: Reception | None = None,
        limiting: Limiting | None = None,
        quarantine: Quarantine | None = None,
        owner: OwnerChats | None = None,
    ) -> None:
        self._coordinator = coordinator
        self._access = access
        self._routing = routing
        self._register = register or Register()
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

    async def _take(self, inbound: Inbound) -> bool:
        inbound = replace(inbound, address=self._register.known(inbound.address))
        if inbound.happening is Happening.MOVED:  # nobody said anything: there is nothing to answer
            await self._move(inbound)
            return False
        principal = self._access.admit(inbound)
        if principal is None:
            if self._reception and not self._access.is_closed:
                await self._reception.meet(inbound)
            return False
        if self._owner:
            await self._owner.met(principal, inbound)
        agent = self._routing.route(inbound)
        if self._limiting and not await self._limiting.admits(inbound, principal, agent=agent):
            return False
        return await self._coordinator.publish(Envelope(agent, principal, inbound))

    async def _move(self, inbound: Inbound) -> None:
        """Follow a chat to its new id; of one in which nobody was ever heard nothing is kept."""
        to = inbound.address
        if self._access.is_open(to) or await self._coordinator.knows(to):
            await self._register.move(to, to=inbound.text)
            log.info("chat.moved", chat=to.chat, account=to.account, to=inbound.text)

    def close(self) -> None:
        """Take nothing more."""
        self._is_open = False
