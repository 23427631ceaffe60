from __future__ import annotations

import asyncio
from dataclasses import replace

from adapters.port import Sender
from bot.door import Door
from bot.durable.volatile import VolatileCoordinator
from bot.trust.access import Access
from bot.trust.routing import Routing
from tests.samples import HOME, OWNER, inbound


def door(coordinator: VolatileCoordinator, *, default: str = "personal") -> Door:
    return Door(coordinator, access=Access({OWNER.id}), routing=Routing(default, ["personal", "work"]))


async def test_what_is_let_in_waits_for_the_agent_of_its_chat() -> None:
    coordinator = VolatileCoordinator()
    (work,) = await coordinator.claim("w", ["work"])

    assert await door(coordinator, default="work").receive(inbound("hello", update="1"))

    (message,) = await coordinator.pending(work, after=0)
    assert message.envelope.inbound == inbound("hello", update="1")
    assert message.envelope.principal.is_owner


async def test_a_stranger_leaves_no_trace() -> None:
    coordinator = VolatileCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])
    stranger = replace(inbound("let me in", update="1"), sender=Sender("666", "owner"))

    assert not await door(coordinator).receive(stranger)

    await coordinator.settled(grant, {HOME.account})
    assert await door(coordinator).receive(inbound("the same update id by the owner", update="1"))


async def test_a_repetition_is_recognised() -> None:
    entrance = door(VolatileCoordinator())

    assert await entrance.receive(inbound("hello", update="1"))
    assert not await entrance.receive(inbound("hello", update="1"))


async def test_text_that_is_not_text_is_mended() -> None:
    coordinator = VolatileCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])

    await door(coordinator).receive(replace(inbound("a\ud83d", update="1"), quote="\ude00b"))

    (message,) = await coordinator.pending(grant, after=0)
    assert (message.envelope.inbound.text, message.envelope.inbound.quote) == ("a\ufffd", "\ufffdb")


async def test_a_closed_door_acknowledges_nothing() -> None:
    coordinator = VolatileCoordinator()
    (grant,) = await coordinator.claim("w", ["personal"])
    entrance = door(coordinator)
    entrance.close()

    async with asyncio.TaskGroup() as group:
        knocking = group.create_task(entrance.receive(inbound("too late", update="1")))
        await asyncio.wait([knocking], timeout=0)
        assert not knocking.done()
        knocking.cancel()

    await coordinator.settled(grant, {HOME.account})
