from __future__ import annotations

from bot.llm.errors import Rejected, Unauthorised, Unavailable
from bot.llm.health import Health, Outage, Recovery
from memory import FrozenClock
from tests.models import NOON

DOWN = Unavailable("down")


def test_nothing_is_news_while_the_model_answers() -> None:
    health = Health(FrozenClock(NOON))
    health.passed()

    assert health.outage is None
    assert health.news("session") is None


def test_an_outage_is_said_once_to_each_listener_and_so_is_its_end() -> None:
    health = Health(FrozenClock(NOON))
    health.failed(DOWN)
    outage = Outage(NOON, DOWN)
    assert [health.news("a"), health.news("a"), health.news("b")] == [outage, None, outage]
    health.passed()

    assert [health.news("a"), health.news("a"), health.news("b")] == [Recovery(outage), None, Recovery(outage)]
    assert health.news("c") is None, "who was not told of the outage need not hear of its end"


def test_it_begins_with_the_first_failure_and_shows_the_last_reason() -> None:
    clock = FrozenClock(NOON)
    health = Health(clock)
    refused = Unauthorised("no")
    health.failed(DOWN)
    clock.advance(minutes=5)
    health.failed(refused)

    assert health.outage == Outage(NOON, refused)


def test_a_new_outage_is_news_again() -> None:
    health = Health(FrozenClock(NOON))
    health.failed(DOWN)
    health.news("a")
    health.passed()
    health.news("a")
    health.failed(DOWN)

    assert health.news("a") == Outage(NOON, DOWN)


def test_the_fault_of_one_request_says_nothing_about_the_model() -> None:
    health = Health(FrozenClock(NOON))
    health.failed(Rejected("nonsense"))

    assert health.outage is None
