"""The service as commands see it (`bot.commands.base.Desk`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.port import Button
from bot.agent.context import Context, ContextLog
from bot.brains import Brain
from bot.commands.base import Command
from bot.durable.port import Recorded, Session
from bot.durable.register import Register
from bot.forgetting import Forgetting
from bot.limits import Limiter
from bot.llm.state import ModelState
from bot.offers import Offers
from bot.session.key import SessionKey
from bot.session.transcript import Transcript
from bot.trust.linking import Linking
from bot.trust.routing import Routing
from bot.turn import Agent
from memory import Recall


@dataclass(frozen=True, slots=True)
class People:
    """Who answers whom, who is who, and what they have asked."""

    routing: Routing
    linking: Linking
    register: Register
    limiter: Limiter


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said, what models saw of it, and how it is forgotten."""

    transcript: Transcript
    contexts: ContextLog
    forgetting: Forgetting


class ServiceDesk:
    """Agents, commands, models, transcripts and routing of a running service."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        commands: Mapping[str, Command],
        *,
        brains: Mapping[str, Brain],
        spoken: Spoken,
        people: People,
        offers: Offers,
    ) -> None:
        self.agents = agents
        self.forgetting = spoken.forgetting
        self.linking = people.linking
        self.limiter = people.limiter
        self.register = people.register
        self.commands = commands
        self.offers = offers
        self._brains = brains
        self._transcript = spoken.transcript
        self._contexts = spoken.contexts
        self._routing = people.routing

    async def last_evidence(self, session: SessionKey) -> Recall | None:
        return await self._transcript.last_recall(session)

    async def last_choices(self, session: SessionKey) -> tuple[Button, ...]:
        return await self._transcript.last_choices(session)

    async def has_answered(self, session: SessionKey) -> bool:
        return await self._transcript.has_replies(session)

    async def current(self, session: SessionKey) -> Session | None:
        return await self._transcript.current(session)

    async def conversation(self, session: SessionKey, *, before: int | None = None) -> tuple[Recorded, ...]:
        return await self._transcript.newest(session, before=before)

    async def seen(self, session: SessionKey) -> Context | None:
        context = await self._contexts.last(session.agent, str(session))
        return context if context and await self._transcript.holds(session, context.turn) else None

    def model(self, agent: str) -> ModelState | None:
        return self._brains[agent].state

    async def switch(self, session: SessionKey, agent: str) -> None:
        await self._routing.choose(session.address, agent)
