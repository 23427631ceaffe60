"""Check: every page of the state file is whole, and the journals end as the service left them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import BotError
from bot.texts import tr
from memory import Error

REPAIR = "Stop Scrubjay and put a backup in its place, or move it aside: it holds messages under way and transcripts, \
no memory."

AGAIN = "Whether it is damaged is not known. Look again when the machine has less to do, or while Scrubjay is stopped."


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """Damage in the file, read from end to end, then the ends of the journals that are noted in it."""
    path = context.home.database
    if not path.exists():
        return
    from bot.journal_check import ADVICE, HEAD, account
    from bot.storage.database import MAX_CHECK_S, damage
    from bot.storage.people import read_adapter_state

    try:
        wrong = await damage(path)
        names = () if wrong else context.agents
        heads = {name: (await read_adapter_state(path, account(name))).get(HEAD, "") for name in names}
    except BotError as error:
        yield Finding("state.unusable", Severity.ERROR, str(path), error.message, error.hint)
        return
    if wrong:
        yield Finding("state.damaged", Severity.ERROR, str(path), f"the file is damaged: {wrong}", REPAIR)
        return
    if wrong is None:
        message = f"the file was not read to its end: that takes longer than {MAX_CHECK_S} seconds"
        yield Finding("state.unread", Severity.WARNING, str(path), message, AGAIN)
    else:
        yield Finding("state.whole", Severity.NOTE, str(path), "no damage found")
    for name, head in heads.items():
        try:
            async with context.open_memory(name) as memory:
                is_there = await memory.holds(head)
        except Error:
            continue  # the check of the workspaces tells
        if not is_there:
            message = f"the journal of {name} does not end as it was left: records were changed or cut off"
            yield Finding("state.journal", Severity.WARNING, str(path), message, tr(ADVICE))


CHECK = Check("state", "state file", detect)
