"""The contract between a chat platform and the service: what comes in, what goes out, what can fail.

AdapterError
 +-- SendRefused      the platform will never take this; do not try again
 +-- NotSent          no byte reached the platform; trying again is safe
 +-- Ambiguous        it may or may not have arrived; reconcile, never resend blindly
 +-- SlowDown         the platform asks to wait `seconds`
 +-- LoginRefused     the credentials are wrong or revoked
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable


class ChatKind(StrEnum):
    """Private chats have one person in them; groups have several; channels belong to a guild or a broadcast."""

    PRIVATE = "private"
    GROUP = "group"
    CHANNEL = "channel"


class Happening(StrEnum):
    """What the person did."""

    MESSAGE = "message"
    EDIT = "edit"
    BUTTON = "button"


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote. `id` is the platform's own numeric id as text; `name` is for display and grants nothing."""

    id: str
    name: str
    is_bot: bool = False
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message; `ref` is what the platform wants to hand its bytes over, `size` is in bytes."""

    kind: str
    name: str
    mime: str
    size: int
    ref: str


@dataclass(frozen=True, slots=True)
class Address:
    """Where messages go: a chat on one bot account, and the thread or topic in it."""

    platform: str
    bot: str
    chat: str
    kind: ChatKind
    thread: str | None = None
    guild: str | None = None

    @property
    def account(self) -> str:
        """`platform.bot`: the bot account, within which update and chat ids are unique."""
        return f"{self.platform}.{self.bot}"


@dataclass(frozen=True, slots=True)
class Inbound:
    """One thing that a person did in a chat.

    Attributes:
        update: the platform's id of the event; unique per bot account. Seen twice, it is the same event.
        address: where it happened.
        sender: who did it.
        text: the message; for a button, the button's data.
        message: the platform's id of the message itself.
        sent_at: the platform's time, aware.
        happening: a new message, an edit of an old one, or a tap on a button.
        addressed: in a group, whether the bot was spoken to (mention, reply, command).
        quote: the text replied to or quoted; data, not the sender's words.
        attachments: files.
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


@dataclass(frozen=True, slots=True)
class Button:
    """A choice under a message; `data` comes back as the text of a `Happening.BUTTON`."""

    label: str
    data: str


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
    """

    id: str
    to: Address
    text: str
    reply_to: str | None = None
    buttons: tuple[Button, ...] = ()
    files: tuple[str, ...] = ()
    private: bool = False
    last: bool = True


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
        idempotent: a second send with the same id is recognised by the platform.
        typing_s: how long a typing notice stays; 0 if there is none.
        buttons: messages can carry buttons.
    """

    text_limit: int
    text_unit: str = "characters"
    edits: bool = False
    idempotent: bool = False
    typing_s: float = 0
    buttons: bool = False


class AdapterError(Exception):
    """A failure that the platform or the way to it caused; the message says what happened and where."""


class SendRefused(AdapterError):
    """The platform will never take this message: the chat is gone, the bot was removed, the content is not allowed."""


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


class Door(Protocol):
    """The one way in."""

    async def receive(self, inbound: Inbound) -> bool:
        """Take an event. When this returns it is on disk, or was recognised as a repetition (False)."""
        ...


@runtime_checkable
class ShowsProgress(Protocol):
    """An adapter whose person watches: it shows a growing answer without sending anything."""

    async def progress(self, to: Address, text: str, doing: str) -> None:
        """Show how far the answer has come, from its beginning, and what goes on; best effort."""
        ...


class Adapter(Protocol):
    """One bot account on one platform."""

    @property
    def platform(self) -> str:
        """The platform's name, as in configuration: `terminal`, `telegram`, `discord`."""
        ...

    @property
    def bot(self) -> str:
        """The platform's id of the bot account."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What this platform can do."""
        ...

    async def run(self, door: Door) -> None:
        """Bring events to the door until cancelled or, for a terminal, until the person leaves."""
        ...

    async def send(self, out: Outbound) -> Receipt:
        """Deliver a message; raises one of the `AdapterError`s."""
        ...

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        """Replace a delivered message; "not modified" counts as success."""
        ...

    async def typing(self, to: Address) -> None:
        """Show that an answer is being prepared; best effort."""
        ...
