from __future__ import annotations

import asyncio

import pytest

from adapters.pacing import MAX_INTERVAL_S, Pace, Paces, TokenBucket
from adapters.port import Ambiguous, Receipt, SendRefused, SlowDown
from tests.support.factories import ClockPause

HERE = Receipt("1")


class Chat:
    """What was written to a chat, and when."""

    def __init__(self, *failures: Exception) -> None:
        self.now = 100.0
        self.at: list[float] = []
        self._failures = list(failures)
        self.pace = Pace(1.5, monotonic=lambda: self.now)

    async def write(self) -> str:
        if self._failures:
            raise self._failures.pop(0)
        self.at.append(self.now)
        return "written"

    async def stream(self, seconds: float, *, receipt: Receipt = HERE) -> None:
        """Offer a new draft every tenth of a second."""
        for _ in range(int(seconds * 10)):
            await self.pace.draft(receipt, f"at {self.now:.1f}", self.write)
            self.now += 0.1


async def test_final_texts_go_at_once_and_return_what_writing_returns() -> None:
    chat = Chat()

    assert [await chat.pace.final(chat.write) for _ in range(3)] == ["written"] * 3
    assert chat.at == [100.0] * 3


async def test_the_first_draft_comes_at_once_and_others_at_growing_distances() -> None:
    chat = Chat()
    await chat.pace.final(chat.write)

    await chat.stream(60)

    assert chat.at[:2] == [100.0, 100.0]
    del chat.at[0]

    gaps = [round(later - earlier, 1) for earlier, later in zip(chat.at, chat.at[1:], strict=False)]
    assert gaps[0] >= 1.5
    assert gaps == sorted(gaps)
    assert max(gaps) <= MAX_INTERVAL_S + 0.2
    assert 8 <= len(gaps) <= 15


async def test_another_message_begins_with_short_distances_again() -> None:
    chat = Chat()
    await chat.stream(60)
    before = len(chat.at)

    await chat.stream(4, receipt=Receipt("2"))

    assert len(chat.at) - before == 2
    assert chat.at[before + 1] - chat.at[before] < 2.0


async def test_a_draft_that_is_shown_already_is_not_written_again() -> None:
    chat = Chat()
    for _ in range(5):
        await chat.pace.draft(HERE, "same", chat.write)
        chat.now += 100

    assert len(chat.at) == 1


async def test_after_a_flood_nothing_is_written_until_it_is_over_and_the_chat_is_slower_from_then_on() -> None:
    chat = Chat(SlowDown("flood", seconds=60))
    await chat.stream(10)
    with pytest.raises(SlowDown) as told:
        await chat.pace.final(chat.write)
    assert chat.at == []
    assert told.value.seconds == pytest.approx(50, abs=0.2)

    chat.now += told.value.seconds
    await chat.pace.final(chat.write)
    await chat.stream(10, receipt=Receipt("2"))

    assert chat.at[1] - chat.at[0] >= 3.0


async def test_a_chat_that_has_not_been_limited_for_some_minutes_is_as_fast_as_before() -> None:
    chat = Chat(*[SlowDown("flood", seconds=10)] * 3)
    for _ in range(3):
        with pytest.raises(SlowDown):
            await chat.pace.final(chat.write)
        chat.now += 10

    async def gap(number: int) -> float:
        begun = len(chat.at)
        await chat.stream(30, receipt=Receipt(str(number)))
        return chat.at[begun + 1] - chat.at[begun]

    gaps = []
    for number in range(4):
        gaps.append(await gap(number))
        chat.now += 31

    assert gaps == pytest.approx([15, 7.5, 3.75, 1.9], abs=0.2)


async def test_a_thread_that_hangs_holds_no_other_and_a_limit_counts_for_all_of_a_chat() -> None:
    paces, may_end = Paces(monotonic=lambda: 100.0), asyncio.Event()
    chat = Chat(SlowDown("flood", seconds=7))

    async with asyncio.TaskGroup() as group:
        group.create_task(paces.pace("1", 1.5, thread="a").final(may_end.wait))
        await asyncio.sleep(0)
        with pytest.raises(SlowDown):
            await paces.pace("1", 1.5, thread="b").final(chat.write)
        may_end.set()

    assert paces.pace("1", 1.5, thread="a").wait_s == 7
    assert paces.pace("2", 1.5).wait_s == 0


async def test_a_flood_that_meets_a_final_text_is_passed_on() -> None:
    chat = Chat(SlowDown("flood", seconds=60))

    with pytest.raises(SlowDown, match="flood"):
        await chat.pace.final(chat.write)
    assert chat.pace.wait_s == 60


@pytest.mark.parametrize("failure", [Ambiguous("reset"), SendRefused("gone")])
async def test_a_draft_that_fails_is_left_out_and_a_final_text_that_fails_is_not(failure: Exception) -> None:
    chat = Chat(failure, failure)

    await chat.pace.draft(HERE, "draft", chat.write)
    with pytest.raises(type(failure)):
        await chat.pace.final(chat.write)


async def test_a_final_text_waits_for_the_draft_that_is_under_way() -> None:
    order: list[str] = []
    pace, may_end = Pace(1.5, monotonic=lambda: 100.0), asyncio.Event()

    async def slow() -> None:
        await may_end.wait()
        order.append("draft")

    async def final() -> None:
        order.append("final")

    async with asyncio.TaskGroup() as group:
        group.create_task(pace.draft(HERE, "draft", slow))
        await asyncio.sleep(0)
        group.create_task(pace.final(final))
        await asyncio.sleep(0)
        await pace.draft(HERE, "another", slow)  # left out: one is under way
        may_end.set()

    assert order == ["draft", "final"]


def test_each_chat_has_its_pace_and_the_longest_unused_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.pacing.MAX_TRACKED_CHATS", 2)
    paces = Paces(monotonic=lambda: 0.0)
    first = paces.pace("1", 1.5)
    assert paces.pace("1", 1.5) is first

    paces.pace("2", 1.5)
    paces.pace("1", 1.5)
    paces.pace("3", 1.5)

    assert paces.pace("1", 1.5) is first


async def test_a_bucket_lets_a_few_go_at_once_and_then_one_at_a_time_in_their_order() -> None:
    pause = ClockPause()
    began = pause.clock.now()

    def passed_s() -> float:
        return (pause.clock.now() - began).total_seconds()

    bucket = TokenBucket(3, 0.5, monotonic=passed_s, pause=pause)
    went: list[tuple[int, float]] = []

    async def go(number: int) -> None:
        await bucket.take()
        went.append((number, passed_s()))

    async with asyncio.TaskGroup() as group:
        for number in range(6):
            group.create_task(go(number))
    assert went == [(0, 0), (1, 0), (2, 0), (3, 0.5), (4, 1), (5, 1.5)]

    bucket.block(10)
    assert bucket.wait_s == 10
    await go(6)
    assert went[-1] == (6, 11.5)
