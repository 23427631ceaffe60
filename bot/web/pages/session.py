"""Session: one conversation from its beginning to the next reset, the newest part of it first."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from bot.errors import Missing
from bot.llm.usage import total
from bot.sessions.archive import session_pages
from bot.sessions.export import document
from bot.sessions.files import heading, line
from bot.sessions.transcript import exchanges, recalled, split_first_turn
from bot.storage.keys import SessionKey
from bot.storage.port import EntryKind, Recorded, Session, UsageEntry
from bot.texts import mark, tr
from bot.web.page import Download, Page, View
from bot.web.pages.sessions import before, place_of

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
    recorded = await _part(view, session)
    ended = before(session, sessions)
    taken: dict[str, list[UsageEntry]] = defaultdict(list)
    for entry in await view.app.context.usage.store.of_session(view.agent.name, session.key, ended):
        taken[entry.turn].append(entry)
    return {
        "session": session,
        "id": session.id,
        "place": place_of(session),
        "tokens": await view.app.coordinator.usage.tokens(view.agent.name, session.key, ended, session.used),
        "turns": [_turn(view, [*group], taken) for _, group in groupby(recorded, key=lambda one: one.entry.turn)],
        "earlier": recorded[0].seq if recorded and recorded[0].seq > session.first else 0,
        "later": recorded[-1].seq if recorded and recorded[-1].seq < session.last else 0,
    }


def _turn(view: View, recorded: Sequence[Recorded], taken: Mapping[str, Sequence[UsageEntry]]) -> Mapping[str, Any]:
    """Return what is shown of one turn."""
    entries, ledger = [one.entry for one in recorded], view.app.context.usage
    used = taken.get(entries[0].turn, ())
    recalls = filter(None, [recalled(one) for one in entries if one.kind is EntryKind.RECALL])
    return {
        "id": entries[0].turn,
        "said": [said for one in exchanges(recorded, agent=view.agent.name) for said in one.said],
        "marks": [
            {
                "kind": one.kind,
                "text": tr(MARKS[one.kind]),
                "body": json.dumps(json.loads(one.body), ensure_ascii=False, indent=1),
            }
            for one in entries
            if one.kind in MARKS
        ],
        "recalled": [{"question": found.query, "hits": found.hits} for found in recalls],
        "tokens": total(used).tokens,
        "cost": ledger.money(ledger.cost(used)[0]) if used and ledger.options.prices else "",
    }


async def _part(view: View, session: Session) -> tuple[Recorded, ...]:
    """Return the entries of whole turns: those before a place, around one, or the newest."""
    key, first = SessionKey.parse(session.key), session.first - 1
    around, end = view.number("around", 0), view.number("before", session.last + 1)
    if around:
        later = await view.app.coordinator.transcript(
            view.agent.name, session.key, after=max(first, around - 1), limit=SHOWN // 2
        )
        end = (later[-1].seq if later else session.last) + 1
    recorded = await view.app.coordinator.newest(key, after=first, before=min(end, session.last + 1), limit=SHOWN)
    if not recorded or recorded[0].seq <= session.first:
        return recorded
    return split_first_turn(recorded)[1] or recorded


async def _find(view: View) -> tuple[Session, Sequence[Session]]:
    """Return the session that is meant, and all of the agent."""
    name, sessions = view.part("id"), await view.app.coordinator.sessions(view.agent.name)
    found = next((one for one in sessions if one.id == name), None)
    if found is None:
        missing = tr("{agent} has no session {id}.", agent=view.agent.name, id=name[:80])
        raise Missing(missing, hint=tr("It may be another agent's, or was removed after its time."))
    return found, sessions


async def _whole(view: View) -> tuple[Session, list[Recorded]]:
    session, _ = await _find(view)
    return session, [one async for page in session_pages(view.app.coordinator, session) for one in page]


async def as_markdown(view: View) -> Download:
    """Return the whole conversation for people."""
    session, recorded = await _whole(view)
    text = document(session, exchanges(recorded, agent=view.agent.name), zone=view.agent.zone)
    return Download(f"{session.id}.md", "text/markdown", text)


async def as_lines(view: View) -> Download:
    """Return every entry with all that belongs to it, as JSON lines."""
    session, recorded = await _whole(view)
    return Download(f"{session.id}.jsonl", "application/jsonl", "".join([heading(session), *map(line, recorded)]))


PAGE = Page(
    path="/session/{id}",
    title=mark("Session"),
    context=context,
    live=("turn.finished",),
    downloads={"export.md": as_markdown, "export.jsonl": as_lines},
)
