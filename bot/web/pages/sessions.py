"""Sessions: the conversations with an agent, where and when they were, and what they took."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.storage.keys import SessionKey
from bot.storage.port import Session
from bot.texts import mark, tr
from bot.web.chats import address_of
from bot.web.page import Group, Page, View

LISTED = 50

ORDERS: Mapping[str, Callable[[Session], Any]] = {
    "used": lambda one: one.used,
    "began": lambda one: one.began,
    "messages": lambda one: one.messages,
    "where": lambda one: one.key,
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation is, as its key tells: platform, account, kind of chat, and the chat with its thread."""

    platform: str
    account: str
    kind: str
    chat: str


def place_of(session: Session) -> Place:
    """Return where a conversation is."""
    _, _, account, kind, chat = session.key.split(":", 4)
    platform, _, bot = account.partition(".")
    if session.key == str(SessionKey(session.agent, address_of(session.agent))):
        return Place(tr("Browser"), bot, kind, "")
    return Place(platform.capitalize(), bot, kind, chat)


def before(session: Session, sessions: Sequence[Session]) -> datetime:
    """Return when the session ended that was in the same chat before; an instant before all others if none was."""
    ended = (one.used for one in sessions if one.key == session.key and one.last < session.first)
    return max(ended, default=datetime.min.replace(tzinfo=UTC))


async def context(view: View) -> Mapping[str, Any]:
    """Collect one page of them."""
    usage, name = view.app.coordinator.usage, view.agent.name
    sessions = await view.app.coordinator.sessions(name)
    order = view.choice("order", {*ORDERS, *(f"-{one}" for one in ORDERS)}, "-used")
    shown = sorted(sessions, key=ORDERS[order.removeprefix("-")], reverse=order.startswith("-"))
    offset = view.number("offset", 0)
    return {
        "sessions": [
            {
                "id": one.id,
                "place": place_of(one),
                "began": one.began,
                "used": one.used,
                "messages": one.messages,
                "tokens": await usage.tokens(name, one.key, before(one, sessions), one.used),
                "compactions": one.compactions,
                "flushed": one.flushed,
                "is_over": one.is_over,
            }
            for one in shown[offset : offset + LISTED]
        ],
        "total": len(sessions),
        "offset": offset,
        "limit": LISTED,
    }


PAGE = Page(
    path="/sessions",
    title=mark("Sessions"),
    context=context,
    group=Group.SERVICE,
    key="s",
    live=("turn.finished",),
)
