"""Two models behind the shipped fake server: which one is asked, what is tried again, what is not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.config.options.providers import ModelOptions
from bot.llm.client import OpenAIModel
from bot.llm.errors import FallbackTooSmall, NoSuchModel, Rejected
from bot.llm.pool import RETRY_S, Candidate, FailoverModel, ModelInfo, Models
from bot.llm.retry import MAX_REST_S, REST_S, CircuitBreaker
from bot.llm.tokens import TokenCounter, Window
from bot.llm.types import Reason
from memory import FrozenClock
from tests.servers import openai_script as script
from tests.servers.openai_script import Fault, Step
from tests.servers.openai_server import KEY, OpenAIServer
from tests.support.factories import NOON, ClockPause, collect_events, endpoint, make_request

WIDE = Window(32_000)


@dataclass(frozen=True)
class Pair:
    """Two models as one, and how often each was asked."""

    model: FailoverModel
    first: OpenAIServer
    second: OpenAIServer
    names: tuple[str, str]

    @property
    def asked(self) -> tuple[int, int]:
        return len(self.first.received), len(self.second.received)

    def name(self, finished_model: str) -> str:
        return ("first", "second")[self.names.index(finished_model)]


@asynccontextmanager
async def pair(
    patience: ClockPause, *faults: Fault | None, then: tuple[Fault, ...] = (), key: str = KEY, small: Window = WIDE
) -> AsyncIterator[Pair]:
    """The first has `faults`, the second those of `then` and the window `small`."""
    with (
        OpenAIServer(lambda _: Step(text=("I am ", "the first.")), faults) as first,
        OpenAIServer(lambda _: Step(text="I am the second."), then) as second,
    ):
        async with (
            OpenAIModel(endpoint(first.base_url, key=key, read_s=0.25), clock=patience.clock) as one,
            OpenAIModel(endpoint(second.base_url), clock=patience.clock) as other,
        ):
            candidates = []
            for model, window in ((one, WIDE), (other, small)):
                breaker = CircuitBreaker(patience.clock)
                retrying = patience.retrying(model, breaker=breaker)
                info = ModelInfo(window, TokenCounter(len), retrying.health, model=model.name)
                candidates.append(Candidate(retrying, info, breaker))
            yield Pair(FailoverModel(candidates), first, second, (one.name, other.name))


@pytest.mark.parametrize(
    ("faults", "asked", "who"),
    [
        ((), (1, 0), "first"),
        ((script.server_error(),), (2, 0), "first"),
        ((script.server_error(),) * 3, (3, 1), "second"),
        ((script.resets(),) * 3, (3, 1), "second"),
        ((script.rate_limited(1),), (2, 0), "first"),
        ((script.rate_limited(RETRY_S + 20),), (1, 1), "second"),
        ((script.quota_exhausted(),), (1, 1), "second"),
        ((script.web_page(),), (1, 1), "second"),
        ((script.cut(1),) * 2, (2, 1), "second"),
    ],
    ids=["well", "hiccup", "down", "reset", "limit soon over", "limit", "no credit", "wrong address", "cut"],
)
async def test_the_next_model_is_asked_for_what_it_can_mend(
    faults: tuple[Fault, ...], asked: tuple[int, int], who: str
) -> None:
    async with pair(ClockPause(), *faults) as models:
        text, finished = await collect_events(models.model)

    assert text == f"I am the {who}."
    assert models.name(finished.model) == who
    assert models.asked == asked


async def test_a_refused_key_asks_the_next_one() -> None:
    async with pair(ClockPause(), key="stolen") as models:
        text, _ = await collect_events(models.model)

    assert text == "I am the second."


async def test_what_is_wrong_with_the_request_asks_nobody_else() -> None:
    async with pair(ClockPause(), Fault(kind=script.Kind.STATUS, status=400)) as models:
        with pytest.raises(Rejected):
            await collect_events(models.model)

    assert models.asked == (1, 0)


async def test_after_the_first_words_no_other_model_goes_on() -> None:
    async with pair(ClockPause(), script.cut(2)) as models:
        text, finished = await collect_events(models.model)

    assert (text, finished.reason) == ("I am ", Reason.TRUNCATED)
    assert models.asked == (1, 0)


async def test_who_failed_rests_and_is_then_asked_again() -> None:
    patience = ClockPause()
    async with pair(patience, *[script.server_error()] * 3) as models:
        said = [(await collect_events(models.model))[0] for _ in range(3)]
        during = models.asked
        patience.clock.advance(seconds=REST_S)
        said.append((await collect_events(models.model))[0])

    assert said == ["I am the second."] * 3 + ["I am the first."]
    assert during == (3, 3)
    assert models.asked == (4, 3)


async def test_who_goes_on_failing_rests_longer_each_time() -> None:
    patience = ClockPause()
    async with pair(patience, *[script.quota_exhausted()] * 9) as models:
        rests = []
        for _ in range(8):
            await collect_events(models.model)
            before, seconds = models.asked[0], 0
            while models.asked[0] == before:
                patience.clock.advance(seconds=REST_S)
                seconds += REST_S
                await collect_events(models.model)
            rests.append(seconds)

    assert rests == [30, 60, 120, 240, 480, MAX_REST_S, MAX_REST_S, MAX_REST_S]


async def test_after_an_answer_the_first_rest_is_short_again() -> None:
    patience = ClockPause()
    down = script.quota_exhausted()
    async with pair(patience, down, down, None, down) as models:
        said = []
        for seconds in (0, REST_S, 2 * REST_S, 0, REST_S):
            patience.clock.advance(seconds=seconds)
            said.append((await collect_events(models.model))[0])

    assert said == ["I am the second."] * 2 + ["I am the first.", "I am the second.", "I am the first."]


async def test_when_none_answers_the_first_ones_error_is_told() -> None:
    unknown = Fault(kind=script.Kind.STATUS, status=404, code="model_not_found", message="No such model.")
    async with pair(ClockPause(), unknown, then=(script.server_error(),) * 3) as models:
        with pytest.raises(NoSuchModel):
            await collect_events(models.model)

    assert models.asked == (1, 3)


async def test_the_longest_answer_that_a_model_may_give_is_kept_free_in_its_window() -> None:
    async with Models(FrozenClock(NOON)) as models:
        opened = await models.open(ModelOptions(name="m", context_tokens=128_000, output_tokens=64_000))
    assert opened.info.window.request == 64_000


async def test_a_request_that_does_not_fit_into_the_next_window_is_not_sent_there() -> None:
    async with pair(ClockPause(), script.quota_exhausted(), small=Window(4_000, 1_500)) as models:
        with pytest.raises(FallbackTooSmall) as caught:
            await collect_events(models.model, make_request("x" * 5000))
        text, _ = await collect_events(models.model)

    assert (caught.value.window, caught.value.output) == (4_000, 1_500)
    assert text == "I am the second."
    assert models.asked == (1, 1)
