"""A session's transcript: written, read back, and split where the session was begun anew."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter

from adapters.port import Button
from bot.formatting import well_formed
from bot.llm.types import Message, Role
from bot.storage.keys import SessionKey
from bot.storage.port import Coordinator, EntryKind, Envelope, Recorded, Session, TranscriptEntry
from bot.storage.transcripts import read_foreign
from bot.turn import Reply
from memory import Citation, Hit, Recall
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


def entries(
    messages: Sequence[Envelope], turn_id: str, reply: Reply, *, at: datetime, is_foreign: bool
) -> tuple[TranscriptEntry, ...]:
    """Return what one turn adds: its messages, the reply, and the recall if the reply rests on one.

    Args:
        messages: what was said, in order; never empty.
        turn_id: the turn.
        reply: what it answered.
        at: when it ended.
        is_foreign: whether other people's words went into it; each of its messages says so (`read_foreign`).
    """
    said = [(EntryKind.MESSAGE, _json(body | {"is_foreign": is_foreign})) for body in _said(messages, reply)]
    bodies = [*_opening(reply), *said, *_work(reply), (EntryKind.REPLY, _answer(reply))]
    if reply.evidence is not None:
        bodies.append((EntryKind.RECALL, _RECALLS.dump_json(reply.evidence).decode()))
    if reply.ends_session:
        bodies.append((EntryKind.RESET, "{}"))
    return tuple(TranscriptEntry(kind, turn_id, at, body) for kind, body in bodies)


def _opening(reply: Reply) -> list[tuple[EntryKind, str]]:
    return [(EntryKind.SNAPSHOT, reply.worked.snapshot)] if reply.worked and reply.worked.snapshot else []


def _said(messages: Sequence[Envelope], reply: Reply) -> list[dict[str, object]]:
    """The messages; the last one with what the model got to see of all of them."""
    bodies = [_message(message, reply.masked) for message in messages]
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


OWNER = "Owner"
"""What a person is called who has told no name."""


@dataclass(frozen=True, slots=True)
class Said:
    """One contribution.

    Attributes:
        at: when a person sent it, or when the answer was ready.
        who: the person's name, or the agent's.
        text: as it was said.
        by_agent: the agent's answer, else a person's message.
        did: tools that were called before this answer, as `name(arguments)`.
        told: lines that were printed under the answer.
        quoted: the passages of which the answer consists, if no model had a part in it.
        is_foreign: other people's words went into the turn, and may be in it.
    """

    at: datetime
    who: str
    text: str
    by_agent: bool = False
    did: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    quoted: tuple[Citation, ...] = ()
    is_foreign: bool = True


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn: what was said, the answer last. A command is not part of the conversation itself."""

    said: tuple[Said, ...]
    is_command: bool


def exchanges(recorded: Iterable[Recorded], *, agent: str) -> Iterator[Exchange]:
    """The turns of a session, in order; what is no turn's (a reset alone) is left out."""
    entries = [one.entry for one in recorded]
    for _, group in groupby(entries, key=lambda entry: entry.turn):
        turn = list(group)
        said = tuple(_said_talk(turn, agent))
        if said:
            yield Exchange(said, is_command(turn))


def is_command(turn: Sequence[TranscriptEntry]) -> bool:
    """Whether a turn's entries are those of slash commands, in which no model had a part."""
    texts = [str(_body(entry).get("text", "")) for entry in turn if entry.kind is EntryKind.MESSAGE]
    worked = any(entry.kind in {EntryKind.STEP, EntryKind.TOOL} for entry in turn)
    return bool(texts) and not worked and all(text.lstrip().startswith(("/", "／")) for text in texts)


def _said_talk(turn: Sequence[TranscriptEntry], agent: str) -> Iterator[Said]:
    by_model = any("shown_as" in _body(entry) for entry in turn if entry.kind is EntryKind.MESSAGE)
    quoted = () if by_model else tuple(_sources(turn))
    did = tuple(_calls(turn))
    is_foreign = read_foreign([_body(entry) for entry in turn if entry.kind is EntryKind.MESSAGE])
    for entry in turn:
        body = _body(entry)
        if entry.kind is EntryKind.MESSAGE:
            at = datetime.fromisoformat(str(body["sent_at"])) if "sent_at" in body else entry.at
            text = str(body.get("text", "")) or _sent(body)
            yield Said(at, str(body.get("name") or OWNER), text, is_foreign=is_foreign)
        elif entry.kind is EntryKind.REPLY:
            told = tuple(map(str, body.get("told", ())))
            text = str(body.get("text", ""))
            yield Said(entry.at, agent, text, by_agent=True, did=did, told=told, quoted=quoted, is_foreign=is_foreign)


def _sent(body: Mapping[str, Any]) -> str:
    """What stands for a message without words: `[photo]`."""
    return " ".join(f"[{file['kind']}]" for file in body.get("files", ()))


def _sources(turn: Sequence[TranscriptEntry]) -> Iterator[Citation]:
    for entry in turn:
        if entry.kind is EntryKind.RECALL:
            yield from (hit.source for hit in _RECALLS.validate_json(entry.body).hits)


def _calls(turn: Sequence[TranscriptEntry]) -> Iterator[str]:
    for entry in turn:
        if entry.kind is EntryKind.STEP:
            for call in _MESSAGES.validate_json(entry.body).calls:
                yield f"{call.name}({json.dumps(dict(call.arguments), ensure_ascii=False)})"


def _body(entry: TranscriptEntry) -> dict[str, Any]:
    found = json.loads(entry.body)
    return found if isinstance(found, dict) else {}


async def pages(
    coordinator: Coordinator, agent: str, key: str, *, after: int = 0
) -> AsyncIterator[tuple[Recorded, ...]]:
    """A conversation's entries with a `seq` above `after`, in order, in pages that end with a turn."""
    held: tuple[Recorded, ...] = ()
    is_last = False
    while not is_last:
        page = await coordinator.transcript(agent, key, after=after, limit=PAGE)
        is_last = len(page) < PAGE
        read = (*held, *page)
        whole = len(read)
        while whole and not is_last and read[whole - 1].entry.turn == read[-1].entry.turn:
            whole -= 1
        held, after = read[whole:], page[-1].seq if page else after
        if whole:
            yield read[:whole]
