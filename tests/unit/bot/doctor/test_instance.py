from __future__ import annotations

from bot import instance
from bot.doctor.instance import CHECK
from bot.paths import Home
from memory import FrozenClock
from tests.unit.bot.doctor.conftest import Look


async def test_who_serves_the_home_is_told(look: Look, home: Home, clock: FrozenClock) -> None:
    (idle,) = await look(CHECK)
    home.prepare()
    with instance.hold(home, command="chat", clock=clock) as holder:
        (busy,) = await look(CHECK)

    assert idle.message == "not running"
    assert busy.message == f"running: {holder}"
