"""The contract between a chat platform and the service: what comes in, what goes out, what can fail.

AdapterError
 +-- SendRefused      the platform will never take this; do not try again
 |    +-- MessageGone the message to be edited is no longer there; a new one may take its place
 |    +-- ChatMoved   the chat has another id now; what is owed goes there
 +-- FileRefused      the platform does not hand the file over: it is gone, or larger than allowed
 +-- NotSent          no byte reached the platform; trying again is safe
 +-- Ambiguous        it may or may not have arrived; reconcile, never resend blindly
 +-- SlowDown         the platform asks to wait `seconds`
 +-- LoginRefused     the credentials are wrong or revoked
      +-- AccountNotFound what answers does not know the account; it may be another server, or one that just starts
      +-- WebhookRefused  the platform cannot post events here: it does not take the address, or the port is in use
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A command as a platform's own menu shows it.

    Attributes:
        name: without the slash.
        summary: one line.
        argument: what its argument is called, in one word; empty if it has none.
        hint: what to give as the argument, in one line.
        required: whether it makes no sense without the argument.
        suggests: whether the handler suggests arguments.
        is_long: the argument may have several lines: if it is left out, a platform with forms opens one.
        private: the answer is only for the person who asked.
        on_message: what the command is called in the menu of a message, which it is then applied to; empty if it is
            not offered there.
    """

    name: str
    summary: str
    argument: str = ""
    hint: str = ""
    required: bool = False
    suggests: bool = False
    is_long: bool = False
    private: bool = False
    on_message: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a person may mean who types a command's argument: what is shown, and what is typed if it is chosen."""

    label: str
    value: str


PLACEHOLDER = "…"
"""The text of a message until its real text is edited in. One that a crash leaves behind is harmless."""


class ChatKind(StrEnum):
    """How many people a chat has: one, or several; channels belong to a guild or a broadcast."""

    PRIVATE = "private"
    GROUP = "group"
    CHANNEL = "channel"


RATINGS = {**dict.fromkeys("👍❤🔥💯👏🙏🎉👌🏆⚡", "up"), "👎": "down", "💩": "down"}
"""The reactions that say what a person thinks of a message, by the first character: they come in several skin tones."""


class Happening(StrEnum):
    """What happened: a person wrote, edited, tapped a button, rated a message; a chat got a new id; a job is due."""

    MESSAGE = "message"
    EDIT = "edit"
    BUTTON = "button"
    RATING = "rating"
    MOVED = "moved"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote. `id` is the platform's own numeric id as text; `name` is for display and grants nothing."""

    id: str
    name: str
    is_bot: bool = False
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message; `ref` is what the platform wants to hand its bytes over, `size` is in bytes.

    `is_forwarded`: somebody else made it, or nobody knows who did. `seconds`: how long speech lasts; 0 if not known.
    """

    kind: str
    name: str
    mime: str
    size: int
    ref: str
    is_forwarded: bool = False
    seconds: float = 0


@dataclass(frozen=True, slots=True)
class Address:
    """Where messages go: a chat on one bot account, and the thread or topic in it.

    `known_as` is the id that the chat had at first, if the platform has given it another one since.
    `is_private_thread`: not everybody in the chat may read the thread.
    """

    platform: str
    bot: str
    chat: str
    kind: ChatKind
    thread: str | None = None
    guild: str | None = None
    known_as: str | None = None
    is_private_thread: bool = False

    @property
    def lasting(self) -> str:
        """The chat's id for all that outlives a move: its conversation, its memory, its agent."""
        return self.known_as or self.chat

    @property
    def readers(self) -> str:
        """What names those who read along, so that they share a memory: the chat for good, or a thread of some."""
        return f"{self.lasting}:{self.thread}" if self.is_private_thread else self.lasting

    @property
    def account(self) -> str:
        """`platform.bot`: the bot account, within which update and chat ids are unique."""
        return f"{self.platform}.{self.bot}"


_STORED: dict[str, object] = {
    "alias_generator": lambda field: "ticket" if field == "reply_token" else field,
    "serialize_by_alias": True,
}
"""Settings for pydantic, which writes events and messages into the state file: a field keeps the name it has there."""


@dataclass(frozen=True, slots=True)
class Inbound:
    """One thing that a person did in a chat.

    Attributes:
        update: the platform's id of the event; unique per bot account. Seen twice, it is the same event.
        address: where it happened.
        sender: who did it.
        text: the message; for a button, the button's data; for a rating, `up`, `down` or `none`; for a chat that moved,
            its new id; for a job, the command that it consists of.
        message: the platform's id of the message itself; for a button or a rating, of the message that it is on.
        sent_at: the platform's time, aware.
        addressed: in a group, whether the bot was spoken to (mention, reply, command).
        quote: the text replied to, quoted or forwarded; data, not the sender's words.
        quote_by: who first wrote the quoted text, through whosever hands it came here; None if nothing is quoted, or
            if the platform does not say.
        quote_message: the platform's id of the message of this chat in which they wrote it; empty if nothing is
            quoted, or if it was first written elsewhere or with the help of another program.
        piece_of: messages with the same name here are pieces of one: an album, or a text that was too long. They come
            within a second or so of one another.
        awaits_answer: the platform shows it at work, or counts it as unanswered, until something is sent for it.
        is_unattended: it comes out of a pipe, not from a person who could be asked something.
        is_confined: the person was let in for the agent there alone, and not for what is about the whole service.
        reply_token: what the platform wants back with the answer (`Outbound.reply_token`); opaque, never shown or
            logged.
    """

    update: str
    address: Address
    sender: Sender
    text: str
    message: str
    sent_at: datetime
    happening: Happening = Happening.MESSAGE
    addressed: bool = True
    quote: str = ""
    attachments: tuple[Attachment, ...] = ()
    quote_by: Sender | None = None
    quote_message: str = ""
    piece_of: str = ""
    reply_token: str = ""
    is_unattended: bool = False
    is_confined: bool = False
    awaits_answer: bool = False

    __pydantic_config__ = _STORED

    @property
    def is_urgent(self) -> bool:
        """Whether it is handled without waiting for the turn before it: a tap, or a command about what is under way."""
        typed = self.text.replace("／", "/", 1).casefold().split(maxsplit=1)[:1]  # as keyboards write it
        return self.happening is Happening.BUTTON or typed in (["/stop"], ["/status"])


@dataclass(frozen=True, slots=True)
class Button:
    """A choice under a message; `data` comes back as the text of a `Happening.BUTTON`."""

    label: str
    data: str

    @property
    def is_refusal(self) -> bool:
        """Whether it says no to what was asked: then the choices answer a question, and are no list of things to do."""
        return self.data.split()[1:2] in (["no"], ["ignore"], ["drop"], ["reject"])


def typed_choices(buttons: Sequence[Button]) -> tuple[tuple[str, str], ...]:
    """Return what is typed for each button, and its label: y and n where the second of two refuses, else numbers."""
    keys = "yn" if len(buttons) == 2 and buttons[1].is_refusal else map(str, range(1, len(buttons) + 1))
    return tuple((key, button.label) for key, button in zip(keys, buttons, strict=True))


@dataclass(frozen=True, slots=True)
class Outbound:
    """One message to deliver.

    Attributes:
        id: the outbox id, at most 25 characters; the same id is the same message.
        to: where it goes.
        text: Markdown.
        reply_to: the platform's id of the message that it answers.
        buttons: choices, in order.
        files: paths of local files to attach.
        private: only for the person who asked, where the platform can do that.
        last: no further part of the same reply follows.
        part: its place in the reply, counted from 0.
        replaces: the platform's id of the bot's message that it takes the place of: the one whose button was pressed,
            or the answer to what the person has changed since.
        draft: the reply still grows, and this is how far it has come. An adapter may leave a draft out, to keep to
            the chat's pace, and never fails because of one: whoever streams offers the newest text again, twice a
            second, and the whole text at the end.
        reply_token: the `Inbound.reply_token` of what it answers.
        again: an earlier attempt may have arrived, perhaps long ago; it is looked for before anything is sent.
        quiet: it makes no sound, where the platform can do that: nobody has asked for it.
        calls: accounts that it names as `@account`, and that are notified: somebody has asked for that.
        agent: who speaks; empty where nobody has said so.
    """

    id: str
    to: Address
    text: str
    reply_to: str | None = None
    buttons: tuple[Button, ...] = ()
    files: tuple[str, ...] = ()
    private: bool = False
    last: bool = True
    part: int = 0
    replaces: str | None = None
    draft: bool = False
    reply_token: str = ""
    again: bool = False
    quiet: bool = False
    calls: tuple[str, ...] = ()
    agent: str = ""

    __pydantic_config__ = _STORED


@dataclass(frozen=True, slots=True)
class Receipt:
    """The platform's id of a delivered message."""

    message: str


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a platform can do.

    Attributes:
        text_limit: longest message, in `text_unit`s.
        text_unit: `characters` or `utf16`.
        edits: delivered messages can be edited, so replies may stream.
        idempotent: a second send with the same id is recognised by the platform; where messages can be edited, the
            one message then shows what was sent last.
        at_least_once: a second send with the same id is shown a second time, which is better than not at all.
        typing_s: how long a typing notice stays; 0 if there is none.
        tables: Markdown's tables are shown as such.
        file_limit: bytes of the largest file that can be sent; 0 for none at all.
        sends_while_connected: it sends only while `run` goes on: both go through one connection.
    """

    text_limit: int
    text_unit: str = "characters"
    edits: bool = False
    idempotent: bool = False
    at_least_once: bool = False
    typing_s: float = 0
    tables: bool = True
    file_limit: int = 0
    sends_while_connected: bool = False

    @property
    def repeats(self) -> bool:
        """Whether a message that may have arrived is sent again; else it is given up."""
        return self.idempotent or self.at_least_once


class AdapterError(Exception):
    """A failure that the platform or the way to it caused; the message says what happened and where."""


class SendRefused(AdapterError):
    """The platform will never take this message: the chat is gone, the bot was removed, the content is not allowed."""


class MessageGone(SendRefused):
    """The message that was to be edited is gone, or can no longer be changed."""


class ChatMoved(SendRefused):
    """The chat has a new id; the old one takes nothing any more."""

    def __init__(self, message: str, *, chat: str) -> None:
        super().__init__(message)
        self.chat = chat


class FileRefused(AdapterError):
    """The platform does not hand the file over: it is gone, or larger than allowed."""


class NotSent(AdapterError):
    """No byte of the request reached the platform."""


class Ambiguous(AdapterError):
    """The request was written, the answer never came."""


class SlowDown(AdapterError):
    """The platform asks to wait."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class LoginRefused(AdapterError):
    """The platform does not accept the bot's credentials."""


class AccountNotFound(LoginRefused):
    """What answers knows no such account: a wrong address, a server that is just starting, or a mistyped token."""


class WebhookRefused(LoginRefused):
    """The platform cannot post events to this process: it does not take the address, or the port is in use."""


CONNECTING = "it is being connected"
"""The problem of an account that has not failed and is not connected yet."""


class ConnectionState:
    """Whether an account is connected to its platform.

    Attributes:
        problem: why it is not, for people; empty if it is.
        changed: called after each change, with the new problem.
    """

    def __init__(self, problem: str = CONNECTING) -> None:
        self.problem = problem
        self.changed: Callable[[str], None] = lambda _: None

    def set(self, problem: str) -> None:
        """Note why the account is not connected; empty if it is."""
        if problem != self.problem:
            self.problem = problem
            self.changed(problem)


MAX_QUARANTINED_CHARS = 100_000
"""How much an adapter keeps of an event that cannot be read."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An event that an adapter can make nothing of.

    Attributes:
        account: the bot account (`Address.account`).
        update: the platform's id of the event.
        sender: the id of whoever caused it; empty if that cannot be read either.
        raw: the event as it came, as JSON.
        reason: what was wrong.
    """

    account: str
    update: str
    sender: str
    raw: str
    reason: str


class InboundHandler(Protocol):
    """What adapters hand events to."""

    async def receive(self, inbound: Inbound) -> bool:
        """Accept an event. When this returns it is on disk, or was recognised as a repetition (False)."""

    async def unreadable(self, event: Unreadable) -> None:
        """Quarantine an event. When this returns it may be acknowledged, and the next events be handled."""

    async def suggest(self, inbound: Inbound) -> Sequence[Suggestion]:
        """Return suggestions for the argument of a command that is not sent yet; nothing is kept of it."""

    async def isolate(self, work: Awaitable[None], what: str) -> Exception | None:
        """Do the work that one event asks for, so that its failure is no other event's.

        Args:
            what: the event, as the log names it if the work fails.

        Returns:
            The error that nobody foresaw, which has been logged; None if there was none.

        Raises:
            Exception: what has to end the service: its own store cannot be used, or belongs to another process.
        """


class Audience(Protocol):
    """Whom the service listens to, as it is now. What is written elsewhere need not be looked for."""

    def admit(self, inbound: Inbound) -> object | None:
        """Who acts; None if an event is to be ignored."""

    def is_open(self, to: Address) -> bool:
        """Whether everybody in a chat is let in."""

    def knows(self, who: str) -> bool:
        """Whether somebody, as `platform:id`, is let in for themselves, wherever they write."""

    def people(self, platform: str) -> Sequence[str]:
        """The ids of those on a platform."""


class Adapter(Protocol):
    """One bot account on one platform."""

    @property
    def platform(self) -> str:
        """The platform's name, as in configuration: `terminal`, `telegram`, `discord`."""

    @property
    def bot(self) -> str:
        """The platform's id of the bot account."""

    @property
    def capabilities(self) -> Capabilities:
        """What this platform can do."""

    async def run(self, handler: InboundHandler) -> None:
        """Hand events to the handler until cancelled or, for a terminal, until the person leaves."""

    async def send(self, out: Outbound) -> Receipt:
        """Deliver a message; raises one of the `AdapterError`s."""

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Replace a delivered message; raises as `send` does. Repeating it is safe, and "not modified" a success."""

    async def typing(self, to: Address) -> None:
        """Show that an answer is being prepared; best effort."""


@runtime_checkable
class Connects(Protocol):
    """An adapter whose platform may be out of reach or refuse the account while `run` goes on, or ends with that."""

    @property
    def connection(self) -> ConnectionState:
        """Whether the platform can be reached."""


Growing = Callable[[], str]
"""A text that grows: called, it gives all of it as far as it has come. Only what is shown needs to be called."""


@runtime_checkable
class ShowsProgress(Protocol):
    """An adapter whose person watches: it shows a growing answer without sending anything."""

    async def progress(self, to: Address, text: Growing, doing: str) -> None:
        """Show how far the answer has come, and what goes on; best effort."""


@runtime_checkable
class ComesAndGoes(Protocol):
    """An adapter whose people are there at times only: what is owed to them is kept until one is back."""

    async def present(self, out: Outbound) -> None:
        """Wait until there is somebody for a message."""

    def is_present(self, to: Address) -> bool:
        """Whether a message to a chat would be seen at once."""


class Status(StrEnum):
    """How far the answer to a message has come: it waits, is being made, was given up, or needs no mark any more."""

    QUEUED = "queued"
    WORKING = "working"
    FAILED = "failed"
    DONE = "done"


@runtime_checkable
class MarksMessages(Protocol):
    """An adapter that can mark a person's message with a reaction; sending the last part of an answer removes it."""

    def mark(self, to: Address, message: str, status: Status) -> None:
        """Mark a message with how far its answer has come, soon; best effort. A failed one stays marked."""


@runtime_checkable
class Fetches(Protocol):
    """An adapter whose people can send files."""

    async def fetch(self, attachment: Attachment, into: Path, *, limit: int) -> None:
        """Write a file anew with an attachment's bytes, only for who is let in; the caller removes it if that fails.

        Raises:
            FileRefused: it is larger than `limit` bytes or than the platform hands over, or gone.
            NotSent: no way to the platform; also `SlowDown`, `LoginRefused`, `Ambiguous`.
            OSError: the file cannot be written.
        """


class AdapterState(Protocol):
    """What an adapter keeps across restarts: short texts by name, for each bot account (`Address.account`).

    A power cut may undo the latest changes, and a kill those of the last moment: events after the last saved position
    are then read again, and the handler recognises them. A value that cannot be recovered in that way is to be saved as
    `lasting`.
    """

    async def load(self, account: str) -> Mapping[str, str]:
        """Return all values of an account."""

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        """Set a value; a `lasting` one, and all before it, is on the disk when this returns."""
