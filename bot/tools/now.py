"""`now`: what time it is for the owner."""

from __future__ import annotations

from bot.texts.catalogue import mark
from bot.tools.base import Result, Work, tool


async def now(work: Work) -> Result:
    """Tell the date and time in the owner's time zone."""
    agent = work.turn.agent
    here = agent.clock.now().astimezone(agent.zone)
    return Result(f"{here.isoformat(timespec='minutes')} ({here:%A}, {agent.zone.key})")


TOOL = tool(now, doing=mark("looking at the clock"))
