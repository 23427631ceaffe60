from __future__ import annotations

from contextlib import aclosing
from itertools import islice

import pytest

from bot.llm.errors import (
    BadAnswer,
    CircuitOpen,
    ModelError,
    OutOfCredit,
    RateLimited,
    Rejected,
    Truncated,
    Unauthorised,
    Unavailable,
    no_connection,
)
from bot.llm.retry import (
    FAILURES,
    FIRST_WAIT_S,
    MAX_WAIT_S,
    REST_S,
    WITHIN_S,
    CircuitBreaker,
    ModelHealth,
    ModelState,
    Outage,
    Recovery,
)
from bot.llm.scripted import ScriptedModel, Step
from bot.llm.types import Reason, TextDelta
from bot.texts.catalogue import in_language
from bot.waiting import backoff
from memory import FrozenClock
from tests.support.factories import NOON, ClockPause, collect_events, endpoint, make_request

HELLO = Step(text="Hello")
DOWN = Unavailable("down")


def limited(seconds: float | None = None) -> RateLimited:
    return RateLimited("slow down", hint="wait", seconds=seconds)


@pytest.fixture
def patience() -> ClockPause:
    return ClockPause()


@pytest.mark.parametrize(
    ("error", "requests", "waited"),
    [
        (DOWN, 3, [1, 2]),
        (Unavailable("busy", seconds=7), 3, [7, 7]),
        (Unavailable("busy", seconds=61), 1, []),
        (limited(), 3, [1, 2]),
        (limited(5), 3, [5, 5]),
        (limited(60), 2, [60]),
        (limited(61), 1, []),
        (Truncated("cut"), 2, [1]),
        (BadAnswer("garbage"), 2, [1]),
        (Rejected("nonsense"), 1, []),
        (Unauthorised("no"), 1, []),
        (OutOfCredit("no"), 1, []),
    ],
)
async def test_an_error_that_lasts_is_raised_after_as_many_tries_as_are_worth_it(
    patience: ClockPause, error: ModelError, requests: int, waited: list[float]
) -> None:
    with ScriptedModel(*[error] * requests) as asked_once, pytest.raises(type(error)) as caught:
        await collect_events(patience.retrying(asked_once), make_request(total_s=100))

    assert caught.value is error
    assert patience.waited == waited


async def test_an_error_that_passes_is_not_noticed(patience: ClockPause) -> None:
    with ScriptedModel(DOWN, DOWN, HELLO) as asked_once:
        model = patience.retrying(asked_once)
        text, _ = await collect_events(model)

    assert text == "Hello"
    assert model.health.outage is None


def test_waits_grow_up_to_half_a_minute() -> None:
    assert [*islice(backoff(MAX_WAIT_S, first_s=FIRST_WAIT_S), 7)] == [2, 4, 8, 16, 30, 30, 30]


async def test_what_was_shown_is_never_asked_for_again(patience: ClockPause) -> None:
    with ScriptedModel(Step(text="Half an", reason=Reason.TRUNCATED)) as asked_once:
        model = patience.retrying(asked_once)
        text, end = await collect_events(model)

    assert (text, end.reason) == ("Half an", Reason.TRUNCATED)
    assert patience.waited == []


async def test_there_is_a_limit_for_everything_together(patience: ClockPause) -> None:
    with ScriptedModel(Unavailable("busy", seconds=50), DOWN) as asked_once:
        with pytest.raises(Unavailable, match="down"):
            await collect_events(patience.retrying(asked_once), make_request(total_s=51))
        left = [request.limits.total_s for request in asked_once.requests]

    assert left == [51, 1]


async def test_after_a_rate_limit_it_is_known_when_the_model_is_asked_again(patience: ClockPause) -> None:
    with ScriptedModel(limited(200)) as asked_once:
        model = patience.retrying(asked_once)
        assert model.left_s == 0
        with pytest.raises(RateLimited):
            await collect_events(model)
        patience.clock.advance(seconds=20)

        assert model.left_s == 180
        assert ModelState("m at p", model.health.outage, model.left_s).retry == "in 3 min"
        patience.clock.advance(seconds=180)
        assert model.left_s == 0


async def test_a_rate_limit_that_one_session_meets_is_kept_by_the_others(patience: ClockPause) -> None:
    with ScriptedModel(limited(100), HELLO) as asked_once:
        model = patience.retrying(asked_once)
        with pytest.raises(RateLimited):
            await collect_events(model)
        patience.clock.advance(seconds=10)
        with pytest.raises(RateLimited, match="slow down") as caught:
            await collect_events(model)
        assert (caught.value.seconds, len(asked_once.requests)) == (90, 1)
        patience.clock.advance(seconds=60)
        await collect_events(model)

    assert patience.waited == [30]


async def test_a_rate_limit_of_hours_is_not_believed_for_hours(patience: ClockPause) -> None:
    with ScriptedModel(limited(86_400), HELLO) as asked_once:
        model = patience.retrying(asked_once)
        with pytest.raises(RateLimited):
            await collect_events(model)
        patience.clock.advance(seconds=301)
        text, _ = await collect_events(model)

    assert text == "Hello"


async def test_a_clock_that_is_set_back_does_not_make_a_rate_limit_longer_than_announced(patience: ClockPause) -> None:
    with ScriptedModel(limited(200), HELLO) as asked_once:
        model = patience.retrying(asked_once)
        with pytest.raises(RateLimited):
            await collect_events(model)
        patience.clock.advance(seconds=-86_400)
        with pytest.raises(RateLimited) as caught:
            await collect_events(model)
        assert caught.value.seconds == 200
        patience.clock.advance(seconds=200)
        text, _ = await collect_events(model)

    assert text == "Hello"


async def test_an_answer_that_breaks_off_ends_no_outage(patience: ClockPause) -> None:
    with ScriptedModel(Unauthorised("no"), Step(text="Hel", reason=Reason.TRUNCATED), HELLO) as asked_once:
        model = patience.retrying(asked_once)
        with pytest.raises(Unauthorised):
            await collect_events(model)
        assert isinstance(model.health.news("ada"), Outage)
        patience.clock.advance(seconds=REST_S)
        assert (await collect_events(model))[0] == "Hel"
        assert model.health.news("ada") is None
        with pytest.raises(CircuitOpen):
            await collect_events(model)
        assert str(model.health.outage and model.health.outage.error.message) == "no"
        patience.clock.advance(seconds=REST_S)
        assert (await collect_events(model))[0] == "Hello"

    assert model.health.news("ada") == Recovery()


async def test_a_dead_provider_is_left_alone_and_then_probed_with_one_request(patience: ClockPause) -> None:
    with ScriptedModel(*[DOWN] * FAILURES, HELLO, HELLO) as asked_once:
        model = patience.retrying(asked_once)
        for _ in range(2):
            with pytest.raises(Unavailable):
                await collect_events(model)
        assert len(asked_once.requests) == FAILURES
        with pytest.raises(CircuitOpen):
            await collect_events(model)
        assert len(asked_once.requests) == FAILURES, "nothing was sent"
        patience.clock.advance(seconds=REST_S)
        assert (await collect_events(model))[0] == "Hello"
        assert (await collect_events(model))[0] == "Hello"


async def test_one_bad_session_does_not_silence_the_others(patience: ClockPause) -> None:
    with ScriptedModel(*[Rejected("nonsense")] * 20, HELLO) as asked_once:
        model = patience.retrying(asked_once)
        for _ in range(20):
            with pytest.raises(Rejected):
                await collect_events(model)
        text, _ = await collect_events(model)

    assert text == "Hello"
    assert model.health.outage is None


async def test_answers_that_break_off_count_as_failures_of_the_provider(patience: ClockPause) -> None:
    breaker = CircuitBreaker(patience.clock)
    with ScriptedModel(*[Step(text="Half", reason=Reason.TRUNCATED)] * FAILURES) as asked_once:
        model = patience.retrying(asked_once, breaker=breaker)
        for _ in range(FAILURES):
            await collect_events(model)

    assert breaker.is_open
    assert model.health.outage is None, "they are answers all the same"


async def test_health_hears_how_a_request_ended_and_not_how_its_tries_did(patience: ClockPause) -> None:
    with ScriptedModel(DOWN, HELLO, DOWN, DOWN, DOWN, HELLO) as asked_once:
        model = patience.retrying(asked_once)
        await collect_events(model)
        assert model.health.news("me") is None
        with pytest.raises(Unavailable):
            await collect_events(model)
        assert model.health.news("me") == model.health.outage
        await collect_events(model)

    assert model.health.outage is None


async def test_hanging_up_reaches_the_model_and_frees_the_probe(patience: ClockPause) -> None:
    breaker = CircuitBreaker(patience.clock)
    with ScriptedModel(*[DOWN] * FAILURES, Step(text="a b", hangs=True), HELLO) as asked_once:
        model = patience.retrying(asked_once, breaker=breaker)
        for _ in range(2):
            with pytest.raises(Unavailable):
                await collect_events(model)
        patience.clock.advance(seconds=REST_S)
        async with aclosing(model.stream(make_request())) as events:
            assert await anext(events) == TextDelta("a b")
        text, _ = await collect_events(model)

    assert text == "Hello"


def test_it_has_the_name_of_the_model(patience: ClockPause) -> None:
    assert patience.retrying(ScriptedModel(name="m at host")).name == "m at host"


DOWN_BREAKER = Unavailable("The model is down.", hint="Wait.")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def breaker(clock: FrozenClock) -> CircuitBreaker:
    return CircuitBreaker(clock)


def fail(breaker: CircuitBreaker, error: ModelError = DOWN_BREAKER, times: int = 1) -> None:
    for _ in range(times):
        with breaker.attempt():
            breaker.failed(error)


def test_it_opens_with_the_fifth_failure_within_a_minute(breaker: CircuitBreaker) -> None:
    fail(breaker, times=FAILURES - 1)
    assert not breaker.is_open
    fail(breaker)

    with (
        pytest.raises(CircuitOpen, match=r"The model is down\. It is asked again in 30 s") as caught,
        breaker.attempt(),
    ):
        pass
    assert caught.value.hint == "Wait."
    assert caught.value.seconds == REST_S


def test_failures_that_are_further_apart_do_not_open_it(breaker: CircuitBreaker, clock: FrozenClock) -> None:
    for _ in range(3 * FAILURES):
        fail(breaker)
        clock.advance(seconds=WITHIN_S / (FAILURES - 1) + 1)

    assert not breaker.is_open


def test_an_answer_between_them_clears_the_count(breaker: CircuitBreaker) -> None:
    fail(breaker, times=FAILURES - 1)
    breaker.passed()
    fail(breaker, times=FAILURES - 1)

    assert not breaker.is_open


def test_after_its_rest_one_request_goes_through_and_the_others_wait_for_its_end(
    breaker: CircuitBreaker, clock: FrozenClock
) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)

    with breaker.attempt():
        with pytest.raises(CircuitOpen), breaker.attempt():
            pass
        breaker.passed()
    with breaker.attempt(), breaker.attempt():
        pass


def test_a_probe_that_fails_opens_it_again(breaker: CircuitBreaker, clock: FrozenClock) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)
    fail(breaker)

    with pytest.raises(CircuitOpen, match="in 30 s"), breaker.attempt():
        pass


def test_a_probe_that_is_cancelled_leaves_the_place_to_the_next(breaker: CircuitBreaker, clock: FrozenClock) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)
    with pytest.raises(KeyboardInterrupt), breaker.attempt():
        raise KeyboardInterrupt

    with breaker.attempt():
        breaker.passed()
    assert not breaker.is_open


def test_a_wrong_key_opens_it_at_once(breaker: CircuitBreaker) -> None:
    fail(breaker, Unauthorised("The key is refused."))

    assert breaker.is_open


def test_requests_that_are_refused_for_their_own_sake_never_do_and_prove_that_somebody_is_there(
    breaker: CircuitBreaker, clock: FrozenClock
) -> None:
    fail(breaker, Rejected("Nonsense."), times=3 * FAILURES)
    assert not breaker.is_open
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)
    fail(breaker, Rejected("Nonsense."))

    assert not breaker.is_open


def test_a_clock_that_is_set_back_does_not_prolong_the_rest(breaker: CircuitBreaker, clock: FrozenClock) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(hours=-5)

    with breaker.attempt():
        breaker.passed()


def test_nothing_is_news_while_the_model_answers() -> None:
    health = ModelHealth(FrozenClock(NOON))
    health.passed()

    assert health.outage is None
    assert health.news("session") is None


def test_an_outage_that_begins_with_a_request_held_back_has_the_reason_and_no_seconds(clock: FrozenClock) -> None:
    breaker, health = CircuitBreaker(clock), ModelHealth(clock)
    fail(breaker, times=FAILURES)
    with pytest.raises(CircuitOpen, match="is asked again") as held, breaker.attempt():
        pass

    health.failed(held.value)

    assert str(health.outage and health.outage.error.message) == "The model is down."


def test_why_there_is_an_outage_is_said_in_the_language_of_who_hears_it(clock: FrozenClock) -> None:
    health, breaker = ModelHealth(clock), CircuitBreaker(clock)
    with in_language("de"):
        error = no_connection(endpoint("http://127.0.0.1:9/v1"), "")
        health.failed(error)
        breaker.rest(error)

    assert "cannot be reached" in error.again().message
    assert health.outage
    assert "cannot be reached" in str(health.outage.error.again())
    with pytest.raises(CircuitOpen, match="cannot be reached") as raised, breaker.attempt():
        pass
    health = ModelHealth(clock)
    health.failed(raised.value)
    assert health.outage
    with in_language("de"):
        assert "nicht erreichbar" in str(health.outage.error.again())


def test_an_outage_is_said_once_to_each_listener_and_so_is_its_end() -> None:
    health = ModelHealth(FrozenClock(NOON))
    health.failed(DOWN)
    outage = Outage(NOON, DOWN)
    assert [health.news("a"), health.news("a"), health.news("b")] == [outage, None, outage]
    health.passed()

    assert [health.news("a"), health.news("a"), health.news("b")] == [Recovery(), None, Recovery()]
    assert health.news("c") is None, "who was not told of the outage need not hear of its end"


def test_it_begins_with_the_first_failure_and_shows_the_last_reason() -> None:
    clock = FrozenClock(NOON)
    health = ModelHealth(clock)
    refused = Unauthorised("no")
    health.failed(DOWN)
    clock.advance(minutes=5)
    health.failed(refused)

    assert health.outage == Outage(NOON, refused)


def test_a_new_outage_is_news_again() -> None:
    health = ModelHealth(FrozenClock(NOON))
    health.failed(DOWN)
    health.news("a")
    health.passed()
    health.news("a")
    health.failed(DOWN)

    assert health.news("a") == Outage(NOON, DOWN)


def test_the_fault_of_one_request_says_nothing_about_the_model() -> None:
    health = ModelHealth(FrozenClock(NOON))
    health.failed(Rejected("nonsense"))

    assert health.outage is None
