"""The durable core's contract: messages accepted, turns done, replies owed, and the transcript, behind one transaction.

A message:  waiting -> (a turn begins: attempt n) -> gone with the turn's commit, or dead: set aside with a reason
A part:     queued -> sending -> delivered with a receipt, or dead with a reason; back to queued if no byte was sent
            where messages can be edited: queued -> placed, as a placeholder with a receipt -> delivered, by an edit
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Protocol

from adapters.port import Address, Inbound, Outbound, Receipt
from bot.errors import Fenced
from bot.storage.keys import Principal, SessionKey, session_id
from bot.storage.texts import Rewrite


def outbox_id(name: str) -> str:
    """The outbox id of whatever is called so, always the same: 24 characters, as platforms take at most 25."""
    return base64.b32encode(sha256(name.encode()).digest()[:15]).decode().lower()


@dataclass(frozen=True, slots=True)
class Envelope:
    """An event that was let in, and the agent that answers it."""

    agent: str
    principal: Principal
    inbound: Inbound

    @property
    def turn(self) -> str:
        """The id of a turn that begins with it: the same on every attempt, also if this state file is lost."""
        return f"{self.inbound.address.account}:{self.inbound.update}"

    @property
    def session(self) -> SessionKey:
        """The conversation that it belongs to."""
        return SessionKey(self.agent, self.inbound.address)


@dataclass(frozen=True, slots=True)
class Grant:
    """The right to work for an agent. `epoch` fences off earlier holders, who left what is below `first`."""

    agent: str
    epoch: int
    first: int

    def fenced(self) -> Fenced:
        """What is raised to a holder that has been replaced."""
        return Fenced(
            f"Another process works for agent {self.agent} now.",
            hint="Two Scrubjays share one home: stop one. What this one had not committed, the other does again.",
        )


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A waiting message.

    Attributes:
        seq: its place in the agent's order of arrival.
        envelope: what was published.
        turn: the first `seq` of the burst that it was once taken up with; None if it never was.
        attempts: how often its turn has begun.
    """

    seq: int
    envelope: Envelope
    turn: int | None = None
    attempts: int = 0


class EntryKind(StrEnum):
    """What a transcript entry records."""

    MESSAGE = "message"
    STEP = "step"
    TOOL = "tool"
    REPLY = "reply"
    RECALL = "recall"
    SNAPSHOT = "snapshot"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One line of a session's transcript; `body` is a JSON object whose form belongs to the kind."""

    kind: EntryKind
    turn: str
    at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """A transcript entry with its place; `seq` grows within an agent, with gaps."""

    seq: int
    entry: TranscriptEntry


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation from its beginning, or from a reset, up to and with the next reset; without its words.

    Attributes:
        agent: whose it is.
        key: which conversation, as text.
        first, last: the `seq` of its first and of its newest entry.
        began, used: their instants.
        entries: how many it has.
        messages: how many of them are a person's.
        is_over: a reset has ended it.
    """

    agent: str
    key: str
    first: int
    last: int
    began: datetime
    used: datetime
    entries: int
    messages: int
    is_over: bool

    @property
    def id(self) -> str:
        """Its name: a ULID, the same whenever it is asked for."""
        return session_id(self.key, first=self.first, began=self.began)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A part of a conversation that was not read: how many answers it has, and whether others' words are in it."""

    answers: int
    is_foreign: bool


@dataclass(frozen=True, slots=True)
class ToolEffect:
    """A tool call that changes something, written down before and after it is carried out.

    Attributes:
        turn: the turn's id.
        number: counted within the turn from 0; the effect's `op_id` is made of both.
        call: the tool's name and arguments as one text.
        result: what it came to; None until it is done.
    """

    turn: str
    number: int
    call: str
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Effects:
    """All that the end of a turn changes, at once.

    Attributes:
        session: whose turn it was.
        messages: the `seq`s that it answers.
        parts: what is to be delivered, in order.
        entries: what the transcript gains, in order.
        turn: the turn's id.
        set_aside: why the messages are dead instead of done; empty when they are done.
        is_foreign: other people's words went into the turn, so they may be in its parts.
    """

    session: SessionKey
    messages: tuple[int, ...]
    parts: tuple[Outbound, ...] = ()
    entries: tuple[TranscriptEntry, ...] = ()
    turn: str = ""
    set_aside: str = ""
    is_foreign: bool = True


class PartState(StrEnum):
    """Where a part of a reply stands."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class OutboxPart:
    """A message that is owed to a chat.

    Attributes:
        seq: its place in the agent's order.
        state: `queued`, or `sending` if a crash hid how an attempt ended.
        out: the message.
        placed: the placeholder that it is to be edited into; None if there is none yet.
    """

    seq: int
    state: PartState
    out: Outbound
    placed: Receipt | None = None


Among = Callable[[str], bool]
"""Whether a conversation, named by its key as text, is meant."""


def everywhere(_: str) -> bool:
    """Every conversation is meant."""
    return True


class Coordinator(Protocol):
    """Where everything that must survive goes through. A method that changes something returns when it is on disk.

    Every method that takes a grant and changes something raises `Fenced` when the agent has been claimed since, and
    any method raises `StateError` when the storage fails.
    """

    async def publish(self, envelope: Envelope) -> bool:
        """Accept a message; False if this update of this account has been accepted before."""
        ...

    async def knows(self, chat: Address) -> bool:
        """Whether anything said in a chat, in whichever of its threads, has ever been accepted."""
        ...

    async def tell(self, agent: str, out: Outbound, *, update: str) -> bool:
        """Owe a message that answers no turn, through this agent's outbox; False if the update was accepted before."""
        ...

    async def claim(self, owner: str, agents: Sequence[str]) -> tuple[Grant, ...]:
        """Take over the agents. Whoever held them before can change nothing from now on."""
        ...

    async def release(self, grant: Grant) -> None:
        """Give an agent back, so that a clean end can be told from a crash; without effect if it was claimed since."""
        ...

    async def pending(self, grant: Grant, *, after: int) -> tuple[QueuedMessage, ...]:
        """The next waiting messages with a `seq` above `after`, in order; waits until there is one."""
        ...

    async def begin(self, grant: Grant, messages: Sequence[int], *, attempt: int) -> None:
        """Record that a turn over these messages starts for the `attempt`-th time, and that they belong together.

        Survives the end of the process. A power cut may take it back, together with everything recorded after it.
        """
        ...

    async def effect(self, grant: Grant, effect: ToolEffect) -> None:
        """Write down what a tool call is about to do, or has done."""
        ...

    async def effects(self, grant: Grant, turn: str) -> tuple[ToolEffect, ...]:
        """What earlier attempts at a turn have written down, in order."""
        ...

    async def commit(self, grant: Grant, effects: Effects) -> None:
        """End a turn: all of its effects, or none. What its tools have written down is dropped."""
        ...

    async def outgoing(self, grant: Grant, accounts: Collection[str], *, after: int) -> tuple[OutboxPart, ...]:
        """The next parts owed through these bot accounts with a `seq` above `after`, in order; waits for one."""
        ...

    async def delivered(self, grant: Grant, to: Address) -> None:
        """Wait until no part for this chat, in whichever of its threads, is owed any more."""
        ...

    async def sending(self, grant: Grant, part: int) -> None:
        """Record that bytes of this part may leave from now on."""
        ...

    async def requeue(self, grant: Grant, part: int) -> None:
        """Record that none did."""
        ...

    async def placed(self, grant: Grant, id: str, receipt: Receipt) -> None:
        """Record the placeholder of the part with this outbox id, which may not be owed yet; a later one counts."""
        ...

    async def receipt(self, grant: Grant, part: int, receipt: Receipt) -> None:
        """Record that the part has arrived. May be taken back by a power cut, as `begin`."""
        ...

    async def dead(self, grant: Grant, part: int, reason: str) -> None:
        """Give a part up."""
        ...

    async def settled(self, grant: Grant, accounts: Collection[str]) -> None:
        """Wait until no message of the agent waits and no part is owed through these bot accounts."""
        ...

    async def is_own_answer(self, session: SessionKey, message: str) -> bool:
        """Whether a message, by the platform's id of it, was delivered as an answer of this conversation since its
        last reset, and nobody else's words went into that. False if anything about it is not known.
        """
        ...

    async def last(self, session: SessionKey, kind: EntryKind, *, after: int = 0) -> TranscriptEntry | None:
        """The newest entry of one kind in a session's transcript with a `seq` above `after`."""
        ...

    async def last_reset(self, session: SessionKey) -> int:
        """The `seq` of the last `reset` in a session's transcript; 0 if there was none."""
        ...

    async def transcript(
        self, agent: str, session: str, *, after: int = 0, limit: int | None = None
    ) -> tuple[Recorded, ...]:
        """A session's entries with a `seq` above `after`, in order; the oldest `limit` of them."""
        ...

    async def newest(
        self,
        session: SessionKey,
        *,
        after: int,
        before: int | None = None,
        limit: int,
        kinds: Collection[EntryKind] = tuple(EntryKind),
    ) -> tuple[Recorded, ...]:
        """The newest `limit` entries of some kinds with a `seq` above `after` and below `before`, in order."""
        ...

    async def earlier(self, session: SessionKey, *, after: int, before: int) -> Earlier:
        """What is known of a session's entries with a `seq` above `after` and below `before`."""
        ...

    async def holds(self, session: SessionKey, turn: str, *, after: int) -> bool:
        """Whether a session's transcript has an entry of a turn with a `seq` above `after`."""
        ...

    async def current(self, session: SessionKey) -> Session | None:
        """What has been recorded since the last `reset`, without its words; None if nothing has."""
        ...

    async def sessions(self, agent: str) -> tuple[Session, ...]:
        """An agent's sessions, the one that was used last first."""
        ...

    async def redact(self, agent: str, rewrite: Rewrite, *, among: Among = everywhere, compact: bool = False) -> int:
        """Rewrite the texts of what was said, in all that is kept of these conversations of an agent, at once.

        That is transcripts, messages that a turn has begun with or that are set aside, parts of replies whether they
        have arrived or not, and results of tools. What only waits is still to be heard, and stays. Entries keep their
        places; ids, addresses and instants stay as they are. Nothing is left of the texts in the engine's own files,
        unless a reader in another process holds on to an older state for the moment; `compact` clears also what older
        versions left there.

        Returns:
            How many messages and answers of the transcripts changed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Begun:
    """A tool call that has been written down; `result` is what an earlier attempt at the turn made of the same call."""

    op_id: str
    result: str | None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A tool call that was begun; `op_id` tells whether memory has written anything for it."""

    tool: str
    op_id: str


class Span(StrEnum):
    """What is counted together."""

    SHORT = "short"
    DAY = "day"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Count:
    """What was counted of somebody in one span.

    Attributes:
        subject: `sender ID`, `chat ACCOUNT:CHAT`, `guests` or `owner`.
        span: which one.
        began: its ISO instant, or its day.
        turns: that were let through.
        tokens: that models took for them.
        refused: messages that were not.
        is_told: they have been told so.
    """

    subject: str
    span: Span
    began: str
    turns: int = 0
    tokens: int = 0
    refused: int = 0
    is_told: bool = False


class Counts(Protocol):
    """Where counts are kept."""

    async def load(self, since: str) -> Sequence[Count]:
        """Those that began at that day or later, and the report; older ones are dropped."""
        ...

    async def save(self, counts: Sequence[Count]) -> None:
        """Put counts in the place of those of the same subject and span. A power cut may take it back."""
        ...


class TurnEffects:
    """Written down before and after each call, so that a turn that is repeated after a crash repeats no effect.

    A model asked again may ask for other calls, or in another order. So an effect is recognised by what was called and
    not by its place: the same call gets the same `op_id`, and its result if there is one. Within one attempt, too: a
    model that says the same thing twice means it once.

    Args:
        coordinator: where they are written down.
        grant: for the agent.
        turn: the turn's id.
        is_repeated: there may have been an earlier attempt at the turn.
    """

    def __init__(self, coordinator: Coordinator, grant: Grant, turn: str, *, is_repeated: bool = True) -> None:
        self._coordinator = coordinator
        self._grant = grant
        self._turn = turn
        self._known: dict[str, ToolEffect] | None = None if is_repeated else {}

    async def begin(self, call: str) -> Begun:
        """Write down that this call is about to be carried out."""
        known = await self._all()
        effect = known.get(call)
        if effect is None:
            effect = known[call] = ToolEffect(self._turn, len(known), call)
            await self._coordinator.effect(self._grant, effect)
        return Begun(self._op_id(effect), effect.result)

    async def done(self, call: str, result: str) -> None:
        """Write down what it came to; it was begun before."""
        known = await self._all()
        effect = known[call] = replace(known[call], result=result)
        await self._coordinator.effect(self._grant, effect)

    async def told(self) -> tuple[str, ...]:
        """What the person is to be told of the calls that were carried out, in this attempt or an earlier one."""
        results = [json.loads(effect.result) for effect in (await self._all()).values() if effect.result is not None]
        return tuple(line for result in results for line in result["told"])

    async def unfinished(self) -> tuple[Unfinished, ...]:
        """The calls that were begun and of which nobody knows what they came to."""
        return tuple(
            Unfinished(effect.call.partition(" ")[0], self._op_id(effect))
            for effect in (await self._all()).values()
            if effect.result is None
        )

    async def _all(self) -> dict[str, ToolEffect]:
        if self._known is None:
            earlier = await self._coordinator.effects(self._grant, self._turn)
            self._known = {effect.call: effect for effect in earlier}
        return self._known

    def _op_id(self, effect: ToolEffect) -> str:
        return f"{self._turn}:t{effect.number}"
