"""Session: one conversation from its beginning to the next reset, the newest part of it first."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from bot.commands import new, reset
from bot.errors import Missing, UsageError
from bot.pipeline.scheduler import ending
from bot.sessions.archive import session_pages, session_part
from bot.sessions.export import document
from bot.sessions.files import heading, line
from bot.sessions.tracing import noted_in
from bot.sessions.turns import decode, decode_turns, recalls
from bot.storage.keys import SessionKey
from bot.storage.port import EntryKind, Recorded, Session, UsageEntry
from bot.storage.tables.transcripts import NO_END
from bot.texts.catalogue import mark, tr
from bot.web.page import Changed, Download, Page, View
from bot.web.pages.sessions import place_of, spent
from memory import Error

SHOWN = 120
"""Entries of the transcript; a turn has two or more."""

MARKS: Mapping[EntryKind, str] = {
    EntryKind.FLUSH: mark("What matters was noted before the model does not see it any more"),
    EntryKind.COMPACTION: mark("The conversation was shortened for the model"),
    EntryKind.MODEL: mark("Another model was chosen"),
    EntryKind.SNAPSHOT: mark("The files were read anew"),
    EntryKind.RESET: mark("Here the conversation ended"),
}
"""What happened to a conversation beside what was said."""


async def context(view: View) -> Mapping[str, Any]:
    """Collect a part of it: the newest, or that before or around a place."""
    session, sessions = await _find(view)
    around, before = (view.number(name, 0, most=NO_END - 1) for name in ("around", "before"))
    recorded = await session_part(view.app.coordinator, session, around=around, before=before, limit=SHOWN)
    turns, usage = {each.entry.turn for each in recorded}, view.app.coordinator.usage
    taken: dict[str, list[UsageEntry]] = defaultdict(list)
    for entry in await usage.of_turns(view.agent.name, turns):
        taken[entry.turn].append(entry)
    try:
        found = await view.agent.memory.run(noted_in, turns, scope=view.scope)
        noted = {turn: one.known for turn, one in found.items()}
    except Error:  # every page says what is the matter with the memory
        noted = {}
    return {
        "session": session,
        "id": session.id,
        "place": place_of(session),
        **spent(view.app.context.usage, (await usage.of_sessions(sessions))[session.id]),
        "turns": [
            {**_turn(view, [*group]), **spent(view.app.context.usage, taken[turn]), "noted": noted.get(turn, {})}
            for turn, group in groupby(recorded, key=lambda each: each.entry.turn)
        ],
        "earlier": recorded[0].seq if recorded[0].seq > session.first else 0,
        "later": recorded[-1].seq + 1 if recorded[-1].seq < session.last else 0,
    }


def _turn(view: View, recorded: Sequence[Recorded]) -> Mapping[str, Any]:
    entries = [each.entry for each in recorded]
    evidence = filter(None, [decode(entry, recalls()) for entry in entries if entry.kind is EntryKind.RECALL])
    turns = [*decode_turns(recorded)]
    steps = [step for turn in turns for step in turn.entries if step.kind is EntryKind.TOOL]
    return {
        "id": entries[0].turn,
        "said": [said for turn in turns for said in turn.said(view.agent.name)],
        "marks": [
            {"kind": entry.kind, "text": tr(MARKS[entry.kind]), "body": json.loads(entry.body)}
            for entry in entries
            if entry.kind in MARKS
        ],
        "recalled": [{"question": found.query, "hits": found.hits} for found in evidence],
        "results": [step.message.text for step in steps if step.message],
    }


async def _find(view: View) -> tuple[Session, Sequence[Session]]:
    """Return the session that is meant, and all of the agent."""
    name, sessions = view.part("id"), await view.app.coordinator.sessions(view.agent.name)
    session = next((session for session in sessions if session.id == name), None)
    if session is None:
        missing = tr("{agent} has no session {id}.", agent=view.agent.name, id=name[:80])
        raise Missing(missing, hint=tr("It may be another agent's, or was removed after its time."))
    return session, sessions


async def end(view: View) -> Changed:
    """End the conversation by a command, as soon as its agent comes to it; the chat is told."""
    (session, _), command = await _find(view), view.field("command")
    key, ends = SessionKey.parse(session.key), {new.COMMAND.name, reset.COMMAND.name}
    asked = None if session.is_over else await view.app.context.transcript.last_question(key)
    if asked is None or command not in ends:
        over = tr("This conversation cannot be ended from here: it is over, or only commands were said in it.")
        raise UsageError(over, hint=tr("Say `/new` in the chat itself."))
    now = view.app.clock.now()
    await view.app.coordinator.publish(ending(asked.messages[-1], command, at=now, update=view.op_id))
    return Changed(tr("The conversation ends as soon as the agent comes to it; what is in memory stays."))


async def _whole(view: View) -> tuple[Session, list[Recorded]]:
    session, _ = await _find(view)
    return session, [entry async for page in session_pages(view.app.coordinator, session) for entry in page]


async def as_markdown(view: View) -> Download:
    """Return the whole conversation for people."""
    session, recorded = await _whole(view)
    text = await asyncio.to_thread(document, session, recorded, zone=view.agent.zone)
    return Download(f"{session.id}.md", "text/markdown", text)


async def as_lines(view: View) -> Download:
    """Return every entry with all that belongs to it, as JSON lines."""
    session, recorded = await _whole(view)
    text = await asyncio.to_thread(lambda: "".join([heading(session), *map(line, recorded)]))
    return Download(f"{session.id}.jsonl", "application/jsonl", text)


PAGE = Page(
    path="/session/{id}",
    title=mark("Session"),
    context=context,
    live=("turn.finished",),
    actions={"end": end},
    downloads={"export.md": as_markdown, "export.jsonl": as_lines},
)
