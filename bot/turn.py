"""The values of one turn: who asks which agent for what, and what is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from adapters.port import Button
from bot.live import SILENT, Live
from bot.llm.port import Message
from bot.session.key import SessionKey
from memory import Clock, Memory, Origin, Recall, Scope


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
    clock: Clock


@dataclass(frozen=True, slots=True)
class Begun:
    """A tool call that has been written down; `result` is what an earlier attempt at the turn made of the same call."""

    op_id: str
    result: str | None


class EffectLog(Protocol):
    """The tool calls of one turn that change something, kept until the turn has ended."""

    async def begin(self, call: str) -> Begun:
        """Write down that this call is about to be carried out."""
        ...

    async def done(self, begun: Begun, call: str, result: str) -> None:
        """Write down what it came to."""
        ...


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
        effects: where tool calls that change something are written down, before and after.
        live: shows the person what is going on until the answer is there.
        quote: the text that the message replies to or was pointed at; data, not the person's words.
        quote_by: the name of who wrote that; empty if the person did, or if it is not known.
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
    live: Live = SILENT
    quote: str = ""
    quote_by: str = ""

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
    """

    asked: str
    shown: tuple[str, ...] = ()
    steps: tuple[Message, ...] = ()
    snapshot: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the turn answers.

    Attributes:
        text: Markdown.
        buttons: choices under it.
        evidence: the recall that it rests on, for `/why`.
        private: only for the person who asked.
        told: lines that are printed by code under the text: what was written, a notice. A model does not see them.
        worked: what a model's turn leaves behind; None for a command or the offline mode.
        ends_session: the conversation begins anew after this.
    """

    text: str
    buttons: tuple[Button, ...] = ()
    evidence: Recall | None = None
    private: bool = False
    told: tuple[str, ...] = ()
    worked: Worked | None = None
    ends_session: bool = False

    @property
    def shown(self) -> str:
        """All that the person gets to read."""
        return "\n\n".join(filter(None, (self.text, "\n".join(self.told))))

    def with_note(self, note: str) -> Reply:
        """The same with a line added."""
        return replace(self, told=(*self.told, note))


Responder = Callable[[Turn], Awaitable[Reply]]
"""Answers a turn: the offline mode, or the agent loop with a model."""
