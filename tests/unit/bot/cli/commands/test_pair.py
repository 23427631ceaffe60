from __future__ import annotations

import asyncio

from bot.access.pairing import Pairings
from bot.paths import Home
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.factories import inbound
from tests.unit.bot.cli.conftest import Scrubjay


def asked(home: Home, clock: FrozenClock) -> str:
    """Somebody has written to a service that does not run any more; their code."""

    async def ask() -> str:
        home.prepare()
        async with SqliteCoordinator.open(home.database, clock=clock) as core:
            return (
                await Pairings(core.register, clock=clock, marks=core.marks).ask(
                    inbound("hello", update="1", sender="9")
                )
                or ""
            )

    return asyncio.run(ask())


def test_somebody_who_waits_is_listed_let_in_and_put_out(scrubjay: Scrubjay, home: Home, clock: FrozenClock) -> None:
    code = asked(home, clock)

    (waiting,) = scrubjay("pair", "list", "--json").json["waiting"]
    assert " until Sat 2026-11-21 11:30 " in scrubjay("pair", "list").out
    told = scrubjay("pair", "approve", code.lower())
    people = scrubjay("pair", "list", "--json").json["people"]

    assert (waiting["code"], waiting["who"]) == (code, "terminal:9")
    assert " since Sat 2026-11-21 10:30 " in scrubjay("pair", "list").out
    assert told.out.startswith("9 (terminal:9) is let in as guest.")
    assert [(person["who"], person["role"]) for person in people] == [("terminal:9", "guest")]
    assert scrubjay("pair", "revoke", "terminal:9").code == 0
    assert "Nobody waits" in scrubjay("pair", "list").err


def test_a_code_can_be_ones_own(scrubjay: Scrubjay, home: Home, clock: FrozenClock) -> None:
    assert scrubjay("pair", "approve", asked(home, clock), "--owner", "--json").json["role"] == "owner"


def test_a_code_that_nobody_was_told_lets_nobody_in(scrubjay: Scrubjay, home: Home, clock: FrozenClock) -> None:
    asked(home, clock)

    refused = scrubjay("pair", "approve", "AAAAAAAA")

    assert refused.code == 4
    assert "pair list" in refused.err


def test_without_a_service_there_is_nobody_to_send_a_code_to(scrubjay: Scrubjay) -> None:
    refused = scrubjay("pair", "invite")

    assert refused.code == 4
    assert "scrubjay run" in refused.err
