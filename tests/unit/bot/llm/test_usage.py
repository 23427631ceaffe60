from __future__ import annotations

from datetime import UTC, timedelta, timezone
from pathlib import Path

from bot.llm.types import Usage
from bot.llm.usage import UsageMeter
from bot.storage.port import TokenTotals
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.factories import NOON

TODAY = NOON.date()
EAST = timezone(timedelta(hours=11))
"""Where midnight comes an hour after our noon."""


async def test_a_day_is_counted_over_restarts_and_for_each_agent_by_itself(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    for usage in (Usage(900, 12, cached=100), None, Usage(900, 12)):
        async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
            meter = await UsageMeter.open("personal", state.tallies, clock=clock, zone=UTC)
            await meter.add(usage)

    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        again = await UsageMeter.open("personal", state.tallies, clock=clock, zone=UTC)
        other = await UsageMeter.open("work", state.tallies, clock=clock, zone=UTC)
    assert again.today == TokenTotals(TODAY, 3, 1800, 100, 24, 1)
    assert other.today == TokenTotals(TODAY)


async def test_a_new_day_begins_at_the_owners_midnight() -> None:
    clock = FrozenClock(NOON)
    meter = UsageMeter("personal", clock=clock, zone=EAST)
    await meter.add(Usage(900, 12))

    clock.advance(hours=1)

    assert meter.today == TokenTotals(TODAY + timedelta(days=1))
