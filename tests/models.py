"""What tests of language models need: a request, a patience that costs no time, and a model with both."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import SecretStr

from bot.llm.endpoint import Endpoint
from bot.llm.retry import CircuitBreaker, ModelHealth, RetryingModel
from bot.llm.types import Event, Finished, Limits, Message, Model, Request, Role, TextDelta, Tool
from memory import FrozenClock
from tests.servers.openai_server import KEY, MODEL

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
JITTER = 0.5

ADD = Tool("add", "Adds two numbers.", {"type": "object", "properties": {"a": {"type": "integer"}}})


def asking(text: str = "hello", *, tools: tuple[Tool, ...] = (), total_s: float = 60, **limits: int) -> Request:
    """One question by a user."""
    history = (Message(Role.USER, text),)
    return Request(history=history, tools=tools, limits=Limits(total_s=total_s, **limits))


def endpoint(base_url: str, *, key: str = KEY, model: str = MODEL, read_s: float = 5.0) -> Endpoint:
    return Endpoint(model=model, base_url=base_url, api_key=SecretStr(key), read_s=read_s)


@dataclass
class Patience:
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


async def events_of(model: Model, request: Request | None = None) -> tuple[str, Finished]:
    """The text as it was shown, and the end of the stream; checks what every model promises."""
    seen: list[Event] = [event async for event in model.stream(request or asking())]
    shown = "".join(event.text for event in seen if isinstance(event, TextDelta))
    end = seen.pop()
    assert isinstance(end, Finished), "the last event is Finished"
    assert not any(isinstance(event, Finished) for event in seen), "and no other one is"
    assert all(event.text for event in seen if isinstance(event, TextDelta)), "no delta is empty"
    assert shown in {end.message.text, ""}, "the message's text is what was shown, or the words of a refusal"
    return shown, end
