"""Sessions: the conversations with an agent, where and when they were, and what they took; what was given up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.errors import Missing
from bot.llm.usage import UsageLedger, total
from bot.storage.keys import SessionKey
from bot.storage.port import EntryKind, Session, UsageEntry
from bot.storage.tables.dead_letters import DeadLetter
from bot.texts.catalogue import mark, tr
from bot.web.chats import address_of
from bot.web.page import Changed, Group, Page, View

LISTED = 50
ORDERS = ("used", "began", "messages", "where", "tokens", "cost")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation is, as its key tells: platform, account, kind of chat, and the chat with its thread."""

    platform: str
    account: str
    kind: str
    chat: str


def place_of(session: Session) -> Place:
    _, _, account, kind, chat = session.key.split(":", 4)
    platform, _, bot = account.partition(".")
    if session.key == str(SessionKey(session.agent, address_of(session.agent))):
        return Place(tr("Browser"), bot, kind, "")
    return Place(platform.capitalize(), bot, kind, chat)


def spent(ledger: UsageLedger, entries: Sequence[UsageEntry]) -> dict[str, Any]:
    """Return what was taken, for a page: tokens, and what they cost as a number and in words, if that is known."""
    tokens, (cost, unknown) = total(entries).tokens, ledger.cost(entries)
    return {"tokens": tokens, "cost": cost, "money": ledger.money(cost) if unknown < tokens else ""}


async def context(view: View) -> Mapping[str, Any]:
    """Collect one page of them, and all that was given up."""
    coordinator = view.app.coordinator
    sessions = {session.id: session for session in await coordinator.sessions(view.agent.name)}
    taken = await coordinator.usage.of_sessions([*sessions.values()])
    rows = [
        {"id": name, "where": session.key, "place": place_of(session), "began": session.began, "used": session.used,
         "messages": session.messages, "compactions": session.compactions, "flushed": session.flushed,
         "is_over": session.is_over, **spent(view.app.context.usage, taken[name])}
        for name, session in sessions.items()
    ]  # fmt: skip
    ordered, offset = view.sort(rows, ORDERS, "-used"), view.number("offset", 0)
    shown = ordered[offset : offset + LISTED]
    for row in shown:
        session, kinds = sessions[row["id"]], (EntryKind.MESSAGE,)
        key, first = SessionKey.parse(session.key), session.first - 1
        said = await coordinator.newest(key, after=first, before=session.last + 1, limit=1, kinds=kinds)
        row["who"] = next((json.loads(last.entry.body).get("name") for last in said), "")
    return {
        "sessions": shown,
        "total": len(rows),
        "offset": offset,
        "limit": LISTED,
        "has_prices": bool(view.app.context.usage.options.prices),
        "given_up": await _given_up(view),
    }


async def _given_up(view: View) -> list[DeadLetter]:
    return [letter for letter in await view.app.context.dead_letters.list() if letter.agent == view.agent.name]


async def retry(view: View) -> Changed:
    """Try something again that was given up."""
    wanted = view.field("id")
    if wanted not in {letter.id for letter in await _given_up(view)}:
        raise Missing(tr("Nothing is given up under that, or it has been tried again already."))
    await view.app.context.dead_letters.retry(wanted)
    return Changed(tr("It is tried again. What tools did stays done; a part of an answer may come twice."))


PAGE = Page(
    path="/sessions",
    title=mark("Sessions"),
    context=context,
    group=Group.SERVICE,
    key="s",
    live=("turn.finished",),
    actions={"retry": retry},
)
