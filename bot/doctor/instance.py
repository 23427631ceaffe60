"""Check: who serves this home, and whether it can be reached."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from socket import gethostname

from bot.doctor.base import Check, CheckContext, Finding, Fix, Severity
from bot.errors import BotError
from bot.system import instance
from bot.texts.catalogue import mark, tr


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The holder of the instance lock. A lock that nobody holds any more is free, whatever was left behind."""
    home, here = context.home, gethostname()
    place = str(home.lock)
    left, holder = instance.read_holder(home), instance.holder(home)
    message = tr("running: {holder}", holder=holder) if holder else tr("not running")
    yield Finding("instance.holder", Severity.NOTE, place, message)
    is_shared = context.machine.network_drive(home.state)  # elsewhere the lock itself tells, also between containers
    if is_shared and left and left.host not in {"", here}:
        message = tr("{host} has this home open too ({holder})", host=left.host, holder=left)
        hint = tr(
            "Only one machine may serve a home. Stop it there; if that machine is gone, delete {card}",
            card=instance.holder_file(home),
        )
        yield Finding("instance.elsewhere", Severity.ERROR, place, message, hint)
    elif holder is None and (left or home.control.exists()):

        async def remove() -> None:
            if instance.holder(home) is None:
                for path in (instance.holder_file(home), home.control):
                    await asyncio.to_thread(path.unlink, missing_ok=True)

        fix = Fix(tr("remove what the ended process wrote about itself"), remove)
        message = tr("the last one ended without tidying up, as after a power cut or a kill")
        hint = tr("Nothing is lost; the next start tidies up. If you do not know why it ended, see: scrubjay logs")
        yield Finding("instance.stale", Severity.WARNING, place, message, hint, fix)
    elif holder and holder.command == "run" and home.control.exists():
        try:
            await context.ask("accounts")
        except BotError as error:
            yield Finding("instance.silent", Severity.ERROR, str(home.control), error.message, error.hint)


CHECK = Check(
    mark("running instance"),
    detect,
    {
        "holder": "Which process serves the home, if any.",
        "stale": "A process was killed, or the power failed. The lock is free, for the system takes it back; only its "
        "card is left. The next start tidies up, and so does `scrubjay doctor --fix`.",
        "elsewhere": "Another machine has written that it serves this home: the folder is shared or was copied. Two "
        "services would answer everything twice. Stop the other one, or delete the named file if it is gone.",
        "silent": "A service runs and does not answer on its local socket. It may be starting; if it stays so, look at "
        "`scrubjay logs` and start it again.",
    },
)
