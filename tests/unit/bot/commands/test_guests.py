from __future__ import annotations

from pathlib import Path

from bot.access.access import Access, AccessRules
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.conversation import Conversation
from tests.support.factories import NOON, chat, inbound

RULES = AccessRules(
    owners=frozenset({"volatile:7"}), guests=frozenset({"volatile:8"}), groups=frozenset({"volatile:c"})
)


async def test_the_owner_shuts_everybody_else_out_and_lets_them_in_again(here: Conversation) -> None:
    access = Access(RULES, register=here.desk.register)
    owner, guest = (inbound("hello", update="1", at=chat("c"), sender=number) for number in ("7", "8"))

    assert "nobody but you" in await here.say("/guests off")
    assert access.admit(owner)
    assert access.admit(guest) is None
    assert "nobody but you" in await here.say("/guests")
    await here.say("/guests on")
    assert access.admit(guest)


async def test_that_they_are_shut_out_outlives_the_process(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        await state.register.close(closed=True)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        assert state.register.is_closed
