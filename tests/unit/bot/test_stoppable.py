from __future__ import annotations

import asyncio

from adapters.port import ChatKind
from bot.stoppable import STOPPED, Stopping
from bot.turn import Principal, Reply, Responder, Turn
from tests.rooms import Room
from tests.samples import OWNER, chat

TEAM = chat("-100", kind=ChatKind.GROUP)
ANA, BO = Principal("volatile:1", "Ana", is_owner=False), Principal("volatile:2", "Bo", is_owner=False)


async def ended(stopping: Stopping, turn: Turn, *by: Principal) -> tuple[list[bool], str]:
    """Which of these stopped a turn that never ends by itself, one after the other, and what it answered."""
    begun = asyncio.Event()

    async def endless(_: Turn) -> Reply:
        begun.set()
        await asyncio.Event().wait()
        return Reply("")

    async with asyncio.TaskGroup() as group:
        answer = group.create_task(run(stopping, endless, turn))
        await begun.wait()
        stopped = [stopping.stop(str(turn.session), by=who) for who in by]
    return stopped, answer.result()


async def run(stopping: Stopping, respond: Responder, turn: Turn) -> str:
    return (await stopping.stoppable(respond)(turn)).text


async def test_a_turn_is_stopped_by_whoever_began_it_or_by_the_owner(here: Room) -> None:
    turn = here.turn("Tell a story.", who=ANA, at=TEAM)

    assert await ended(Stopping(), turn, BO, ANA) == ([False, True], STOPPED)
    assert await ended(Stopping(), turn, BO, OWNER) == ([False, True], STOPPED)


async def test_what_code_answers_is_not_cut_short(here: Room) -> None:
    stopping, turn = Stopping(), here.turn("The bike is red.")
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def noting(_: Turn) -> Reply:
        begun.set()
        await go_on.wait()
        return Reply("Noted.")

    async with asyncio.TaskGroup() as group:
        answer = group.create_task(run(stopping, stopping.to_its_end(noting), turn))
        await begun.wait()
        assert not stopping.stop(str(turn.session), by=turn.principal)
        go_on.set()

    assert answer.result() == "Noted."


async def test_a_guest_in_a_group_is_told_what_stop_means(here: Room) -> None:
    assert "Nothing that you began" in await here.say("/stop", who=BO, at=TEAM)
    assert (await here.say("/stop", at=TEAM)).startswith("Nothing is under way")
