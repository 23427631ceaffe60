"""What the platform knows: people, chats and their messages, topics, files, and the bot itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from memory.ports import Clock
from tests.servers.ledger import Ledger
from tests.servers.telegram.refusals import Refused, bad_request, forbidden, upgraded
from tests.servers.telegram.updates import UpdateQueue

Message = dict[str, Any]

PRESENT = {"creator", "administrator", "member", "restricted"}


def said(message: Message) -> str:
    """A message's text, or its caption."""
    return str(message.get("text") or message.get("caption") or "")


@dataclass(slots=True)
class User:
    """A person, or the bot."""

    id: int
    name: str
    username: str = ""
    is_bot: bool = False
    has_started: bool = False
    has_blocked: bool = False

    @property
    def shown(self) -> dict[str, Any]:
        shown = {"id": self.id, "is_bot": self.is_bot, "first_name": self.name}
        return (
            shown
            | ({"username": self.username} if self.username else {})
            | ({} if self.is_bot else {"language_code": "en"})
        )


@dataclass(slots=True)
class Topic:
    """A forum topic; its id is that of the message that created it."""

    id: int
    name: str
    is_closed: bool = False


@dataclass(slots=True)
class Chat:
    """A private chat (its id is the person's), a group, or a supergroup."""

    id: int
    kind: str
    title: str
    members: dict[int, str] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    topics: dict[int, Topic] = field(default_factory=dict)
    is_forum: bool = False
    pinned: list[int] = field(default_factory=list)
    upgraded_to: int = 0
    username: str = ""

    @property
    def shown(self) -> dict[str, Any]:
        name = {"first_name" if self.kind == "private" else "title": self.title}
        username = {"username": self.username} if self.username else {}
        return {"id": self.id, "type": self.kind, **name, **username, **({"is_forum": True} if self.is_forum else {})}


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file on the platform. Its declared size may be larger than its bytes: nothing of that size need be moved."""

    id: str
    unique_id: str
    path: str
    name: str
    mime: str
    data: bytes
    size: int

    @property
    def shown(self) -> dict[str, Any]:
        return {"file_id": self.id, "file_unique_id": self.unique_id, "file_size": self.size}


class World:
    """The state of the platform, as one bot can see and change it."""

    def __init__(self, ledger: Ledger, queue: UpdateQueue, *, clock: Clock, bot: User) -> None:
        self.ledger = ledger
        self.queue = queue
        self.clock = clock
        self.bot = bot
        self.privacy = True
        self.users = {bot.id: bot}
        self.chats: dict[int, Chat] = {}
        self.files: dict[str, StoredFile] = {}
        self.callbacks: dict[str, dict[str, Any]] = {}
        self._shared_ids = count(1)
        self._own_ids: dict[int, Iterator[int]] = {}
        self._serial = count(1)

    def now(self) -> int:
        return int(self.clock.now().timestamp())

    def serial(self) -> int:
        """A number that was not used before."""
        return next(self._serial)

    def next_message_id(self, chat: Chat) -> int:
        """Supergroups count their own messages, of which the first made the group; the others share one counter."""
        counter = self._own_ids.setdefault(chat.id, count(2)) if chat.kind == "supergroup" else self._shared_ids
        return next(counter)

    def private_chat(self, user: User) -> Chat:
        chat = self.chats.get(user.id)
        if chat is None:
            chat = self.chats[user.id] = Chat(user.id, "private", user.name, username=user.username)
        return chat

    def chat(self, id: int | str, *, writing: bool = True) -> Chat:
        """The chat that a request means.

        Raises:
            Refused: there is none, or the bot may not write there.
        """
        if isinstance(id, str):
            wanted = id.removeprefix("@").lower()
            found = next((chat for chat in self.chats.values() if wanted and chat.username.lower() == wanted), None)
        else:
            found = self.chats.get(id)
        if found is None:
            known = self.users.get(id) if isinstance(id, int) else None
            raise forbidden("bot can't initiate conversation with a user") if known else bad_request("chat not found")
        if writing:
            self._check_access(found)
        return found

    def topic(self, chat: Chat, id: int | None) -> Topic | None:
        """The topic that a request means; none outside forums, as the official server has it.

        Raises:
            Refused: the forum has no such topic, or it is closed.
        """
        if not id or not (chat.is_forum or chat.kind == "private"):
            return None
        if id not in chat.topics:
            raise bad_request("message thread not found")
        if chat.topics[id].is_closed and chat.members.get(self.bot.id) != "administrator":
            raise bad_request("TOPIC_CLOSED")
        return chat.topics[id]

    def message(self, chat: Chat, id: int, what: str) -> Message:
        """A message of the chat.

        Raises:
            Refused: "<what> not found".
        """
        if id not in chat.messages:
            raise bad_request(f"{what} not found")
        return chat.messages[id]

    def post(self, chat: Chat, sender: User, content: dict[str, Any], *, topic: int | None = None) -> Message:
        """Put a message into a chat and the ledger; it reaches nobody yet."""
        number = self.next_message_id(chat)
        message = {"message_id": number, "date": self.now(), "chat": chat.shown, "from": sender.shown, **content}
        if topic:
            message |= {"message_thread_id": topic, "is_topic_message": True}
        chat.messages[number] = message
        self.note("message", message)
        return message

    def note(self, kind: str, message: Message) -> None:
        """Record a new or changed message in the form that the history checker reads."""
        sender = message["from"]
        self.ledger.record(
            kind,
            chat=str(message["chat"]["id"]),
            thread=str(message.get("message_thread_id", "")),
            id=str(message["message_id"]),
            by="bot" if sender["id"] == self.bot.id else "user",
            author=str(sender["id"]),
            text=said(message),
            reply_to=str(message.get("reply_to_message", {}).get("message_id", "")),
            files=[name for name in ("document", "photo", "voice", "audio", "video") if name in message],
        )

    def store(self, kind: str, *, name: str, mime: str, data: bytes, size: int | None = None) -> StoredFile:
        """Keep a file; an equal file gets the same unique id."""
        serial, digest = self.serial(), hashlib.sha256(data + name.encode()).hexdigest()
        suffix = f".{name.rpartition('.')[2]}" if "." in name else ""
        file = StoredFile(
            f"FILE{serial:06d}{digest[:24]}",
            digest[:16],
            f"{kind}/file_{serial}{suffix}",
            name,
            mime,
            data,
            size or len(data),
        )
        self.files[file.id] = file
        return file

    def is_member(self, chat: Chat) -> bool:
        return chat.kind == "private" or chat.members.get(self.bot.id) in PRESENT

    def _check_access(self, chat: Chat) -> None:
        if chat.kind == "private":
            user = self.users[chat.id]
            if user.has_blocked:
                raise forbidden("bot was blocked by the user")
            if not user.has_started:
                raise forbidden("bot can't initiate conversation with a user")
        elif chat.upgraded_to:
            raise upgraded(chat.upgraded_to)
        elif not self.is_member(chat):
            raise self._outside(chat)

    def _outside(self, chat: Chat) -> Refused:
        if chat.members.get(self.bot.id) == "kicked":
            return forbidden(f"bot was kicked from the {chat.kind} chat")
        return forbidden(f"bot is not a member of the {chat.kind} chat")
