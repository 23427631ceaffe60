from __future__ import annotations

from datetime import UTC, timedelta, timezone
from pathlib import Path

from bot.llm.types import Usage
from bot.llm.usage import Meter, Tally
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.samples import NOON

TODAY = NOON.date()
EAST = timezone(timedelta(hours=11))
"""Where midnight comes an hour after our noon."""


async def test_a_day_is_counted_over_restarts_and_for_each_agent_by_itself(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    for usage in (Usage(900, 12, cached=100), None, Usage(900, 12)):
        async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
            meter = await Meter.open("personal", state.tallies, clock=clock, zone=UTC)
            await meter.add(usage)

    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        again = await Meter.open("personal", state.tallies, clock=clock, zone=UTC)
        other = await Meter.open("work", state.tallies, clock=clock, zone=UTC)
    assert again.today == Tally(TODAY, 3, 1800, 100, 24, 1)
    assert other.today == Tally(TODAY)


async def test_a_new_day_begins_at_the_owners_midnight() -> None:
    clock = FrozenClock(NOON)
    meter = Meter("personal", clock=clock, zone=EAST)
    await meter.add(Usage(900, 12))

    clock.advance(hours=1)

    assert meter.today == Tally(TODAY + timedelta(days=1))
