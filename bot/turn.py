"""The values of one turn: who asks which agent for what, and what is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from adapters.port import Button
from bot.session.key import SessionKey
from memory import Memory, Origin, Recall, Scope


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts, known by the platform's numeric id (`terminal:owner`, `telegram:12345`), never by a name or a text."""

    id: str
    name: str
    is_owner: bool


@dataclass(frozen=True, slots=True)
class Agent:
    """A persona with its own workspace and memory."""

    name: str
    about: str
    memory: Memory
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class Turn:
    """One message (or a burst of them) to be answered.

    Attributes:
        id: the same when the turn is repeated after a crash, so that what it writes is recognised (`op_id`).
        agent: who answers.
        session: in which conversation.
        principal: who asks.
        origin: what the text counts as when it is written to memory.
        scope: what may be seen, and where what is written belongs.
        text: the message.
        at: when it was sent, aware.
    """

    id: str
    agent: Agent
    session: SessionKey
    principal: Principal
    origin: Origin
    scope: Scope
    text: str
    at: datetime

    def op_id(self, n: int) -> str:
        """The id of this turn's n-th write, the same on every attempt."""
        return f"{self.id}:{n}"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the turn answers: Markdown, choices under it, and the recall that it rests on (for `/why`)."""

    text: str
    buttons: tuple[Button, ...] = ()
    evidence: Recall | None = None
    private: bool = False

    def with_note(self, note: str) -> Reply:
        """The same with a paragraph added."""
        return replace(self, text=f"{self.text}\n\n{note}")


Responder = Callable[[Turn], Awaitable[Reply]]
"""Answers a turn: the offline mode, or the agent loop with a model."""
