from __future__ import annotations

import pytest

from bot.agent.budget import Budget, Spent
from bot.llm.port import ToolCall, Usage


class Watch:
    """A stopwatch that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_nothing_is_reached_at_the_beginning() -> None:
    spent = Spent(Budget(), elapsed=Watch())

    assert spent.reached == ""
    assert spent.seconds_left == Budget().seconds


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        (Budget(requests=2), "2 steps"),
        (Budget(calls=2), "2 tools"),
        (Budget(tokens=200), "220 tokens"),
        (Budget(seconds=5), "time is up"),
    ],
)
def test_each_limit_is_said_when_it_is_reached(budget: Budget, why: str) -> None:
    watch = Watch()
    spent = Spent(budget, elapsed=watch)

    for number in range(2):
        assert spent.reached == ""
        spent.asked(Usage(100, 10), estimate=0)
        spent.is_repetition(ToolCall("c", "add", {"n": number}))
        watch.now += 3

    assert why in spent.reached


def test_what_the_provider_does_not_count_is_estimated() -> None:
    spent = Spent(Budget(tokens=100), elapsed=Watch())

    spent.asked(None, estimate=100)

    assert "100 tokens" in spent.reached


def test_a_call_may_be_made_three_times_whatever_the_order_of_its_arguments() -> None:
    spent = Spent(Budget(same_call=3), elapsed=Watch())
    one, same, other = (
        ToolCall("c1", "add", {"a": 1, "b": 2}),
        ToolCall("c2", "add", {"b": 2, "a": 1}),
        ToolCall("c3", "add", {"a": 1, "b": 3}),
    )

    assert [spent.is_repetition(call) for call in (one, same, one, other, same)] == [False, False, False, False, True]
