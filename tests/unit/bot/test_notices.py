from __future__ import annotations

import asyncio

from adapters.port import SendRefused
from adapters.volatile import VolatileAdapter
from bot.notices import Notices
from tests.samples import NOON

PATIENCE_S = 60


class Announcing(VolatileAdapter):
    """A platform with a screen for what answers nothing."""

    def __init__(self, *, leaves_after: int = 100) -> None:
        super().__init__(now=lambda: NOON)
        self.announced = asyncio.Queue[str]()
        self._left = leaves_after

    async def announce(self, text: str) -> None:
        if not self._left:
            raise SendRefused("Nobody looks.")
        self._left -= 1
        self.announced.put_nowait(text)


async def test_a_line_is_shown_to_those_who_have_a_place_for_it() -> None:
    screen, chat = Announcing(), VolatileAdapter(now=lambda: NOON)
    notices = Notices()
    notices.say("Preparing ...")

    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        running = group.create_task(notices.run([chat, screen]))
        assert await screen.announced.get() == "Preparing ..."
        notices.say("Done.")
        assert await screen.announced.get() == "Done."
        running.cancel()

    assert chat.shown == []


async def test_it_ends_when_nobody_looks_any_more() -> None:
    screen = Announcing(leaves_after=1)
    notices = Notices()
    notices.say("first")
    notices.say("second")

    async with asyncio.timeout(PATIENCE_S):
        await notices.run([screen])

    assert screen.announced.get_nowait() == "first"
    assert screen.announced.empty()


async def test_without_a_screen_there_is_nothing_to_do() -> None:
    async with asyncio.timeout(PATIENCE_S):
        await Notices().run([VolatileAdapter(now=lambda: NOON)])
