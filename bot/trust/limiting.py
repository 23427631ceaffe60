"""Keeps what is above a limit out, and tells its sender once; once a day the owner hears that there was something."""

from __future__ import annotations

import structlog

from adapters.port import ChatKind, Inbound, Outbound
from bot.durable.port import Coordinator, outbox_id
from bot.limits import Limiter
from bot.turn import Principal

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Limiting:
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
        if principal.is_owner and inbound.address.kind is ChatKind.PRIVATE:
            await self._report(inbound, agent)
        refusal = await self._limiter.admit(inbound, principal)
        if refusal is None:
            return True
        if refusal.told:
            log.warning("limit.reached", who=principal.id, chat=inbound.address.chat)
            await self._tell(inbound, agent, refusal.told, update=inbound.update)
        return False

    async def _report(self, inbound: Inbound, agent: str) -> None:
        count = await self._limiter.report()
        if count:
            messages = "1 message of guests was" if count == 1 else f"{count:,} messages of guests were"
            why = "because a limit was reached (`limits` in config.yaml). `/status` shows whose."
            await self._tell(inbound, agent, f"{messages} not answered, {why}", update=f"{inbound.update}:limits")

    async def _tell(self, inbound: Inbound, agent: str, text: str, *, update: str) -> None:
        out = Outbound(
            id=outbox_id(f"{inbound.address.account}:{update}:limits"),
            to=inbound.address,
            text=text,
            reply_to=inbound.message,
            private=True,
            ticket=inbound.ticket,
        )
        await self._coordinator.tell(agent, out, update=update)
