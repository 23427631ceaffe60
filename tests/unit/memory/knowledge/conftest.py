"""A memory whose days pass, for tests of what is made of facts."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memory import OWNER, FrozenClock, Memory, Origin
from memory.errors import WriterFailed
from memory.knowledge.reflection.reflect import Reflection, reflect


class Life:
    """A memory whose days pass."""

    def __init__(self, folder: Path, memory: Memory, clock: FrozenClock) -> None:
        self.folder = folder
        self.memory = memory
        self.clock = clock
        self._count = 0

    async def tell(self, *texts: str, actor: str = "telegram:1", origin: Origin = Origin.OWNER) -> None:
        for text in texts:
            self._count += 1
            await self.memory.remember(text, origin=origin, scope=OWNER, op_id=f"t{self._count}:0", actor=actor)

    async def reflect(self, *, since: date | None = None, dry_run: bool = False) -> Reflection:
        self._count += 1
        return await self.memory.run(reflect, since=since, dry_run=dry_run, op_id=f"r{self._count}", actor="agent:x")

    def page(self, name: str) -> str:
        return (self.folder / "bank" / name).read_text(encoding="utf-8")

    def edit(self, name: str, text: str) -> None:
        path = self.folder / "bank" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def pages(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*.md")}


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Life]:
    clock = FrozenClock(datetime(2026, 1, 3, 9, tzinfo=UTC))
    async with await Memory.open(tmp_path / "notes", index=tmp_path / "index.sqlite", clock=clock) as memory:
        yield Life(tmp_path / "notes", memory, clock)


async def told(life: Life) -> None:
    await life.tell(
        "O(c=0.7) @Peter: Prefers concise replies.", "@Peter lives in Berlin.", "B @Peter @Anna: Met at the castle."
    )
    life.clock.advance(days=1)
    await life.tell("@Peter asked again for short replies.", "T(due=2026-02-01) @Peter: Send the offer.")
    life.clock.advance(days=1)
    await life.tell("@Peter moved to Lisbon.", "@Anna hates tea.", "O(c=0.9) @Anna: Loves tea.")


class ScriptedWriter:
    """Answers what it is told to, and notes what it was given."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.data: list[str] = []

    async def write(self, instructions: str, data: str) -> str:
        assert "JSON" in instructions
        self.data.append(data)
        if self.answer is None:
            raise WriterFailed("nobody is there")
        return self.answer


@contextmanager
def opened_files() -> Iterator[list[str]]:
    """The names of all files that are opened within a block."""
    names: list[str] = []
    is_open = True

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if is_open and event == "open":
            names.append(str(arguments[0]).rpartition("/")[2])

    sys.addaudithook(hear)  # it stays, and hears no more
    yield names
    is_open = False
