"""Doctor: what could be wrong, what to do about it, and repairs that lose nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.errors import BotError, Missing
from bot.paths import reason
from bot.texts.catalogue import mark, tr
from bot.web.examiner import EXAMINED
from bot.web.page import Changed, Group, Page, View


async def context(view: View) -> Mapping[str, Any]:
    """Collect what the last examination has found; a new one begins beside if that is some time ago."""
    is_offline = view.query.get("all", "") != "yes"
    view.beside.examiner.look(is_offline=is_offline)
    last = view.beside.examiner.last
    findings = last.findings if last else ()
    return {
        "findings": findings,
        "at": last.at if last else None,
        "is_running": view.beside.examiner.is_running,
        "offline": is_offline,
        "wrong": sum(finding["severity"] != "note" for finding in findings),
    }


async def repair(view: View) -> Changed:
    """Apply the repair of a finding that is still there."""
    wanted = view.field("id"), view.field("place")
    async for _, finding in view.beside.examiner.findings(is_offline=True):
        if (finding.id, finding.place) == wanted and finding.fix:
            try:
                await finding.fix.apply()
            except OSError as error:
                raise BotError(reason(error)) from error
            view.beside.examiner.forget()
            return Changed(tr("Done: {what}", what=finding.fix.description))
    raise Missing(tr("That is no longer so."), hint=tr("Load the page again."))


PAGE = Page(
    path="/doctor",
    title=mark("Doctor"),
    context=context,
    group=Group.SERVICE,
    place=5,
    key="d",
    live=(EXAMINED,),
    actions={"repair": repair},
    is_shared=True,
)
