"""Who acts, and in which session: keys and names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from adapters.port import Address, ChatKind


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts, known by the platform's numeric id (`terminal:owner`, `telegram:12345`), never by a name or a text."""

    id: str
    name: str
    is_owner: bool


SCHEDULE = "schedule"
"""The platform of what happens in no chat, and the id of the sender of what nobody has typed."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """`agent:<a>:<platform>.<bot>:<chat kind>:<chat>[:<thread>]`.

    A group shares one session; threads and topics have their own.
    """

    agent: str
    address: Address

    def __str__(self) -> str:
        thread = f":{self.address.thread}" if self.address.thread else ""
        return f"agent:{self.agent}:{chat_key(self.address)}{thread}"

    @classmethod
    def parse(cls, text: str) -> SessionKey:
        """Return the key that is written so; a chat's id may have colons, too. Raises `ValueError` if it is none."""
        _, agent, account, kind, chat = text.split(":", 4)
        platform, bot = account.split(".", 1)
        return cls(agent, Address(platform, bot, chat, ChatKind(kind)))


def chat_key(chat: Address) -> str:
    """Return what the keys of all sessions in a chat have in common, behind the agent."""
    return f"{chat.account}:{chat.kind.value}:{chat.lasting}"


def is_private(key: str) -> bool:
    """Return whether a conversation is with one person alone, by its key as text."""
    return key.split(":")[3:4] == [ChatKind.PRIVATE]


_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

LENGTH = 26


def session_id(key: str, *, first: int, began: datetime) -> str:
    """A ULID (https://github.com/ulid/spec) that follows from what the session is.

    48 bits of its beginning in milliseconds, so that names sort by time, then 80 bits of a hash instead of random ones:
    the same conversation, written out again, has the same name.
    """
    milliseconds = int(began.timestamp() * 1000)
    tail = int.from_bytes(sha256(f"{key}\n{first}".encode()).digest()[:10], "big")
    number = milliseconds << 80 | tail
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(LENGTH)))
