"""`scrubjay doctor`: run every check, say what to do, and repair what is safe to repair."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from cyclopts import Parameter

import bot.doctor
from bot import plugins
from bot.cli.help import JSON, Answer, NoInputOption, Run, YesOption, single
from bot.cli.invocation import Invocation
from bot.config.loader import examine
from bot.config.model import Config
from bot.doctor.base import Check, CheckContext, Finding, Fix, Severity, run_checks
from bot.errors import BotError, Missing, UsageError
from bot.memories import Memories
from bot.paths import reason
from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import did_you_mean
from memory import Error, Memory, Mode

LABELS = {
    Severity.NOTE: (mark("ok"), "green"),
    Severity.WARNING: (mark("warning"), "yellow"),
    Severity.ERROR: (mark("error"), "red"),
}
WIDTH = 9
"""Columns for them."""


async def doctor(
    *,
    fix: Annotated[bool, Parameter(help="Repair what is safe to repair, after showing it.")] = False,
    offline: Annotated[bool, Parameter(help="Ask no platform and no model.")] = False,
    explain: Annotated[
        str | None, Parameter(metavar="ID", help="Say what a finding means, instead of looking.")
    ] = None,
    yes: YesOption = False,
    no_input: NoInputOption = False,
    run: Run,
) -> Answer:
    """Look for what could be wrong, and say what to do.

    It looks and changes nothing. With --fix, what is safe to repair is shown
    and, after a yes, repaired; notes and conversations are never touched.
    Exit code 0: all is well; 1: there is something to look at. --explain with
    the id of a finding says what it means.

    Examples:
      scrubjay doctor
      scrubjay doctor --explain home.shared
      scrubjay doctor --fix
      scrubjay doctor --offline --json | jq '.findings[] | select(.fixable)'
    """
    run.use_owner_language()
    run.terminal.asks = not no_input
    if explain is not None:
        checks = plugins.load_all(bot.doctor, "CHECK", Check)
        known = {f"{name}.{what}": text for name, check in checks.items() for what, text in check.explains.items()}
        if explain not in known:
            hint = did_you_mean(explain, known) or tr("Run: scrubjay doctor")
            raise Missing(tr("There is no finding {id}.", id=explain), hint=hint)
        run.terminal.out(known[explain])
        return {"id": explain, "means": known[explain]}
    findings = await _report(run, is_offline=offline)
    repairs = {finding.fix.description: (finding.id, finding.fix) for finding in findings if finding.fix} if fix else {}
    applied = await _repaired(run, [*repairs.values()], yes=yes) if repairs else {}
    if applied:
        run.terminal.err(tr("Looking again."))
        findings = await _report(run, is_offline=offline, is_again=True)
    wrong = [finding for finding in findings if finding.is_wrong]
    if offline:
        run.terminal.note(tr("Platforms and models were not asked (--offline): whether they answer is not known."))
    if wrong:
        run.terminal.note(trn("{count} to look at.", "{count} to look at.", len(wrong)))
    else:
        run.terminal.note(tr("Nothing else is wrong.") if offline else tr("All is well."))
    if not fix and any(finding.fix for finding in wrong):
        run.terminal.note(tr("Some of it can be repaired: scrubjay doctor --fix"))
    run.exit_code = 1 if wrong else 0
    told = [finding.as_json for finding in findings]
    return {"ok": not wrong, "offline": offline, "fixed": applied, "findings": told}


async def inspect(run: Invocation, *, is_offline: bool) -> AsyncIterator[tuple[Check, Finding]]:
    """Run every check and yield what each finds; with `is_offline`, no platform and no model is asked."""
    async with check_context(run, is_offline=is_offline) as context:
        async for check, found in run_checks(plugins.load_all(bot.doctor, "CHECK", Check), context):
            for finding in found:
                yield check, finding


async def _report(run: Invocation, *, is_offline: bool, is_again: bool = False) -> list[Finding]:
    """Print what is in order as it is found, but not again, and what is wrong after that; return all of it."""
    seen: list[tuple[Check, Finding]] = []
    async for check, finding in inspect(run, is_offline=is_offline):
        seen.append((check, finding))
        if not (finding.is_wrong or is_again):
            _print(run, check, finding)
    for check, finding in seen:
        if finding.is_wrong:
            _print(run, check, finding)
    return [finding for _, finding in seen]


def _print(run: Invocation, check: Check, finding: Finding) -> None:
    label, colour = LABELS[finding.severity]
    named = f" [{finding.id}]" if finding.is_wrong else ""
    line = f"{tr(label):<{WIDTH}}{tr(check.title)}: {finding.message} ({finding.place}){named}"
    run.terminal.out(line, style=colour)
    if finding.hint:
        run.terminal.out(f"{'':<{WIDTH}}{finding.hint}")


async def _repaired(run: Invocation, repairs: Sequence[tuple[str, Fix]], *, yes: bool) -> dict[str, str]:
    """Show what would be repaired and ask; without anybody to ask, only `--yes` is a yes. Then apply each repair.

    Returns:
        What became of each (`done`, or why not) by its description; nothing if it was not agreed to.
    """
    run.terminal.err(tr("This would be done:"))
    for name, fix in repairs:
        run.terminal.err(f"  {fix.description}  [{name}]")
    if not yes and not run.terminal.is_interactive:
        raise UsageError(tr("Nobody is there to agree to it."), hint=tr("Add --yes to have it done without asking."))
    if not yes and not run.terminal.confirm(tr("Do it?")):
        return {}
    ended: dict[str, str] = {}
    for _, fix in repairs:
        try:
            await fix.apply()
        except (BotError, Error) as error:
            ended[fix.description] = str(error)
        except OSError as error:
            ended[fix.description] = f"{error.filename}: {reason(error)}" if error.filename else reason(error)
        else:
            ended[fix.description] = "done"
    for description, became in ended.items():
        run.terminal.err(f"  {description}: {tr('done') if became == 'done' else became}")
    return ended


@asynccontextmanager
async def check_context(run: Invocation, *, is_offline: bool) -> AsyncIterator[CheckContext]:
    """What there is to look at. A model that has to be made for its test is made in a folder that is gone again."""
    from bot.service import control

    run.terminal.log_apart()
    examined = examine(run.home)
    config = examined.config or Config()

    async def rebuild(agent: str) -> None:
        async with run.memory(agent, writes=True, by_words=True) as memory:
            await memory.rebuild()

    with suppress(BotError, OSError):  # which the checks of the state and of the home tell
        for name, folder in config.workspaces(run.home).items():
            if not folder.exists():  # one that is there is looked at as it is: it may hold edits
                await run.fetch_files(config, name)
    with TemporaryDirectory(prefix="scrubjay-") as scratch, run.quiet(config, *config.agents):
        home = run.home if run.home.cache.is_dir() else replace(run.home, cache=Path(scratch))
        async with Memories(home, config, clock=run.clock) as memories, AsyncExitStack() as stack:
            yield CheckContext(
                run.home,
                run.clock,
                examined,
                _shared(memories, stack),
                memories.embedding,
                is_offline=is_offline,
                machine=run.machine,
                ask=partial(control.ask, run.home.control),
                rebuild=rebuild,
            )


def _shared(memories: Memories, stack: AsyncExitStack) -> Callable[[str], AbstractAsyncContextManager[Memory]]:
    """Open memories for looking, each once for all checks; `stack` closes them. One that does not open says why."""
    lock = asyncio.Lock()
    known: dict[str, Memory | Error] = {}

    @asynccontextmanager
    async def opened(agent: str) -> AsyncIterator[Memory]:
        async with lock:
            if agent not in known:
                try:
                    known[agent] = await stack.enter_async_context(memories.open(agent, mode=Mode.READ_ONLY))
                except Error as error:
                    known[agent] = error
        found = known[agent]
        if isinstance(found, Error):
            raise found
        yield found

    return opened


app = single("doctor", doctor, json=JSON)
