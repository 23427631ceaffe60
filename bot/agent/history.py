"""A session's transcript as messages for a model, and what of it still fits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter

from bot.agent.bootstrap import Snapshot
from bot.durable.port import Entry, EntryKind, Recorded
from bot.llm.port import Message, Role

_MESSAGES = TypeAdapter(Message)
_SNAPSHOTS = TypeAdapter(Snapshot)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one turn left behind: the person's words, the tools' work, the answer. Never split when room gets short."""

    turn: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class History:
    """A session since its last reset.

    Attributes:
        exchanges: oldest first; commands are left out, since no model had a part in them.
        snapshot: the bootstrap files as they were put before the model; None if there was no model turn yet.
        shown: ids of the facts that were recalled in it.
    """

    exchanges: tuple[Exchange, ...] = ()
    snapshot: Snapshot | None = None
    shown: frozenset[str] = frozenset()


def read_history(recorded: Iterable[Recorded]) -> History:
    """Read a transcript back. What cannot be read any more (written by hand, by a newer version) is left out."""
    entries = [one.entry for one in recorded]
    turns = [list(group) for _, group in groupby(entries, key=lambda entry: entry.turn)]
    exchanges = (Exchange(turn[0].turn, tuple(_paired(_messages(turn)))) for turn in turns if not _is_command(turn))
    snapshots = [entry for entry in entries if entry.kind is EntryKind.SNAPSHOT]
    shown = {name for entry in entries if entry.kind is EntryKind.MESSAGE for name in _body(entry).get("shown", ())}
    return History(
        tuple(exchange for exchange in exchanges if exchange.messages),
        _SNAPSHOTS.validate_json(snapshots[-1].body) if snapshots else None,
        frozenset(shown),
    )


def fitting(exchanges: Sequence[Exchange], room: int, count: Callable[[Message], int]) -> tuple[Exchange, ...]:
    """The newest exchanges that have room, counted in tokens."""
    kept: list[Exchange] = []
    for exchange in reversed(exchanges):
        room -= sum(map(count, exchange.messages))
        if room < 0:
            break
        kept.append(exchange)
    return tuple(reversed(kept))


def snapshot_entry_body(snapshot: Snapshot) -> str:
    """The snapshot as a transcript keeps it."""
    return _SNAPSHOTS.dump_json(snapshot).decode()


def message_body(message: Message) -> str:
    """A model's or tool's message as a transcript keeps it."""
    return _MESSAGES.dump_json(message).decode()


def _is_command(turn: Sequence[Entry]) -> bool:
    said = [entry for entry in turn if entry.kind is EntryKind.MESSAGE]
    worked = any(entry.kind in {EntryKind.STEP, EntryKind.TOOL} for entry in turn)
    return bool(said) and not worked and all(_body(entry).get("text", "").lstrip().startswith("/") for entry in said)


def _messages(turn: Sequence[Entry]) -> Iterable[Message]:
    said = [_body(entry) for entry in turn if entry.kind is EntryKind.MESSAGE]
    if said:
        whole = said[-1].get("shown_as") or "\n".join(str(body.get("text", "")) for body in said)
        yield Message(Role.USER, str(whole))
    for entry in turn:
        if entry.kind in {EntryKind.STEP, EntryKind.TOOL}:
            yield _MESSAGES.validate_json(entry.body)
        elif entry.kind is EntryKind.REPLY:
            body = _body(entry)
            yield Message(Role.ASSISTANT, str(body.get("text", "")), extra=body.get("extra", {}))


def _paired(messages: Iterable[Message]) -> Iterable[Message]:
    """The messages without calls that have no result and results that have no call: no provider takes those."""
    found = list(messages)
    answered = {message.call_id for message in found if message.role is Role.TOOL}
    called = {call.id for message in found for call in message.calls}
    for message in found:
        if message.role is Role.TOOL and message.call_id not in called:
            continue
        calls = tuple(call for call in message.calls if call.id in answered)
        if message.calls and not calls and not message.text:
            continue
        yield replace(message, calls=calls)


def _body(entry: Entry) -> dict[str, Any]:
    found = json.loads(entry.body)
    return found if isinstance(found, dict) else {}
