from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.in_memory import InMemoryState
from adapters.port import Address, Inbound, Outbound
from bot.access.access import Access
from bot.access.pairing import (
    ALL_TRIES,
    ALPHABET,
    LENGTH,
    LET_IN,
    MAX_STRANGERS,
    TRIES,
    IdentityLinks,
    Pairings,
    answer_id,
    draw,
)
from bot.errors import Missing, Refused
from bot.storage.keys import Principal
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore, Person, Role
from memory import FrozenClock
from tests.support.factories import NOON, chat, inbound


def knock(sender: str, *, update: str = "", text: str = "hello", at: Address | None = None) -> Inbound:
    return inbound(text, update=update or f"by {sender}", at=at or chat(f"with {sender}"), sender=sender)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def pairings(clock: FrozenClock) -> Pairings:
    return Pairings(AccessStore(), clock=clock, marks=InMemoryState())


def test_codes_are_long_different_and_hold_nothing_that_is_taken_for_something_else() -> None:
    codes = {draw() for _ in range(200)}

    assert len(codes) == 200
    assert {len(code) for code in codes} == {LENGTH}
    for alike in ("0O", "1I", "5S", "2Z", "8B", "UV"):
        assert len(set(alike) & set(ALPHABET)) <= 1


async def test_a_stranger_gets_one_code_an_hour(pairings: Pairings, clock: FrozenClock) -> None:
    first = await pairings.ask(knock("9"))

    assert first is not None
    assert await pairings.ask(knock("9", update="again")) is None
    assert await pairings.ask(knock("9")) == first, "the same event, brought again"
    clock.advance(hours=1)
    assert await pairings.ask(knock("9", update="later")) not in {None, first}


async def test_at_most_three_wait_on_one_account_however_many_ask_at_once(pairings: Pairings) -> None:
    codes = [await pairings.ask(knock(str(number))) for number in range(1000)]

    assert sum(code is not None for code in codes) == MAX_STRANGERS
    assert await pairings.ask(knock("late", at=chat("c", platform="elsewhere"))) is not None


async def test_no_more_wait_when_they_ask_in_the_same_moment(tmp_path: Path, clock: FrozenClock) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        pairings = Pairings(state.register, clock=clock, marks=state.marks)
        codes = await asyncio.gather(*(pairings.ask(knock(str(number))) for number in range(10)))
        again = await asyncio.gather(*(pairings.ask(knock("0", update=str(number))) for number in range(2)))

        assert sum(code is not None for code in codes) == len(pairings.open) == MAX_STRANGERS
        assert again == [None, None]


async def test_three_strangers_do_not_keep_the_places_of_the_hour(pairings: Pairings, clock: FrozenClock) -> None:
    for number in range(MAX_STRANGERS):
        await pairings.ask(knock(str(number)))
        clock.advance(minutes=1)
    clock.advance(minutes=2)

    friends = await pairings.ask(knock("friend"))

    assert friends
    assert {one.identity for one in pairings.open} == {"volatile:1", "volatile:2", "volatile:friend"}
    clock.advance(minutes=30)
    assert await pairings.ask(knock("0", update="again")) is None, "one code an hour"
    assert (await pairings.approve(friends, Role.GUEST)).identity == "volatile:friend"


async def test_whoever_has_the_code_is_let_in_once(clock: FrozenClock) -> None:
    register = AccessStore()
    pairings = Pairings(register, clock=clock, marks=InMemoryState())
    code = await pairings.ask(knock("9"))
    assert code

    person = await pairings.approve(f" {code.lower()} ", Role.GUEST)

    assert person.identity == "volatile:9"
    assert register.role("volatile:9") is Role.GUEST
    assert pairings.open == ()
    with pytest.raises(Missing, match="pair list"):
        await pairings.approve(code, Role.GUEST)


async def test_the_owners_own_first_hello_holds_no_place(pairings: Pairings) -> None:
    await pairings.ask(knock("9"))
    code = pairings.invite(chat("with 9").account)

    assert await pairings.accept(knock("9", update="2", text=code))
    assert pairings.open == ()


async def test_who_has_asked_can_be_let_in_by_name_for_a_day(pairings: Pairings, clock: FrozenClock) -> None:
    await pairings.ask(knock("9"))
    clock.advance(hours=5)
    await pairings.ask(knock("10"))

    assert (await pairings.approve("volatile:9", Role.GUEST)).name == "9"
    clock.advance(days=1)
    for who in ("volatile:10", "volatile:12"):
        with pytest.raises(Missing):
            await pairings.approve(who, Role.GUEST)


async def test_whoever_is_ignored_waits_no_longer(pairings: Pairings) -> None:
    code = await pairings.ask(knock("9"))
    for _ in range(2):
        await pairings.ignore("volatile:9")

    assert pairings.open == ()
    with pytest.raises(Missing):
        await pairings.approve(code or "", Role.GUEST)


async def test_who_is_let_in_is_told_once_where_they_asked(tmp_path: Path, clock: FrozenClock) -> None:
    asked, code_id = knock("9", update="5"), answer_id(chat("x").account, "5")
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        pairings = Pairings(state.register, clock=clock, marks=state.marks, coordinator=state)
        code = await pairings.ask(asked) or ""
        await state.tell("work", Outbound(code_id, asked.address, code), update="5")
        await pairings.approve(code, Role.GUEST)
        (grant,) = await state.claim("test", ["work"])
        _, told = await state.outgoing(grant, {asked.address.account}, after=0)

    assert (told.out.to, told.out.text) == (asked.address, LET_IN)


async def test_a_code_ends_after_an_hour(pairings: Pairings, clock: FrozenClock) -> None:
    code = await pairings.ask(knock("9"))
    clock.advance(hours=1)

    with pytest.raises(Missing):
        await pairings.approve(code or "", Role.GUEST)


@pytest.mark.parametrize("code", ["", "AAAAAAAA", "ä", "x" * 10_000])
async def test_a_wrong_code_lets_nobody_in(pairings: Pairings, code: str) -> None:
    await pairings.ask(knock("9"))

    with pytest.raises(Missing):
        await pairings.approve(code, Role.OWNER)


async def test_codes_and_people_outlive_the_process(tmp_path: Path, clock: FrozenClock) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        one = await Pairings(state.register, clock=clock, marks=state.marks).ask(knock("1"))
        await Pairings(state.register, clock=clock, marks=state.marks).ask(knock("2"))

    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        again = Pairings(state.register, clock=clock, marks=state.marks)
        assert {pairing.identity for pairing in again.open} == {"volatile:1", "volatile:2"}
        await again.approve(one or "", Role.OWNER)

    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        assert [person.identity for person in state.register.people] == ["volatile:1"]
        assert state.register.role("volatile:1") is Role.OWNER


@pytest.mark.parametrize("form", ["{}", "/start {}", " {} "])
async def test_who_sends_the_code_of_the_terminal_becomes_the_owner_once(pairings: Pairings, form: str) -> None:
    at = chat("c")
    code = pairings.invite(at.account)

    assert not await pairings.accept(knock("9", text="hello", at=at))
    assert not await pairings.accept(knock("9", text=code, at=chat("c", platform="elsewhere")))
    assert await pairings.accept(knock("9", text=form.format(code.lower()), at=at))
    assert not await pairings.accept(knock("10", text=code, at=at))


async def test_a_stranger_has_five_tries_at_the_code_of_the_terminal_and_all_have_a_thousand(
    pairings: Pairings,
) -> None:
    at = chat("c")
    code = pairings.invite(at.account)
    for _ in range(TRIES):
        assert not await pairings.accept(knock("9", text="AAAAAAAA", at=at))

    assert not await pairings.accept(knock("9", text=code, at=at))
    for number in range(ALL_TRIES - TRIES):
        assert not await pairings.accept(knock(f"crowd{number}", text="aaaa-aaaa", at=at))
    assert not await pairings.accept(knock("owner", text=code, at=at))
    assert await pairings.accept(knock("owner", text=pairings.invite(at.account), at=at)), "there is always a new one"


async def test_a_code_that_was_prepared_holds_for_an_hour_once_the_service_has_started(
    tmp_path: Path, clock: FrozenClock
) -> None:
    at = chat("c")
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        code = await Pairings(state.register, clock=clock, marks=state.marks).prepare(at.account)
    clock.advance(days=6)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        assert await Pairings(state.register, clock=clock, marks=state.marks).resume(at.account) == code
        clock.advance(minutes=59)

        again = Pairings(state.register, clock=clock, marks=state.marks)  # a service that was begun anew
        assert await again.resume(at.account) == code
        clock.advance(minutes=59)
        assert await again.accept(knock("9", text=f"/start {code}", at=at))
        assert await again.resume(at.account) != code


async def test_a_code_that_was_prepared_long_ago_or_is_replaced_holds_no_longer(clock: FrozenClock) -> None:
    at = chat("c")
    pairings = Pairings(AccessStore(), clock=clock, marks=InMemoryState())
    first, second = await pairings.prepare(at.account), await pairings.prepare(at.account)

    assert not await pairings.accept(knock("9", text=first, at=at))
    clock.advance(days=7)
    assert await pairings.resume(at.account) not in {first, second}


async def test_an_invitation_ends_after_an_hour(pairings: Pairings, clock: FrozenClock) -> None:
    code = pairings.invite(chat("c").account)
    clock.advance(hours=1)

    assert not await pairings.accept(replace(knock("9", text=code), address=chat("c")))


ADA = Principal("telegram:7", "Ada", is_owner=True)
ADA_THERE = Principal("discord:9", "ada", is_owner=False)
EVE = Principal("discord:666", "eve", is_owner=False)


@pytest.fixture
def register() -> AccessStore:
    return AccessStore()


@pytest.fixture
def linking(register: AccessStore, clock: FrozenClock) -> IdentityLinks:
    return IdentityLinks(register, clock=clock)


async def test_two_identities_are_one_person_once_both_have_agreed(
    linking: IdentityLinks, register: AccessStore
) -> None:
    code = linking.offer(ADA)
    assert await linking.confirm(ADA, ADA_THERE.id) is None

    assert linking.take(code.lower(), ADA_THERE) == ADA
    assert register.principal(ADA_THERE.id) == ADA_THERE.id
    assert await linking.confirm(ADA, ADA_THERE.id) == ADA_THERE

    assert register.principal(ADA_THERE.id) == ADA.id
    assert await linking.confirm(ADA, ADA_THERE.id) is None


async def test_a_code_works_once_for_somebody_else_and_for_ten_minutes(
    linking: IdentityLinks, clock: FrozenClock
) -> None:
    code = linking.offer(ADA)

    assert linking.take(code, ADA) is None
    assert linking.take("AAAAAAAA", EVE) is None
    assert linking.take(code, ADA_THERE)
    assert linking.take(code, EVE) is None
    clock.advance(minutes=10)
    assert await linking.confirm(ADA, ADA_THERE.id) is None


async def test_who_has_no_try_left_has_them_again_after_an_hour(linking: IdentityLinks, clock: FrozenClock) -> None:
    for _ in range(TRIES):
        linking.take("AAAAAAAA", EVE)
    with pytest.raises(Refused, match="too many"):
        linking.take("AAAAAAAA", EVE)

    clock.advance(hours=1)

    assert linking.take(linking.offer(ADA), EVE) == ADA


async def test_nobody_can_confirm_for_another(linking: IdentityLinks, register: AccessStore) -> None:
    linking.take(linking.offer(ADA), EVE)

    assert await linking.confirm(EVE, EVE.id) is None
    assert await linking.confirm(ADA, ADA_THERE.id) is None
    assert register.principal(EVE.id) == EVE.id


async def test_who_revokes_the_account_that_confirmed_revokes_what_it_has_linked(
    linking: IdentityLinks, register: AccessStore
) -> None:
    """Whoever had the owner's account for a minute has no other one left afterwards."""
    linking.take(linking.offer(ADA), EVE, is_stranger=True)
    await linking.confirm(ADA, EVE.id)
    assert register.role(EVE.id) is Role.OWNER

    assert await register.revoke(ADA.id), "although the configuration is what names them"

    assert register.role(EVE.id) is None
    assert register.people == ()
    assert not await register.revoke(ADA.id)


async def test_what_is_linked_to_an_account_that_becomes_the_owners_does_not_become_theirs(
    linking: IdentityLinks, register: AccessStore
) -> None:
    for guest in (EVE, ADA_THERE):
        await register.grant(Person(guest.id, Role.GUEST, guest.name, NOON))
    linking.take(linking.offer(ADA_THERE), EVE)
    await linking.confirm(ADA_THERE, EVE.id)

    linking.take(linking.offer(ADA), ADA_THERE)
    await linking.confirm(ADA, ADA_THERE.id)

    assert Access({ADA.id}, register=register).owns(ADA_THERE.id)
    assert not Access({ADA.id}, register=register).owns(EVE.id)


def test_a_guest_does_not_have_the_accounts_of_the_owner(register: AccessStore, clock: FrozenClock) -> None:
    linking = IdentityLinks(register, clock=clock, owners=lambda _: ("7",))
    platform = ADA_THERE.id.partition(":")[0]

    assert linking.accounts(ADA, ADA_THERE) == (f"{platform}:7",)
    assert linking.accounts(replace(ADA, is_owner=False), ADA_THERE) == ()
