"""Check: a service of the system is installed as it should be, runs, and is the only one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import Refused
from bot.paths import Home
from bot.system import service_manager
from bot.system.service_manager import InstalledService
from bot.texts.catalogue import mark, tr


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The units of this user and machine that serve this home; a home without a service is no mistake."""
    try:
        units = await service_manager.installed_services(context.home, context.config(), service_manager.places())
    except Refused as error:
        yield Finding("service.cached", Severity.NOTE, "scrubjay", str(error))
        return
    if not units:
        yield Finding("service.none", Severity.NOTE, "scrubjay service", tr("no service is installed"))
    if len(units) > 1:
        files = ", ".join(str(unit.file) for unit in units)
        message = tr("two services are installed, and both want the bot")
        hint = tr("Remove one: scrubjay service remove, or with --system")
        yield Finding("service.two", Severity.WARNING, files, message, hint)
    for unit in units:
        if not unit.is_ours:
            yield Finding("service.other", Severity.NOTE, str(unit.file), tr("a service of another home"))
            continue
        for finding in _check_unit(unit, context.home):
            yield finding


def _check_unit(unit: InstalledService, home: Home) -> Iterator[Finding]:
    place = str(unit.file)
    again = tr("Write it anew: scrubjay service install")
    again += " --system" if unit.kind is service_manager.Kind.SYSTEM else ""
    if not unit.program.is_file():
        message = tr("starts {program}, which is not there", program=unit.program)
        yield Finding("service.program", Severity.ERROR, place, message, again)
    elif not unit.is_current:
        yield Finding("service.outdated", Severity.WARNING, place, tr("is of another version or setting"), again)
    if missing := service_manager.missing_variables(home, unit.kind):
        message = tr("is not given {names}, to which config.yaml refers", names=", ".join(missing))
        file = service_manager.environment_file(home)
        yield Finding("service.variables", Severity.ERROR, place, message, tr("Put them into {file}.", file=file))
    if unit.enabled is False:
        yield Finding("service.disabled", Severity.WARNING, place, tr("does not start with the machine"), again)
    if unit.running is False:
        hint = tr("See why: scrubjay service logs")
        yield Finding("service.stopped", Severity.WARNING, place, tr("does not run"), hint)
    else:
        message = tr("running") if unit.running else tr("it cannot be asked whether it runs")
        yield Finding("service.state", Severity.NOTE, place, message)


CHECK = Check(
    mark("service of the system"),
    detect,
    {
        "none": "Nothing starts Scrubjay with the machine. `scrubjay service install` has it started; a terminal, a "
        "container or another supervisor will do as well.",
        "cached": "This Scrubjay runs from a temporary environment, as `uvx` makes one, which no service can rely on.",
        "two": "A service of yours and one of the machine are installed. Only one of them can serve this home: remove "
        "the other.",
        "other": "A service of the same name serves another home of this user.",
        "program": "The service starts a Python that is not there any more, for example because its environment was "
        "moved or removed.",
        "outdated": "What stands in the service's file is not what this version writes, or an option that it depends "
        "on was changed.",
        "variables": "`config.yaml` refers to variables of your shell, which a service does not see.",
        "disabled": "The service is there and does not start with the machine.",
        "stopped": "The service is installed and does not run. Its log tells why.",
        "state": "Whether the service runs, as far as its manager can be asked.",
    },
)
