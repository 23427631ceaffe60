"""The same observation a few hundred times; `python -m tests.chaos.identical` makes a million."""

from __future__ import annotations

from pathlib import Path

from tests.chaos.identical import run


async def test_what_is_observed_again_and_again_takes_no_room(tmp_path: Path) -> None:
    found = await run(400, tmp_path)
    assert (found["grown_bytes"], found["facts"]) == (0, 1)
    assert found["decisions"] == {"merge": 200, "sensory": 200}
