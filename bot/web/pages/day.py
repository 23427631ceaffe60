"""Day: the log of one day as it stands in its file, with its facts and conversations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.texts.catalogue import mark
from bot.web.page import Page, View
from bot.web.pages.sessions import place_of
from memory import Error
from memory.errors import NotFound
from memory.files.paths import daily_log
from memory.index.types import FactQuery
from memory.life.overview import count_days, list_facts

PAGE_SIZE = 50


async def context(view: View) -> Mapping[str, Any]:
    """Collect what one day has; a file that cannot be read says why."""
    day = view.day(view.part("day")).isoformat()
    memory, offset = view.agent.memory, view.number("offset", 0)
    text, problem = "", ""
    try:
        text = (await memory.page(daily_log(day, view.scope))).text
    except NotFound:
        pass
    except Error as error:
        problem = str(error)
    page = await memory.run(list_facts, FactQuery(day=day, offset=offset, limit=PAGE_SIZE), scope=view.scope)
    days = [each for each, count in (await memory.run(count_days, scope=view.scope)).items() if count]
    zone = view.agent.zone

    def local(at: datetime) -> str:
        return at.astimezone(zone).date().isoformat()

    sessions = [
        {"place": place_of(session), "id": session.id, "messages": session.messages, "began": session.began}
        for session in await view.app.coordinator.sessions(view.agent.name)
        if local(session.began) <= day <= local(session.used)
    ]
    return {
        "day": day,
        "path": daily_log(day, view.scope),
        "text": text,
        "problem": problem,
        "facts_of_day": page.facts,
        "total": page.total,
        "offset": offset,
        "limit": PAGE_SIZE,
        "sessions": sessions,
        "before": max((each for each in days if each < day), default=""),
        "after": min((each for each in days if each > day), default=""),
    }


PAGE = Page(path="/day/{day}", title=mark("Day"), context=context, live=("memory.",))
