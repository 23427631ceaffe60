"""A month of one person's chat ends with a store that its owner would recognise."""

from __future__ import annotations

from pathlib import Path

from bot.paths import Home
from tests.acceptance.living_month import answer, is_recognised, live
from tests.servers.openai_server import OpenAIServer


async def test_the_store_after_a_month_is_recognised(tmp_path: Path) -> None:
    found = await live(Home.at(tmp_path))
    assert is_recognised(found), found


async def test_so_is_that_after_a_month_with_a_model(tmp_path: Path) -> None:
    with OpenAIServer(answer) as server:
        found = await live(Home.at(tmp_path), server.base_url)
    assert is_recognised(found), found
