"""Opinions: what the agent believes, how surely over time, and what speaks for and against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.texts.catalogue import mark
from bot.web.page import Group, Page, View
from memory.life.overview import list_opinions

PAGE_SIZE = 50


async def context(view: View) -> Mapping[str, Any]:
    """Collect a page of them, those with most against them first."""
    (courses, unseen), offset = await view.agent.memory.run(list_opinions, scope=view.scope), view.number("offset", 0)
    page = courses[offset : offset + PAGE_SIZE]
    return {"opinions": page, "total": len(courses), "unseen": unseen, "offset": offset, "limit": PAGE_SIZE}


PAGE = Page(
    path="/opinions",
    title=mark("Opinions"),
    context=context,
    group=Group.MEMORY,
    place=4,
    key="o",
    live=("memory.", "job.ended"),
)
