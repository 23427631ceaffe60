from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import time
from pathlib import Path

import pytest

from adapters.in_memory import InMemoryState
from adapters.port import ChatKind
from bot.agent.context.prompt import recalled_text
from bot.reminders import Triggers
from bot.storage.sqlite import SqliteCoordinator
from memory import Recall
from tests.support.conversation import Conversation
from tests.support.factories import chat

CAR = "- T(when=Ana): ask her about the car\n"


@pytest.fixture
def marks() -> InMemoryState:
    return InMemoryState()


async def write(here: Conversation, text: str) -> None:
    page = here.folder / "personal" / "bank" / "intentions.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    await here.agents["personal"].memory.sync()


async def joined(here: Conversation, marks: InMemoryState, text: str, turn: str = "") -> list[str]:
    triggers = Triggers(marks, clock=here.clock)
    return [one.text for one in await triggers.join(here.turn(text, turn=turn or None))]


async def test_an_intention_comes_up_when_its_trigger_is_spoken_of(here: Conversation, marks: InMemoryState) -> None:
    await write(here, CAR + "- T(when=花园): 问她水管的事\n")

    assert await joined(here, marks, "What about Bob?") == []
    assert await joined(here, marks, "I met ana today") == ["ask her about the car"]
    assert await joined(here, marks, "今天去了花园") == ["问她水管的事"]


async def test_it_cools_down_for_a_day_also_over_a_restart(here: Conversation, marks: InMemoryState) -> None:
    await write(here, CAR)

    assert await joined(here, marks, "Ana called", turn="t9") == ["ask her about the car"]
    assert await joined(here, marks, "Ana called", turn="t9") == ["ask her about the car"]  # repeated after a crash
    assert await joined(here, marks, "Ana again") == []
    here.clock.advance(hours=25)
    assert await joined(here, marks, "Ana again") == ["ask her about the car"]


async def test_of_two_turns_at_the_same_moment_one_brings_it_up(here: Conversation, tmp_path: Path) -> None:
    await write(here, CAR)
    async with SqliteCoordinator.open(tmp_path / "state.sqlite", clock=here.clock) as coordinator:
        triggers = Triggers(coordinator.marks, clock=here.clock)
        turns = [here.turn("Ana called", turn=name) for name in ("t1", "t2")]

        first = await asyncio.gather(*map(triggers.join, turns))
        again = [await triggers.join(turn) for turn in turns]  # repeated after a crash

    assert sorted(map(len, first)) == [0, 1]
    assert again == first


async def test_three_come_up_in_a_day_whatever_their_triggers(here: Conversation, marks: InMemoryState) -> None:
    await write(here, "".join(f"- T(when=Ana): thing {n}\n" for n in range(5)))

    assert len(await joined(here, marks, "Ana called")) == 3
    assert await joined(here, marks, "Ana again") == []


async def test_a_trigger_that_everything_matches_is_spoken_of_by_nothing(
    here: Conversation, marks: InMemoryState
) -> None:
    await write(here, "- T(when=*): a\n- T(when=the): b\n- T(when=): c\n")

    assert await joined(here, marks, "the * of the car") == []
    lines = [one.line for one in await here.agents["personal"].memory.problems() if one.path.endswith("intentions.md")]
    assert lines == [1, 3]


async def test_an_owners_intention_is_not_shown_in_a_group(here: Conversation, marks: InMemoryState) -> None:
    await write(here, CAR)
    turn = here.turn("Ana called", at=chat("g", kind=ChatKind.GROUP))
    shared = replace(turn, scope=here.turn("x").scope)  # where a route shares the workspace

    assert await Triggers(marks, clock=here.clock).join(turn) == ()
    assert await Triggers(marks, clock=here.clock).join(shared) == ()


async def test_in_quiet_hours_nothing_comes_up(here: Conversation, marks: InMemoryState) -> None:
    await write(here, CAR)
    quiet = Triggers(marks, clock=here.clock, quiet=(time(0), time(23, 59)))

    assert await quiet.join(here.turn("Ana called")) == ()


async def test_a_model_reads_it_as_an_intention(here: Conversation, marks: InMemoryState) -> None:
    await write(here, CAR)
    found = await Triggers(marks, clock=here.clock).join(here.turn("Ana called"))
    text, _ = recalled_text(Recall("", "words", "", 0, ()), frozenset(), mark="0f3a9c21", intentions=found)

    assert "- bank/intentions.md#L1 (an intention that comes up now, by Ana): ask her about the car" in text
