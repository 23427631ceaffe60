"""The record of a session: what was said, what was answered, and what the answer rested on."""

from __future__ import annotations

import json
from datetime import datetime

from pydantic import TypeAdapter

from bot.burst import Burst
from bot.durable.port import Coordinator, Entry, EntryKind, Envelope
from bot.session.key import SessionKey
from bot.text import well_formed
from bot.turn import Reply
from memory import Recall


class Transcript:
    """Reads sessions back."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator
        self._recalls = TypeAdapter(Recall)

    async def last_recall(self, session: SessionKey) -> Recall | None:
        """The recall that the last answer from memory rested on; None if there was none in this session."""
        entry = await self._coordinator.last(session, EntryKind.RECALL)
        return self._recalls.validate_json(entry.body) if entry else None

    async def has_replies(self, session: SessionKey) -> bool:
        """Whether anything has been answered in this session."""
        return await self._coordinator.last(session, EntryKind.REPLY) is not None


def entries(burst: Burst, reply: Reply, *, at: datetime) -> tuple[Entry, ...]:
    """What one turn adds: its messages, the reply, and the recall if the reply rests on one."""
    turn = burst.turn
    said = [Entry(EntryKind.MESSAGE, turn, at, _message(message.envelope)) for message in burst.messages]
    answer = Entry(EntryKind.REPLY, turn, at, _json({"text": well_formed(reply.text)}))
    if reply.evidence is None:
        return (*said, answer)
    recall = TypeAdapter(Recall).dump_json(reply.evidence).decode()
    return (*said, answer, Entry(EntryKind.RECALL, turn, at, recall))


def _message(envelope: Envelope) -> str:
    inbound = envelope.inbound
    return _json(
        {
            "sender": envelope.principal.id,
            "name": envelope.principal.name,
            "message": inbound.message,
            "sent_at": inbound.sent_at.isoformat(),
            "text": inbound.text,
        }
    )


def _json(body: dict[str, str]) -> str:
    return json.dumps(body, ensure_ascii=False)
