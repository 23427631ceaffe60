"""`scrubjay service`: the system starts the bot, and starts it again when it fails."""

from __future__ import annotations

import os
from typing import Annotated

from cyclopts import Parameter

from bot import system_service
from bot.cli.help import JsonOption, Run, YesOption, command, group
from bot.cli.invocation import Invocation
from bot.errors import BotError, Missing, Refused, UsageError
from bot.paths import service_folders, sudo_user
from bot.system_service import ServiceManager, ServiceUnit
from bot.texts import tr

PAGE = """
Have the system start the bot, and start it again when it fails.

A unit of systemd for your user, or with --system one that runs whoever is
logged in; on a Mac an agent of launchd.

Examples:
  scrubjay service install
  scrubjay service status
  scrubjay service logs --follow
  scrubjay service remove
"""

app = group("service", PAGE)


@command(app)
async def install(
    *,
    system: Annotated[bool, Parameter(help="A service of the system; needs root and SCRUBJAY_HOME.")] = False,
    as_: Annotated[str, Parameter(name="--as", metavar="USER", help="With --system: as whom it runs.")] = "",
    show: Annotated[bool, Parameter(help="Print the file, and change nothing.")] = False,
    yes: YesOption = False,
    run: Run,
) -> None:
    """Write the unit, start it, and have it start with the machine.

    The file is shown first. Called again, it replaces the unit and restarts it.

    Examples:
      scrubjay service install
      scrubjay service install --show
      sudo SCRUBJAY_HOME=/srv/bot scrubjay service install --system --as robin
    """
    manager = _manager(run)
    if as_ and not system:
        raise UsageError(tr("--as means something with --system only."))
    unit = manager.unit(is_system=system, user=as_ or sudo_user())
    if show:
        run.terminal.out(unit.text.rstrip())
        return
    if system and os.geteuid() != 0:
        raise Refused(tr("A service of the system needs root."), hint=tr("Run it with sudo, or without --system."))
    for name, other in manager.installed().items():
        if other.path != unit.path:
            raise Refused(
                tr("There is a {kind} service already: {path}", kind=name, path=other.path),
                hint=tr("Two would keep each other from running. Remove that one first: scrubjay service remove"),
            )
    run.terminal.out(tr("This goes into {path}:", path=unit.path))
    run.terminal.out()
    run.terminal.out(unit.text.rstrip())
    run.terminal.out()
    if not yes and not run.terminal.confirm(tr("Write and start it?")):
        run.terminal.err(tr("Nothing was changed."))
        return
    for unmet in await system_service.install(unit):
        run.terminal.err(tr("warning: {text}", text=unmet))
    run.terminal.out(tr("Scrubjay runs, and starts with the machine. To see it: scrubjay service status"))


@command(app)
async def status(*, json: JsonOption = False, run: Run) -> int:
    """Tell whether it is installed, and how it runs.

    Exit code 0: it runs; 1: it does not.

    Examples:
      scrubjay service status
      scrubjay service status --json | jq -r '.units[].state'
    """
    found = _manager(run).installed()
    states = {name: await system_service.state(unit) for name, unit in found.items()}
    if json:
        units = [
            {"kind": name, "path": str(unit.path), "is_current": unit.is_current, "state": states[name].state}
            | {"details": dict(states[name].details)}
            for name, unit in found.items()
        ]
        run.terminal.json({"units": units})
    elif not found:
        run.terminal.err(tr("No service is installed. To install one: scrubjay service install"))
    else:
        rows = [(name, states[name].state, str(unit.path)) for name, unit in found.items()]
        run.terminal.table(rows, heads=(tr("whose"), tr("state"), tr("file")))
        for unit in found.values():
            if not unit.is_current:
                run.terminal.err(tr("{path} is of an older version: scrubjay service install", path=unit.path))
    if len(found) > 1:
        run.terminal.err(tr("There are two, and only one of them can run. Remove one: scrubjay service remove"))
    return 0 if any(one.is_running for one in states.values()) else 1


@command(app)
async def logs(
    *,
    follow: Annotated[bool, Parameter(name=("--follow", "-f"), help="Go on printing, until Ctrl-C.")] = False,
    lines: Annotated[int, Parameter(metavar="N", help="How many of the last lines.")] = 100,
    run: Run,
) -> int:
    """Print what the service has logged.

    Examples:
      scrubjay service logs
      scrubjay service logs --follow --lines 20
    """
    import asyncio

    _, unit = _one_of(_manager(run).installed())
    if not unit.logs:
        raise Missing(
            tr("This system keeps no log of services."),
            hint=tr("It is in {path}", path=run.home.logs / "service.log"),
        )
    words = (*unit.logs, "--lines", str(lines), "--no-pager", *(("--follow",) if follow else ()))
    try:
        process = await asyncio.create_subprocess_exec(*words)
    except FileNotFoundError as error:
        raise Missing(tr("There is no command {name} on this machine.", name=words[0])) from error
    return await process.wait()


@command(app)
async def remove(
    *,
    system: Annotated[bool, Parameter(help="The service of the system, where there are two.")] = False,
    yes: YesOption = False,
    run: Run,
) -> None:
    """End it, and take its unit away. What the bot remembers stays.

    Examples:
      scrubjay service remove
      scrubjay service remove --system --yes
    """
    found = _manager(run).installed()
    name, unit = ("system", found["system"]) if system and "system" in found else _one_of(found)
    if not yes and not run.terminal.confirm(tr("End the {kind} service and delete {path}?", kind=name, path=unit.path)):
        run.terminal.err(tr("Nothing was changed."))
        return
    await system_service.remove(unit)
    run.terminal.out(tr("It is gone. Memories and settings stay where they are: scrubjay paths"))


def _manager(run: Invocation) -> ServiceManager:
    user_units, system_units = service_folders()
    options = run.config.agents
    workspaces = [run.home.workspace(name, options[name].workspace) for name in options]
    return ServiceManager(run.home, workspaces=workspaces, user_units=user_units, system_units=system_units)


def _one_of(found: dict[str, ServiceUnit]) -> tuple[str, ServiceUnit]:
    """Return the only unit, or the user's of two; raises `BotError`: there is none."""
    if not found:
        raise BotError(tr("No service is installed."), hint=tr("To install one: scrubjay service install"))
    return next(iter(found.items()))
