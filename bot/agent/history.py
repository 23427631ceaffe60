"""A session's transcript as messages for a model, and what of it still fits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import structlog
from pydantic import TypeAdapter

from bot.access.links import hosts
from bot.agent.bootstrap import Snapshot
from bot.agent.untrusted import harmless
from bot.llm.types import Message, Role
from bot.storage.keys import SessionKey
from bot.storage.port import Coordinator, Earlier, EntryKind, Recorded, TranscriptEntry
from bot.storage.transcripts import read_foreign

PAGE = 200
"""Entries that are read at a time."""

SPOKEN = (EntryKind.MESSAGE, EntryKind.STEP, EntryKind.TOOL, EntryKind.REPLY)
"""The entries that exchanges are made of."""

NOTHING = Earlier(answers=0, is_foreign=False)

_MESSAGES = TypeAdapter(Message)
_SNAPSHOTS = TypeAdapter(Snapshot)
_FIELDS = TypeAdapter(dict[str, Any])

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one turn left behind: the person's words, the tools' work, the answer. Never split when room gets short.

    `is_foreign`: other people's words were read in it. `hosts`: those that the person has named.
    """

    turn: str
    messages: tuple[Message, ...]
    is_foreign: bool = False
    hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class History:
    """A session since its last reset.

    Attributes:
        exchanges: oldest first; commands are left out, since no model had a part in them.
        snapshot: the bootstrap files as they were put before the model; None if there was no model turn yet.
        shown: ids of the facts that were recalled in it.
        earlier: what was not read, because it would not have fitted.
    """

    exchanges: tuple[Exchange, ...] = ()
    snapshot: Snapshot | None = None
    shown: frozenset[str] = frozenset()
    earlier: Earlier = NOTHING

    @property
    def is_foreign(self) -> bool:
        """Whether other people's words are part of the conversation."""
        return self.earlier.is_foreign or any(exchange.is_foreign for exchange in self.exchanges)


@dataclass(frozen=True, slots=True)
class _Line:
    """One entry, decoded as its kind needs it."""

    turn: str
    kind: EntryKind
    body: Mapping[str, Any] = field(default_factory=dict)
    message: Message | None = None
    snapshot: Snapshot | None = None

    @property
    def text(self) -> str:
        return str(self.body.get("text", ""))


async def recent_history(
    coordinator: Coordinator, session: SessionKey, *, room: int, count: Callable[[Message], int]
) -> History:
    """A session since its last reset, read from its end until the exchanges take up more than the room.

    Args:
        coordinator: where it is.
        session: which.
        room: tokens that a request may have at most.
        count: counts those of a message.
    """
    reset = await coordinator.last_reset(session)
    snapshot = await coordinator.last(session, EntryKind.SNAPSHOT, after=reset)
    history = read_history([Recorded(reset, snapshot)] if snapshot else [])
    held: tuple[Recorded, ...] = ()  # the oldest turn that was read, of which there may be more
    before = None
    while room >= 0 and before != reset:
        page = await coordinator.newest(session, after=reset, before=before, limit=PAGE, kinds=SPOKEN)
        before = page[0].seq if len(page) == PAGE else reset
        held, whole = _cut((*page, *held), at_turn=before != reset)
        read = await asyncio.to_thread(read_history, whole)
        room = _left(read.exchanges, room, count)
        shown = history.shown | read.shown
        history = replace(history, exchanges=(*read.exchanges, *history.exchanges), shown=shown)
    if before == reset:
        return history
    earlier = await coordinator.earlier(session, after=reset, before=held[-1].seq + 1)
    return replace(history, earlier=earlier)


def read_history(recorded: Iterable[Recorded]) -> History:
    """Read a transcript back. What cannot be read any more (written by hand, by a newer version) is left out."""
    lines = [line for one in recorded if (line := _read(one.entry))]
    turns = [list(group) for _, group in groupby(lines, key=lambda line: line.turn)]
    exchanges = (
        Exchange(
            turn[0].turn,
            _paired(list(_messages(turn))),
            read_foreign(_bodies(turn)),
            hosts("\n".join(line.text for line in turn if line.kind is EntryKind.MESSAGE)),
        )
        for turn in turns
        if not _is_command(turn)
    )
    snapshots = [line.snapshot for line in lines if line.snapshot]
    return History(
        tuple(exchange for exchange in exchanges if exchange.messages),
        snapshots[-1] if snapshots else None,
        frozenset(name for line in lines if line.kind is EntryKind.MESSAGE for name in line.body.get("shown", ())),
    )


def _cut(recorded: tuple[Recorded, ...], *, at_turn: bool) -> tuple[tuple[Recorded, ...], tuple[Recorded, ...]]:
    """The entries of the first turn, and those after it; nothing is cut off if the first turn is known to be whole."""
    if not at_turn or not recorded:
        return (), recorded
    turn = recorded[0].entry.turn
    cut = next((at for at, one in enumerate(recorded) if one.entry.turn != turn), len(recorded))
    return recorded[:cut], recorded[cut:]


def _left(exchanges: Sequence[Exchange], room: int, count: Callable[[Message], int]) -> int:
    """What is left of the room, the newest exchanges counted first; less than nothing as soon as it is used up."""
    for exchange in reversed(exchanges):
        room -= sum(map(count, exchange.messages))
        if room < 0:
            break
    return room


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


def _read(entry: TranscriptEntry) -> _Line | None:
    try:
        match entry.kind:
            case EntryKind.MESSAGE | EntryKind.REPLY:
                return _Line(entry.turn, entry.kind, _fields(entry.body))
            case EntryKind.STEP | EntryKind.TOOL:
                return _Line(entry.turn, entry.kind, message=_MESSAGES.validate_json(entry.body))
            case EntryKind.SNAPSHOT:
                return _Line(entry.turn, entry.kind, snapshot=_SNAPSHOTS.validate_json(entry.body))
    except ValueError as error:
        reason = type(error).__name__  # its words hold what was read
        log.warning("transcript.unreadable", turn=entry.turn, kind=entry.kind.value, reason=reason)
    return None


def _fields(body: str) -> Mapping[str, Any]:
    return _FIELDS.validate_json(body)


def _is_command(turn: Sequence[_Line]) -> bool:
    said = [line for line in turn if line.kind is EntryKind.MESSAGE]
    worked = any(line.message for line in turn)
    return bool(said) and not worked and all(line.text.lstrip().startswith(("/", "／")) for line in said)


def _bodies(turn: Sequence[_Line]) -> list[Mapping[str, Any]]:
    return [line.body for line in turn if line.kind is EntryKind.MESSAGE]


def _messages(turn: Sequence[_Line]) -> Iterator[Message]:
    said = [line for line in turn if line.kind is EntryKind.MESSAGE]
    if said:
        yield Message(Role.USER, str(said[-1].body.get("shown_as") or harmless("\n".join(line.text for line in said))))
    for line in turn:
        if line.message:
            yield line.message
        elif line.kind is EntryKind.REPLY and line.text:
            yield Message(Role.ASSISTANT, line.text, extra=line.body.get("extra", {}))


def _paired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages without calls that have no result and results that have no call: no provider takes those."""
    called = {call.id for message in messages for call in message.calls}
    answered = {message.call_id for message in messages if message.role is Role.TOOL}
    if called == answered:
        return tuple(messages)
    kept = (
        replace(message, calls=tuple(call for call in message.calls if call.id in answered)) for message in messages
    )
    return tuple(
        message
        for message in kept
        if (message.call_id in called if message.role is Role.TOOL else message.calls or message.text)
    )
