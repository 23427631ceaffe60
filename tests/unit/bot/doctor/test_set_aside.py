from __future__ import annotations

from pathlib import Path

from bot.doctor.set_aside import CHECK
from bot.paths import Home
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.factories import effects, envelope
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_nothing_given_up_is_no_finding(look: Look) -> None:
    assert wrong(await look(CHECK)) == []


async def test_what_was_given_up_is_found_until_it_is_cleared_away(home: Home, look: Look, clock: FrozenClock) -> None:
    kept = Path(home.state) / "unreadable" / "telegram.1-7.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    async with SqliteCoordinator.open(home.database, clock=clock) as state:
        await state.quarantine.set_aside("telegram.1", "7", "KeyError", kept=str(kept), is_counted_only=False)
        await state.quarantine.set_aside("telegram.1", "8", "KeyError", kept="", is_counted_only=True)
        (grant,) = await state.claim("test", ["personal"])
        await state.publish(envelope("hello"))
        (message,) = await state.pending(grant, after=0)
        await state.commit(grant, effects(message, set_aside="error 12345678 after 3 attempts"))

    found = wrong(await look(CHECK))
    assert sorted(one.id for one in found) == ["set_aside.dead", "set_aside.event", "set_aside.strangers"]
    assert str(kept) in [one.place for one in found]

    kept.unlink()
    clock.advance(days=8)
    assert wrong(await look(CHECK)) == []
