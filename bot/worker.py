"""Takes up an agent's messages and spreads them over its sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from bot.burst import Joining
from bot.durable.port import Coordinator, Grant, Message
from bot.lane import Lane
from bot.lanes import Lanes
from bot.pause import Pause, pause
from bot.rendering import Renderer
from bot.turn import Agent, Responder

BURST = 20
"""Most messages that one turn answers."""


class Worker:
    """Works for the agents that this process holds.

    Args:
        coordinator: where messages wait.
        agents: by name.
        respond: answers a turn.
        renderer: turns replies into what is committed.
        burst: how many waiting messages of one person may be joined to one turn; 1 for a responder that takes each
            message for itself.
        pause: waits, for messages that come in pieces.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        agents: Mapping[str, Agent],
        respond: Responder,
        renderer: Renderer,
        burst: int = BURST,
        pause: Pause = pause,
    ) -> None:
        self._coordinator = coordinator
        self._agents = agents
        self._respond = respond
        self._renderer = renderer
        self._joining = Joining(burst, pause)

    async def run(self, grant: Grant) -> None:
        """Serve one agent until cancelled. What was left over from an earlier process comes first."""
        async with asyncio.TaskGroup() as group:
            lanes: Lanes[Message] = Lanes(group, self._lane(grant).run)
            seen = 0
            while True:
                for message in await self._coordinator.pending(grant, after=seen):
                    lanes.put(str(message.envelope.session), message)
                    seen = message.seq

    def _lane(self, grant: Grant) -> Lane:
        return Lane(
            grant,
            self._agents[grant.agent],
            coordinator=self._coordinator,
            respond=self._respond,
            renderer=self._renderer,
            joining=self._joining,
        )
