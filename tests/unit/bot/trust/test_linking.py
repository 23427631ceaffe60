from __future__ import annotations

import pytest

from bot.durable.register import Register
from bot.errors import Refused
from bot.trust.linking import TRIES, Linking
from bot.turn import Principal
from memory import FrozenClock
from tests.samples import NOON

ADA = Principal("telegram:7", "Ada", is_owner=True)
ADA_THERE = Principal("discord:9", "ada", is_owner=False)
EVE = Principal("discord:666", "eve", is_owner=False)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def register() -> Register:
    return Register()


@pytest.fixture
def linking(register: Register, clock: FrozenClock) -> Linking:
    return Linking(register, clock=clock)


async def test_two_identities_are_one_person_once_both_have_agreed(linking: Linking, register: Register) -> None:
    code = linking.offer(ADA)
    assert await linking.confirm(ADA, ADA_THERE.id) is None

    assert linking.take(code.lower(), ADA_THERE) == ADA
    assert register.principal(ADA_THERE.id) == ADA_THERE.id
    assert await linking.confirm(ADA, ADA_THERE.id) == ADA_THERE

    assert register.principal(ADA_THERE.id) == ADA.id
    assert await linking.confirm(ADA, ADA_THERE.id) is None


async def test_a_code_works_once_for_somebody_else_and_for_ten_minutes(linking: Linking, clock: FrozenClock) -> None:
    code = linking.offer(ADA)

    assert linking.take(code, ADA) is None
    assert linking.take("AAAAAAAA", EVE) is None
    assert linking.take(code, ADA_THERE)
    assert linking.take(code, EVE) is None
    clock.advance(minutes=10)
    assert await linking.confirm(ADA, ADA_THERE.id) is None


async def test_who_has_no_try_left_has_them_again_after_an_hour(linking: Linking, clock: FrozenClock) -> None:
    for _ in range(TRIES):
        linking.take("AAAAAAAA", EVE)
    with pytest.raises(Refused, match="too many"):
        linking.take("AAAAAAAA", EVE)

    clock.advance(hours=1)

    assert linking.take(linking.offer(ADA), EVE) == ADA


async def test_nobody_can_confirm_for_another(linking: Linking, register: Register) -> None:
    linking.take(linking.offer(ADA), EVE)

    assert await linking.confirm(EVE, EVE.id) is None
    assert await linking.confirm(ADA, ADA_THERE.id) is None
    assert register.principal(EVE.id) == EVE.id
