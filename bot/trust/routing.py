"""Which agent a chat talks to."""

from __future__ import annotations

from collections.abc import Collection

from adapters.port import Address
from bot.errors import Missing


class Routing:
    """The agent chosen for a chat, else the default. A choice holds until the process ends.

    Raises:
        Missing: the default is not one of the agents.
    """

    def __init__(self, default: str, agents: Collection[str]) -> None:
        self._agents = tuple(agents)
        self._default = self._known(default)
        self._chosen: dict[Address, str] = {}

    def route(self, address: Address) -> str:
        """The agent that answers there."""
        return self._chosen.get(address, self._default)

    def choose(self, address: Address, agent: str) -> None:
        """Let another agent answer there from now on; raises `Missing`."""
        self._chosen[address] = self._known(agent)

    def _known(self, agent: str) -> str:
        if agent not in self._agents:
            raise Missing(f"There is no agent called {agent!r}.", hint=f"There are: {', '.join(self._agents)}.")
        return agent
