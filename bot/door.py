"""The one way in: admit, route, and put on disk."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import structlog

from adapters.port import Happening, Inbound
from bot.durable.port import Coordinator, Envelope
from bot.durable.register import Register
from bot.text import well_formed
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
    ) -> None:
        self._coordinator = coordinator
        self._access = access
        self._routing = routing
        self._register = register or Register()
        self._reception = reception
        self._limiting = limiting
        self._is_open = True

    async def receive(self, inbound: Inbound) -> bool:
        """Take an event. When this returns True it is on disk; False: seen before, or nobody who is let in.

        What is above a limit is not taken either. After `close` it does not return, so that nothing is acknowledged
        that will not be answered.
        """
        if not self._is_open:
            await asyncio.Event().wait()
        inbound = replace(inbound, address=self._register.known(inbound.address))
        if inbound.happening is Happening.MOVED:  # nobody said anything: there is nothing to answer
            await self._register.move(inbound.address, to=inbound.text)
            log.info("chat.moved", chat=inbound.address.chat, account=inbound.address.account, to=inbound.text)
            return False
        principal = self._access.admit(inbound)
        if principal is None:
            if self._reception and not self._access.is_closed:
                await self._reception.meet(inbound)
            return False
        agent = self._routing.route(inbound)
        if self._limiting and not await self._limiting.admits(inbound, principal, agent=agent):
            return False
        text, quote = well_formed(inbound.text), well_formed(inbound.quote)
        return await self._coordinator.publish(Envelope(agent, principal, replace(inbound, text=text, quote=quote)))

    def close(self) -> None:
        """Take nothing more."""
        self._is_open = False
