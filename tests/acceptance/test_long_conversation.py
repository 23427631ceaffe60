"""A conversation that outgrows the window several times, and one cell of each kind in which one can end."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.paths import Home
from tests.acceptance.flush_paths import FACTS, cell
from tests.acceptance.long_conversation import converse
from tests.acceptance.month import live


async def test_what_was_said_long_ago_is_answered_from_memory_or_the_conversation(tmp_path: Path) -> None:
    found = await converse(Home.at(tmp_path), turns=60, window=8_000, facts=6, seed=1)
    assert found["answered"] == found["facts"]
    assert found["loops"] == 0
    assert found["compactions"]
    assert found["model_calls"] in {1, 2}


@pytest.mark.parametrize(("path", "model"), [("overflow", "ok"), ("/new", "none"), ("kill -9", "ok")])
async def test_no_fact_is_lost_where_a_conversation_ends(tmp_path: Path, path: str, model: str) -> None:
    assert await cell(tmp_path, path, model) == len(FACTS)


async def test_days_later_it_knows_the_first_day_a_hand_edit_and_yesterday(tmp_path: Path) -> None:
    found = await live(Home.at(tmp_path), "telegram", days=3)
    assert (found["first_day"], found["by_hand"], found["yesterday"]) == (True, True, True)
