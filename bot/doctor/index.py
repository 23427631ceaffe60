"""Check: every agent's index is there, whole, and up to date."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path

from bot.doctor.base import Check, CheckContext, Finding, Fix, Severity
from bot.texts import receipts
from bot.texts.catalogue import mark, tr, trn
from memory import Error
from memory.errors import IndexBroken


async def detect(context: CheckContext) -> AsyncIterator[Finding]:
    """The state of each index; a missing one is no fault, it is made when it is needed."""
    for name in context.agents:
        try:
            async with context.open_memory(name) as memory:
                stands = await memory.status()
            is_file = context.home.index(name) == Path(stands.path)
            damage = await asyncio.to_thread(_damage, Path(stands.path)) if stands.state == "ready" and is_file else ""
        except IndexBroken as error:
            yield _broken(context, name, "index.broken", error.message)
            continue
        except Error:
            continue  # the check of the workspaces tells
        if stands.state == "broken":
            yield _broken(context, name, "index.broken", stands.reason)
        elif damage:
            message = tr("{agent}: the file is damaged: {damage}", agent=name, damage=damage)
            yield _broken(context, name, "index.damaged", message)
        elif stands.state == "missing":
            message = tr("{agent}: none yet, it is made when it is first needed", agent=name)
            yield Finding("index.missing", Severity.NOTE, stands.path, message)
        else:
            facts = trn("{count:,} fact", "{count:,} facts", stands.facts)
            passages = trn("{count:,} passage", "{count:,} passages", stands.units)
            message = f"{name}: {tr(stands.state)}, {facts}, {passages}. {stands.reason}".rstrip(". ")
            hint = tr("It is brought up to date with the next question.") if stands.pending else ""
            yield Finding("index.state", Severity.NOTE, stands.path, message, hint)
        if stands.embedder:
            yield Finding("index.meaning", Severity.NOTE, stands.path, f"{name}: {receipts.told(stands)}")


def _damage(path: Path) -> str:
    """What a look at its pages finds, those too that no question has read."""
    from memory.index.sqlite import SqliteIndex

    with closing(SqliteIndex.open(path, read_only=True)) as index:
        return index.damage(whole=True)


def _broken(context: CheckContext, name: str, id: str, message: str) -> Finding:
    hint = tr(
        "Nothing is lost, it is derived from the files. Run: {command}",
        command=f"scrubjay memory index --rebuild --agent {name}",
    )
    fix = Fix(tr("build the index of {agent} from its files", agent=name), partial(context.rebuild, name))
    return Finding(id, Severity.ERROR, str(context.home.index(name)), message, hint, fix)


CHECK = Check(
    mark("index"),
    detect,
    {
        "state": "What is indexed, and how many files have changed since. It is brought up to date by itself.",
        "missing": "There is no index yet; the first question makes it.",
        "meaning": "How many passages have vectors. After a change of the embedder all of them wait for new ones; "
        "until then words find them.",
        "broken": "The index file cannot be used. It is derived: `scrubjay doctor --fix` builds it anew from files.",
        "damaged": "A page of the index file is damaged, which no question has met yet. It is derived from the files: "
        "`scrubjay doctor --fix` builds it anew. If it happens again, have the disk checked.",
    },
)
