"""Facts for tests of what is done with them."""

from __future__ import annotations

from collections.abc import Mapping

from bot.turn import Agent
from memory import OWNER, Origin

MARTA = (
    "The spare key hangs behind the meter box.",
    "W @Marta: Marta lives in Lisbon.",
    "O(c=0.8) @Marta: Marta likes tea.",
)


async def note(agents: Mapping[str, Agent], *texts: str, agent: str = "personal") -> list[str]:
    """Have an agent remember facts; return their ids."""
    ids = []
    for number, text in enumerate(texts):
        done = await agents[agent].memory.remember(
            text, origin=Origin.OWNER, scope=OWNER, op_id=f"t:{number}", actor="terminal:owner"
        )
        ids.append(done.fact.id or "")
    return ids
