"""One conversation with a real local model over HTTP: a check of the wire, not of wits.

    python -m benchmarks.llm_wire --json

Says for each check whether it held, and ends with exit code 1 if one did not. The last line is one JSON object.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter

from benchmarks import figures
from benchmarks.local_llm import CONTEXT_TOKENS, LocalModel
from bot.llm.client import OpenAIModel
from bot.llm.endpoint import Endpoint
from bot.llm.errors import ContextTooLong, Unavailable, WrongAddress
from bot.llm.retry import CircuitBreaker, ModelHealth, RetryingModel
from bot.llm.tokens import TokenCounter
from bot.llm.types import Finished, Limits, Message, Model, Reason, Request, Role, TextDelta, Tool, answer
from bot.waiting import InstantPause
from memory import Clock, SystemClock

RULES = (Message(Role.SYSTEM, "You are a helpful assistant."), Message(Role.SYSTEM, "Answer in one sentence."))
SEARCH = Tool(
    "memory_search",
    "Search long-term memory.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


class Failed(Exception):
    """A check did not hold; the message says what was seen."""


@dataclass
class Wire:
    """What the checks share: the server, its model, and the numbers that they leave."""

    server: LocalModel
    clock: Clock
    model: OpenAIModel
    numbers: dict[str, object] = field(default_factory=dict)


def asking(*history: Message, tokens: int = 60, tools: tuple[Tool, ...] = ()) -> Request:
    return Request(prefix=RULES, history=history, tools=tools, limits=Limits(output_tokens=tokens, total_s=120))


def said(text: str) -> Message:
    return Message(Role.USER, text)


def expect(held: object, seen: object) -> None:
    if not held:
        raise Failed(f"seen: {seen!r}"[:500])


async def streamed(model: Model, request: Request) -> tuple[list[str], float, Finished]:
    """The pieces, the seconds until the first of them, and the end."""
    began, first, pieces = perf_counter(), 0.0, list[str]()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                first = first or perf_counter() - began
                pieces.append(event.text)
            if isinstance(event, Finished):
                return pieces, first, event
    raise Failed("the stream had no end")


async def text_streams_and_usage_is_told(wire: Wire) -> None:
    began = perf_counter()
    question = said("What is the capital of France?")
    pieces, first_s, end = await streamed(wire.model, asking(question))
    expect(len(pieces) > 1, pieces)
    expect("".join(pieces) == end.message.text, end)
    expect(end.reason in {Reason.STOP, Reason.LENGTH}, end)
    expect(end.usage and end.usage.prompt > 0 and end.usage.completion > 0, end.usage)
    assert end.usage
    counter = TokenCounter()
    request = asking(question)
    wire.numbers |= {
        "text": end.message.text,
        "first_text_ms": round(first_s * 1000),
        "tokens_per_s": round(end.usage.completion / (perf_counter() - began), 1),
        "prompt_tokens_reported": end.usage.prompt,
        "prompt_tokens_counted": counter.request(request, model=wire.model.name),
    }
    counter.learn(request, end.usage, model=wire.model.name)
    expect(counter.request(request, model=wire.model.name) == end.usage.prompt, counter.ratio(wire.model.name))


async def a_conversation_goes_on(wire: Wire) -> None:
    first = await answer(wire.model, asking(said("My cat is called Mochi.")))
    asked = asking(said("My cat is called Mochi."), first.message, said("What is my cat's name? One word."))
    second = await answer(wire.model, asked)
    expect(second.message.text, second)
    expect(first.usage and second.usage and second.usage.prompt > first.usage.prompt, (first.usage, second.usage))


async def the_output_limit_is_kept(wire: Wire) -> None:
    end = await answer(wire.model, asking(said("Tell me a long story."), tokens=7))
    expect(end.reason is Reason.LENGTH, end)
    expect(end.usage and end.usage.completion <= 7, end.usage)


async def an_answer_can_be_stopped_in_its_middle(wire: Wire) -> None:
    async with aclosing(wire.model.stream(asking(said("Tell me a long story."), tokens=1500))) as events:
        await anext(events)
        began = perf_counter()
    await answer(wire.model, asking(said("Say hello."), tokens=3))
    waited_s = perf_counter() - began
    wire.numbers["answer_after_stop_ms"] = round(waited_s * 1000)
    expect(waited_s < 5, waited_s)  # the story alone would take longer than that


async def tools_may_be_offered(wire: Wire) -> None:
    end = await answer(wire.model, asking(said("Search your memory for my cat's name."), tools=(SEARCH,)))
    expect(end.reason is not Reason.TRUNCATED, end)
    wire.numbers["calls_tools"] = bool(end.message.calls)


async def a_request_that_does_not_fit_is_told_with_the_size_that_would(wire: Wire) -> None:
    try:
        end = await answer(wire.model, asking(said("word " * 2 * CONTEXT_TOKENS)))
    except ContextTooLong as error:
        is_told = f"It takes {CONTEXT_TOKENS} tokens" in error.hint
        expect(is_told or "It takes" not in error.hint, error.hint)
        wire.numbers["limit_told"] = CONTEXT_TOKENS if is_told else None
    else:
        raise Failed(f"it was answered: {end!r}"[:300])


async def a_wrong_address_is_told(wire: Wire) -> None:
    wrong = Endpoint(model="smollm2", base_url=wire.server.base_url.replace("/v1", "/wrong"))
    async with OpenAIModel(wrong, clock=wire.clock) as model:
        try:
            await answer(model, asking(said("Hello?")))
        except WrongAddress as error:
            expect("/v1" in error.hint, error)
        else:
            raise Failed("it was answered")


async def a_server_that_dies_leaves_the_text_and_then_an_error(wire: Wire) -> None:
    request, pieces = asking(said("Tell me a long story."), tokens=1500), list[str]()
    async with aclosing(wire.model.stream(request)) as events:
        async for event in events:
            if isinstance(event, Finished):
                expect(event.reason is Reason.TRUNCATED, event)
                expect(event.message.text == "".join(pieces) != "", event)
            elif isinstance(event, TextDelta):
                pieces.append(event.text)
                wire.server.kill()
    waits, chance = InstantPause(), random.Random(0).random
    breaker, health = CircuitBreaker(wire.clock), ModelHealth(wire.clock)
    model = RetryingModel(wire.model, clock=wire.clock, pause=waits, jitter=chance, breaker=breaker, health=health)
    try:
        await answer(model, request)
    except Unavailable:
        expect(len(waits.waited) == 2, waits.waited)
        expect(health.news("me"), health)
    else:
        raise Failed("a dead server answered")


CHECKS: tuple[Callable[[Wire], Awaitable[None]], ...] = (
    text_streams_and_usage_is_told,
    a_conversation_goes_on,
    the_output_limit_is_kept,
    an_answer_can_be_stopped_in_its_middle,
    tools_may_be_offered,
    a_request_that_does_not_fit_is_told_with_the_size_that_would,
    a_wrong_address_is_told,
    a_server_that_dies_leaves_the_text_and_then_an_error,
)


async def run() -> dict[str, object]:
    """Every check in its turn; the last one leaves no server."""
    clock, held = SystemClock(), dict[str, bool]()
    with LocalModel() as server:
        endpoint = Endpoint(model="smollm2", base_url=server.base_url, temperature=0.0)
        async with OpenAIModel(endpoint, clock=clock) as model:
            wire = Wire(server, clock, model)
            for check in CHECKS:
                name = check.__name__.replace("_", " ")
                try:
                    await check(wire)
                except Failed as failure:
                    print(f"failed  {name}: {failure}")
                    held[name] = False
                else:
                    print(f"held    {name}")
                    held[name] = True
    return {"held": sum(held.values()), "checks": len(held), **wire.numbers}


def main() -> None:
    parser = figures.command_line("One conversation with a real local model over HTTP.", seed=0)
    options = parser.parse_args()
    found = asyncio.run(run())
    figures.report("llm_wire", found, options)
    sys.exit(found["held"] != found["checks"])


if __name__ == "__main__":
    main()
