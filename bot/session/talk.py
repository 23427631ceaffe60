"""What was said in a session, for people: who said what when, without what a model had to be told besides."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter

from bot.durable.port import Entry, EntryKind, Recorded
from bot.llm.port import Message
from bot.session.transcript import read_foreign
from memory import Citation, Recall

OWNER = "Owner"
"""What a person is called who has told no name."""

_MESSAGES = TypeAdapter(Message)
_RECALLS = TypeAdapter(Recall)


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
        said = tuple(_said(turn, agent))
        if said:
            yield Exchange(said, is_command(turn))


def is_command(turn: Sequence[Entry]) -> bool:
    """Whether a turn's entries are those of slash commands, in which no model had a part."""
    texts = [str(_body(entry).get("text", "")) for entry in turn if entry.kind is EntryKind.MESSAGE]
    worked = any(entry.kind in {EntryKind.STEP, EntryKind.TOOL} for entry in turn)
    return bool(texts) and not worked and all(text.lstrip().startswith(("/", "／")) for text in texts)


def _said(turn: Sequence[Entry], agent: str) -> Iterator[Said]:
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


def _sources(turn: Sequence[Entry]) -> Iterator[Citation]:
    for entry in turn:
        if entry.kind is EntryKind.RECALL:
            yield from (hit.source for hit in _RECALLS.validate_json(entry.body).hits)


def _calls(turn: Sequence[Entry]) -> Iterator[str]:
    for entry in turn:
        if entry.kind is EntryKind.STEP:
            for call in _MESSAGES.validate_json(entry.body).calls:
                yield f"{call.name}({json.dumps(dict(call.arguments), ensure_ascii=False)})"


def _body(entry: Entry) -> dict[str, Any]:
    found = json.loads(entry.body)
    return found if isinstance(found, dict) else {}
