from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from adapters.in_memory import InMemoryState
from bot.storage.journal_check import JournalCheck
from bot.storage.port import Grant
from memory import OWNER, FrozenClock, Memory, Origin
from tests.support.factories import NOON

GRANT = Grant("personal", epoch=1, first=0)


class Desk:
    """A memory, the marks, and what was said."""

    def __init__(self, memory: Memory, workspace: Path) -> None:
        self.memory = memory
        self.marks = InMemoryState()
        self.said: list[str] = []
        self._workspace = workspace

    async def write(self, count: int) -> None:
        for number in range(count):
            text = f"Fact {number}."
            await self.memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=text, actor="owner")

    def change(self, change: Callable[[bytes], bytes]) -> None:
        (journal,) = self._workspace.glob(".memory/journal/*.jsonl")
        journal.write_bytes(change(journal.read_bytes()))

    async def tell(self, text: str, about: str) -> None:
        self.said.append(text)

    async def start(self, *meanwhile: Callable[[bytes], bytes]) -> None:
        """Let the service run until it has noted how the journal ends, once more after each change, and end."""
        noted, changes = asyncio.Event(), iter(meanwhile)

        async def pause(seconds: float) -> None:
            if change := next(changes, None):
                self.change(change)
                return
            noted.set()
            await asyncio.Event().wait()

        ends = JournalCheck({"personal": self.memory}.__getitem__, self.marks, pause=pause, tell=self.tell)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(ends.run(GRANT))
            await noted.wait()
            running.cancel()
        await ends.finish(GRANT)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    workspace = tmp_path / "notes"
    async with await Memory.open(workspace, index=tmp_path / "index", clock=FrozenClock(NOON)) as memory:
        yield Desk(memory, workspace)


async def test_a_journal_that_has_grown_is_nothing_to_speak_of(desk: Desk) -> None:
    await desk.start()
    await desk.write(1)
    await desk.start()
    await desk.write(3)
    await desk.start()

    assert desk.said == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data.splitlines(keepends=True)[0], id="cut off"),
        pytest.param(lambda data: data.replace(b'"actor":"owner"', b'"actor":"guest"'), id="changed"),
        pytest.param(lambda data: data.replace(b'"undoes"', b'"unroes"'), id="damaged"),
    ],
)
async def test_an_end_that_is_not_as_it_was_left_is_told_once(desk: Desk, change: Callable[[bytes], bytes]) -> None:
    await desk.write(2)
    await desk.start()
    desk.change(change)

    await desk.start()
    await desk.start()

    (told,) = desk.said
    assert "older backup" in told


async def test_an_end_that_is_cut_off_while_the_service_runs_is_told_once(desk: Desk) -> None:
    await desk.write(3)

    await desk.start(bytes, lambda data: data.splitlines(keepends=True)[0], bytes)
    await desk.start()

    (told,) = desk.said
    assert "older backup" in told


async def test_a_journal_that_cannot_be_read_now_ends_nothing(desk: Desk, tmp_path: Path) -> None:
    await desk.write(1)
    (tmp_path / "notes").rename(tmp_path / "away")
    await desk.start()
    (tmp_path / "away").rename(tmp_path / "notes")
    await desk.start()

    assert desk.said == []
