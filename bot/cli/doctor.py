"""`scrubjay doctor`: run every check and say what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import bot.doctor
from bot import plugins
from bot.cli.help import JsonOption, Run, single
from bot.cli.invocation import Invocation
from bot.config.loader import examine
from bot.config.model import Config
from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import BotError
from bot.memories import Memories
from bot.paths import reason

LABELS = {Severity.NOTE: ("ok", "green"), Severity.WARNING: ("warning", "yellow"), Severity.ERROR: ("error", "red")}


async def doctor(*, json: JsonOption = False, run: Run) -> int:
    """Look for what could be wrong, and say what to do.

    It looks and changes nothing. Exit code 0: all is well; 1: there are findings.

    Examples:
      scrubjay doctor
      scrubjay doctor --json | jq '.findings[] | select(.severity == "error")'
    """
    seen: list[Finding] = []
    async with _check_context(run) as context:
        for _, check in plugins.load_all(bot.doctor, "CHECK", Check):
            found = [finding async for finding in _detect(check, context)]
            seen += found
            for finding in [] if json else found:
                label, colour = LABELS[finding.severity]
                run.terminal.out(f"{label:<8} {check.title}: {finding.message} ({finding.place})", style=colour)
                if finding.hint:
                    run.terminal.out(f"{'':<8} {finding.hint}")
    wrong = [finding for finding in seen if finding.severity is not Severity.NOTE]
    if json:
        run.terminal.json({"ok": not wrong, "findings": [asdict(finding) for finding in seen]})
    else:
        run.terminal.err(f"{len(wrong)} to look at." if wrong else "All is well.")
    return 1 if wrong else 0


@asynccontextmanager
async def _check_context(run: Invocation) -> AsyncIterator[CheckContext]:
    """What there is to look at. A model that has to be made for its test is made in a folder that is gone again."""
    examined = examine(run.home)
    config = examined.config or Config()
    with TemporaryDirectory(prefix="scrubjay-") as scratch, run.quiet(config, *config.agents):
        home = run.home if run.home.cache.is_dir() else replace(run.home, cache=Path(scratch))
        async with Memories(home, config, clock=run.clock) as memories:
            yield CheckContext(
                run.home, run.clock, examined, lambda agent: run.memory(agent, look=True), memories.embedding
            )


async def _detect(check: Check, context: CheckContext) -> AsyncIterator[Finding]:
    """A check's findings; one that the system hinders is a finding itself and does not stop the others."""
    try:
        async for finding in check.detect(context):
            yield finding
    except BotError as error:
        yield Finding(f"{check.id}.refused", Severity.ERROR, check.title, error.message, error.hint)
    except OSError as error:
        place = str(error.filename or check.title)
        yield Finding(f"{check.id}.refused", Severity.ERROR, place, reason(error), "Check owner and permissions.")


app = single("doctor", doctor)
