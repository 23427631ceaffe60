"""The doctor of the dashboard: examines beside the pages, which show what was found last."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import structlog

import bot.doctor
from bot import plugins
from bot.app import Application
from bot.config.loader import examine
from bot.doctor.base import Check, CheckContext, Finding, Severity, run_checks
from bot.memories import Memories
from bot.service import control
from bot.supervision import Background
from bot.texts.catalogue import current_language, in_language, tr
from memory import Memory

FRESH_S = 60
"""How long an examination is taken for how things are."""

EXAMINED = "doctor.examined"
"""The event that tells of a new examination."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found when: findings as the page shows them, the worst first; `is_offline`: nobody elsewhere was asked.

    `language` is the one in which the findings are told.
    """

    at: datetime
    is_offline: bool
    language: str
    findings: tuple[Mapping[str, Any], ...]


class Examiner:
    """Carries the checks out when a page wants to know, as many as it likes; they take seconds in a large memory."""

    def __init__(self, app: Application, background: Background) -> None:
        self._app = app
        self._background = background
        self.last: Examination | None = None
        self.is_running = False
        self._repairs = 0

    def look(self, *, is_offline: bool) -> None:
        """Examine, unless that is done already or was just now."""
        last, now = self.last, self._app.clock.now()
        is_fresh = last and last.language == current_language() and (last.is_offline <= is_offline)
        if self.is_running or (last and is_fresh and (now - last.at).total_seconds() < FRESH_S):
            return
        self.is_running = True
        look = partial(self._look, current_language(), self._repairs, is_offline=is_offline)
        self._background.begin(look, "doctor")

    async def _look(self, language: str, repairs: int, *, is_offline: bool) -> None:
        with in_language(language):
            try:
                findings = [
                    {
                        **finding.as_json,
                        "title": tr(check.title),
                        "explains": check.explains.get(finding.id.partition(".")[2], ""),
                        "repair": finding.fix.description if finding.fix else "",
                    }
                    async for check, finding in self.findings(is_offline=is_offline)
                ]
            finally:
                self.is_running = False
        worst_first = [*reversed(Severity)]
        findings.sort(key=lambda finding: worst_first.index(finding["severity"]))
        if repairs == self._repairs:
            self.last = Examination(self._app.clock.now(), is_offline, language, tuple(findings))
        log.debug(EXAMINED)

    def forget(self) -> None:
        """Take what was found last for old, and what is being found, since something was repaired."""
        self.last = None
        self._repairs += 1

    async def findings(self, *, is_offline: bool) -> AsyncIterator[tuple[Check, Finding]]:
        """Carry the checks out; those that ask somebody elsewhere only where that is wanted."""
        app, checks = self._app, plugins.load_all(bot.doctor, "CHECK", Check)

        def opened(agent: str) -> nullcontext[Memory]:  # the service has the memories open
            return nullcontext(app.context.agents[agent].memory)

        async def rebuild(agent: str) -> None:
            await app.context.agents[agent].memory.rebuild()

        async with Memories(app.home, app.config, clock=app.clock) as memories:
            context = CheckContext(
                app.home,
                app.clock,
                examine(app.home),
                opened,
                memories.embedding,
                is_offline=is_offline,
                ask=partial(control.ask, app.home.control),
                rebuild=rebuild,
            )
            async for check, findings in run_checks(checks, context):
                for finding in findings:
                    yield check, finding
