"""Home: how everything is, today in numbers, what wants a look, what was remembered today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bot.texts import mark
from bot.web.page import Group, Page, View


async def context(view: View) -> Mapping[str, Any]:
    """Collect it."""
    memory = view.agent.memory
    return {
        "status": asdict(await memory.status()),
        "remembered": await memory.recent(10, scope=view.scope),
        "accounts": view.app.context.accounts(),
    }


PAGE = Page(
    path="/home",
    title=mark("Home"),
    context=context,
    group=Group.OVERVIEW,
    key="h",
    live=("memory.", "turn.", "account.", "model.", "job.", "index.", "pairing."),
)
