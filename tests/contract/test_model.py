"""The laws of `bot.llm.types.Model`, for everything that calls itself one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.llm.client import OpenAIModel
from bot.llm.errors import Unavailable
from bot.llm.pool import Candidate, FailoverModel, ModelInfo
from bot.llm.retry import CircuitBreaker, ModelHealth
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Message, Model, Reason, Role, TextDelta, ToolCall
from tests.servers import openai_script as script
from tests.servers.openai_script import Call
from tests.servers.openai_script import Step as ServerStep
from tests.servers.openai_server import OpenAIServer
from tests.support.factories import ADD_TOOL, ClockPause, collect_events, endpoint, make_request

PIECES = ("Let ", "me see.")
CALL = ToolCall("c1", "add", {"a": 1})


@dataclass(frozen=True)
class Makers:
    """How one implementation is brought to say something, to call a tool, to break off, to fail."""

    says: Callable[[], AbstractAsyncContextManager[Model]]
    calls: Callable[[], AbstractAsyncContextManager[Model]]
    breaks: Callable[[], AbstractAsyncContextManager[Model]]
    fails: Callable[[], AbstractAsyncContextManager[Model]]


@asynccontextmanager
async def served(step: ServerStep, *faults: script.Fault) -> AsyncIterator[Model]:
    with OpenAIServer(lambda _: step, faults) as server:
        async with OpenAIModel(endpoint(server.base_url), clock=ClockPause().clock) as model:
            yield model


@asynccontextmanager
async def scripted(*steps: Step | Unavailable) -> AsyncIterator[Model]:
    with ScriptedModel(*steps) as model:
        yield model


@asynccontextmanager
async def retried(*steps: Step | Unavailable) -> AsyncIterator[Model]:
    with ScriptedModel(*steps) as model:
        yield ClockPause().retrying(model)


@asynccontextmanager
async def failing_over(*steps: Step | Unavailable) -> AsyncIterator[Model]:
    """The first step is the first model's, the next one the second's."""
    clock = ClockPause().clock
    info = ModelInfo(Window(32_000), TokenCounter(), ModelHealth(clock))
    with ScriptedModel(*steps[:1]) as first, ScriptedModel(*steps[1:]) as second:
        yield FailoverModel([Candidate(model, info, CircuitBreaker(clock)) for model in (first, second)])


DOWN = Unavailable("down")
SAYS = Step(text=PIECES)
CALLS = Step(calls=(CALL,))
BREAKS = Step(text=PIECES[:1], calls=(CALL,), reason=Reason.TRUNCATED)
SERVED = ServerStep(text=PIECES, calls=(Call("add", {"a": 1}, id="c1"),))

MAKERS = {
    "openai": Makers(
        lambda: served(ServerStep(text=PIECES)),
        lambda: served(ServerStep(calls=SERVED.calls)),
        lambda: served(SERVED, script.cut(2)),
        lambda: served(SERVED, script.server_error()),
    ),
    "scripted": Makers(
        lambda: scripted(SAYS), lambda: scripted(CALLS), lambda: scripted(BREAKS), lambda: scripted(DOWN)
    ),
    "failover": Makers(
        lambda: failing_over(SAYS),
        lambda: failing_over(DOWN, CALLS),
        lambda: failing_over(BREAKS),
        lambda: failing_over(DOWN, DOWN),
    ),
    "retrying": Makers(
        lambda: retried(SAYS), lambda: retried(DOWN, CALLS), lambda: retried(BREAKS), lambda: retried(DOWN, DOWN, DOWN)
    ),
}


@pytest.fixture(params=MAKERS)
def makers(request: pytest.FixtureRequest) -> Makers:
    return MAKERS[request.param]


async def test_text_is_shown_in_pieces_and_given_whole_at_the_end(makers: Makers) -> None:
    async with makers.says() as model:
        text, end = await collect_events(model)

    assert (text, end.reason, end.error) == ("Let me see.", Reason.STOP, None)
    assert end.message == Message(Role.ASSISTANT, "Let me see.")


async def test_calls_come_at_the_end_ready_for_the_history(makers: Makers) -> None:
    async with makers.calls() as model:
        _, end = await collect_events(model, make_request(tools=(ADD_TOOL,)))

    assert (end.reason, end.message) == (Reason.TOOL_CALLS, Message(Role.ASSISTANT, "", (CALL,)))


async def test_what_breaks_after_the_first_text_is_an_end_and_no_error(makers: Makers) -> None:
    async with makers.breaks() as model:
        text, end = await collect_events(model)

    assert (text, end.reason) == ("Let ", Reason.TRUNCATED)
    assert end.error
    assert end.message.calls == ()


async def test_what_breaks_before_is_an_error(makers: Makers) -> None:
    async with makers.fails() as model:
        with pytest.raises(Unavailable):
            await collect_events(model)


async def test_whoever_has_heard_enough_may_hang_up(makers: Makers) -> None:
    async with makers.says() as model, aclosing(model.stream(make_request())) as events:
        assert await anext(events) == TextDelta("Let ")


async def test_it_has_a_name(makers: Makers) -> None:
    async with makers.says() as model:
        assert model.name
        await collect_events(model)
