"""The record of a session: what was said, what was answered, and what the answer rested on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from adapters.port import Button
from bot.burst import Burst
from bot.durable.port import Coordinator, Entry, EntryKind, Envelope, Recorded, Session
from bot.llm.port import Message, Role
from bot.session.key import SessionKey
from bot.text import well_formed
from bot.turn import Reply
from memory import Hit, Recall
from memory.secrets import mask_values

PAGE = 200
"""Entries that are read at a time."""

_MESSAGES = TypeAdapter(Message)
_RECALLS = TypeAdapter(Recall)


class Transcript:
    """Reads sessions back."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    async def last_recall(self, session: SessionKey) -> Recall | None:
        """The recall that the last answer from memory rested on; None if there was none in this session."""
        entry = await self._coordinator.last(session, EntryKind.RECALL)
        return _RECALLS.validate_json(entry.body) if entry else None

    async def just_quoted(self, session: SessionKey) -> tuple[Hit, ...]:
        """The facts with which the very last message of this session was answered."""
        reply = await self._coordinator.last(session, EntryKind.REPLY)
        recalled = await self._coordinator.last(session, EntryKind.RECALL)
        if reply is None or recalled is None or recalled.turn != reply.turn:
            return ()
        return _RECALLS.validate_json(recalled.body).answers

    async def current(self, session: SessionKey) -> Session | None:
        """This session so far, without its words; None if nothing has been said."""
        return await self._coordinator.current(session)

    async def newest(self, session: SessionKey, *, before: int | None = None) -> tuple[Recorded, ...]:
        """The newest whole turns of this session below a `seq`, at most some hundred entries; nothing at its end."""
        reset = await self._coordinator.last_reset(session)
        page = await self._coordinator.newest(session, after=reset, before=before, limit=PAGE)
        if len(page) < PAGE:
            return page
        whole = tuple(one for one in page if one.entry.turn != page[0].entry.turn)
        return whole or page

    async def holds(self, session: SessionKey, turn: str) -> bool:
        """Whether a turn belongs to this session."""
        return await self._coordinator.holds(session, turn, after=await self._coordinator.last_reset(session))

    async def last_choices(self, session: SessionKey) -> tuple[Button, ...]:
        """The choices under the last answer of this session."""
        entry = await self._coordinator.last(session, EntryKind.REPLY)
        found = json.loads(entry.body).get("choices", ()) if entry else ()
        return tuple(Button(label, data) for label, data in found)

    async def has_replies(self, session: SessionKey) -> bool:
        """Whether anything has been answered in this session."""
        return await self._coordinator.last(session, EntryKind.REPLY) is not None


def entries(burst: Burst, reply: Reply, *, at: datetime, is_foreign: bool) -> tuple[Entry, ...]:
    """What one turn adds: its messages, the reply, and the recall if the reply rests on one.

    `is_foreign` is whether other people's words went into it; each of its messages says so (`read_foreign`).
    """
    said = [(EntryKind.MESSAGE, _json(body | {"is_foreign": is_foreign})) for body in _said(burst, reply)]
    bodies = [*_opening(reply), *said, *_work(reply), (EntryKind.REPLY, _answer(reply))]
    if reply.evidence is not None:
        bodies.append((EntryKind.RECALL, _RECALLS.dump_json(reply.evidence).decode()))
    if reply.ends_session:
        bodies.append((EntryKind.RESET, "{}"))
    return tuple(Entry(kind, burst.turn, at, body) for kind, body in bodies)


def _opening(reply: Reply) -> list[tuple[EntryKind, str]]:
    return [(EntryKind.SNAPSHOT, reply.worked.snapshot)] if reply.worked and reply.worked.snapshot else []


def read_foreign(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether other people's words went into a turn, by the bodies of its messages; where none says so, they did.

    Earlier versions marked only turns of a model, and of those only the foreign ones.
    """
    return not messages or any(message.get("is_foreign", "shown_as" not in messages[-1]) for message in messages)


def _said(burst: Burst, reply: Reply) -> list[dict[str, object]]:
    """The messages; the last one with what the model got to see of all of them."""
    bodies = [_message(message.envelope, reply.masked) for message in burst.messages]
    if reply.worked:
        bodies[-1] |= {
            "shown_as": well_formed(mask_values(reply.worked.asked, reply.masked)),
            "shown": list(reply.worked.shown),
        }
    return bodies


def _work(reply: Reply) -> list[tuple[EntryKind, str]]:
    steps = reply.worked.steps if reply.worked else ()
    return [
        (EntryKind.TOOL if step.role is Role.TOOL else EntryKind.STEP, _MESSAGES.dump_json(step).decode())
        for step in steps
    ]


def _answer(reply: Reply) -> str:
    body: dict[str, object] = {"text": well_formed(reply.text)}
    if reply.told:
        body["told"] = [well_formed(line) for line in reply.told]
    if reply.buttons:
        body["choices"] = [[button.label, button.data] for button in reply.buttons]
    if reply.worked and reply.worked.extra:
        body["extra"] = dict(reply.worked.extra)
    return _json(body)


def _message(envelope: Envelope, secrets: Sequence[str]) -> dict[str, object]:
    inbound = envelope.inbound
    files = [{"kind": file.kind, "name": well_formed(file.name), "size": file.size} for file in inbound.attachments]
    return {
        "sender": envelope.principal.id,
        "name": envelope.principal.name,
        "message": inbound.message,
        "sent_at": inbound.sent_at.isoformat(),
        "text": well_formed(mask_values(inbound.text, secrets)),
    } | ({"files": files} if files else {})


def _json(body: dict[str, object]) -> str:
    return json.dumps(body, ensure_ascii=False)
