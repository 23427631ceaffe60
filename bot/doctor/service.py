"""Check: the system's service, where one is installed, is of this version, alone, and runs."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import BotError
from bot.paths import service_folders
from bot.system_service import ServiceManager, state
from bot.texts import tr


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """None is fine: it may run in a terminal, in a container, or not at all."""
    options = context.config().agents
    workspaces = [context.home.workspace(name, options[name].workspace) for name in options]
    user_units, system_units = service_folders()
    manager = ServiceManager(context.home, workspaces=workspaces, user_units=user_units, system_units=system_units)
    try:
        found = manager.installed()
        states = {name: await state(unit) for name, unit in found.items()}
    except BotError:  # no manager of services here, or none that could keep this installation running
        return
    if len(found) > 1:
        places = ", ".join(str(unit.path) for unit in found.values())
        hint = tr("Remove one: scrubjay service remove")
        yield Finding("service.two", Severity.WARNING, places, tr("two services keep each other from running"), hint)
    for name, unit in found.items():
        place, how = str(unit.path), states[name]
        again = tr("Write it anew: scrubjay service install")
        if not unit.is_current:
            message = tr("it was written by another version, or for another place of Python")
            yield Finding("service.outdated", Severity.WARNING, place, message, again)
        if how.is_running:
            yield Finding("service.runs", Severity.NOTE, place, tr("it runs"))
        else:
            hint = tr("See why: scrubjay service logs")
            message = tr("it does not run ({state})", state=how.state)
            yield Finding("service.stopped", Severity.WARNING, place, message, hint)


CHECK = Check("service", "service of the system", detect)
