"""Answers strangers: with a code, and nothing else. Nothing of what they say is kept, fetched, or shown to a model."""

from __future__ import annotations

import structlog

from adapters.port import ChatKind, Happening, Inbound, Outbound
from bot.durable.port import Coordinator, outbox_id
from bot.trust.access import identity
from bot.trust.pairing import Pairings
from bot.trust.routing import Routing

CODE = "I do not know you yet. If this bot is a friend's, tell them this code within an hour:\n\n`{code}`"
WELCOME = "Now I know you: you are my owner. Tell me something and I note it; ask and I look it up. `/help` lists more."

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Reception:
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
        agent = self._routing.route(inbound)
        out = Outbound(
            id=outbox_id(f"{inbound.address.account}:{inbound.update}:reception"),
            to=inbound.address,
            text=text,
            reply_to=inbound.message,
            private=True,
        )
        await self._coordinator.tell(agent, out, update=inbound.update)
