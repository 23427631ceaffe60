"""A session's transcript as messages for a model, and what of it still fits."""

from __future__ import annotations

from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from adapters.port import ChatKind
from bot.access.links import hosts
from bot.agent.context.bootstrap import Snapshot
from bot.agent.context.untrusted import neutralize, one_line
from bot.llm.types import Message, Role
from bot.sessions.turns import DecodedTurn, decode, decode_turns, unrepeated
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SessionKey
from bot.storage.port import Earlier, EntryKind, Recorded
from bot.storage.tables.transcripts import FEW, PAGE, split_first_turn

SPOKEN = (EntryKind.MESSAGE, EntryKind.STEP, EntryKind.TOOL, EntryKind.REPLY)
"""The entries that exchanges are made of."""

HEAD = "[{at:%Y-%m-%d %H:%M %a}{who}]"  # above each message
SOMETHING_CAME = "[Something came here, without words.]"
ANSWER_LEFT_OUT = "[My answer rested on others' words, and is not shown while I may note something.]"

SHORT = 20_000
"""Characters of entries that are decoded at once, in a millisecond; more of them in a thread."""
MAX_REMEMBERED = 4_000
"""Exchanges of sessions that are remembered; what a model read last is what it will read again."""

NOTHING = Earlier(answers=0, is_foreign=False)

_SNAPSHOTS = TypeAdapter(Snapshot)
_FIELDS = TypeAdapter(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one turn left behind: the person's words, the tools' work, the answer. Never split.

    Attributes:
        first: the `seq` of its first entry.
        at: when it ended.
        is_foreign: other people's words were read in it.
        hosts: those that the person has named.
        said: the person's own words, without what came with them.
        head: stands above them: when they were sent, and by whom unless that is clear.
    """

    turn: str
    first: int
    at: datetime
    messages: tuple[Message, ...]
    is_foreign: bool = False
    hosts: frozenset[str] = frozenset()
    said: str = ""
    head: str = ""
    _counted: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    def tokens(self, count: Callable[[Message], int]) -> int:
        """Return how many it has. They are counted once: what is cut or pruned is another exchange (`replace`)."""
        if not self._counted:
            self._counted.append(sum(map(count, self.messages)))
        return self._counted[0]

    def cut(self, longest: int) -> Exchange:
        """Return the same, with as many characters of each tool's result as a request takes."""
        shown = tuple(cut_result(message, longest) for message in self.messages)
        return self if shown == self.messages else replace(self, messages=shown)

    @property
    def own(self) -> Exchange:
        """The same, with nothing in it that others' words went into."""
        if not self.is_foreign:
            return self
        asked = Message(Role.USER, f"{self.head}\n{self.said or SOMETHING_CAME}")
        return replace(self, messages=(asked, Message(Role.ASSISTANT, ANSWER_LEFT_OUT)), is_foreign=False)


@dataclass(frozen=True, slots=True)
class History:
    """A session since its last reset.

    Attributes:
        exchanges: oldest first; commands are left out, since no model had a part in them.
        snapshot: the bootstrap files as they were put before the model; None if there was no model turn yet.
        shown: ids of the facts that were recalled in it.
        earlier: what was not read, because it would not have fitted.
        summary: what stands for the part of it that a compaction has taken out.
        is_summary_foreign: other people's words may be in that.
        first: the `seq` from which on it stands as it was; 0 for all of it.
        failed: the `seq` of the last try at a summary, if nothing became of it; else 0.
        flushed: the `seq` up to which what matters has been noted.
        is_flushed: that has been done since the last compaction.
    """

    exchanges: tuple[Exchange, ...] = ()
    snapshot: Snapshot | None = None
    shown: frozenset[str] = frozenset()
    earlier: Earlier = NOTHING
    summary: str = ""
    is_summary_foreign: bool = False
    first: int = 0
    failed: int = 0
    flushed: int = 0
    is_flushed: bool = False

    @property
    def is_foreign(self) -> bool:
        """Whether other people's words are part of the conversation."""
        return (
            self.earlier.is_foreign
            or self.is_summary_foreign
            or any(exchange.is_foreign for exchange in self.exchanges)
        )

    @property
    def own(self) -> History:
        """The same without others' words, and without the answers that they may stand in.

        Whatever the model reads then is the owner's or its own, so it may write. Which of the two it is shown must
        follow from the owner's words alone.
        """
        exchanges = tuple(exchange.own for exchange in self.exchanges)
        earlier, summary = replace(self.earlier, is_foreign=False), "" if self.is_summary_foreign else self.summary
        return replace(
            self, exchanges=exchanges, shown=frozenset(), earlier=earlier, summary=summary, is_summary_foreign=False
        )


class _Remembered(NamedTuple):
    """A session as it was read up to a `seq`, tokens that are left beside it, and the `rewrites` by then."""

    history: History
    last: int
    room: int
    rewrites: int | None


class HistoryReader:
    """Reads sessions for a model, and remembers them: the next time only what is new is read and decoded.

    A request has at most `room` tokens, and takes `longest` characters of a tool's result.
    """

    def __init__(self, coordinator: Coordinator, *, room: int, longest: int, count: Callable[[Message], int]) -> None:
        self._coordinator = coordinator
        self._room = room
        self._longest = longest
        self._count = count
        self._remembered: OrderedDict[SessionKey, _Remembered] = OrderedDict()
        self._size = 0

    async def read(self, session: SessionKey, *, asked: str = "", zone: tzinfo = UTC) -> History:
        """Return a session since its last reset, read from its end until the exchanges take up more than the room.

        What a compaction has taken out is not read. Where the question of the turn `asked` is being asked again, or has
        been edited, its answers are left out. The clock of the agent is in the `zone`.
        """
        rewrites, known = self._coordinator.rewrites(session.agent), self._take(session)
        known = known if known and known.rewrites == rewrites and not asked else None
        found = await self._read_on(session, known, zone) if known else None
        read = found or await self._read(session, asked, rewrites, zone)
        if read.last and rewrites is not None and not asked:
            self._take(session)
            self._remembered[session] = read
            self._size += 1 + len(read.history.exchanges)
            while self._size > MAX_REMEMBERED:
                self._take(next(iter(self._remembered)))
        return read.history

    def _take(self, session: SessionKey) -> _Remembered | None:
        """Remember a session no more, and return it."""
        known = self._remembered.pop(session, None)
        self._size -= 1 + len(known.history.exchanges) if known else 0
        return known

    async def _read_on(self, session: SessionKey, known: _Remembered, zone: tzinfo) -> _Remembered | None:
        """Return a session as `_read` does, by what was said since; None if it has to be read from its end again."""
        added = await self._coordinator.transcript(session.agent, str(session), after=known.last, limit=FEW)
        before, spoken = known.history, [one for one in added if one.entry.kind is not EntryKind.RECALL]
        last_turn = before.exchanges[-1].turn if before.exchanges else ""
        goes_on = any(one.entry.turn == last_turn or one.entry.kind not in SPOKEN for one in spoken)
        if len(added) == FEW or goes_on or sum(len(one.entry.body) for one in spoken) >= SHORT:
            return None
        repeated = set[str]()
        read = self._decoded(spoken, repeated, zone, session)
        _, room = newest_that_fit(read.exchanges, known.room, self._count)
        if repeated or room < 0:
            return None
        exchanges = (*before.exchanges, *read.exchanges)
        history = replace(before, exchanges=exchanges, shown=before.shown | read.shown)
        return known._replace(history=history, last=added[-1].seq if added else known.last, room=room)

    async def _read(self, session: SessionKey, asked: str, rewrites: int | None, zone: tzinfo) -> _Remembered:
        """Return a session, read from its end; `last` is 0 if not all of it was read."""
        coordinator, repeated, room = self._coordinator, {asked}, self._room
        reset = await coordinator.last_reset(session)
        snapshot = await coordinator.last(session, EntryKind.SNAPSHOT, after=reset)
        history = read_history([Recorded(reset, snapshot)] if snapshot else [])
        history = await _with_marks(coordinator, session, history, reset=reset)
        reset = max(reset, history.first - 1)
        held: tuple[Recorded, ...] = ()  # the oldest turn that was read, of which there may be more
        before, limit, last = None, FEW, 0  # a conversation that has just begun is read with one look
        while room >= 0 and before != reset:
            page = await coordinator.newest(session, after=reset, before=before, limit=limit, kinds=SPOKEN)
            last = last or (page[-1].seq if page else 0)
            before, limit = page[0].seq if len(page) == limit else reset, PAGE
            whole = (*page, *held)
            held, whole = split_first_turn(whole) if before != reset else ((), whole)
            is_short = sum(len(one.entry.body) for one in whole) < SHORT
            decoded = partial(self._decoded, whole, repeated, zone, session)
            read = decoded() if is_short else await to_thread(decoded)
            _, room = newest_that_fit(read.exchanges, room, self._count)
            shown = history.shown | read.shown
            history = replace(history, exchanges=(*read.exchanges, *history.exchanges), shown=shown)
        if before == reset:
            return _Remembered(history, last, room, rewrites)
        earlier = await coordinator.earlier(session, after=reset, before=held[-1].seq + 1)
        return _Remembered(replace(history, earlier=earlier), 0, room, rewrites)

    def _decoded(self, recorded: Iterable[Recorded], repeated: set[str], zone: tzinfo, session: SessionKey) -> History:
        """Decode entries, with as much of each tool's result as a request takes."""
        read = read_history(recorded, repeated, zone=zone, is_private=session.address.kind is ChatKind.PRIVATE)
        return replace(read, exchanges=tuple(exchange.cut(self._longest) for exchange in read.exchanges))


async def _with_marks(coordinator: Coordinator, session: SessionKey, history: History, *, reset: int) -> History:
    """Return a history with what its last compaction and its last flush have left."""
    kinds = (EntryKind.COMPACTION, EntryKind.FLUSH)
    marks = [await coordinator.newest(session, after=reset, limit=1, kinds=(kind,)) for kind in kinds]
    newest = {one.entry.kind: (one.seq, decode(one.entry, _FIELDS) or {}) for found in marks for one in found}
    compacted_at, compacted = newest.get(EntryKind.COMPACTION, (reset, {}))
    flushed_at, flushed = newest.get(EntryKind.FLUSH, (reset, {}))
    return replace(
        history,
        summary=str(compacted.get("summary", "")),
        is_summary_foreign=bool(compacted.get("is_foreign")),
        first=int(compacted.get("first", 0)),
        failed=compacted_at if compacted.get("is_failed") else 0,
        flushed=int(flushed.get("upto", 0)),
        is_flushed=flushed_at > compacted_at,
    )


def read_history(
    recorded: Iterable[Recorded], repeated: set[str] | None = None, *, zone: tzinfo = UTC, is_private: bool = False
) -> History:
    """Read a transcript back; what cannot be read is left out, and so is `repeated` (`unrepeated`).

    In a private chat the owner's messages are not headed by their name, as when a model is asked (`prompt.user_text`).
    """
    turns = unrepeated(decode_turns(recorded), set() if repeated is None else repeated)
    exchanges = [_exchange(turn, zone, is_private=is_private) for turn in turns if not turn.is_command]
    kept = (one.entry for turn in turns for one in turn.entries if one.kind is EntryKind.SNAPSHOT)
    snapshots = [snapshot for entry in kept if (snapshot := decode(entry, _SNAPSHOTS))]
    return History(
        tuple(exchange for exchange in exchanges if exchange.messages),
        snapshots[-1] if snapshots else None,
        frozenset(name for turn in turns for message in turn.messages for name in message.fields.get("shown", ())),
    )


def cut_result(message: Message, longest: int) -> Message:
    """Return a message; of a tool's result only as many characters as a request takes."""
    if message.role is not Role.TOOL or len(message.text) <= longest:
        return message
    left_out = len(message.text) - longest
    note = f"[{left_out:,} more characters were cut. Ask for less at a time.]"
    return replace(message, text=f"{message.text[:longest]}\n{note}")


def newest_that_fit(
    exchanges: Sequence[Exchange], room: int, count: Callable[[Message], int]
) -> tuple[tuple[Exchange, ...], int]:
    """Return the newest exchanges that fit and the tokens that are left; less than 0 if not all of them fit."""
    kept: list[Exchange] = []
    for exchange in reversed(exchanges):
        room -= exchange.tokens(count)
        if room < 0:
            break
        kept.append(exchange)
    return tuple(reversed(kept)), room


def snapshot_entry_body(snapshot: Snapshot) -> str:
    """Return a snapshot as the body of a transcript entry."""
    return _SNAPSHOTS.dump_json(snapshot).decode()


def _exchange(turn: DecodedTurn, zone: tzinfo, *, is_private: bool) -> Exchange:
    words = "\n".join(message.text for message in turn.messages)
    said, head, messages = neutralize(words), "", list[Message]()
    for last in turn.messages[-1:]:
        name = one_line(str(last.fields.get("name", ""))) or str(last.fields.get("sender", ""))
        is_named = name and not (is_private and turn.is_owners)
        head = HEAD.format(at=last.sent_at.astimezone(zone), who=f", {name}" if is_named else "")
        messages.append(Message(Role.USER, str(last.fields.get("shown_as") or f"{head}\n{said}")))
    for decoded in turn.entries:
        if decoded.message:
            messages.append(decoded.message)
        elif decoded.kind is EntryKind.REPLY and decoded.text:
            messages.append(Message(Role.ASSISTANT, decoded.text, extra=decoded.fields.get("extra", {})))
    return Exchange(turn.id, turn.first, turn.at, _paired(messages), turn.is_foreign, hosts(words), said, head)


def _paired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages without calls that have no result and results that have no call: no provider takes those."""
    called = {call.id for message in messages for call in message.calls}
    answered = {message.call_id for message in messages if message.role is Role.TOOL}
    if called == answered:
        return tuple(messages)
    kept = (replace(one, calls=tuple(call for call in one.calls if call.id in answered)) for one in messages)
    return tuple(
        message
        for message in kept
        if (message.call_id in called if message.role is Role.TOOL else message.calls or message.text)
    )
