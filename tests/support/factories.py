"""Values that tests start from: addresses, messages, parts, requests to a model, what a model saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from adapters.port import Address, ChatKind, Inbound, Outbound, Sender
from bot.agent.context.context_log import Context, File, Piece
from bot.llm.endpoint import Endpoint
from bot.llm.retry import CircuitBreaker, ModelHealth, RetryingModel
from bot.llm.types import Event, Finished, Limits, Message, Model, Request, Role, TextDelta, Tool
from bot.storage.keys import Principal, SessionKey
from bot.storage.port import Effects, EntryKind, Envelope, QueuedMessage, TranscriptEntry
from bot.turn import Agent
from memory import FrozenClock, Memory
from tests.servers.openai_server import KEY, MODEL

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OWNER = Principal("terminal:owner", "Ada", is_owner=True)
HOME = Address("terminal", "local", "owner", ChatKind.PRIVATE)


def chat(name: str, *, kind: ChatKind = ChatKind.PRIVATE, platform: str = "volatile") -> Address:
    return Address(platform, "bot", name, kind)


def inbound(text: str, *, update: str, at: Address = HOME, sender: str = "owner") -> Inbound:
    number = sum(update.encode())
    return Inbound(update, at, Sender(sender, sender.title()), text, f"m{update}", NOON + timedelta(seconds=number))


def envelope(text: str, *, update: str = "1", agent: str = "personal", at: Address = HOME) -> Envelope:
    return Envelope(agent, OWNER, inbound(text, update=update, at=at))


def outbound(id: str, text: str = "hello", *, to: Address = HOME) -> Outbound:
    return Outbound(id, to, text)


def entry(text: str, *, kind: EntryKind = EntryKind.REPLY, turn: str = "t") -> TranscriptEntry:
    return TranscriptEntry(kind, turn, NOON, f'{{"text":"{text}"}}')


def effects(*messages: QueuedMessage, parts: tuple[Outbound, ...] = (), set_aside: str = "") -> Effects:
    """The end of a turn over messages of one session."""
    entries = tuple(entry(part.text) for part in parts)
    seqs = tuple(message.seq for message in messages)
    return Effects(messages[0].envelope.session, seqs, parts, entries, messages[0].envelope.turn, set_aside)


def session(agent: str = "personal", at: Address = HOME) -> SessionKey:
    return SessionKey(agent, at)


def agent(name: str = "personal") -> Agent:
    """An agent for responders that do not ask its memory."""
    return Agent(name, "an example", Memory.__new__(Memory), ZoneInfo("Europe/Berlin"), FrozenClock(NOON))


JITTER = 0.5

ADD_TOOL = Tool("add", "Adds two numbers.", {"type": "object", "properties": {"a": {"type": "integer"}}})


def make_request(text: str = "hello", *, tools: tuple[Tool, ...] = (), total_s: float = 60, **limits: int) -> Request:
    """One question by a user."""
    history = (Message(Role.USER, text),)
    return Request(history=history, tools=tools, limits=Limits(total_s=total_s, **limits))


def endpoint(base_url: str, *, key: str = KEY, model: str = MODEL, read_s: float = 5.0) -> Endpoint:
    return Endpoint(model=model, base_url=base_url, api_key=SecretStr(key), read_s=read_s)


@dataclass
class ClockPause:
    """Waits by moving its clock."""

    clock: FrozenClock = field(default_factory=lambda: FrozenClock(NOON))
    waited: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.clock.advance(seconds=seconds)

    def retrying(self, model: Model, *, breaker: CircuitBreaker | None = None) -> RetryingModel:
        return RetryingModel(
            model,
            clock=self.clock,
            pause=self,
            jitter=lambda: JITTER,
            breaker=breaker or CircuitBreaker(self.clock),
            health=ModelHealth(self.clock),
        )


async def collect_events(model: Model, request: Request | None = None) -> tuple[str, Finished]:
    """The text as it was shown, and the end of the stream; checks what every model promises."""
    seen: list[Event] = [event async for event in model.stream(request or make_request())]
    shown = "".join(event.text for event in seen if isinstance(event, TextDelta))
    end = seen.pop()
    assert isinstance(end, Finished), "the last event is Finished"
    assert not any(isinstance(event, Finished) for event in seen), "and no other one is"
    assert all(event.text for event in seen if isinstance(event, TextDelta)), "no delta is empty"
    assert shown in {end.message.text, ""}, "the message's text is what was shown, or the words of a refusal"
    return shown, end


SYSTEM_RULES = "Answer briefly. ```code``` | pipes"
RECORDED_CONTEXT = Context(
    session=str(session()),
    turn="t1",
    at="2026-11-21T12:00:00+00:00",
    model="qwen3:8b at localhost",
    window=1000,
    tokens=100,
    ratio=1.5,
    left_out=1,
    files=(File("AGENTS.md", 40, 0), File("MEMORY.md", 30, 1234)),
    pieces=(
        Piece("system", 80, SYSTEM_RULES),
        Piece("tool now", 10, "Tell the time."),
        Piece("user", 10, "where is the key?"),
    ),
)
"""A request of three pieces, of which one file was cut."""
