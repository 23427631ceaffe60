"""Entities: the people, places and things that facts name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.texts.catalogue import mark
from bot.web.page import Group, Page, View
from memory.index.types import EntityOrder
from memory.life.overview import list_entities

PAGE_SIZE = 50
ORDERS = {"-facts": EntityOrder.FACTS, "name": EntityOrder.NAME, "-last": EntityOrder.NEWEST}


async def context(view: View) -> Mapping[str, Any]:
    words, offset = view.query.get("q", "").strip(), view.number("offset", 0)
    order = ORDERS[view.choice("order", ORDERS, "-facts")]
    entities, total = await view.agent.memory.run(
        list_entities, scope=view.scope, words=words, order=order, offset=offset, limit=PAGE_SIZE
    )
    return {"entities": entities, "total": total, "offset": offset, "limit": PAGE_SIZE, "q": words}


PAGE = Page(
    path="/entities", title=mark("Entities"), context=context, group=Group.MEMORY, place=3, key="e", live=("memory.",)
)
