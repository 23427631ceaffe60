import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.tools.base import Result, ToolError, Work
from tests.support.conversation import ToolHarness


async def test_a_local_time_sets_a_reminder(at: ToolHarness) -> None:
    result = await at.call("remind", what="call Ana", when="2026-12-01T09:00")

    assert "Tue 1 Dec 2026 at 09:00: call Ana" in result.text
    [job] = await at.coordinator.jobs("personal")
    assert job.due.isoformat() == "2026-12-01T09:00:00+01:00"


async def again(at: ToolHarness, number: int, /, **arguments: str) -> Result:
    return await at.tool("remind").call(Work(await at.turn(), f"remind:{number}"), arguments)


async def test_a_reminder_is_moved_by_its_id(at: ToolHarness) -> None:
    first = await at.call("remind", what="stretch", every="every day at 8")
    found = re.search(r"Its id is (\^\w+)\.", first.text)
    assert found
    moved = await again(at, 2, what="stretch", every="0 9 * * *", instead_of=found[1])
    repeated = await again(at, 2, what="stretch", every="0 9 * * *", instead_of=found[1])

    [job] = await at.coordinator.jobs("personal")
    assert job.repeats == "0 9 * * *"
    assert "still come" not in moved.text
    assert repeated.text == moved.text
    with pytest.raises(ToolError, match="No reminder has the id"):
        await again(at, 3, what="stretch", every="0 7 * * *", instead_of=found[1])


async def test_a_model_that_sets_the_same_once_more_is_told_what_still_comes(at: ToolHarness) -> None:
    await at.call("remind", what="stretch", every="every day at 8")
    second = await again(at, 2, what="Stretch", when="tomorrow at 9")

    assert re.search(r"\^\w+ remind of the same and still come", second.text)
    assert "still come" not in "".join(second.told)


async def test_words_are_taken_too(at: ToolHarness) -> None:
    assert "Sun 22 Nov 2026 at 09:00" in (await at.call("remind", what="tea", when="tomorrow at 9")).text


async def test_what_repeats_is_a_cron_expression_or_words(at: ToolHarness) -> None:
    assert "next on Mon 23 Nov" in (await at.call("remind", what="x", every="0 9 * * 1-5")).text


async def test_where_the_clock_is_put_back_what_the_clock_shows_as_earlier_is_to_come(at: ToolHarness) -> None:
    turn = replace(await at.turn(), at=datetime(2026, 10, 25, 0, 50, tzinfo=UTC))

    result = await at.call("remind", turn, what="tea", when="in 20 minutes")

    assert "Sun 25 Oct 2026 at 02:10: tea" in result.text
    [job] = await at.coordinator.jobs("personal")
    assert job.due.astimezone(UTC) == datetime(2026, 10, 25, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "given", [{}, {"when": "2020-01-01"}, {"when": "soon"}, {"every": "* * * * *"}, {"every": "99 9 * * *"}]
)
async def test_what_cannot_be_set_is_told_to_the_model(at: ToolHarness, given: dict[str, str]) -> None:
    with pytest.raises(ToolError):
        await at.call("remind", what="call Ana", **given)
    assert await at.coordinator.jobs("personal") == ()
