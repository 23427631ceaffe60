"""The service as commands see it (`bot.commands.base.Desk`)."""

from __future__ import annotations

from collections.abc import Mapping

from bot.commands.base import Command
from bot.session.key import SessionKey
from bot.session.transcript import Transcript
from bot.trust.routing import Routing
from bot.turn import Agent
from memory import Recall


class ServiceDesk:
    """Agents, commands, transcripts and routing of a running service."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        commands: Mapping[str, Command],
        *,
        transcript: Transcript,
        routing: Routing,
    ) -> None:
        self.agents = agents
        self.commands = commands
        self._transcript = transcript
        self._routing = routing

    async def last_evidence(self, session: SessionKey) -> Recall | None:
        return await self._transcript.last_recall(session)

    async def has_answered(self, session: SessionKey) -> bool:
        return await self._transcript.has_replies(session)

    async def switch(self, session: SessionKey, agent: str) -> None:
        self._routing.choose(session.address, agent)
