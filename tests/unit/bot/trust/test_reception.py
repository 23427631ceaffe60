from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.port import Attachment, ChatKind, Happening, Inbound, Sender
from bot.door import Door
from bot.durable.register import Register
from bot.durable.volatile import VolatileCoordinator
from bot.trust.access import Access
from bot.trust.pairing import Pairings
from bot.trust.reception import WELCOME, Reception
from bot.trust.routing import Routing
from memory import FrozenClock
from tests.samples import NOON, chat, inbound

HERE = chat("c")


class House:
    """A door with a reception behind it."""

    def __init__(self) -> None:
        self.coordinator = VolatileCoordinator()
        self.register = Register()
        self.pairings = Pairings(self.register, clock=FrozenClock(NOON), draw=lambda: "ABCDEFGH")
        routing = Routing("personal", ["personal"])
        self.door = Door(
            self.coordinator,
            access=Access((), register=self.register),
            routing=routing,
            reception=Reception(self.coordinator, pairings=self.pairings, routing=routing),
        )

    async def told(self) -> list[str]:
        """What is owed to people."""
        (grant,) = await self.coordinator.claim("w", ["personal"])
        return [part.out.text for part in await self.coordinator.outgoing(grant, {HERE.account}, after=0)]

    async def is_quiet(self) -> bool:
        """Whether nothing waits and nothing is owed."""
        (grant,) = await self.coordinator.claim("w", ["personal"])
        await self.coordinator.settled(grant, {HERE.account})
        return True


@pytest.fixture
def house() -> House:
    return House()


def by_stranger(text: str = "hello", *, update: str = "1") -> Inbound:
    return inbound(text, update=update, at=HERE, sender="666")


async def test_a_stranger_gets_a_code_and_no_turn(house: House) -> None:
    assert not await house.door.receive(replace(by_stranger(), attachments=(Attachment("photo", "", "", 9, "ref"),)))

    (text,) = await house.told()
    assert "`ABCDEFGH`" in text
    (grant,) = await house.coordinator.claim("w", ["personal"])
    assert grant.first == 2, "only the answer has a number"


async def test_the_same_event_again_is_answered_once(house: House) -> None:
    await house.door.receive(by_stranger())
    await house.door.receive(by_stranger())
    await house.door.receive(by_stranger(update="2"))

    assert len(await house.told()) == 1


@pytest.mark.parametrize(
    "event",
    [
        replace(by_stranger(), address=chat("c", kind=ChatKind.GROUP)),
        replace(by_stranger(), address=chat("c", kind=ChatKind.CHANNEL)),
        replace(by_stranger(), sender=Sender("666", "Bot", is_bot=True)),
        replace(by_stranger(), happening=Happening.EDIT),
        replace(by_stranger(), happening=Happening.BUTTON),
    ],
)
async def test_elsewhere_strangers_hear_nothing(house: House, event: Inbound) -> None:
    assert not await house.door.receive(event)

    assert await house.is_quiet()


async def test_the_code_of_the_terminal_makes_the_owner(house: House) -> None:
    house.pairings.invite(HERE.account)

    await house.door.receive(by_stranger("/start ABCDEFGH"))

    assert await house.told() == [WELCOME]
    assert await house.door.receive(by_stranger("where is the key?", update="2"))
