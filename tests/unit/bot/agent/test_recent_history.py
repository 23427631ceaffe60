"""A long conversation is read from its end, and no further than a request has room for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bot.agent.history import PAGE, History, read_history, recent_history
from bot.llm.types import Message
from bot.storage.port import Coordinator, Effects, EntryKind, TranscriptEntry
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from tests.samples import NOON, session

ROOMY = 10**9


def turn(number: int, *, tools: int = 0, foreign: bool = False) -> tuple[TranscriptEntry, ...]:
    name = f"turn {number}"
    said = {"text": f"message {number}", "shown": [f"fact{number}"], "is_foreign": foreign}
    asked = TranscriptEntry(EntryKind.MESSAGE, name, NOON, json.dumps(said))
    step = TranscriptEntry(EntryKind.STEP, name, NOON, json.dumps({"role": "assistant", "text": "working"}))
    reply = TranscriptEntry(EntryKind.REPLY, name, NOON, json.dumps({"text": f"answer {number}"}))
    recall = TranscriptEntry(EntryKind.RECALL, name, NOON, "{}")
    return (asked, *[step] * tools, reply, recall)


class Counted:
    """Counts one token for each message, and how many it has counted."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, _: Message) -> int:
        self.calls += 1
        return 1


async def recorded(coordinator: Coordinator, turns: Sequence[tuple[TranscriptEntry, ...]]) -> None:
    (grant,) = await coordinator.claim("test", ["personal"])
    await coordinator.commit(
        grant, Effects(session(), (), entries=tuple(entry for entries in turns for entry in entries))
    )


async def read(
    folder: Path, turns: Sequence[tuple[TranscriptEntry, ...]], *, room: int, count: Callable[[Message], int]
) -> tuple[History, History]:
    """What is read with so much room, and what all of it would be."""
    async with SqliteCoordinator.open(folder / "state", clock=FrozenClock(NOON)) as coordinator:
        await recorded(coordinator, turns)
        here = session()
        everything = await coordinator.transcript(here.agent, str(here), after=await coordinator.last_reset(here))
        return await recent_history(coordinator, here, room=room, count=count), read_history(everything)


RESET = (TranscriptEntry(EntryKind.RESET, "new", NOON, "{}"),)
SNAPSHOT = (TranscriptEntry(EntryKind.SNAPSHOT, "turn 0", NOON, json.dumps({"files": []})),)


@pytest.mark.parametrize(
    "turns",
    [
        [],
        [turn(1)],
        [turn(0, foreign=True), RESET, SNAPSHOT, turn(1), turn(2, foreign=True)],
        [turn(number) for number in range(PAGE)],
        [turn(1), turn(2, tools=2 * PAGE), turn(3), turn(4, tools=PAGE - 2), turn(5)],
    ],
)
async def test_a_conversation_that_fits_is_read_as_it_always_was(
    tmp_path: Path, turns: Sequence[tuple[TranscriptEntry, ...]]
) -> None:
    found, everything = await read(tmp_path, turns, room=ROOMY, count=Counted())

    assert found == everything


async def test_of_a_long_one_no_more_is_read_than_has_room(tmp_path: Path) -> None:
    count = Counted()
    found, everything = await read(tmp_path, [turn(n) for n in range(4 * PAGE)], room=PAGE, count=count)

    newest = found.exchanges[-PAGE // 2 :]
    assert newest == everything.exchanges[-PAGE // 2 :]
    assert len(found.exchanges) + found.earlier.answers == len(everything.exchanges)
    assert len(found.exchanges) <= 2 * PAGE
    assert count.calls <= 2 * PAGE


async def test_others_words_count_however_long_ago_they_were_read(tmp_path: Path) -> None:
    long_ago = [turn(0, foreign=True), *(turn(n) for n in range(1, 3 * PAGE))]
    quoted = TranscriptEntry(
        EntryKind.MESSAGE, "turn 0", NOON, json.dumps({"text": 'he wrote "is_foreign": true', "is_foreign": False})
    )
    clean = [(quoted,), *(turn(n) for n in range(1, 3 * PAGE))]

    tainted, _ = await read(tmp_path / "tainted", long_ago, room=10, count=Counted())
    untainted, _ = await read(tmp_path / "clean", clean, room=10, count=Counted())

    assert tainted.is_foreign
    assert not untainted.is_foreign
