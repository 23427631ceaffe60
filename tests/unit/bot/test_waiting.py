from __future__ import annotations

from bot.waiting import pause


async def test_the_real_one_comes_back() -> None:
    await pause(0)
