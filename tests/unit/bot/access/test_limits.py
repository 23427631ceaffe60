from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from adapters.port import Address, ChatKind, Inbound, Sender
from bot.access.access import Access, AccessRules
from bot.access.limits import Limiter
from bot.access.routing import Routing
from bot.config.options.platforms import LimitsSection
from bot.pipeline.intake import Intake
from bot.storage.coordinator import Coordinator
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal
from bot.storage.port import Grant
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore
from memory import FrozenClock
from tests.support.conversation import Conversation
from tests.support.factories import NOON, chat, inbound

ZONE = ZoneInfo("Europe/Berlin")
TEAM = chat("-100", kind=ChatKind.GROUP)
GUEST = Principal("volatile:8", "Guest", is_owner=False)
OWNER = Principal("volatile:7", "Owner", is_owner=True)
RULES = AccessRules(owners=frozenset({OWNER.id}), guests=frozenset({GUEST.id, "volatile:9"}))
SMALL = LimitsSection(guest_turns=3, guest_turns_day=5, chat_turns=4, guest_tokens_day=100, guests_tokens_day=150)


class House:
    """A door with limits, at noon.

    Attributes:
        clock: stands still until it is moved.
        turns: how many messages were let through.
    """

    def __init__(
        self, limits: LimitsSection = SMALL, limiter: Limiter | None = None, coordinator: Coordinator | None = None
    ) -> None:
        self.clock = FrozenClock(NOON)
        self.coordinator = coordinator or InMemoryCoordinator()
        self.limiter = limiter or Limiter(limits, clock=self.clock, zone=ZONE)
        self.turns = 0
        self._said = 0
        self._door = Intake(
            self.coordinator,
            access=Access(RULES, register=AccessStore()),
            routing=Routing("personal", ["personal"], register=AccessStore()),
            limiter=self.limiter,
            register=AccessStore(),
        )

    async def say(
        self,
        count: int = 1,
        *,
        sender: str = "8",
        at: Address | None = None,
        text: str = "hello",
        piece_of: str = "",
        awaits_answer: bool = False,
    ) -> int:
        """Somebody says so many things; how many of them are let through."""
        before = self.turns
        for _ in range(count):
            self._said += 1
            said = inbound(text, update=str(self._said), at=at or chat(f"with {sender}"), sender=sender)
            self.turns += await self._door.receive(replace(said, piece_of=piece_of, awaits_answer=awaits_answer))
        return self.turns - before

    async def nothing_is_owed(self, grant: Grant) -> None:
        for to in (THERE, TEAM):
            await self.coordinator.wait_delivered(grant, to)

    async def told(self) -> list[str]:
        """What people were told, by nobody's turn."""
        (grant,) = await self.coordinator.claim("w", ["personal"])
        async with asyncio.TaskGroup() as group:
            owed = group.create_task(self.coordinator.outgoing(grant, {"volatile.bot"}, after=0))
            nothing = group.create_task(self.nothing_is_owed(grant))
            await asyncio.wait([owed, nothing], return_when=asyncio.FIRST_COMPLETED)
            parts = owed.result() if owed.done() else ()
            owed.cancel()
            nothing.cancel()
        return [part.out.text for part in parts]


THERE = chat("with 8")


@pytest.fixture
def house() -> House:
    return House()


async def test_a_flood_of_a_guest_is_let_through_up_to_the_limit_and_told_once(house: House) -> None:
    assert await house.say(1000) == 3

    assert await house.told() == [
        "You have asked as much as I may answer now. I go on in 10 minutes; what comes before, I do not read."
    ]
    assert await house.say(sender="9") == 1
    assert await house.say(50, sender="7") == 50, "the owner has no limit"
    assert house.limiter.refused == {GUEST.id: 997}
    house.clock.advance(days=1)
    assert house.limiter.refused == {}


async def test_after_ten_minutes_it_goes_on_and_after_the_days_limit_it_does_not(house: House) -> None:
    await house.say(10)
    house.clock.advance(minutes=10)

    assert await house.say(10) == 2
    assert (await house.told())[1:] == [
        "You have asked as much as I may answer now. I go on in 11 hours; what comes before, I do not read."
    ]
    house.clock.advance(hours=11)
    assert await house.say(10) == 3, "midnight on the owner's clock has passed"


async def test_whoever_is_above_a_limit_can_stop_what_was_begun_for_them(house: House) -> None:
    assert await house.say(2) + await house.say(text="/stop") + await house.say(9) == 4, "to stop is no turn"

    assert await house.say(9, text="/stop") == 2, "once for each turn"


async def test_a_group_has_a_limit_of_its_own_and_hears_of_it_once() -> None:
    group = House()
    assert await group.say(2, sender="8", at=TEAM) == 2
    assert await group.say(9, sender="9", at=TEAM) == 2
    assert await group.say(9, sender="8", at=TEAM) == 0

    (text,) = await group.told()
    assert text.startswith("This chat has asked")


async def test_the_pieces_of_one_message_are_one_turn_up_to_twenty(house: House) -> None:
    assert await house.say(10, piece_of="album") == 10
    assert await house.say(100, piece_of="endless") == 40
    assert await house.say(10, piece_of="late") == 0
    assert len(await house.told()) == 1


async def test_tokens_have_limits_for_one_guest_and_for_all_together(house: House) -> None:
    await house.limiter.charge(GUEST, THERE, 100)
    assert await house.say() == 0
    assert await house.say(sender="9") == 1

    await house.limiter.charge(Principal("volatile:9", "Other", is_owner=False), THERE, 50)
    assert await house.say(2, sender="9") == 0
    assert await house.say(sender="7") == 1
    assert house.limiter.guests_tokens == 150


async def test_the_owners_own_limit_leaves_commands_alone() -> None:
    house = House(SMALL.model_copy(update={"owner_tokens_day": 100}))
    await house.limiter.charge(OWNER, THERE, 100)

    assert await house.say(3, sender="7", at=TEAM) == 0
    assert await house.say(sender="7", at=TEAM, text="/etc/hosts is broken") == 0
    assert await house.say(sender="7", at=TEAM, text="/again") == 0, "a model would be asked"
    assert await house.say(sender="7", at=TEAM, text="/status") == 1
    (text,) = await house.told()
    assert "100 tokens a day" in text


@pytest.mark.parametrize("sender", ["7", "8"])
async def test_where_the_platform_waits_for_an_answer_it_is_told_each_time(sender: str) -> None:
    house = House(SMALL.model_copy(update={"owner_tokens_day": 100}))
    for principal in (OWNER, GUEST):
        await house.limiter.charge(principal, TEAM, 100)

    assert await house.say(2, sender=sender, at=TEAM) == 0
    assert len(await house.told()) == 1
    assert await house.say(2, sender=sender, at=TEAM, awaits_answer=True) == 0
    assert len(await house.told()) == 3


async def test_in_private_the_owner_hears_of_their_own_limit_each_time() -> None:
    house = House(SMALL.model_copy(update={"owner_tokens_day": 100}))
    await house.limiter.charge(OWNER, THERE, 100)

    assert await house.say(3, sender="7") == 0
    assert await house.say(sender="7", text="/status") == 1
    assert len(await house.told()) == 3
    assert await house.say(9, sender="7", piece_of="album") == 0
    assert len(await house.told()) == 4, "it is one message"


async def test_the_days_report_and_the_owners_own_limit_are_both_told_when_they_meet(tmp_path: Path) -> None:
    async with SqliteCoordinator.open(tmp_path / "s", clock=FrozenClock(NOON)) as state:
        house = House(SMALL.model_copy(update={"owner_tokens_day": 100}), coordinator=state)
        await house.say(10, at=TEAM)
        house.clock.advance(days=1)
        await house.limiter.charge(OWNER, THERE, 100)

        assert await house.say(sender="7") == 0

        told = await house.told()
        (grant,) = await state.claim("w", ["personal"])
        ids = [part.out.id for part in await state.outgoing(grant, {"volatile.bot"}, after=0)]
    assert len(set(ids)) == len(ids), "a platform takes two messages of one id for one"
    assert any("messages of guests were not answered" in text for text in told)
    assert any("100 tokens a day" in text for text in told)


async def test_zero_is_no_limit() -> None:
    unlimited = House(LimitsSection(**dict.fromkeys(LimitsSection.model_fields, 0)))

    assert await unlimited.say(1000) == 1000


async def test_counts_and_what_was_told_survive_a_restart(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        first = House(limiter=await Limiter.open(SMALL, state.counts, clock=clock, zone=ZONE))
        await first.limiter.charge(GUEST, THERE, 60)
        await first.say(40)
        refused = first.limiter.refused
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        later = House(limiter=await Limiter.open(SMALL, state.counts, clock=clock, zone=ZONE))
        assert later.limiter.refused == refused
        assert await later.say(100) == 0
        assert await later.told() == []
        assert later.limiter.guests_tokens == 60
        clock.advance(days=2)
        await Limiter.open(SMALL, state.counts, clock=clock, zone=ZONE)
        assert [one.span.value for one in await state.counts.load("")] == ["report"]


async def test_the_owner_hears_once_a_day_that_something_was_not_answered(house: House) -> None:
    await house.say(5)
    await house.say(2, sender="7", at=chat("with 8"))
    await house.say(5)
    await house.say(sender="7", at=chat("with 8"))

    told = [text for text in await house.told() if "`/status`" in text]
    assert len(told) == 1
    assert told[0].startswith("2 messages of guests were not answered, because a limit was reached")
    house.clock.advance(days=1)
    await house.say(sender="7", at=chat("with 8"))
    assert "5 messages of guests" in (await house.told())[-1]


async def test_status_says_whose_messages_were_above_a_limit(here: Conversation) -> None:
    asked = Inbound("u", chat("c"), Sender("8", "Guest"), "hello", "m", NOON)
    for _ in range(25):
        await here.context.limiter.admit(asked, GUEST)

    assert "- Messages above a limit today: 5 (`volatile:8` 5); guests took 0 tokens" in await here.say("/status")
