from __future__ import annotations

from pathlib import Path

from tests.acceptance.simulated_year import simulate


async def test_a_short_year_keeps_what_was_planted_and_merges_nothing_wrongly(tmp_path: Path) -> None:
    year = await simulate(tmp_path, observations=150, days=8, planted=6, seed=3)
    assert (year.wrong, year.found) == (0, 1.0)
    assert year.growth <= 0.4
    assert year.fresh <= 0.5
