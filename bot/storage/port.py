"""What durable storage keeps: accepted messages, turns, owed replies and transcripts.

A message:  waiting -> (a turn begins: attempt n) -> removed by the turn's commit, or dead: set aside with a reason
A part:     queued -> sending -> delivered with a receipt, or dead with a reason; back to queued if no byte was sent
            where messages can be edited: queued -> placed, as a placeholder with a receipt -> delivered, by an edit;
            not so a short one that several people read
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from hashlib import sha256

from adapters.port import Inbound, Outbound, Receipt
from bot.errors import Fenced
from bot.storage.keys import Principal, SessionKey, session_id

MAX_PARTS = 50
"""Messages of one answer among which one is looked for."""


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
        turn: the first `seq` of the batch that it was once taken up with; None if it never was.
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
        key: which conversation, as text.
        first, last: the `seq` of its first and of its newest entry.
        began, used: their instants.
        messages: how many of them are a person's.
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
        messages: the `seq`s that it answers.
        parts: what is to be delivered, in order.
        entries: what the transcript gains, in order.
        set_aside: why the messages are dead instead of done; empty when they are done.
        is_foreign: other people's words went into the turn, so they may be in its parts.
        jobs: what is to be done later, each in the place of the job of the same name.
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
