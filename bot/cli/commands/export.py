"""`scrubjay export`: an agent as plain files, to take along."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, AgentOption, Answer, Run, single
from bot.errors import Refused
from bot.paths import create, expanded, make_private
from bot.texts.catalogue import tr, trn

if TYPE_CHECKING:
    from memory import Hit

MAX_FACTS = 10_000_000


async def export(
    folder: Annotated[Path, Parameter(help="Where to; a new or empty folder, not among the notes.")],
    /,
    *,
    agent: AgentOption = None,
    run: Run,
) -> Answer:
    """Write all that an agent has as plain files.

    There are its notes as they are, facts.jsonl with one fact a line for other
    programs, and its conversations as Markdown.

    Examples:
      scrubjay export ~/personal-2026
      scrubjay export ~/work-2026 --agent work --json
    """
    from bot.backup.create import copy_workspace
    from bot.cli.commands.sessions import found_sessions, markdown
    from memory import OWNER

    name, target = run.config.agent(agent), expanded(folder).resolve()
    workspaces = run.config.workspaces(run.home)
    if kept := next((notes for notes in workspaces.values() if target.is_relative_to(notes.resolve())), None):
        raise Refused(tr("Something is kept here already: {path}", path=kept), hint=tr("Name a new folder."))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Refused(tr("{folder} is not empty.", folder=target), hint=tr("Name a new folder."))
    make_private(target)
    async with run.memory(name, by_words=True) as memory:
        facts = await memory.recent(MAX_FACTS, scope=OWNER)
        await asyncio.to_thread(copy_workspace, workspaces[name], target / "notes")
    create(target / "facts.jsonl", "".join(_lines(facts)))
    make_private(target / "conversations")
    count = 0
    async for found in found_sessions(run, name):
        day = found.session.began.astimezone(run.config.owner.zone).date()
        count += create(target / "conversations" / f"{day}-{found.session.id}.md", f"{markdown(run, found)}\n")
    told = tr(
        "{folder}: the notes of {agent}, {facts}, {conversations}.",
        folder=target,
        agent=name,
        facts=trn("{count:,} fact", "{count:,} facts", len(facts)),
        conversations=trn("{count} conversation", "{count} conversations", count),
    )
    summary = {"folder": str(target), "agent": name, "facts": len(facts), "conversations": count}
    run.terminal.out(told)
    return summary


def _lines(facts: tuple[Hit, ...]) -> Iterator[str]:
    """Yield a line of JSON for each fact, oldest first, with what `scrubjay import` reads and where it stood."""
    for hit in reversed(facts):
        fields = {
            "id": hit.id,
            "kind": hit.kind.value,
            "text": hit.content,
            "entities": [*hit.entities],
            "category": hit.category,
            "time": hit.time,
            "since": hit.since,
            "until": hit.until,
            "origin": hit.origin.value,
            "known": hit.known,
            "source": str(hit.source),
        }
        yield json.dumps({name: value for name, value in fields.items() if value}, ensure_ascii=False) + "\n"


app = single("export", export, json=JSON)
