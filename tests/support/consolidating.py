"""A memory that hears, uses and consolidates, for tests of what becomes of it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory import OWNER, FrozenClock, Memory, Observed, Origin
from memory.index.sql import Index
from memory.journal.records import Action, Operation
from memory.knowledge.context import KnowledgeContext
from memory.life.consolidation.consolidate import consolidate
from memory.life.consolidation.plan import Consolidation, take_back
from memory.ports import Embedding
from memory.types import Scope

AGENT = "agent:personal"
MORNING = datetime(2026, 11, 9, 8, tzinfo=UTC)

PRINTER = (
    "The printer on the second floor is broken.",
    "The printer on the second floor is broken again.",
    "On the second floor the printer is broken, they say.",
)
OTHERS = ("Lunch was soup.", "The bus was late today.")
_MACHINES = re.compile(rb'"(?:machine":"[a-z]{8}|prev":"[0-9a-f]*)",?')


class Listener:
    """One memory and its clock; what it is told has ids in order, so that equal lives leave equal bytes."""

    def __init__(self, folder: Path, memory: Memory, clock: FrozenClock) -> None:
        self.folder = folder
        self.memory = memory
        self.clock = clock
        self._count = 0

    def give_ids(self) -> None:
        """Let facts have ids in order from now on, so that they are the same in each life."""
        self.memory._engine._writer._new_id = (f"given{at:03}" for at in range(900)).__next__

    @property
    def last_op(self) -> str:
        """The id of the newest observation."""
        return f"heard-{self._count}:0"

    async def hear(
        self, *texts: str, origin: Origin = Origin.OWNER, scope: Scope = OWNER, pause_s: float = 60
    ) -> list[Observed]:
        """Observe texts, a minute apart."""
        found = []
        for text in texts:
            self._count += 1
            found.append(
                await self.memory.observe(text, origin=origin, scope=scope, op_id=self.last_op, actor="telegram:1")
            )
            self.clock.advance(seconds=pause_s)
        return found

    async def tell(self, text: str, *, origin: Origin = Origin.OWNER) -> str:
        """Remember a text; returns its id."""
        self._count += 1
        op_id = f"told-{self._count}:0"
        written = await self.memory.remember(text, origin=origin, scope=OWNER, op_id=op_id, actor="telegram:1")
        return written.fact.id or ""

    async def queue(self, *texts: str) -> list[str]:
        """Remember texts which the gate has found to be like others."""
        ids = [await self.tell(text) for text in texts]
        for name in ids:
            await self.note(name, Action.GATE, {"decision": "link", "similarity": 0.6})
        return ids

    async def cite(self, name: str, *, days: int = 2, times: int = 3) -> None:
        """Let a fact be cited so often, from day to day."""
        for at in range(times):
            if 0 < at < days:
                self.clock.advance(days=1)
            await self.note(name, Action.REVIEW, {"rating": "good", "reason": "cited"})

    async def note(self, name: str, action: Action, details: dict[str, Any]) -> None:
        """Write a record about a fact."""
        await self.note_all([name], action, details)

    async def note_all(self, names: Sequence[str], action: Action, details: dict[str, Any]) -> None:
        """Write a record about each of some facts."""
        self._count += 1
        operation = Operation(f"noted-{self._count}:0", AGENT, Origin.SYSTEM, OWNER)

        def write(context: KnowledgeContext) -> None:
            context.writer.note(dict.fromkeys(names, ""), operation, action, dict.fromkeys(names, details))

        await self.memory.run(write)

    async def consolidate(self, **options: Any) -> Consolidation:
        """Consolidate once."""
        return await consolidate(self.memory.run, actor=AGENT, **options)

    async def consolidate_whole(self) -> Consolidation:
        """Consolidate once, by meaning where there is an embedder."""
        return await self.memory.consolidate(actor=AGENT)

    async def take_back(self, name: str = "") -> None:
        """Take a consolidation back."""
        self._count += 1
        await self.memory.run(take_back, name, op_id=f"back-{self._count}", actor=AGENT)

    async def standing(self, word: str = "") -> set[str]:
        """Return the facts with a word in them that no other fact stands for."""

        def read(context: KnowledgeContext) -> set[str]:
            def texts(index: Index) -> set[str]:
                ids = [one.id for one in index.lives.facts(scope=OWNER) if not one.merged]
                return {one.unit.body for one in index.stored(ids, scope=OWNER)}

            return context.index_manager.ask(texts)

        return {text for text in await self.memory.run(read) if word in text}

    def page(self, path: str) -> str:
        """Return a page of the workspace; empty if there is none."""
        file = self.folder / path
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def tree(self) -> dict[str, bytes]:
        """Return all files of the workspace, but for what is of this machine alone."""
        return self.files(self.folder)

    @staticmethod
    def files(folder: Path) -> dict[str, bytes]:
        """Return all files of a workspace, as `tree` does: records without their machine, and the chain that has it."""
        found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in {"applied", "lock"})
        return {str(path.relative_to(folder)): _MACHINES.sub(b"", path.read_bytes()) for path in found}


@asynccontextmanager
async def listening(
    folder: Path, *, clock: FrozenClock | None = None, embedding: Embedding | None = None
) -> AsyncIterator[Listener]:
    """Open a memory in a folder."""
    clock = clock or FrozenClock(MORNING)
    opened = await Memory.open(folder / "notes", index=folder / "index.sqlite", clock=clock, embedding=embedding)
    async with opened as memory:
        yield Listener(folder / "notes", memory, clock)


async def crowd(life: Listener) -> None:
    """Everything that a run may have to do."""
    for text in ("W @Peter: Peter works at the harbour.", "P(i=0.8): Boil the eggs for seven minutes."):
        await life.cite(await life.tell(text))
    await life.hear("The milk was sour.", "Sour milk again today.", "The milk is sour once more.")
    await life.queue("The tent is green.", "The tent is green now.", "The tent is currently green.")
    await life.hear(*PRINTER, *OTHERS)
    await life.queue("Peter moved to Porto in May.", "In May Peter moved to Porto.", "Nina eats fish.")
