from __future__ import annotations

from bot.waiting import InstantPause, pause


async def test_the_instant_one_only_notes_what_it_was_asked_for() -> None:
    instant = InstantPause()

    await instant(3600)
    await instant(0.5)

    assert instant.waited == [3600, 0.5]


async def test_the_real_one_comes_back() -> None:
    await pause(0)
