from __future__ import annotations

import pytest

from bot.llm.breaker import FAILURES, REST_S, WITHIN_S, Breaker
from bot.llm.errors import ModelError, Rejected, Resting, Unauthorised, Unavailable
from memory import FrozenClock
from tests.models import NOON

DOWN = Unavailable("The model is down.", hint="Wait.")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def breaker(clock: FrozenClock) -> Breaker:
    return Breaker(clock)


def fail(breaker: Breaker, error: ModelError = DOWN, times: int = 1) -> None:
    for _ in range(times):
        with breaker.attempt():
            breaker.failed(error)


def test_it_opens_with_the_fifth_failure_within_a_minute(breaker: Breaker) -> None:
    fail(breaker, times=FAILURES - 1)
    assert not breaker.is_open
    fail(breaker)

    with pytest.raises(Resting, match=r"The model is down\. It is asked again in 30 s") as caught, breaker.attempt():
        pass
    assert caught.value.hint == "Wait."
    assert caught.value.seconds == REST_S


def test_failures_that_are_further_apart_do_not_open_it(breaker: Breaker, clock: FrozenClock) -> None:
    for _ in range(3 * FAILURES):
        fail(breaker)
        clock.advance(seconds=WITHIN_S / (FAILURES - 1) + 1)

    assert not breaker.is_open


def test_an_answer_between_them_clears_the_count(breaker: Breaker) -> None:
    fail(breaker, times=FAILURES - 1)
    breaker.passed()
    fail(breaker, times=FAILURES - 1)

    assert not breaker.is_open


def test_after_its_rest_one_request_goes_through_and_the_others_wait_for_its_end(
    breaker: Breaker, clock: FrozenClock
) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)

    with breaker.attempt():
        with pytest.raises(Resting), breaker.attempt():
            pass
        breaker.passed()
    with breaker.attempt(), breaker.attempt():
        pass


def test_a_probe_that_fails_opens_it_again(breaker: Breaker, clock: FrozenClock) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)
    fail(breaker)

    with pytest.raises(Resting, match="in 30 s"), breaker.attempt():
        pass


def test_a_probe_that_is_cancelled_leaves_the_place_to_the_next(breaker: Breaker, clock: FrozenClock) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)
    with pytest.raises(KeyboardInterrupt), breaker.attempt():
        raise KeyboardInterrupt

    with breaker.attempt():
        breaker.passed()
    assert not breaker.is_open


def test_a_wrong_key_opens_it_at_once(breaker: Breaker) -> None:
    fail(breaker, Unauthorised("The key is refused."))

    assert breaker.is_open


def test_requests_that_are_refused_for_their_own_sake_never_do_and_prove_that_somebody_is_there(
    breaker: Breaker, clock: FrozenClock
) -> None:
    fail(breaker, Rejected("Nonsense."), times=3 * FAILURES)
    assert not breaker.is_open
    fail(breaker, times=FAILURES)
    clock.advance(seconds=REST_S)
    fail(breaker, Rejected("Nonsense."))

    assert not breaker.is_open


def test_a_clock_that_is_set_back_does_not_prolong_the_rest(breaker: Breaker, clock: FrozenClock) -> None:
    fail(breaker, times=FAILURES)
    clock.advance(hours=-5)

    with breaker.attempt():
        breaker.passed()
