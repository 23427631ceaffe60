"""What a turn leaves in a transcript, and the one way to read it back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from itertools import groupby
from typing import Any, TypeVar

import structlog
from pydantic import TypeAdapter

from adapters.port import Happening
from bot.llm.types import Message, Role
from bot.storage.port import EntryKind, Envelope, Recorded, TranscriptEntry
from bot.storage.statements import INPUTS
from bot.storage.tables.redaction import redact_body, redact_envelope
from bot.storage.tables.transcripts import read_foreign
from bot.texts.formatting import split_command, well_formed
from bot.turn import PendingAction, Reply, words_of
from memory import Origin, Recall
from memory.privacy.secrets import mask_values

OWNER = "Owner"
"""What a person without a name is called."""
T = TypeVar("T")
_FIELDS = TypeAdapter(dict[str, Any])
_MESSAGES = TypeAdapter(Message)
PENDING = TypeAdapter(PendingAction)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@cache
def recalls() -> TypeAdapter[Recall]:
    """Return what reads and writes the evidence of an answer; making it takes longer than most answers."""
    return TypeAdapter(Recall)


def read_envelopes(first: Mapping[str, Any]) -> tuple[Envelope, ...]:
    """Return a turn's messages as they came, by the first one's fields; raises `ValueError` if they are not kept."""
    return INPUTS.validate_json(first.get("input", ""))


def quoted_in(entries: Iterable[TranscriptEntry]) -> Iterator[str]:
    """Yield what the messages of a turn quote."""
    for entry in entries:
        if entry.kind is EntryKind.MESSAGE:
            with suppress(ValueError):  # an earlier version, or a newer one, has written it
                yield from (one.inbound.quote for one in read_envelopes(json.loads(entry.body)))


def entries(
    messages: Sequence[Envelope],
    turn_id: str,
    reply: Reply,
    *,
    at: datetime,
    is_foreign: bool,
    again: str = "",
    edits: str = "",
) -> tuple[TranscriptEntry, ...]:
    """Return the entries of a turn that ended `at` an instant: its messages, the reply, the recall behind it.

    Args:
        messages: what was said, in order; never empty.
        is_foreign: whether other people's words went into it; each of its messages says so (`read_foreign`).
        again: the turn in which the messages were answered first, if they were asked again.
        edits: the turn in which the message was answered first, if its words have been changed since.
    """
    said = [_message_fields(message) for message in messages]
    said[0] |= {name: turn for name, turn in (("again", again), ("edits", edits)) if turn}
    if not reply.by_command and messages[0].inbound.happening is not Happening.BUTTON:
        # so that it can be asked again
        came = tuple(redact_envelope(one, well_formed, is_waiting=False) for one in messages)
        spent = {"__all__": {"inbound": {"reply_token"}}}
        said[0]["input"] = INPUTS.dump_json(came, exclude_defaults=True, exclude=spent).decode()
    bodies: list[tuple[EntryKind, str]] = list(reply.records)
    if spoken := words_of(reply.spoken):
        said[-1]["text"] = "\n".join(filter(None, (said[-1]["text"], well_formed(spoken))))
    if worked := reply.worked:
        # what the model got to see of all messages
        said[-1] |= {"shown_as": well_formed(worked.asked), "shown": list(worked.shown)}
        if worked.snapshot:
            bodies.append((EntryKind.SNAPSHOT, worked.snapshot))
    told = (fields | {"is_foreign": is_foreign} for fields in said)
    bodies += [(EntryKind.MESSAGE, json.dumps(fields, ensure_ascii=False)) for fields in told]
    for step in worked.steps if worked else ():
        kind = EntryKind.TOOL if step.role is Role.TOOL else EntryKind.STEP
        bodies.append((kind, _MESSAGES.dump_json(step).decode()))
    fields = _reply_fields(reply, is_job=messages[0].inbound.happening is Happening.JOB)
    bodies.append((EntryKind.REPLY, json.dumps(fields, ensure_ascii=False)))
    if reply.evidence is not None:
        bodies.append((EntryKind.RECALL, recalls().dump_json(reply.evidence).decode()))
    if reply.ends_session:
        bodies.append((EntryKind.RESET, "{}"))
    if reply.masked:
        mask = partial(mask_values, values=reply.masked)
        bodies = [(kind, body if kind is EntryKind.SNAPSHOT else redact_body(body, mask)) for kind, body in bodies]
    return tuple(TranscriptEntry(kind, turn_id, at, body) for kind, body in bodies)


def _message_fields(envelope: Envelope) -> dict[str, Any]:
    inbound = envelope.inbound
    files = [{"kind": file.kind, "name": well_formed(file.name), "size": file.size} for file in inbound.attachments]
    return (
        {
            "sender": envelope.principal.id,
            "name": envelope.principal.name,
            "message": inbound.message,
            "sent_at": inbound.sent_at.isoformat(),
            "text": well_formed(inbound.text),
        }
        | ({"is_owner": True} if envelope.principal.is_owner else {})
        | ({"files": files} if files else {})
    )


def _reply_fields(reply: Reply, *, is_job: bool) -> dict[str, object]:
    buttons = () if is_job and not reply.is_awaited else reply.buttons  # a typed "2" answers something else
    fields = {
        "told": [well_formed(line) for line in reply.told],
        "choices": [[button.label, button.data] for button in buttons],
        "pending": PENDING.dump_python(reply.pending, mode="json") if reply.pending else None,
        "closes": reply.closes,
        "cited": list(reply.cited),
        "is_open": reply.is_open,
        "is_job": is_job,
        "extra": dict(reply.worked.extra) if reply.worked else None,
    }
    return {"text": well_formed(reply.text)} | {name: value for name, value in fields.items() if value}


def decode(entry: TranscriptEntry, adapter: TypeAdapter[T]) -> T | None:
    """Decode the body of an entry; None if it cannot be read, as it was written by hand or by a newer version."""
    try:
        return adapter.validate_json(entry.body)
    except ValueError as error:
        reason = type(error).__name__  # its words hold what was read
        log.warning("transcript.unreadable", turn=entry.turn, kind=entry.kind.value, reason=reason)
        return None


@dataclass(frozen=True, slots=True)
class DecodedEntry:
    """An entry with the fields of a message or a reply, or with the model's or tool's `message` of a step."""

    entry: TranscriptEntry
    fields: Mapping[str, Any] = field(default_factory=dict)
    message: Message | None = None

    @property
    def kind(self) -> EntryKind:
        return self.entry.kind

    @property
    def text(self) -> str:
        """What a person said, or what was answered."""
        return str(self.fields.get("text", ""))

    @property
    def sent_at(self) -> datetime:
        """When a person sent it; earlier versions noted only when its turn ended."""
        return datetime.fromisoformat(str(self.fields["sent_at"])) if "sent_at" in self.fields else self.entry.at


@dataclass(frozen=True, slots=True)
class Said:
    """One contribution to a conversation.

    Attributes:
        at: when a person sent it, or when the answer was ready.
        who: the person's name, or the agent's.
        by_agent: it is the agent's answer, else a person's message.
        did: tools that were called before this answer, as `name(arguments)`.
        told: lines that were printed under the answer.
        is_foreign: other people's words went into the turn, and may be in it.
    """

    at: datetime
    who: str
    text: str
    by_agent: bool = False
    did: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    is_foreign: bool = True

    @property
    def origin(self) -> Origin:
        """What it counts as, if the person is the owner."""
        own = Origin.AGENT if self.by_agent else Origin.OWNER
        return Origin.UNTRUSTED if self.is_foreign else own


@dataclass(frozen=True, slots=True)
class DecodedTurn:
    """The readable entries of one turn, in order; the `seq` of its first one, when it ended, and what people said."""

    id: str
    entries: tuple[DecodedEntry, ...]
    first: int
    at: datetime
    messages: tuple[DecodedEntry, ...]

    @property
    def is_command(self) -> bool:
        """Whether it consists of slash commands in which no model had a part."""
        said, has_steps = self.messages, any(entry.message for entry in self.entries)
        return bool(said) and not has_steps and all(split_command(one.text) for one in said)

    @property
    def is_owners(self) -> bool:
        """Whether the owner said all of it, as they were known then; earlier versions did not note that."""
        said = self.messages
        return bool(said) and all(one.fields.get("is_owner") is True for one in said)

    @property
    def asked(self) -> str:
        """The turn in which its question was asked for the first time; mostly this one."""
        return next((str(one.fields["again"]) for one in self.messages if "again" in one.fields), self.id)

    @property
    def edits(self) -> str:
        """The turn that answered its message first, in other words; empty if there were none."""
        return next((str(one.fields["edits"]) for one in self.messages if "edits" in one.fields), "")

    @property
    def is_foreign(self) -> bool:
        """Whether other people's words went into it."""
        return read_foreign([entry.fields for entry in self.messages])

    @property
    def by_model(self) -> bool:
        """Whether a model had a part in it."""
        return "shown_as" in self._fields

    @property
    def is_open(self) -> bool:
        """Whether it leaves a question unanswered, or undone what was asked for."""
        return "is_open" in self._fields

    @property
    def offers(self) -> str:
        """The token of the action that its answer offers; empty if it offers none."""
        return str(self._fields.get("pending", {}).get("token", ""))

    @property
    def closes(self) -> str:
        """The token of the action that was taken up or declined in it; empty if none was."""
        return str(self._fields.get("closes", ""))

    @property
    def _fields(self) -> Mapping[str, Any]:
        return {name: value for entry in self.entries for name, value in entry.fields.items()}

    @property
    def by_people(self) -> tuple[Said, ...]:
        """What people said in it; of what is only files, their kinds."""
        said = list[Said]()
        for one in self.messages:
            text = one.text or " ".join(f"[{file['kind']}]" for file in one.fields.get("files", ()))
            name = str(one.fields.get("name") or OWNER)
            said.append(Said(one.sent_at, name, text, is_foreign=self.is_foreign))
        return tuple(said)

    def said(self, agent: str) -> tuple[Said, ...]:
        """Return what people said in it, then what the agent of this name answered; nothing of a reset alone."""
        steps = [one.message for one in self.entries if one.kind is EntryKind.STEP and one.message]
        calls = (call for step in steps for call in step.calls)
        did = tuple(f"{call.name}({json.dumps(dict(call.arguments), ensure_ascii=False)})" for call in calls)
        said, is_foreign = [*self.by_people], self.is_foreign
        for one in (entry for entry in self.entries if entry.kind is EntryKind.REPLY):
            told = tuple(map(str, one.fields.get("told", ())))
            said.append(Said(one.entry.at, agent, one.text, by_agent=True, did=did, told=told, is_foreign=is_foreign))
        return tuple(said)


def decode_turns(recorded: Iterable[Recorded]) -> Iterator[DecodedTurn]:
    """Decode the turns of a transcript; what cannot be read is left out."""
    for turn, group in groupby(recorded, key=lambda one: one.entry.turn):
        decoded, whole = list[DecodedEntry](), list(group)
        for entry in (one.entry for one in whole):
            match entry.kind:
                case EntryKind.MESSAGE | EntryKind.REPLY:
                    if (fields := decode(entry, _FIELDS)) is not None:
                        decoded.append(DecodedEntry(entry, fields))
                case EntryKind.STEP | EntryKind.TOOL:
                    if message := decode(entry, _MESSAGES):
                        decoded.append(DecodedEntry(entry, message=message))
                case _:
                    decoded.append(DecodedEntry(entry))
        said = tuple(entry for entry in decoded if entry.kind is EntryKind.MESSAGE)
        yield DecodedTurn(turn, tuple(decoded), whole[0].seq, whole[-1].entry.at, said)


def unrepeated(turns: Iterable[DecodedTurn], repeated: set[str]) -> list[DecodedTurn]:
    """Return turns without those whose question was asked again or edited later: only the last answer counts.

    `repeated` has the first turns of questions that are asked again after all of these, and gains those found here.
    """
    kept: list[DecodedTurn] = []
    for turn in reversed(list(turns)):
        questions = {turn.asked, turn.edits} - {""}
        if repeated.isdisjoint(questions):
            kept.append(turn)
        repeated.update(questions - {turn.id})
    return kept[::-1]
