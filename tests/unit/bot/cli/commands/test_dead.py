from __future__ import annotations

import asyncio

from bot.paths import Home
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.factories import effects, envelope
from tests.unit.bot.cli.conftest import Scrubjay


def given_up(home: Home, clock: FrozenClock) -> None:
    """A message has broken its turn, and the service has ended."""

    async def work() -> None:
        home.prepare()
        async with SqliteCoordinator.open(home.database, clock=clock) as core:
            (grant,) = await core.claim("w", ["personal"])
            await core.publish(envelope("question"))
            (message,) = await core.pending(grant, after=0)
            await core.commit(grant, effects(message, set_aside="error 1234 after 3 attempts"))

    asyncio.run(work())


def test_what_was_given_up_is_listed_with_the_reason_and_tried_again(
    scrubjay: Scrubjay, home: Home, clock: FrozenClock
) -> None:
    assert "Nothing was given up" in scrubjay("sessions", "dead", "list").err
    given_up(home, clock)

    (letter,) = scrubjay("sessions", "dead", "list", "--json").json["dead"]
    assert (letter["kind"], letter["reason"]) == ("message", "error 1234 after 3 attempts")
    shown = scrubjay("sessions", "dead", "list").out
    assert f"{letter['id']}  message  Sat 2026-11-21 10:30  " in shown
    assert scrubjay("sessions", "dead", "retry", "personal:99").code == 4
    assert scrubjay("sessions", "dead", "retry", letter["id"], "--json").json == {"retried": [letter["id"]]}
    assert scrubjay("sessions", "dead", "list", "--json").json == {"dead": []}
    assert scrubjay("status", "--json").json["queues"][0]["waiting"] == 1
