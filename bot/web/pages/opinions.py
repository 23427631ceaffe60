"""Opinions: what the agent believes, how surely over time, and what speaks for and against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.texts.catalogue import mark
from bot.web.page import Group, Page, View
from memory.life.overview import list_opinions


async def context(view: View) -> Mapping[str, Any]:
    """Collect them, those with most against them first."""
    return {"opinions": await view.agent.memory.run(list_opinions, scope=view.scope)}


PAGE = Page(
    path="/opinions",
    title=mark("Opinions"),
    context=context,
    group=Group.MEMORY,
    place=4,
    key="o",
    live=("memory.", "job.ended"),
)
