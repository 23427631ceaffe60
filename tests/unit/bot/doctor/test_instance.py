from __future__ import annotations

import json
from functools import partial

from bot.doctor.base import Machine
from bot.doctor.instance import CHECK
from bot.paths import Home
from bot.service import control
from bot.system import instance
from memory import FrozenClock
from tests.unit.bot.doctor.conftest import Look, wrong


async def test_what_a_killed_process_left_is_told_and_tidied_up(look: Look, home: Home, clock: FrozenClock) -> None:
    home.prepare()
    with instance.hold(home, command="run", clock=clock):
        card = instance.holder_file(home).read_text()
    instance.holder_file(home).write_text(card)
    home.control.write_text("{}")

    _, stale = await look(CHECK)
    assert stale.fix
    await stale.fix.apply()
    (after,) = await look(CHECK)

    assert stale.id == "instance.stale"
    assert (after.id, after.message) == ("instance.holder", "not running")


async def test_another_machine_is_told_where_the_lock_cannot_tell(look: Look, home: Home) -> None:
    home.prepare()
    left = {"pid": 7, "command": "run", "since": "2026-11-20 08:00", "host": "another-machine"}
    instance.holder_file(home).write_text(json.dumps(left))

    (finding,) = wrong(await look(CHECK, machine=Machine(filesystem=lambda _: "nfs4")))
    (here,) = wrong(await look(CHECK, machine=Machine(filesystem=lambda _: "ext4")))

    assert (finding.id, finding.fix) == ("instance.elsewhere", None)
    assert "another-machine" in finding.message
    assert here.id == "instance.stale"


async def test_a_service_that_runs_and_does_not_answer_is_told(look: Look, home: Home, clock: FrozenClock) -> None:
    home.prepare()
    home.control.write_text("{}")
    with instance.hold(home, command="run", clock=clock):
        (finding,) = wrong(await look(CHECK, ask=partial(control.ask, home.control)))

    assert finding.id == "instance.silent"


async def test_who_serves_the_home_is_told(look: Look, home: Home, clock: FrozenClock) -> None:
    (idle,) = await look(CHECK)
    home.prepare()
    with instance.hold(home, command="chat", clock=clock) as holder:
        (busy,) = await look(CHECK)

    assert idle.message == "not running"
    assert busy.message == f"running: {holder}"
