from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.in_memory import InMemoryState
from adapters.port import Attachment, ChatKind, Happening, Inbound, Sender
from bot.access.access import Access, AccessRules, identity
from bot.access.pairing import TRIES, WELCOME, IdentityLinks, Pairings
from bot.access.permissions import origin_and_scope
from bot.access.routing import Routing
from bot.pipeline.delivery.owner import OwnerChats
from bot.pipeline.intake import MAX_MESSAGE_CHARS, Intake
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal
from bot.storage.port import QueuedMessage
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.people import AccessStore, Person, Role
from memory import FrozenClock
from tests.support.factories import HOME, NOON, OWNER, chat, inbound
from tests.support.service import ACCESS_RULES, ServiceHarness, echo


def door(coordinator: InMemoryCoordinator, *, default: str = "personal") -> Intake:
    return Intake(
        coordinator,
        access=Access({OWNER.id}, register=AccessStore()),
        routing=Routing(default, ["personal", "work"], register=AccessStore()),
        register=AccessStore(),
    )


async def test_what_will_be_answered_is_expected_and_nothing_else() -> None:
    coordinator, expected = InMemoryCoordinator(), list[str]()
    (grant,) = await coordinator.claim("w", ["personal"])

    entrance = door(coordinator)
    entrance.expect = lambda envelope: expected.append(envelope.inbound.text)
    await entrance.receive(inbound("who has the key?", update="1"))
    await entrance.receive(inbound("x" * (MAX_MESSAGE_CHARS + 1), update="2"))
    await entrance.receive(replace(inbound("and the bike?", update="3"), sender=Sender("666", "Eve")))

    assert expected == ["who has the key?"]
    assert [message.envelope.inbound.text for message in await coordinator.pending(grant, after=0)] == expected


async def test_what_is_let_in_waits_for_the_agent_of_its_chat() -> None:
    coordinator = InMemoryCoordinator()
    (work,) = await coordinator.claim("w", ["work"])

    assert await door(coordinator, default="work").receive(inbound("hello", update="1"))

    (message,) = await coordinator.pending(work, after=0)
    assert message.envelope.inbound == inbound("hello", update="1")
    assert message.envelope.principal.is_owner


async def test_a_stranger_leaves_no_trace() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])
    stranger = replace(inbound("let me in", update="1"), sender=Sender("666", "owner"))

    assert not await door(coordinator).receive(stranger)

    await coordinator.wait_settled(grant, {HOME.account})
    assert await door(coordinator).receive(inbound("the same update id by the owner", update="1"))


async def test_a_repetition_is_recognised() -> None:
    entrance = door(InMemoryCoordinator())

    assert await entrance.receive(inbound("hello", update="1"))
    assert not await entrance.receive(inbound("hello", update="1"))


async def test_what_is_too_long_to_be_searched_is_not_kept_and_its_sender_is_told_once() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])
    entrance, long = door(coordinator), inbound("x" * (MAX_MESSAGE_CHARS + 1), update="1")

    assert await entrance.receive(long)
    assert not await entrance.receive(long)
    assert await entrance.receive(inbound("x" * MAX_MESSAGE_CHARS, update="2"))

    assert [len(one.envelope.inbound.text) for one in await coordinator.pending(grant, after=0)] == [MAX_MESSAGE_CHARS]
    (told,) = await coordinator.outgoing(grant, [HOME.account], after=0)
    assert told.out.text.startswith("A message has at most 200,000 characters; this one has 200,001")
    assert told.out.reply_to == long.message


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("/ask Where is the key?\nAnd why?", "Where is the key?\nAnd why?"),
        ("/Ask@scrubjay_bot hi", "hi"),
        ("/ask", "/ask"),
    ],
)
async def test_what_is_asked_by_command_is_what_it_says(text: str, taken: str) -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])

    await door(coordinator).receive(inbound(text, update="1"))

    (message,) = await coordinator.pending(grant, after=0)
    assert message.envelope.inbound.text == taken


async def test_text_that_is_not_text_is_mended() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])

    await door(coordinator).receive(replace(inbound("a\ud83d", update="1"), quote="\ude00b"))

    (message,) = await coordinator.pending(grant, after=0)
    assert (message.envelope.inbound.text, message.envelope.inbound.quote) == ("a\ufffd", "\ufffdb")


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[list[QueuedMessage]]:
    """What a listed group heard: before it got another id, after that, and in the next life of the process."""
    old, new = (chat(name, kind=ChatKind.GROUP) for name in ("-5", "-1005"))
    rules = AccessRules(groups=frozenset({"volatile:-5"}))
    events = [
        (inbound("ask", update="1", at=old), True),
        (replace(inbound(new.chat, update="2", at=old), happening=Happening.MOVED), False),
        (inbound("ask again", update="3", at=new), True),
    ]
    for update in ("4", "5"):
        async with SqliteCoordinator.open(tmp_path / "state", clock=FrozenClock(NOON)) as state:
            register, routing = state.register, Routing("personal", ["personal"], register=state.register)
            entrance = Intake(state, access=Access(rules, register=register), routing=routing, register=register)
            for event, is_taken in events:
                assert await entrance.receive(event) == is_taken
            events = [(inbound("and again", update=update, at=new), True)]
    async with SqliteCoordinator.open(tmp_path / "state", clock=FrozenClock(NOON)) as state:
        (grant,) = await state.claim("w", ["personal"])
        yield list(await state.pending(grant, after=0))


def test_a_group_that_got_another_id_is_answered_under_it(team: list[QueuedMessage]) -> None:
    assert [one.envelope.inbound.address.chat for one in team] == ["-5", "-1005", "-1005"]


def test_a_group_that_got_another_id_keeps_its_conversation_and_its_memory(team: list[QueuedMessage]) -> None:
    envelopes = [one.envelope for one in team]

    assert {str(one.session) for one in envelopes} == {"agent:personal:volatile.bot:group:-5"}
    assert {origin_and_scope(one.principal, one.inbound.address)[1] for one in envelopes} == {"chat:volatile.bot:-5"}


async def test_a_closed_door_acknowledges_nothing() -> None:
    coordinator = InMemoryCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])
    entrance = door(coordinator)
    entrance.close()

    async with asyncio.TaskGroup() as group:
        knocking = group.create_task(entrance.receive(inbound("too late", update="1")))
        await asyncio.wait([knocking], timeout=0)
        assert not knocking.done()
        knocking.cancel()

    await coordinator.wait_settled(grant, {HOME.account})


HERE = chat("c")


class House:
    """A door with a reception behind it."""

    def __init__(self) -> None:
        self.coordinator = InMemoryCoordinator()
        self.register = AccessStore()
        self.pairings = Pairings(self.register, clock=FrozenClock(NOON), marks=InMemoryState(), draw=lambda: "ABCDEFGH")
        self.linking = IdentityLinks(self.register, clock=FrozenClock(NOON))
        routing = Routing("personal", ["personal"], register=AccessStore())
        self.door = Intake(
            self.coordinator,
            access=Access((), register=self.register),
            routing=routing,
            pairings=self.pairings,
            linking=self.linking,
            register=AccessStore(),
            owner=OwnerChats(self.coordinator, routing=routing, clock=FrozenClock(NOON)),
        )

    async def told(self) -> list[str]:
        """What is owed to people."""
        (grant,) = await self.coordinator.claim("w", ["personal"])
        return [part.out.text for part in await self.coordinator.outgoing(grant, {HERE.account}, after=0)]

    async def is_quiet(self) -> bool:
        """Whether nothing waits and nothing is owed."""
        (grant,) = await self.coordinator.claim("w", ["personal"])
        await self.coordinator.wait_settled(grant, {HERE.account})
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


async def test_a_stranger_who_sends_the_code_of_the_owners_offer_is_told_who_has_to_confirm_it(house: House) -> None:
    await house.register.grant(Person(OWNER.id, Role.OWNER, "Ada", NOON))
    code = house.linking.offer(OWNER)
    for _ in "twice":
        await house.door.receive(by_stranger(f"/link {code}"))
    await house.door.receive(by_stranger("/link AAAAAAAA", update="2"))

    told = await house.told()
    assert told[0] == f"Now confirm it where you asked for the code: `{OWNER.id}` writes `/link yes`."
    assert [text.partition(".")[0] for text in told[1:]] == ["I do not know you yet"]
    await house.linking.confirm(OWNER, identity(by_stranger()))
    assert house.pairings.open == ()
    assert await house.door.receive(by_stranger("where is the key?", update="3"))
    assert identity(by_stranger()) in {person.identity for person in house.register.people}, "so it can be revoked"
    assert await house.register.revoke(identity(by_stranger()))
    assert not await house.door.receive(by_stranger("and now?", update="4"))


@pytest.mark.parametrize("said", ["/link {code}", "my code is {code}."])
async def test_a_code_that_a_stranger_shows_in_a_group_holds_no_longer(house: House, said: str) -> None:
    code = house.linking.offer(OWNER)
    group = replace(by_stranger(said.format(code=code)), address=chat("-100", kind=ChatKind.GROUP))

    await house.door.receive(group)
    await house.door.receive(by_stranger(f"/link {code}", update="2"))

    assert [text.partition(".")[0] for text in await house.told()] == ["I do not know you yet"]
    assert house.linking.pending(OWNER) is None


async def test_a_guest_lets_nobody_in_by_an_offer(house: House) -> None:
    code = house.linking.offer(Principal("volatile:ana", "Ana", is_owner=False))

    await house.door.receive(by_stranger(f"/link {code}"))

    assert [text.partition(".")[0] for text in await house.told()] == ["I do not know you yet"]
    assert house.linking.pending(Principal("volatile:ana", "Ana", is_owner=False)) is None


async def test_who_guesses_codes_for_links_is_a_stranger_like_any_other(house: House) -> None:
    for number in range(TRIES + 1):
        assert not await house.door.receive(by_stranger("/link AAAAAAAA", update=str(number)))

    assert len(await house.told()) == 1


async def test_whom_the_code_has_made_the_owner_is_told_at_once_who_asks_to_be_let_in(house: House) -> None:
    house.pairings.invite(HERE.account)
    await house.door.receive(by_stranger("ABCDEFGH"))

    await house.door.receive(inbound("hello", update="2", at=replace(HERE, chat="d"), sender="777"))

    assert [text for text in await house.told() if "`777`" in text]


async def test_a_thumb_on_an_answer_is_kept_as_it_was_last_and_begins_no_turn(tmp_path: Path) -> None:
    path = tmp_path / "state"
    async with SqliteCoordinator.open(path, clock=FrozenClock(NOON)) as state:
        service = ServiceHarness(echo, state)
        asked = service.adapter.say("hello")
        await service.run()
        (grant,) = await state.claim("w", ["personal"])
        entrance = Intake(
            state,
            access=Access(ACCESS_RULES, register=state.register),
            routing=service.routing,
            register=state.register,
            rate=lambda rated, by: state.ratings.keep(rated, by.id),
        )
        rating = replace(asked, text="up", message="0", happening=Happening.RATING)
        stranger, guest = Sender("666", "Eve"), Sender("ana", "Ana")

        assert not await entrance.receive(replace(rating, update="r1", text="down"))
        assert not await entrance.receive(replace(rating, update="r2"))
        assert not await entrance.receive(replace(rating, update="r3", sender=guest))
        assert not await entrance.receive(replace(rating, update="r4", sender=stranger))
        assert not await entrance.receive(replace(rating, update="r5", message=asked.message))
        assert not await entrance.receive(replace(rating, update="r6", address=chat("elsewhere")))
        await state.wait_settled(grant, {asked.address.account})

    with closing(sqlite3.connect(path)) as db:
        kept = db.execute("SELECT agent, session, message, who, what FROM rating ORDER BY who").fetchall()
    conversation = "agent:personal:volatile.bot:private:chat"
    assert kept == [
        ("personal", conversation, "0", "volatile:ana", "up"),
        ("personal", conversation, "0", "volatile:owner", "up"),
    ]
