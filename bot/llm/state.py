"""How an agent's model stands."""

from __future__ import annotations

from dataclasses import dataclass

from bot.llm.health import Outage
from bot.llm.meter import Tally


@dataclass(frozen=True, slots=True)
class ModelState:
    """What is known without asking it.

    Attributes:
        name: the model and where it runs.
        window: tokens that fit into it.
        outage: since when it does not answer, and why; None if it answered last time or was not asked.
        today: what it took for this agent today.
    """

    name: str
    window: int
    outage: Outage | None
    today: Tally
