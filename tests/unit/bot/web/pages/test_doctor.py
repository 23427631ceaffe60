"""Doctor: what is examined in the background, and what becomes of it when something is repaired meanwhile."""

from __future__ import annotations

from pathlib import Path

from bot import log
from bot.web.examiner import EXAMINED
from memory import FrozenClock
from tests.support.dashboard import open_site
from tests.support.factories import NOON


async def test_what_was_found_before_a_repair_is_not_shown_after_it(tmp_path: Path) -> None:
    logged = log.to_file(tmp_path / "log", level="info", clock=FrozenClock(NOON), mask=log.Mask(()))
    async with open_site(tmp_path / "home", runs=True) as site:
        examiner = site.beside.examiner
        with logged, site.app.events.subscribe(lambda event: event.name == EXAMINED) as events:
            for is_repaired in (True, False):
                examiner.look(is_offline=True)
                if is_repaired:
                    examiner.forget()
                await anext(events)
                assert (examiner.last is None) is is_repaired
