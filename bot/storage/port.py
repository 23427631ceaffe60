"""The contract of durable storage: accepted messages, turns, owed replies and transcripts, each change at once.

A message:  waiting -> (a turn begins: attempt n) -> removed by the turn's commit, or dead: set aside with a reason
A part:     queued -> sending -> delivered with a receipt, or dead with a reason; back to queued if no byte was sent
            where messages can be edited: queued -> placed, as a placeholder with a receipt -> delivered, by an edit;
            not so a short one that several people read
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Protocol

from adapters.port import Address, Inbound, Outbound, Receipt
from bot.errors import Fenced
from bot.storage.keys import Principal, SessionKey, session_id


def outbox_id(name: str) -> str:
    """Return the outbox id for a name, always the same: 24 characters, as platforms take at most 25."""
    return base64.b32encode(sha256(name.encode()).digest()[:15]).decode().lower()


def part_id(turn: str, number: int) -> str:
    """Return the outbox id of a turn's n-th part, the same whenever the turn is repeated."""
    return outbox_id(f"{turn}/{number}")


@dataclass(frozen=True, slots=True)
class GroupMessage:
    """What somebody said in a group without speaking to the bot.

    Attributes:
        name: the speaker's, for display.
        text: as far as it is kept.
        at: when it was said, aware.
        is_foreign: the speaker is nobody who may talk to the bot there.
    """

    name: str
    text: str
    at: datetime
    is_foreign: bool


@dataclass(frozen=True, slots=True)
class Envelope:
    """An admitted event, and the agent that answers it; `before` is what was said in its group before it."""

    agent: str
    principal: Principal
    inbound: Inbound
    before: tuple[GroupMessage, ...] = ()

    @property
    def turn(self) -> str:
        """The id of a turn that begins with it: the same on every attempt, even if this state file is lost."""
        return f"{self.inbound.address.account}:{self.inbound.update}"

    @property
    def session(self) -> SessionKey:
        """The conversation that it belongs to."""
        return SessionKey(self.agent, self.inbound.address)


class CatchUp(StrEnum):
    """What becomes of a job whose instant has passed while no process ran: it is done once, late, or left out."""

    LATE = "late"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is to be done for an agent at an instant, once or again and again.

    Attributes:
        name: tells it from the agent's other jobs.
        due: when it is to be done next, aware.
        envelope: what is put before the agent then, as a message; its update and its instant are those of the firing.
        repeats: a cron expression of five fields; empty for what is done once.
        zone: the time zone in which the expression holds.
        catch_up: what becomes of an instant that was missed.
    """

    name: str
    due: datetime
    envelope: Envelope
    repeats: str = ""
    zone: str = "UTC"
    catch_up: CatchUp = CatchUp.LATE

    def fired(self, instant: datetime) -> Envelope:
        """Return the message of a firing: the same one for the same agent, job and instant; it is accepted once."""
        update = f"job:{self.envelope.agent}:{self.name}@{instant.astimezone(UTC).isoformat()}"
        return replace(self.envelope, inbound=replace(self.envelope.inbound, update=update, sent_at=instant))


@dataclass(frozen=True, slots=True)
class Firing:
    """What becomes of a due job: the instant for which its message is published, and when it is due again, if ever."""

    instant: datetime | None
    again: datetime | None


Plan = Callable[[Job], Firing]
"""Decides about a due job; a pure function."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The right to work for an agent. `epoch` fences off earlier holders, who took the `seq`s below `first`.

    Of them, the last `crashes` in a row ended without giving the agent back, before they had lived for long.
    `lease` names what only a part of the work is done under; the epoch is then that lease's.
    """

    agent: str
    epoch: int
    first: int
    crashes: int = 0
    lease: str = ""

    def fenced(self) -> Fenced:
        """Return the error for a holder that has been replaced."""
        message = f"Another process works for agent {self.agent} now."
        hint = "Two Scrubjays share one home: stop one. What this one had not committed, the other does again."
        return Fenced(message, hint=hint)


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A waiting message.

    Attributes:
        seq: its place in the agent's order of arrival.
        envelope: what was published.
        turn: the first `seq` of the burst that it was once taken up with; None if it never was.
        attempts: how often its turn has begun.
        deaths: in how many of them the process ended while no other turn of any agent was under way.
    """

    seq: int
    envelope: Envelope
    turn: int | None = None
    attempts: int = 0
    deaths: int = 0


class EntryKind(StrEnum):
    """What a transcript entry records."""

    MESSAGE = "message"
    STEP = "step"
    TOOL = "tool"
    REPLY = "reply"
    RECALL = "recall"
    SNAPSHOT = "snapshot"
    RESET = "reset"
    COMPACTION = "compaction"
    FLUSH = "flush"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One line of a session's transcript; `body` is a JSON object whose fields depend on the kind."""

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
    """A summary of one conversation from its beginning, or from a reset, up to and including the next reset.

    Attributes:
        agent: whose it is.
        key: which conversation, as text.
        first, last: the `seq` of its first and of its newest entry.
        began, used: their instants.
        entries: how many it has.
        messages: how many of them are a person's.
        is_over: a reset has ended it.
        compactions: how often a part of it was summarised.
        flushed: when what matters in it was noted last; None if it was not.
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
    compactions: int = 0
    flushed: datetime | None = None

    @property
    def id(self) -> str:
        """Its name: a ULID that follows from the session."""
        return session_id(self.key, first=self.first, began=self.began)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is known of the unread part of a conversation: its answers, and whether it has other people's words."""

    answers: int
    is_foreign: bool


@dataclass(frozen=True, slots=True)
class ToolEffect:
    """A tool call that changes something, recorded before and after it is carried out.

    Attributes:
        number: counted within the turn from 0; the effect's `op_id` is made of both.
        call: the tool's name and arguments as one text.
        result: its result; None until it is done.
    """

    turn: str
    number: int
    call: str
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A message that answers no turn.

    Attributes:
        agent: in whose outbox it goes.
        update: what it tells of; a second one about the same is dropped.
    """

    agent: str
    out: Outbound
    update: str


@dataclass(frozen=True, slots=True)
class Effects:
    """All changes at the end of a turn.

    Attributes:
        session: whose turn it was.
        messages: the `seq`s that it answers.
        parts: what is to be delivered, in order.
        entries: what the transcript gains, in order.
        set_aside: why the messages are dead instead of done; empty when they are done.
        is_foreign: other people's words went into the turn, so they may be in its parts.
        jobs: what is to be done later, each in the place of the job of the same name.
        notices: what is told elsewhere.
    """

    session: SessionKey
    messages: tuple[int, ...]
    parts: tuple[Outbound, ...] = ()
    entries: tuple[TranscriptEntry, ...] = ()
    turn: str = ""
    set_aside: str = ""
    is_foreign: bool = True
    jobs: tuple[Job, ...] = ()
    notices: tuple[Notice, ...] = ()


class PartState(StrEnum):
    """The delivery state of a part of a reply."""

    QUEUED = "queued"
    SENDING = "sending"
    DELIVERED = "delivered"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class OutboxPart:
    """A message (`out`) that is owed to a chat.

    Attributes:
        seq: its place in the agent's order.
        state: `queued`, or `sending` if a crash hid how an attempt ended.
        placed: the placeholder that it is to be edited into; None if there is none yet.
    """

    seq: int
    state: PartState
    out: Outbound
    placed: Receipt | None = None


@dataclass(frozen=True, slots=True)
class TokenTotals:
    """Tokens that were used; `unreported` of the answers came without a count."""

    answers: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    unreported: int = 0

    @property
    def tokens(self) -> int:
        """Those that were read, and those that were written."""
        return self.prompt + self.completion

    def __add__(self, other: TokenTotals) -> TokenTotals:
        return TokenTotals(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class UsageEntry:
    """What a model has taken for an agent on a `day`, for whom (`person`), and where; what is empty is not told apart.

    `person` is a principal's id, or `owner`.
    """

    day: date
    agent: str
    model: str
    person: str
    session: str
    turn: str
    totals: TokenTotals


Rewrite = Callable[[str], str]
"""Returns a text to put in the place of a text; a pure function that returns its own results unchanged."""

Among = Callable[[str], bool]
"""Selects conversations by their keys as text."""


def everywhere(_: str) -> bool:
    """Select every conversation."""
    return True


class Coordinator(Protocol):
    """Stores everything that must survive a crash. A method that changes something returns when it is on disk.

    Every method that takes a grant and changes something raises `Fenced` when the agent has been claimed since, and
    any method raises `StateError` when the storage fails.
    """

    async def publish(self, envelope: Envelope) -> bool:
        """Accept a message, on the disk when this returns: only then may an adapter acknowledge it to the platform.

        Returns:
            False if this update of this account has been accepted before.
        """

    async def knows(self, chat: Address) -> bool:
        """Return whether any message of a chat, in whichever of its threads, has ever been accepted."""

    async def tell(self, agent: str, out: Outbound, *, update: str) -> bool:
        """Queue a message that answers no turn in an agent's outbox; return False if the update was accepted before."""

    async def told(self, id: str) -> tuple[str, Outbound] | None:
        """Return what `tell` has queued under an outbox id, and in which agent's outbox; None if nothing."""

    async def claim(self, owner: str, agents: Sequence[str]) -> tuple[Grant, ...]:
        """Take over the agents; earlier holders can change nothing from now on.

        If one of them has not given its agent back, it has crashed, and a turn that was the only one under way is
        charged with that (`QueuedMessage.deaths`): of several, none can be told to be the cause. Whoever held other
        agents is gone, too, so what they left counts as no crash when those are claimed again.
        """

    async def survived(self, grant: Grant) -> None:
        """Record that this holder has lived for long: the crashes before it are no series any more."""

    async def release(self, grant: Grant) -> None:
        """Give an agent back, so that a clean end differs from a crash; without effect if it was claimed since."""

    async def pending(self, grant: Grant, *, after: int) -> tuple[QueuedMessage, ...]:
        """Return the next waiting messages with a `seq` above `after`, in order; wait until there is one."""

    async def unfinished(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the turns of all messages that wait or were given up, and the paths of files that are still owed."""

    async def begin(self, grant: Grant, messages: Sequence[int], *, attempt: int) -> None:
        """Record that a turn over these messages starts for the `attempt`-th time, and that they belong together.

        Survives the end of the process. A power cut may take it back, together with everything recorded after it.
        """

    async def effect(self, grant: Grant, effect: ToolEffect) -> None:
        """Record what a tool call is about to do, or has done."""

    async def effects(self, grant: Grant, turn: str) -> tuple[ToolEffect, ...]:
        """Return what earlier attempts at a turn have recorded, in order."""

    async def commit(self, grant: Grant, effects: Effects) -> None:
        """End a turn: all of its effects, or none.

        The records of its tool calls are dropped, unless its messages are set aside: they may be tried again.
        """

    async def outgoing(self, grant: Grant, accounts: Collection[str], *, after: int) -> tuple[OutboxPart, ...]:
        """Return the next parts owed through these accounts with a `seq` above `after`, in order; wait for one."""

    async def owes(self, grant: Grant, to: Address) -> bool:
        """Return whether a part for this thread of this chat is owed."""

    async def delivered(self, grant: Grant, to: Address) -> None:
        """Wait until no part for this thread of this chat is owed any more."""

    async def move(self, grant: Grant, part: int, state: PartState) -> None:
        """Record that bytes of this part may leave from now on (`SENDING`), or that none did (`QUEUED`)."""

    async def placed(self, grant: Grant, id: str, receipt: Receipt, *, is_urgent: bool = True) -> None:
        """Record the placeholder of the part with this outbox id, which may not be owed yet; a later one counts.

        It is on the disk when this returns; without urgency, another write may take it along some hundredths of a
        second later.
        """

    async def receipt(self, grant: Grant, part: int, receipt: Receipt) -> None:
        """Record that the part has arrived. May be taken back by a power cut, as `begin`."""

    async def receipts(self, agent: str, ids: Collection[str], *, after: int) -> tuple[Receipt | None, ...]:
        """Return those of the parts with these outbox ids and a `seq` above `after`; None for one not delivered."""

    async def dead(self, grant: Grant, part: int, reason: str) -> None:
        """Give a part up."""

    async def schedule(self, grant: Grant, job: Job) -> None:
        """Put a job in the place of the agent's job of the same name, if there is one."""

    async def cancel(self, grant: Grant, name: str) -> bool:
        """Drop a job; return False if the agent has none of that name."""

    async def jobs(self, agent: str) -> tuple[Job, ...]:
        """Return an agent's jobs, the one that is due next first."""

    async def fire_due(self, grant: Grant, now: datetime, plan: Plan) -> tuple[Job, ...]:
        """Publish the messages of all jobs that are due, and note when each is due again, at once.

        A job's instant is fired once, whatever ends the process: its message is on the disk if and only if the job has
        moved on.

        Returns:
            Those whose messages were published, as they were, in the order of their instants.
        """

    async def settled(self, grant: Grant, accounts: Collection[str]) -> None:
        """Wait until no message of the agent waits and no part is owed through these bot accounts."""

    async def is_own_answer(self, session: SessionKey, message: str) -> bool:
        """Return whether a message is an answer of this conversation without other people's words.

        The message is named by its platform's id, and counts if it was delivered since the last reset. False if
        anything about it is not known.
        """

    def rewrites(self, agent: str) -> int | None:
        """Return how often entries of an agent were rewritten or removed, so far; None if others may do that, too.

        As long as it stays the same, what was read of a transcript stands: entries are added behind it only.
        """

    async def last(self, session: SessionKey, kind: EntryKind, *, after: int = 0) -> TranscriptEntry | None:
        """Return the newest entry of one kind in a session's transcript with a `seq` above `after`."""

    async def last_reset(self, session: SessionKey) -> int:
        """Return the `seq` of the last `reset` in a session's transcript; 0 if there was none."""

    async def transcript(
        self, agent: str, session: str, *, after: int = 0, limit: int | None = None
    ) -> tuple[Recorded, ...]:
        """Return a session's entries with a `seq` above `after`, in order; the oldest `limit` of them."""

    async def newest(
        self,
        session: SessionKey,
        *,
        after: int,
        before: int | None = None,
        limit: int,
        kinds: Collection[EntryKind] = tuple(EntryKind),
    ) -> tuple[Recorded, ...]:
        """Return the newest `limit` entries of some kinds with a `seq` above `after` and below `before`, in order."""

    async def earlier(self, session: SessionKey, *, after: int, before: int) -> Earlier:
        """Return what is known of a session's entries with a `seq` above `after` and below `before`."""

    async def holds(self, session: SessionKey, turn: str, *, after: int) -> bool:
        """Return whether a session's transcript has an entry of a turn with a `seq` above `after`."""

    async def current(self, session: SessionKey) -> Session | None:
        """Return the summary of what was recorded since the last `reset`; None if nothing was."""

    async def sessions(self, agent: str) -> tuple[Session, ...]:
        """Return an agent's sessions, the one that was used last first."""

    async def remove_sessions(self, agent: str, sessions: Sequence[Session]) -> None:
        """Remove the entries of an agent's sessions, as far as their summaries go; what was said since stays."""

    async def redact(self, agent: str, rewrite: Rewrite, *, among: Among = everywhere, compact: bool = False) -> int:
        """Rewrite the texts in everything that is stored of these conversations of an agent, at once.

        That is transcripts, messages that a turn has begun with or that are set aside, what was said in groups before
        messages, parts of replies whether they have arrived or not, and results of tools. Messages that only wait are
        still to be answered, and stay. Entries keep their places; ids, addresses and instants stay. Nothing is left of
        the texts in the engine's files, unless a reader elsewhere holds on to an older state; `compact` clears more.

        Returns:
            How many messages and answers of the transcripts changed.
        """
