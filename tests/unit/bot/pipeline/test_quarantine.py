"""One event that cannot be taken is a problem, never an end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from adapters.port import Attachment, ChatKind, Happening, Sender, Unreadable
from bot.access.access import Access
from bot.access.routing import Routing
from bot.pipeline.delivery.owner import OwnerChats
from bot.pipeline.intake import Intake
from bot.pipeline.quarantine import TRIES, Quarantine
from bot.storage.coordinator import Coordinator
from bot.storage.database import read_state
from bot.storage.port import Envelope
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.tables.dead_letters import list_quarantined
from bot.storage.tables.people import AccessStore
from bot.waiting import InstantPause
from memory import FrozenClock
from tests.support.factories import HOME, NOON, OWNER, chat, inbound

POISON = "poison"
PHONE = chat("owner", platform="volatile")
"""Where the owner is told: a terminal does not stay open."""


class Fussy(SqliteCoordinator):
    """A state file that breaks in an unforeseen way over one text, so often."""

    failures = 10**9

    async def publish(self, envelope: Envelope) -> bool:
        if envelope.inbound.text == POISON and self.failures:
            self.failures -= 1
            raise ZeroDivisionError
        return await super().publish(envelope)


@dataclass(frozen=True, slots=True)
class House:
    """A door with all that stands behind it."""

    door: Intake
    coordinator: Fussy
    pause: InstantPause


@asynccontextmanager
async def house(folder: Path) -> AsyncIterator[House]:
    async with Fussy.open(folder / "state", clock=FrozenClock(NOON)) as coordinator:
        access, routing, pause = (
            Access({OWNER.id}, register=AccessStore()),
            Routing("personal", ["personal"], register=AccessStore()),
            InstantPause(),
        )
        owner = OwnerChats(coordinator, routing=routing, clock=FrozenClock(NOON))
        await owner.load()
        await owner.remember(OWNER, inbound("hello", update="1", at=PHONE))
        quarantine = Quarantine(
            coordinator.quarantine, folder=folder / "unreadable", access=access, owner=owner, pause=pause
        )
        door = Intake(
            coordinator,
            access=access,
            routing=routing,
            register=coordinator.register,
            quarantine=quarantine,
            owner=owner,
        )
        yield House(door, coordinator, pause)


async def waiting(coordinator: Coordinator) -> list[str]:
    (grant,) = await coordinator.claim("test", ["personal"])
    return [one.envelope.inbound.text for one in await coordinator.pending(grant, after=0)]


async def told(coordinator: Coordinator) -> list[str]:
    (grant,) = await coordinator.claim("test", ["personal"])
    return [part.out.text for part in await coordinator.outgoing(grant, {PHONE.account}, after=0)]


async def test_what_cannot_be_taken_is_given_up_after_three_tries_and_what_follows_is_taken(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        assert await here.door.receive(inbound("hello", update="1"))
        assert not await here.door.receive(inbound(POISON, update="2"))
        assert await here.door.receive(inbound("and then?", update="3"))

        assert len(here.pause.waited) == TRIES - 1
        assert await waiting(here.coordinator) == ["hello", "and then?"]


async def test_the_owner_is_told_once_and_it_is_kept_for_them(tmp_path: Path) -> None:
    for _ in range(2):  # the platform has not heard that it was received, and hands it over again after a restart
        async with house(tmp_path) as here:
            await here.door.receive(inbound("hello", update="1"))
            assert not await here.door.receive(inbound(POISON, update="2"))

            (text,) = await told(here.coordinator)
            assert "scrubjay doctor" in text

    (one,) = await read_state(tmp_path / "state", list_quarantined)
    assert (one.account, one.update, one.count, one.reason) == (HOME.account, "2", 1, "ZeroDivisionError")
    assert json.loads(Path(one.kept).read_text())["text"] == POISON
    assert Path(one.kept).stat().st_mode & 0o777 == 0o600


async def test_tries_are_counted_over_restarts(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        for _ in range(TRIES - 1):
            await here.coordinator.quarantine.failed(HOME.account, "2", "earlier")
    async with house(tmp_path) as here:
        assert not await here.door.receive(inbound(POISON, update="2"))

        assert here.pause.waited == []


async def test_what_can_be_taken_leaves_the_tries_of_others_counted(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        others = [(HOME.account, "2"), ("other", "1")]
        for account, update in (*others, (HOME.account, "1")):
            await here.coordinator.quarantine.failed(account, update, "earlier")

        await here.coordinator.quarantine.taken(HOME.account, "1")

        tries = [await here.coordinator.quarantine.failed(*one, "again") for one in (*others, (HOME.account, "1"))]
        assert tries == [2, 2, 1]


async def test_what_works_at_the_second_try_is_taken_and_leaves_no_trace(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        here.coordinator.failures = 1
        assert await here.door.receive(inbound(POISON, update="2"))
        here.coordinator.failures = TRIES - 1
        assert await here.door.receive(inbound(POISON, update="3"))

        assert await waiting(here.coordinator) == [POISON, POISON]
    assert await read_state(tmp_path / "state", list_quarantined) == ()


async def test_of_strangers_nothing_is_kept_but_a_number(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        await here.door.receive(inbound("hello", update="1"))
        for update in ("7", "8", "8"):
            await here.door.unreadable(Unreadable(HOME.account, update, "666", '{"text": "let me in"}', "ValueError"))

        (text,) = await told(here.coordinator)
        assert "stranger" in text
    (one,) = await read_state(tmp_path / "state", list_quarantined)
    assert (one.update, one.count, one.kept) == ("", 2, "")
    assert not (tmp_path / "unreadable").exists()
    assert b"let me in" not in (tmp_path / "state").read_bytes()


async def test_every_string_of_an_event_is_mended_at_the_door(tmp_path: Path) -> None:
    bad = "a\ud83d\0"
    event = replace(
        inbound(bad, update="1"),
        sender=Sender("owner", bad),
        quote=bad,
        quote_by=Sender(bad, bad),
        attachments=(Attachment("file", bad, bad, 1, bad),),
        piece_of=bad,
        reply_token=bad,
        message=bad,
    )
    async with house(tmp_path) as here:
        assert await here.door.receive(event)

        (grant,) = await here.coordinator.claim("test", ["personal"])
        (message,) = await here.coordinator.pending(grant, after=0)
    taken = message.envelope.inbound
    assert (taken.sender.name, taken.quote, taken.reply_token, taken.piece_of) == ("a\ufffd\ufffd",) * 4
    assert taken.attachments == (Attachment("file", "a\ufffd\ufffd", "a\ufffd\ufffd", 1, "a\ufffd\ufffd"),)
    assert json.dumps(message.envelope.principal.name, ensure_ascii=False).encode()


@pytest.mark.parametrize("is_known", [True, False])
async def test_only_a_chat_in_which_somebody_was_heard_is_followed_to_its_new_id(
    tmp_path: Path, *, is_known: bool
) -> None:
    old, new = (chat(name, kind=ChatKind.GROUP, platform="terminal") for name in ("-5", "-1005"))
    async with house(tmp_path) as here:
        if is_known:
            await here.door.receive(inbound("hello", update="1", at=old))
        move = replace(inbound(new.chat, update="2", sender="666", at=old), happening=Happening.MOVED)
        assert not await here.door.receive(move)

        assert here.coordinator.register.known(new).lasting == (old if is_known else new).chat
        assert not await here.coordinator.knows(chat("-55", kind=ChatKind.GROUP, platform="terminal"))
