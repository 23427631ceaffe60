from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.doctor.clock import CHECK
from bot.paths import Home
from memory import FrozenClock
from tests.fakes.machine import in_zone
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_a_plausible_time_is_told_in_the_owners_zone(look: Look, home: Home) -> None:
    home.prepare()
    home.config.write_text("owner:\n  timezone: Asia/Tokyo\n")

    (finding,) = await look(CHECK)

    assert (finding.place, finding.message, finding.hint) == ("Asia/Tokyo", "2026-11-21 18:30", "")


@pytest.mark.parametrize("clock", [FrozenClock(datetime(1970, 1, 1, tzinfo=UTC))])
async def test_a_clock_that_lost_its_battery_is_an_error(look: Look, clock: FrozenClock) -> None:
    (finding,) = wrong(await look(CHECK))

    assert finding.id == "clock.wrong"
    assert "1970-01-01" in finding.message


async def test_a_machine_that_says_utc_gets_a_word_of_caution(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    in_zone(monkeypatch, "UTC")

    (finding,) = await look(CHECK)

    assert "owner.timezone" in finding.hint
    assert wrong([finding]) == []
