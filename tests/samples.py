"""Values that tests start from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from adapters.port import Address, ChatKind, Inbound, Outbound, Sender
from bot.storage.keys import Principal, SessionKey
from bot.storage.port import Effects, EntryKind, Envelope, QueuedMessage, TranscriptEntry
from bot.turn import Agent
from memory import FrozenClock, Memory

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OWNER = Principal("terminal:owner", "Ada", is_owner=True)
HOME = Address("terminal", "local", "owner", ChatKind.PRIVATE)


def chat(name: str, *, kind: ChatKind = ChatKind.PRIVATE, platform: str = "volatile") -> Address:
    return Address(platform, "bot", name, kind)


def inbound(text: str, *, update: str, at: Address = HOME, sender: str = "owner") -> Inbound:
    number = sum(update.encode())
    return Inbound(update, at, Sender(sender, sender.title()), text, f"m{update}", NOON + timedelta(seconds=number))


def envelope(text: str, *, update: str = "1", agent: str = "personal", at: Address = HOME) -> Envelope:
    return Envelope(agent, OWNER, inbound(text, update=update, at=at))


def outbound(id: str, text: str = "hello", *, to: Address = HOME) -> Outbound:
    return Outbound(id, to, text)


def entry(text: str, *, kind: EntryKind = EntryKind.REPLY, turn: str = "t") -> TranscriptEntry:
    return TranscriptEntry(kind, turn, NOON, f'{{"text":"{text}"}}')


def effects(*messages: QueuedMessage, parts: tuple[Outbound, ...] = (), set_aside: str = "") -> Effects:
    """The end of a turn over messages of one session."""
    entries = tuple(entry(part.text) for part in parts)
    seqs = tuple(message.seq for message in messages)
    return Effects(messages[0].envelope.session, seqs, parts, entries, messages[0].envelope.turn, set_aside)


def session(agent: str = "personal", at: Address = HOME) -> SessionKey:
    return SessionKey(agent, at)


def agent(name: str = "personal") -> Agent:
    """An agent for responders that do not ask its memory."""
    return Agent(name, "an example", Memory.__new__(Memory), ZoneInfo("Europe/Berlin"), FrozenClock(NOON))
