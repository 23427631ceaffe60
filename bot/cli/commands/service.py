"""`scrubjay service`: have the system start the bot, and keep it running."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, Answer, NoInputOption, Run, YesOption, command, group
from bot.cli.invocation import Invocation
from bot.errors import ConfigError, Missing, UsageError, from_extra
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from bot.system.service_manager import ServiceFile

PAGE = """
Have the system start the bot, and keep it running.

With systemd as a service of yours or, with --system, of the machine; on macOS
with launchd. The file is shown before it is written.

Examples:
  scrubjay service install
  scrubjay service install --system --yes
  scrubjay service status
  scrubjay service logs -f
"""

app = group("service", PAGE)

SystemOption = Annotated[bool, Parameter(help="The machine's service: it needs root, through sudo, and confines more.")]


@command(app)
async def install(
    *, system: SystemOption = False, yes: YesOption = False, no_input: NoInputOption = False, run: Run
) -> None:
    """Write the service, start it, and have it started from now on.

    Called again, it writes the file anew and starts the service again.

    Examples:
      scrubjay service install
      scrubjay service install --system --yes
    """
    from bot.system import instance, service_manager

    home, config, terminal = run.home, run.config, run.terminal
    if not config.telegram.tokens and not config.discord.tokens:
        message = tr("No bot account is configured, so the service would end at once.")
        hint = tr("Put a token into config.yaml (telegram: or discord:), or run: scrubjay init")
        raise ConfigError(message, hint=hint)
    for tokens, library, platform in (
        (config.telegram.tokens, "telegram", "Telegram"),
        (config.discord.tokens, "discord", "Discord"),
    ):
        if tokens and find_spec(library) is None:  # else it would end at each start
            with from_extra(library, platform):
                raise ModuleNotFoundError(name=library)
    place = service_manager.choose(system=system, among=service_manager.places())
    terminal.out(f"# {place.file}")
    terminal.out(service_manager.describe(home, config, place.kind))
    terminal.asks = not (no_input or yes)
    if not yes:
        if not terminal.is_interactive:
            message = tr("The file was shown, and nobody is there to agree.")
            raise UsageError(message, hint=tr("Have it written: scrubjay service install --yes"))
        if not terminal.confirm(tr("Write this file, and start the service?")):
            terminal.err(tr("Nothing was written."))
            return
    holder = instance.holder(home)
    if holder and not place.text:
        terminal.err(tr("warning: {holder} uses this home; end it, and the service begins by itself.", holder=holder))
    for told in await service_manager.install(home, config, place):
        terminal.err(tr("warning: {message}", message=told))
    terminal.out(tr("Installed: {file}. What it says: scrubjay service logs", file=place.file))


@command(app, json=JSON)
async def status(*, run: Run) -> Answer:
    """Show which service is installed, and whether it runs.

    Exit code 0: one runs; 1: none does.

    Examples:
      scrubjay service status
      scrubjay service status --json | jq -r '.services[].file'
    """
    from bot.system import service_manager

    units = await service_manager.installed_services(run.home, run.config, service_manager.places())
    words = {True: tr("yes"), False: tr("no"), None: "?"}
    rows = [(unit.kind.value, words[unit.running], words[unit.enabled], str(unit.file)) for unit in units]
    heads = (tr("kind"), tr("runs"), tr("starts by itself"), tr("file"))
    lack = tr("No service is installed. To have one: scrubjay service install")
    run.terminal.table(rows, heads=heads, lack=lack)
    if len(units) > 1:
        run.terminal.err(tr("warning: two services are installed, and both want the bot: remove one."))
    run.exit_code = 0 if any(unit.running for unit in units) else 1
    return {"services": [asdict(unit) | {"file": str(unit.file), "program": str(unit.program)} for unit in units]}


@command(app)
async def logs(
    *,
    system: SystemOption = False,
    follow: Annotated[bool, Parameter(alias="-f", help="Go on with what comes, until Ctrl-C.")] = False,
    lines: Annotated[int, Parameter(alias="-n", metavar="N", help="How many of the last lines.")] = 100,
    run: Run,
) -> None:
    """Show what the service has logged.

    Examples:
      scrubjay service logs
      scrubjay service logs --system -f
    """
    from bot.system import service_manager

    if lines < 1:
        raise UsageError(tr("{lines} lines cannot be shown.", lines=lines), hint=tr("Give --lines 1 or more."))
    place = _installed(run, system=system)
    command_line = service_manager.logs_command(run.home, place, lines=lines, follow=follow)
    run.exit_code = await service_manager.show(*command_line)


@command(app)
async def remove(*, system: SystemOption = False, yes: YesOption = False, run: Run) -> None:
    """Stop the service, and remove its file; what is remembered stays.

    Examples:
      scrubjay service remove
      scrubjay service remove --system --yes
    """
    from bot.system import service_manager

    place = _installed(run, system=system)
    if not yes and not run.terminal.confirm(tr("Stop the service, and remove {file}?", file=place.file)):
        run.terminal.err(tr("It stays."))
        return
    await service_manager.remove(place)
    run.terminal.out(tr("Removed: {file}. Your memories stay where they are.", file=place.file))


def _installed(run: Invocation, *, system: bool) -> ServiceFile:
    """The service that is meant: the one of the kind, or the only one; raises `Missing` if there is none."""
    from bot.system import service_manager

    every = service_manager.places()
    there = [place for place in every if place.file.is_file()]
    wanted = service_manager.choose(system=system, among=every)
    if wanted in there:
        return wanted
    if there and not system:
        run.terminal.err(tr("There is one of the machine alone; that is meant."))
        return there[0]
    raise Missing(tr("There is no such service: {file}.", file=wanted.file), hint=tr("Run: scrubjay service status"))
