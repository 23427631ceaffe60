"""Takes up an agent's messages and spreads them over its sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import replace

from bot.burst import Joining
from bot.durable.port import Coordinator, Grant, Message
from bot.lane import Lane
from bot.lanes import Lanes
from bot.pause import pause
from bot.rendering import Renderer
from bot.stoppable import Stopping
from bot.turn import Agent, Responder

USUAL = Joining(limit=20, pause=pause)
"""At most so many messages are answered by one turn."""


class Worker:
    """Works for the agents that this process holds.

    Args:
        coordinator: where messages wait.
        agents: by name.
        respond: answers a turn.
        renderer: turns replies into what is committed.
        stopping: ends the turns that `/stop` means.
        joining: how waiting messages of one person become one turn.
        one_by_one: agents that take each message for itself.
        guests_at_once: how many turns of guests are worked on at the same time, so that the owner's need not wait for
            them; 0 for any number.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        agents: Mapping[str, Agent],
        respond: Responder,
        renderer: Renderer,
        stopping: Stopping | None = None,
        joining: Joining = USUAL,
        one_by_one: Collection[str] = (),
        guests_at_once: int = 0,
    ) -> None:
        self._coordinator = coordinator
        self._agents = agents
        self._respond = respond
        self._renderer = renderer
        self._stopping = stopping or Stopping()
        self._joining = joining
        self._one_by_one = one_by_one
        self._guests = asyncio.Semaphore(guests_at_once) if guests_at_once else nullcontext()

    async def run(self, grant: Grant) -> None:
        """Serve one agent until cancelled. What was left over from an earlier process comes first."""
        async with asyncio.TaskGroup() as group:
            lanes: Lanes[Message] = Lanes(group, self._lane(grant).run)
            seen = 0
            while True:
                for message in await self._coordinator.pending(grant, after=seen):
                    session = str(message.envelope.session)
                    if is_stop(message):
                        self._stopping.stop(session, by=message.envelope.principal)
                    lanes.put(session, message)
                    seen = message.seq

    def _lane(self, grant: Grant) -> Lane:
        return Lane(
            grant,
            self._agents[grant.agent],
            coordinator=self._coordinator,
            respond=self._respond,
            renderer=self._renderer,
            joining=replace(self._joining, limit=1) if grant.agent in self._one_by_one else self._joining,
            guests=self._guests,
        )


def is_stop(message: Message) -> bool:
    """Whether a message asks to end the turn before it."""
    return message.envelope.inbound.text.split(maxsplit=1)[:1] == ["/stop"]
