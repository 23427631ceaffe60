"""Doctor: what could be wrong, what to do about it, and repairs that lose nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import bot.doctor
from bot import control, plugins
from bot.config.loader import examine
from bot.doctor.base import Check, CheckContext, Finding
from bot.doctor.base import examine as carry_out
from bot.errors import BotError, Missing
from bot.memories import Memories
from bot.paths import reason
from bot.texts import mark, tr
from bot.web.page import Changed, Group, Page, View
from memory import Memory

ORDER = ("error", "warning", "note")


async def context(view: View) -> Mapping[str, Any]:
    """Carry the checks out that ask nobody elsewhere; the others too where that is asked for."""
    is_offline = view.query.get("all", "") != "yes"
    found = await _findings(view, is_offline=is_offline)
    shown = [
        {
            **finding.as_json,
            "title": tr(check.title),
            "explains": check.explains.get(finding.id.partition(".")[2], ""),
            "repair": finding.fix.description if finding.fix else "",
        }
        for check, finding in found
    ]
    shown.sort(key=lambda one: ORDER.index(one["severity"]))
    return {"findings": shown, "offline": is_offline, "wrong": sum(one["severity"] != "note" for one in shown)}


async def repair(view: View) -> Changed:
    """Apply the repair of a finding that is still there."""
    wanted = view.field("id"), view.field("place")
    for _, finding in await _findings(view, is_offline=True):
        if (finding.id, finding.place) == wanted and finding.fix:
            try:
                await finding.fix.apply()
            except OSError as error:
                raise BotError(reason(error)) from error
            return Changed(tr("Done: {what}", what=finding.fix.description))
    raise Missing(tr("That is no longer so."), hint=tr("Load the page again."))


async def _findings(view: View, *, is_offline: bool) -> list[tuple[Check, Finding]]:
    checks = [check for _, check in plugins.load_all(bot.doctor, "CHECK", Check)]
    async with check_context(view, is_offline=is_offline) as looked_at:
        return [(check, finding) async for check, some in carry_out(checks, looked_at) for finding in some]


@asynccontextmanager
async def check_context(view: View, *, is_offline: bool) -> AsyncIterator[CheckContext]:
    """Yield what checks look at, in a service that has the memories open."""
    app = view.app

    @asynccontextmanager
    async def opened(agent: str) -> AsyncIterator[Memory]:
        yield app.context.agents[agent].memory

    async def rebuild(agent: str) -> None:
        await app.context.agents[agent].memory.rebuild()

    async with Memories(app.home, app.config, clock=app.clock) as memories:
        yield CheckContext(
            app.home,
            app.clock,
            examine(app.home),
            opened,
            memories.embedding,
            is_offline=is_offline,
            ask=partial(control.ask, app.home.control),
            rebuild=rebuild,
        )


PAGE = Page(
    path="/doctor",
    title=mark("Doctor"),
    context=context,
    group=Group.SERVICE,
    place=5,
    key="d",
    actions={"repair": repair},
    is_shared=True,
)
