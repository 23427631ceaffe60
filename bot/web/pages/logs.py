"""Logs: what the service has told lately, filtered, as it happens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.events import Event
from bot.texts.catalogue import mark
from bot.web.page import Group, Page, View

LEVELS = ("debug", "info", "warning", "error", "critical")
MAX_LINES = 300


async def context(view: View) -> Mapping[str, Any]:
    """Collect the newest events first; those below `info` are shown when they are asked for."""
    level = view.choice("level", LEVELS, "info")
    about, words = view.choice("about", view.agents), view.query.get("q", "").strip().casefold()

    def is_wanted(event: Event) -> bool:
        is_about = not about or event.fields.get("agent") == about
        line = " ".join([event.name, *(f"{name}={value}" for name, value in event.fields.items())])
        return is_about and LEVELS.index(_level(event)) >= LEVELS.index(level) and words in line.casefold()

    events = [event for event in reversed(view.app.events.recent()) if is_wanted(event)]
    shown = [
        {"at": event.at, "level": _level(event), "name": event.name, "logger": event.logger, "fields": {**event.fields}}
        for event in events[:MAX_LINES]
    ]
    return {"events": shown, "levels": LEVELS, "level": level, "about": about, "file": view.app.home.log_file}


def _level(event: Event) -> str:
    return event.level if event.level in LEVELS else "info"


PAGE = Page(
    path="/logs", title=mark("Logs"), context=context, group=Group.SERVICE, place=4, key="l", live=("",), is_shared=True
)
