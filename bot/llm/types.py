"""The port to a language model: what is asked, what comes back, and the promise of every implementation.

    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case TextDelta(text): ...
                case Finished(message=message): ...

`aclosing` matters: leaving the loop early (a budget, a `/stop`) then hangs up at once and not when the garbage is
collected. Cancelling the task does the same.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Any, Protocol

from bot.llm.errors import ModelError, Truncated
from bot.storage.keys import Principal, SessionKey


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to be run.

    Attributes:
        id: unique within its message; the result refers to it.
        name: what the model calls the tool; nothing says that there is one of that name.
        arguments: a JSON object; empty if it is broken.
        fault: why it cannot be run, in words for the model; empty if it is well formed. It needs an answer all the
            same, because a call without a result makes the next request invalid.
        extra: what the provider sent beside it and wants back unchanged (a signature, for example).
    """

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that goes with a message: its media type, its encoded bytes, its size in pixels."""

    mime: str
    content: bytes = field(repr=False)
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Message:
    """One contribution to a conversation.

    Attributes:
        text: what is said; of a tool, its result.
        calls: tools that the assistant wants to be run.
        call_id: of a tool's message, the call that it answers.
        extra: what the provider sent beside it and wants back unchanged (its thoughts, for example); belongs into the
            transcript, since some providers refuse a later request without it.
        pictures: what a user's message shows; only for models that see.
    """

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool on offer; `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Payer:
    """For whom a model is asked: in which turn of which conversation, and on whose behalf."""

    turn: str
    session: SessionKey
    principal: Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far one request may go.

    Attributes:
        output_tokens: the longest answer; None leaves it to the provider.
        total_s: seconds until the last event, tries and waits between them included.
        retry_s: seconds after which no further try begins; there is another model to ask.
    """

    output_tokens: int | None = None
    total_s: float = 300.0
    retry_s: float = inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything that the model gets to see.

    Attributes:
        prefix: the rules, the same from turn to turn, so that the provider's prompt cache holds.
        history: the conversation, the newest message last.
        may_call: False asks for an answer in words while the tools stay in the prefix.
        payer: for whom it is; not sent. None where it is for nobody.
    """

    prefix: tuple[Message, ...] = ()
    history: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    may_call: bool = True
    limits: Limits = field(default_factory=Limits)
    payer: Payer | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.prefix + self.history


class Reason(StrEnum):
    """Why the model stopped. It follows from what came, and then from what the provider said of it."""

    STOP = "stop"  # it said what it wanted to say
    TOOL_CALLS = "tool_calls"  # it waits for the results of its calls
    LENGTH = "length"  # the output limit; the text may be empty when it was all spent on thinking
    REFUSAL = "refusal"  # the model declined; `text` holds its words for it
    FILTERED = "filtered"  # the provider's filter held back the rest, or all
    TRUNCATED = "truncated"  # the stream broke off; some text came before
    EMPTY = "empty"  # neither text nor calls, only thoughts, or calls that were announced and never came


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them.

    Attributes:
        prompt: of the request, cached ones included.
        completion: of the answer, thoughts and tool calls included.
        cached: how many of the prompt's came from the provider's cache.
    """

    prompt: int
    completion: int
    cached: int = 0

    @property
    def total(self) -> int:
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of what the model thinks before it answers; not part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a stream.

    Attributes:
        message: all that the model said, ready for the history. Its text is that of the deltas joined, but for calls
            written into it, or the words of a refusal; its calls are complete.
        usage: None when the endpoint does not tell.
        error: what broke off a truncated answer.
        model: the name of the one that answered; empty if only one can have.
    """

    reason: Reason
    message: Message
    usage: Usage | None = None
    error: ModelError | None = None
    model: str = ""


Event = TextDelta | Thinking | Finished


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """What it is called in logs, figures and messages: the model and where it runs. Holds no secret."""

    def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Ask, and give the answer as it comes; raises `ModelError` if there is none.

        Any number of TextDelta and Thinking, then exactly one Finished. An error is raised only as long as there was
        no TextDelta; whatever goes wrong after the first one ends in Finished(TRUNCATED), so that what people have
        seen is never asked for again and never lost.
        """


async def answer(model: Model, request: Request) -> Finished:
    """Return the whole answer at once, for requests that nobody watches; raises `ModelError` if there is none."""
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, Finished):
                return event
    raise Truncated(f"{model.name} ended its stream without an end")
