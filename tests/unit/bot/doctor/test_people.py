from __future__ import annotations

from datetime import timedelta

from bot.doctor.base import Severity
from bot.doctor.people import CHECK
from bot.paths import Home, put
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import Pairing, Person, Role
from memory import FrozenClock
from tests.unit.bot.doctor.conftest import Look, wrong

TELEGRAM = 'telegram:\n  token: "7000000001:test-token-of-the-scrubjay-bot"\n'


async def test_without_a_platform_nobody_need_be_known(look: Look) -> None:
    assert await look(CHECK) == []


async def test_a_bot_that_knows_no_owner_answers_nobody(look: Look, home: Home) -> None:
    put(home.config, f'{TELEGRAM}access:\n  owners: ["discord:80351110224678912"]\n')

    (finding,) = wrong(await look(CHECK))

    assert (finding.id, finding.place) == ("people.no_owner", "telegram")
    assert "pair invite" in finding.hint


async def test_an_owner_is_known_from_the_configuration_or_by_a_code(
    look: Look, home: Home, clock: FrozenClock
) -> None:
    put(home.config, f'{TELEGRAM}access:\n  owners: ["telegram:7"]\n')
    (configured,) = await look(CHECK)
    put(home.config, TELEGRAM)
    async with SqliteCoordinator.open(home.database, clock=clock) as core:
        await core.register.grant(Person("telegram:7", Role.OWNER, "R", clock.now()))
    (paired,) = await look(CHECK)

    assert configured == paired
    assert configured.id == "people.owner"


async def test_who_waits_is_counted_as_long_as_the_code_holds(look: Look, home: Home, clock: FrozenClock) -> None:
    put(home.config, f'{TELEGRAM}access:\n  owners: ["telegram:7"]\n')
    async with SqliteCoordinator.open(home.database, clock=clock) as core:
        for number, ago in enumerate((timedelta(minutes=5), timedelta(hours=3))):
            asked = Pairing("telegram.1", f"telegram:{number}", "A", f"CODE{number}", str(number), clock.now() - ago)
            await core.register.ask(asked)

    _, finding = await look(CHECK)

    assert (finding.id, finding.severity, finding.message) == (
        "people.waiting",
        Severity.NOTE,
        "1 person has asked to be let in",
    )
