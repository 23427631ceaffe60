from __future__ import annotations

from pathlib import Path

from adapters.port import ChatKind
from bot.access.access import Access, AccessRules
from bot.storage.keys import Principal
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.support.conversation import Conversation
from tests.support.factories import NOON, chat, inbound

RULES = AccessRules(
    owners=frozenset({"volatile:7"}), guests=frozenset({"volatile:8"}), groups=frozenset({"volatile:c"})
)


async def test_the_owner_shuts_everybody_else_out_and_lets_them_in_again(here: Conversation) -> None:
    access = Access(RULES, register=here.context.register)
    owner, guest = (inbound("hello", update="1", at=chat("c"), sender=number) for number in ("7", "8"))

    assert "nobody but you" in await here.say("/guests off")
    assert access.admit(owner)
    assert access.admit(guest) is None
    assert "nobody but you" in await here.say("/guests")
    await here.say("/guests on")
    assert access.admit(guest)


async def test_who_waits_is_shown_in_private_and_let_in_or_not(here: Conversation) -> None:
    for number in ("8", "9"):
        await here.context.pairings.ask(inbound("hello", update=number, at=chat(number), sender=number))
    listed = await here.reply("/guests")
    in_a_group = await here.reply("/guests", at=chat("-1", kind=ChatKind.GROUP))

    assert [button.data for button in listed.buttons] == ["/guests approve volatile:8", "/guests approve volatile:9"]
    assert "1. `volatile:8`, called `8`" in listed.text
    assert not in_a_group.buttons
    assert await here.say("/guests approve volatile:8") == await here.say("/guests approve volatile:8")
    assert "not let in" in await here.say("/guests ignore volatile:9")
    assert "is let in already" in await here.say("/guests ignore volatile:8")
    assert here.context.pairings.open == ()
    assert [person.identity for person in here.context.register.people] == ["volatile:8"]


async def test_only_the_owner_lets_people_in(here: Conversation) -> None:
    code = await here.context.pairings.ask(inbound("hello", update="9", at=chat("9"), sender="9"))

    await here.say(f"/guests approve {code}", who=Principal("volatile:8", "Mallory", is_owner=False))

    assert here.context.register.people == ()


async def test_that_they_are_shut_out_outlives_the_process(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        await state.register.close(closed=True)
    async with SqliteCoordinator.open(tmp_path / "s", clock=clock) as state:
        assert state.register.is_closed
