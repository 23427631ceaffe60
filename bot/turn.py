"""A turn: who asks an agent what, what it answers, and where the answer grows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from adapters.markdown import closed
from adapters.port import Address, Attachment, Button, ChatKind, Growing, Happening, Inbound, Sender, ShowsProgress
from bot.access.links import readable
from bot.access.permissions import Taint, origin_and_scope
from bot.errors import StateError
from bot.llm.types import Message, Payer
from bot.storage.coordinator import Coordinator
from bot.storage.effect_log import EffectLog
from bot.storage.keys import SCHEDULE, Principal, SessionKey
from bot.storage.port import EntryKind, GroupMessage
from bot.texts.catalogue import current_language, in_language, mark
from bot.texts.formatting import sized
from bot.texts.receipts import marked, own_words
from memory import OWNER, Actors, Clock, Memory, Origin, Recall, Scope
from memory.errors import Busy
from memory.life.intentions import Intention
from memory.privacy.secrets import mask_values

RECORDED = frozenset({"voice", "video_note"})
"""Files in which the person who sends them speaks; their names say nothing."""

SENT = ".sent"
"""How folders in a turn's folder begin for what goes out; no file that came has a name that begins with a dot."""

MAX_PROMISE_CHARS = 200
"""What a model says with its calls is a part of its answer if it is longer, and else "let me look that up"."""

STOPPED = mark("(Stopped.)")
"""Stands behind an answer that a person has stopped."""

PASSING = (StateError, Busy)
"""What a turn may meet that passes: a file in use, a database that restarts. It is no answer before it has stayed."""

UNKNOWN = frozenset({Origin.UNTRUSTED})
"""The `Reply.origins` of lines that are shown as they stand in a file, whoever wrote them."""


class ProgressSink(Protocol):
    """A view that is best effort: nothing is lost when it fails, and the answer itself comes through the outbox."""

    async def text(self, so_far: Growing) -> None:
        """The answer has grown; a view calls it when it shows it, which is seldomer than it grows."""

    async def doing(self, what: str) -> None:
        """What the agent is busy with, in a few words; empty for nothing in particular."""


class NullSink:
    """Shows nothing."""

    async def text(self, so_far: Growing) -> None:
        pass

    async def doing(self, what: str) -> None:
        pass


SILENT = NullSink()


class AdapterSink:
    """A view through an adapter that shows progress."""

    def __init__(self, adapter: ShowsProgress, to: Address) -> None:
        self._adapter = adapter
        self._to = to
        self._text: Growing = str
        self._doing = ""

    async def text(self, so_far: Growing) -> None:
        language = current_language()  # of the turn: who shows it may be in the middle of something else

        def own() -> str:
            with in_language(language):
                return own_words(so_far())

        self._text = own
        await self._adapter.progress(self._to, self._text, self._doing)

    async def doing(self, what: str) -> None:
        self._doing = what
        await self._adapter.progress(self._to, self._text, self._doing)


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """What was told in the owner's private sessions, and how many passages of it may stand beside those of notes."""

    memory: Memory
    quota: int


@dataclass(frozen=True, slots=True)
class Agent:
    """A persona with its own workspace and memory; in a service it can look back into its conversations, too.

    `naming` is held from finding a file name free until there is such a file.
    """

    name: str
    about: str
    memory: Memory
    zone: ZoneInfo
    clock: Clock
    transcripts: Coordinator | None = None
    session_memory: SessionMemory | None = None
    naming: asyncio.Lock = field(default_factory=asyncio.Lock)


class FetchFailure(StrEnum):
    """Why a file that came with a message is not there."""

    TOO_LARGE = "too large"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class File:
    """A file that came with a message; `name` has nothing in it but letters, digits and `_.-`, `size` is in bytes.

    It lies at `path`; where it could not be had, there is a `lack` instead. `is_forwarded` and `seconds` are
    those of the `Attachment`. `said` is what was understood of a voice message.
    """

    name: str
    kind: str
    mime: str
    size: int
    path: Path | None = None
    lack: FetchFailure | None = None
    is_forwarded: bool = False
    seconds: float = 0
    said: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({sized(self.size)})" if self.size else self.name

    @property
    def place(self) -> str:
        """Where it lies, seen from the state folder: `files/AGENT/TURN/NAME`; empty if it does not."""
        return "/".join(self.path.parts[-4:]) if self.path else ""


async def add_nothing() -> None:
    """Nobody says anything while the turn runs (`Turn.steer`)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, or a batch of them, to be answered.

    Attributes:
        id: the same when the turn is repeated after a crash, so that what it writes is recognised (`op_id`).
        origin: what the text counts as when it is written to memory.
        scope: what may be seen, and where what is written belongs.
        at: when it was sent, aware.
        effects: where tool calls that change something are written down, before and after.
        live: shows the person what is going on until the answer is there.
        quote: the text that the message replies to or was pointed at; data, not the person's words.
        quote_by: the name of who wrote that; empty if the person did, or if it is not known.
        quote_origin: what the quoted text counts as.
        is_unattended: the messages come out of a pipe: nobody can be asked anything.
        is_confined: the person was let in for this agent alone, and not for what is about the whole service.
        attachments: files that came with the message, as the platform describes them.
        files: the same, once they have been fetched.
        above: lines that are shown above the answer while it grows.
        folder: where the files of this turn are kept, made when there is one; None if none are.
        file_limit: bytes of the largest file that can be sent to the chat; 0 for none at all.
        before: what was said in the group since the last message to the agent; data, and nobody's order.
        may_be_silent: nobody has spoken to the agent, and it need not answer.
        keep: is given what there is of an answer that is being stopped.
        steer: returns what the person has said since, from then on a part of this turn; None if it is nothing.
        on_heard: is given the turn with what is said in its voice messages, before it is answered; None for nobody.
        is_tap: the text is what a button brought, not what the person typed.
        asked: the turn in which it was asked for the first time; empty if this is the first time.
        edited: the turns that answered the message before its words were changed, newest first; empty if none did.
        edited_text: the words before they were changed.
        is_job: it is the command of a job that was due `at`.
        is_verbose: the chat is told how the answer comes about.
        is_last: it does not begin again after what passes, so that is its answer.
        intentions: what has come up by what is said: the person wanted to be asked or told of it then.
    """

    id: str
    agent: Agent
    session: SessionKey
    principal: Principal
    origin: Origin
    scope: Scope
    text: str
    at: datetime
    effects: EffectLog
    live: ProgressSink = SILENT
    quote: str = ""
    quote_by: str = ""
    quote_origin: Origin = Origin.UNTRUSTED
    is_unattended: bool = False
    is_confined: bool = False
    attachments: tuple[Attachment, ...] = ()
    files: tuple[File, ...] = ()
    above: str = ""
    folder: Path | None = None
    file_limit: int = 0
    before: tuple[GroupMessage, ...] = ()
    may_be_silent: bool = False
    keep: Callable[[Reply], None] = field(default=lambda _: None)
    steer: Callable[[], Awaitable[Turn | None]] = field(default=add_nothing)
    on_heard: Callable[[Turn], Awaitable[None]] | None = None
    is_tap: bool = False
    asked: str = ""
    edited: tuple[str, ...] = ()
    edited_text: str = ""
    is_job: bool = False
    is_verbose: bool = False
    is_last: bool = False
    intentions: tuple[Intention, ...] = ()

    @property
    def local(self) -> datetime:
        """When the message was sent, on the clock of the agent's owner."""
        return self.at.astimezone(self.agent.zone)

    @property
    def payer(self) -> Payer:
        """For whom models are asked in it."""
        return Payer(self.id, self.session, self.principal)

    @property
    def is_owners(self) -> bool:
        """Whether it is in the owner's private chat, whatever memory others may share."""
        return self.principal.is_owner and self.session.address.kind is ChatKind.PRIVATE

    @property
    def session_memory(self) -> SessionMemory | None:
        """What this turn may find of the owner's private sessions; None for nothing."""
        return self.agent.session_memory if self.is_owners else None

    @property
    def delegate(self) -> str:
        """What the journal calls the agent when it writes on this person's behalf."""
        agent = f"agent:{self.agent.name}"
        return agent if self.is_owners else f"{agent} for {self.principal.id}"

    @property
    def whose(self) -> Actors:
        """Whose writes this person may take back: in a chat of several people, unless they own it, only their own."""
        is_shared = self.session.address.kind is not ChatKind.PRIVATE or self.scope == OWNER
        return frozenset({self.principal.id, self.delegate}) if is_shared and not self.principal.is_owner else None

    @property
    def reach(self) -> Scope:
        """The scope of the conversations and notes in which repetitions of what this person forgets are masked.

        Where a chat shares the owner's memory, its guests do not reach what the owner has said elsewhere.
        """
        is_guest = self.scope == OWNER and not self.principal.is_owner
        return origin_and_scope(self.principal, self.session.address)[1] if is_guest else self.scope

    def taint_brought(self) -> Taint:
        """Return what came with the messages: a quote, files, what was said in the group before.

        A file is foreign, whoever sends it, and so is its name. It is not if the person speaks in it, or if the owner
        took it as a photo for this agent alone; what is forwarded, somebody else may have recorded or taken. Of what
        was said before, that is foreign which people said who may not speak to the agent there.
        """
        own = RECORDED | {"photo"} if self.is_owners else RECORDED
        is_quoting = bool(self.quote) and self.quote_origin not in {self.origin, Origin.AGENT}
        is_foreign = is_quoting or any(file.is_forwarded or file.kind not in own for file in self.attachments)
        return Taint.FOREIGN if is_foreign or any(said.is_foreign for said in self.before) else Taint.CLEAN

    def taint_left(self, reply: Reply) -> Taint:
        """Return what went into the turn in all, and may be in what it leaves behind."""
        recalled = (hit.origin for hit in reply.evidence.hits) if reply.evidence else ()
        repeated = Taint.of((*reply.origins, *recalled), is_owners=self.is_owners)
        by_model = Taint.FOREIGN if reply.worked and reply.worked.is_foreign else Taint.CLEAN
        return max(self.taint_brought(), repeated, by_model)

    def op_id(self, n: int) -> str:
        """The id of this turn's n-th write, the same on every attempt."""
        return f"{self.id}:{n}"


@dataclass(frozen=True, slots=True)
class Worked:
    """What a model's turn leaves in the transcript besides question and answer.

    Attributes:
        asked: the person's message as it was put before the model.
        shown: ids of the facts that were recalled for it.
        steps: the model's tool calls and their results, in order.
        snapshot: the bootstrap files of the session, if this turn began it or found them changed.
        extra: what the provider wants back with the answer.
        is_foreign: other people's words were read in it.
        hosts: those that the owner has named in the conversation: links to them are as the model wrote them.
    """

    asked: str
    shown: tuple[str, ...] = ()
    steps: tuple[Message, ...] = ()
    snapshot: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    is_foreign: bool = False
    hosts: frozenset[str] = frozenset()


def said_before(steps: Iterable[Message], answer: str = "") -> str:
    """Return what a model has said together with calls, as far as it is part of its answer and not repeated there."""
    texts = (step.text.strip() for step in steps if step.calls)
    return "\n\n".join(closed(text) for text in texts if len(text) > MAX_PROMISE_CHARS and text not in answer)


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact as it was shown: its id, and its words, which are masked as those of the reply are."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class PendingAction:
    """What a reply offers to carry out, once that is confirmed; kept with the reply, so that a restart loses none.

    Attributes:
        token: names it in the command that confirms it.
        to: whose yes counts (`Principal.id`).
        until: how long it holds, aware.
        facts: what would be forgotten, in the order in which it was shown; nothing that has changed since goes.
        choose: it has to be said which of them are meant.
        text: what would be noted.
        origin: what it would count as.
        replaces: the id of the fact whose place it would take.
        operations: ids of the writes (`op_id`) that it would take back, or of the one that would carry it out.
        source: the turn in which was said what would be noted, if not the one that offers it.
    """

    token: str
    to: str
    until: datetime
    facts: tuple[ShownFact, ...] = ()
    choose: bool = False
    text: str = ""
    origin: Origin = Origin.UNTRUSTED
    replaces: str = ""
    operations: tuple[str, ...] = ()
    source: str = ""

    def holds(self, turn: Turn) -> bool:
        """Return whether the person of a turn can confirm it now."""
        return self.to == turn.principal.id and turn.agent.clock.now() < self.until


@dataclass(frozen=True, slots=True)
class Reply:
    """What the turn answers.

    Attributes:
        text: Markdown; of a model's reply, the model's words.
        buttons: choices under it; yes comes first, no last.
        evidence: the recall that it rests on, for `/why`.
        private: only for the person who asked.
        told: lines that are printed by code under the text: what was written, a notice. A model does not see them.
        worked: what a model's turn leaves behind; None for a command or the offline mode.
        masked: secrets in what the person said, which no record of the conversation may hold.
        instead: a command that is to be carried out in the place of this reply; mostly empty.
        origins: where the texts come from that it repeats, besides those of `evidence` and of a model's turn.
        spoken: voice messages that were understood; what is said in them is shown above the text.
        in_place: where its buttons are tapped, the answer takes its place, also where others read along.
        is_silent: the text and what was `spoken` are kept and not sent; what is `told` is.
        closes: the token of a pending action that it has carried out or dropped; then it is `in_place`, too.
        records: what the transcript gains before the message besides: kinds and bodies of entries.
        by_command: a command has answered, so it is not asked for again.
        cited: ids of the facts that it names, or quotes.
        is_awaited: of a job: somebody has asked for it, so it may make a sound.
        calls: accounts that it names as `@account`, which are to hear of it.
        is_open: it leaves a question unanswered, or undone what was asked for.
    """

    text: str
    buttons: tuple[Button, ...] = ()
    evidence: Recall | None = None
    private: bool = False
    told: tuple[str, ...] = ()
    worked: Worked | None = None
    ends_session: bool = False
    masked: tuple[str, ...] = ()
    instead: str = ""
    origins: frozenset[Origin] = frozenset()
    spoken: tuple[File, ...] = ()
    files: tuple[Path, ...] = ()
    in_place: bool = False
    is_silent: bool = False
    pending: PendingAction | None = None
    closes: str = ""
    records: tuple[tuple[EntryKind, str], ...] = ()
    by_command: bool = False
    cited: tuple[str, ...] = ()
    is_awaited: bool = False
    calls: tuple[str, ...] = ()
    is_open: bool = False

    @property
    def shown(self) -> str:
        """All that the person gets to read. Behind a model's words, what code says is marked line by line."""
        told = "\n".join(marked(line) for line in self.told) if self.worked else "\n".join(self.told)
        spoken = mask_values(transcribed(self.spoken), self.masked)
        return "\n\n".join(filter(None, (*(() if self.is_silent else (spoken, closed(self.text))), told)))

    def with_note(self, note: str) -> Reply:
        """The same with a line added."""
        return replace(self, told=(*self.told, note))


def job_event(to: Address, command: str, *, at: datetime, update: str = "") -> Inbound:
    """Return the event of a job in a chat: a command that nobody has typed."""
    return Inbound(update, to, Sender(SCHEDULE, ""), f"/{command}", "", at, happening=Happening.JOB)


def transcribed(files: Sequence[File]) -> str:
    """Return what was understood of voice messages as people are shown it, a message a line."""

    def line(file: File) -> str:
        if file.is_forwarded:
            return f"🎤 (forwarded) {readable(file.said, known=frozenset(), is_foreign=True)}"
        return f"🎤 {file.said}"

    return "\n".join(line(file) for file in files if file.said)


def words_of(files: Sequence[File]) -> str:
    """Return what the person says in voice messages, a message a line; not what others say in forwarded ones."""
    return "\n".join(file.said for file in files if file.said and not file.is_forwarded)


Responder = Callable[[Turn], Awaitable[Reply]]
"""Answers a turn: the offline mode, or the agent loop with a model."""
