from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from bot.agent.context.history import Exchange
from bot.agent.context.pruning import CLEARED, KEPT_CHARS, prune
from bot.llm.tokens import Window
from bot.llm.types import Message, Role, ToolCall
from tests.support.factories import NOON

TTL, MINUTE = timedelta(minutes=5), timedelta(minutes=1)
WINDOW = Window(20_000)


def count(message: Message) -> int:
    return len(message.text) // 4


def exchange(number: int, *, minutes: float, chars: int = 10_000) -> Exchange:
    messages = (
        Message(Role.USER, f"Question {number}"),
        Message(Role.ASSISTANT, calls=(ToolCall(f"c{number}", "read_file"),)),
        Message(Role.TOOL, f"head {'x' * chars} tail", call_id=f"c{number}"),
        Message(Role.ASSISTANT, f"Answer {number}"),
    )
    return Exchange(str(number), number, NOON + minutes * MINUTE, messages)


def pruned(exchanges: Sequence[Exchange], *, minutes: float) -> list[str]:
    """What becomes of the results, one by one."""
    found = prune(exchanges, now=NOON + minutes * MINUTE, ttl=TTL, window=WINDOW, count=count)
    changed = [one.messages[2].text for one in found]
    for before, after in zip(exchanges, found, strict=True):
        assert [one for one in before.messages if one.role is not Role.TOOL] == [
            one for one in after.messages if one.role is not Role.TOOL
        ], "only results change"
    return ["cleared" if text == CLEARED else "trimmed" if "characters" in text else "whole" for text in changed]


def test_what_is_pruned_is_counted_as_it_is_then() -> None:
    talk = [exchange(number, minutes=number) for number in range(5)]
    before = [one.tokens(count) for one in talk]

    after = prune(talk, now=NOON + 11 * MINUTE, ttl=TTL, window=WINDOW, count=count)
    assert [one.tokens(count) for one in after] == [sum(map(count, one.messages)) for one in after]
    assert [one.tokens(count) < old for one, old in zip(after, before, strict=True)] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_while_the_cache_is_warm_nothing_changes() -> None:
    talk = [exchange(number, minutes=number) for number in range(6)]

    assert pruned(talk, minutes=9) == ["whole"] * 6


def test_after_a_pause_old_results_are_trimmed_and_the_newest_stay() -> None:
    talk = [exchange(number, minutes=number) for number in range(5)]

    assert pruned(talk, minutes=11) == ["trimmed", "trimmed", "whole", "whole", "whole"]

    found = prune(talk, now=NOON + 11 * MINUTE, ttl=TTL, window=WINDOW, count=count)
    text = found[0].messages[2].text
    assert text.startswith("head ")
    assert text.endswith(" tail")
    assert len(text) < 2 * KEPT_CHARS + 40


def test_what_was_trimmed_stays_the_same_until_the_next_pause() -> None:
    before = [exchange(number, minutes=number) for number in range(5)]
    after = [exchange(number, minutes=7 + number) for number in range(5, 8)]

    first = pruned(before, minutes=11)
    assert [pruned([*before, *after[:more]], minutes=12 + more)[:5] for more in range(1, 4)] == [first] * 3
    assert pruned([*before, *after], minutes=30) == ["cleared"] * 5 + ["whole"] * 3


def test_a_short_conversation_and_short_results_stay() -> None:
    assert pruned([exchange(number, minutes=number, chars=3_000) for number in range(5)], minutes=60) == ["whole"] * 5
    long = [exchange(number, minutes=number, chars=3_000) for number in range(12)]
    assert pruned(long, minutes=60) == ["whole"] * 12


def test_very_many_results_are_cleared() -> None:
    talk = [exchange(number, minutes=number) for number in range(9)]

    assert pruned(talk, minutes=60) == ["cleared"] * 6 + ["whole"] * 3


@pytest.mark.parametrize("length", range(4))
def test_the_newest_exchanges_are_never_touched(length: int) -> None:
    assert (
        pruned([exchange(number, minutes=number, chars=90_000) for number in range(length)], minutes=99)
        == ["whole"] * length
    )
