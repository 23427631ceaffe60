"""Check: every page of the state file is whole, and the journals end as the service left them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Severity
from bot.errors import BotError, NewerState
from bot.storage.statements import SharedState
from bot.texts.catalogue import mark, tr
from memory import Error

REPAIR = mark(
    "Stop Scrubjay and put a backup in its place, or move it aside: it holds messages under way and transcripts, no "
    "memory."
)

LESS = mark(
    "Make a role that owns nothing but a database of its own: CREATE ROLE scrubjay LOGIN PASSWORD '...'; CREATE "
    "DATABASE scrubjay OWNER scrubjay;"
)

AGAIN = mark(
    "Whether it is damaged is not known. Look again when the machine has less to do, or while Scrubjay is stopped."
)


def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The state, whether it is in this home or in a database."""
    state, is_offline = context.state, context.is_offline
    return detect_local(context, state) if isinstance(state, Path) else detect_shared(state, is_offline=is_offline)


async def detect_local(context: CheckContext, path: Path) -> AsyncIterator[Finding]:
    """Damage in the file, read from end to end, then the ends of the journals that are noted in it."""
    if not path.exists():
        return
    from bot.storage.database import MAX_CHECK_S, damage
    from bot.storage.journal_check import ADVICE, HEAD, account
    from bot.storage.tables.adapter_state import read_adapter_state

    try:
        wrong = await damage(path)
        names = () if wrong else context.agents
        heads = {name: (await read_adapter_state(path, account(name))).get(HEAD, "") for name in names}
    except NewerState as error:
        yield Finding("state.newer", Severity.ERROR, str(path), error.message, error.hint)
        return
    except BotError as error:
        yield Finding("state.unusable", Severity.ERROR, str(path), error.message, error.hint)
        return
    if wrong:
        message = tr("the file is damaged: {damage}", damage=wrong)
        yield Finding("state.damaged", Severity.ERROR, str(path), message, tr(REPAIR))
        return
    if wrong is None:
        message = tr("the file was not read to its end: that takes longer than {seconds} seconds", seconds=MAX_CHECK_S)
        yield Finding("state.unread", Severity.WARNING, str(path), message, tr(AGAIN))
    else:
        yield Finding("state.whole", Severity.NOTE, str(path), tr("no damage found"))
    for name, head in heads.items():
        try:
            async with context.open_memory(name) as memory:
                is_there = await memory.holds(head)
        except Error:
            continue  # the check of the workspaces tells
        if not is_there:
            message = tr(
                "the journal of {agent} does not end as it was left: records were changed or cut off", agent=name
            )
            yield Finding("state.journal", Severity.WARNING, str(path), message, tr(ADVICE))


async def detect_shared(state: SharedState, *, is_offline: bool) -> AsyncIterator[Finding]:
    """Whether the database that several machines share can be used, and by a role with no more rights than it needs."""
    if is_offline:
        return
    sql = """SELECT current_setting('server_version'), current_user, rolsuper FROM pg_roles
             WHERE rolname = current_user"""
    try:
        async with state.reading() as reader:
            ((version, role, is_superuser),) = await reader.rows(sql)
    except BotError as error:
        yield Finding("state.unusable", Severity.ERROR, str(state), error.message, error.hint)
        return
    yield Finding("state.shared", Severity.NOTE, str(state), tr("PostgreSQL {version} answers", version=version))
    if is_superuser:
        message = tr("the role {role} may do anything on the server", role=role)
        yield Finding("state.superuser", Severity.WARNING, str(state), message, tr(LESS))


CHECK = Check(
    mark("state file"),
    detect,
    {
        "whole": "Every page of the state file can be read.",
        "unread": "The state file is so large, or the disk so slow, that it was not read to its end.",
        "damaged": "A page of the state file is damaged. Put a backup in its place (`scrubjay backup`), or move it "
        "aside: it holds messages under way, transcripts and who was let in, and no memory.",
        "shared": "The database that several machines share answers.",
        "superuser": "Scrubjay needs no rights beyond its own database. As a superuser, a mistake or an intruder could "
        "reach everything else on the server.",
        "newer": "The state file was written by a newer Scrubjay than this one. Install the newer one again, or go "
        "back to the copy that it made before it changed the file.",
        "unusable": "The state file cannot be opened: it is no database, another program's, or not readable.",
        "journal": "The record of what was written to an agent's memory was cut off or changed at its end since the "
        "service noted it. After an older backup was put back that is as it should be; else compare with a backup.",
    },
)
