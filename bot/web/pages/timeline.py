"""Timeline: a year as a calendar, the last days, and what was on this day before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.texts.catalogue import mark
from bot.web.page import Group, Page, View
from memory.index.types import FactQuery
from memory.life.overview import count_days, list_facts, on_this_day

WEEKS = 53
LAST_DAYS = 5
MAX_A_DAY = 10


async def context(view: View) -> Mapping[str, Any]:
    """Collect the facts of each day of a year that ends with a day, or with today."""
    memory, last = view.agent.memory, view.day(view.query.get("until", ""))
    counts = await memory.run(count_days, scope=view.scope)
    days = [day for day, count in counts.items() if count and day <= last.isoformat()][-LAST_DAYS:]
    recent = []
    for day in reversed(days):
        page = await memory.run(list_facts, FactQuery(day=day, limit=MAX_A_DAY), scope=view.scope)
        recent.append({"day": day, "facts": page.facts, "total": page.total})
    years = sorted({int(day[:4]) for day in counts if day[:4].isdecimal()} | {view.today.year})
    return {
        "counts": counts,
        "last": last,
        "weeks": WEEKS,
        "years": years,
        "recent": recent,
        "this_day": await memory.run(on_this_day, scope=view.scope),
    }


PAGE = Page(
    path="/timeline", title=mark("Timeline"), context=context, group=Group.MEMORY, place=2, key="t", live=("memory.",)
)
