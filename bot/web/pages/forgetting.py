"""Forgetting: how strong the facts are, what fades next, what has faded, and how to keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.errors import Missing
from bot.texts.catalogue import mark, tr
from bot.web.page import ACTOR, Changed, Group, Page, View
from memory import Origin
from memory.index.types import FactOrder, FactQuery, FactState
from memory.journal.records import Operation
from memory.life.overview import STABILITIES, list_facts, strength_overview
from memory.life.reviews import review
from memory.strength import Rating

PAGE_SIZE = 30


async def context(view: View) -> Mapping[str, Any]:
    """Collect it; of the lists, a page."""
    memory, offset = view.agent.memory, view.number("offset", 0)
    shown = view.choice("show", ("fading", "faded", "pinned"), "fading")
    state = {"fading": FactState.ALIVE, "faded": FactState.FADED, "pinned": FactState.PINNED}[shown]
    query = FactQuery(state=state, order=FactOrder.WEAKEST, offset=offset, limit=PAGE_SIZE)
    page = await memory.run(list_facts, query, scope=view.scope)
    overview = await memory.run(strength_overview, scope=view.scope)
    return {
        "overview": overview,
        "known": overview.mean * overview.facts,
        "retrievability": [(f"{10 * place} %", count) for place, count in enumerate(overview.retrievability)],
        "stability": [*zip((*(f"{most} d" for most in STABILITIES), "∞"), overview.stability, strict=True)],
        "difficulty": [(str(place), count) for place, count in enumerate(overview.difficulty, 1)],
        "fading": [(day[8:], count) for day, count in overview.fading.items()],
        "shown": shown,
        "facts": page.facts,
        "total": page.total,
        "offset": offset,
        "limit": PAGE_SIZE,
    }


async def keep(view: View) -> Changed:
    """Strengthen a fact, as if it had been of use."""
    operation = Operation(view.op_id, ACTOR, Origin.OWNER, view.scope)
    name = view.field("id")
    if not await view.agent.memory.run(review, {name: Rating.GOOD}, operation, reason="approved"):
        message = tr("{agent} has no fact ^{id}.", id=name[:80], agent=view.agent.name)
        raise Missing(message, hint=tr("Load the page again."))
    return Changed(tr("Kept: it is as strong as new."))


PAGE = Page(
    path="/forgetting",
    title=mark("Forgetting"),
    context=context,
    group=Group.MEMORY,
    place=5,
    key="f",
    live=("memory.",),
    actions={"keep": keep},
)
