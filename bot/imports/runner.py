"""Carries an import out in batches, each of which is on the disk before the next; and takes one out again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import accumulate, count
from pathlib import Path
from typing import Any

from bot.errors import Missing
from bot.imports.pages import Masking, conversation_page, day_of, fact_of, facts_page, note_page
from bot.imports.plan import OPERATION, Batch, Only, Plan, PlannedItem, batches, content_of, items
from bot.imports.sources.base import Item, ItemSort
from bot.imports.sources.places import Source
from bot.texts.catalogue import tr
from memory import OWNER, Fact, Memory, Origin, Progress
from memory.errors import NotUndoable
from memory.files.workspace import digest
from memory.journal.records import Operation
from memory.knowledge.imports import FOLDER, remove_files, write_files

BATCH_FILES = 200
BATCH_CHARS = 8_000_000
FACTS_PER_FILE = 1_000
CHARS_PER_FILE = 500_000


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        id: by which it is undone; empty if nothing was new.
        replaced: items that took the place of what they were before.
        left_out: reasons with what they are about, found while writing.
    """

    id: str
    counts: dict[str, int] = field(default_factory=dict)
    replaced: int = 0
    masked: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)


class ImportRunner:
    """One import that is being carried out; what it has not come to is done by the next."""

    def __init__(
        self, memory: Memory, plan: Plan, *, workspace: Path, zone: tzinfo, secrets: Collection[str], actor: str
    ) -> None:
        self._memory = memory
        self._plan = plan
        self._workspace = workspace
        self._zone = zone
        self._masking = Masking(secrets)
        self._actor = actor
        self._number = plan.number
        self._report = ImportReport(plan.id if plan.due else "")
        self._facts: list[tuple[str, Fact, PlannedItem]] = []
        self._batch = _Batch()

    async def run(self, source: Source, only: Only | None, *, progress: Progress | None) -> ImportReport:
        """Read the source again and write what is due.

        Raises:
            BotError: the source is not what it was.
            Error: as writing raises; what was written stands, and calling it again goes on.
        """
        plan, done = self._plan, 0
        async for one in items(source, plan.importer, only):
            if done == len(plan.due):
                break
            due = plan.due.get(plan.key_of(one)) if isinstance(one, Item) else None
            if not isinstance(one, Item) or due is None or content_of(one) != due.content:
                continue
            await self._take(one, due)
            if len(self._batch.texts) >= BATCH_FILES or self._batch.size > BATCH_CHARS:
                await self._write()
            done += 1
            if progress:
                progress(done, len(plan.due))
        await self._write_facts()
        if self._report.id:
            await self._write(done=True)
        self._report.masked = self._masking.count
        return self._report

    async def _take(self, item: Item, due: PlannedItem) -> None:
        if item.sort is ItemSort.FACT:
            self._facts.append((day_of(item.at, self._zone), fact_of(item, self._masking), due))
            return
        name = self._plan.importer.name
        if item.sort is ItemSort.CONVERSATION:
            text = conversation_page(item, name, self._zone, self._masking)
        else:
            text = note_page(item, name, due.path, self._zone, self._masking)
        if due.is_change:
            await self._replace(self._plan.key_of(item), due, text)
            return
        self._batch.add(due.path, text, {self._plan.key_of(item): due.content})
        self._count(item.sort)

    async def _replace(self, key: str, due: PlannedItem, text: str) -> None:
        """Give a file that nobody has edited since its import the new text."""
        try:
            now = digest((self._workspace / due.path).read_bytes())
        except FileNotFoundError:
            self._leave_out(due.path, tr("it was removed here"))
            return
        new, op_id = digest(text), f"{OPERATION}{self._plan.id}:{self._number}:{key}-{due.content}"
        if now not in {new, self._plan.states.get(due.path)}:
            self._leave_out(due.path, tr("it was edited here since, and stays as it is"))
            return
        if now != new:
            rewrite = self._memory.rewrite
            await rewrite(due.path, text, expected=now, origin=Origin.IMPORT, op_id=op_id, actor=self._actor)
        self._batch.items[key] = (due.content, due.path)
        self._batch.replaced[due.path] = (new, op_id)
        self._report.replaced += 1

    async def _write_facts(self) -> None:
        """Write facts in the order of their days, those without one last."""
        plan, name = self._plan, self._plan.importer.name
        ordered = sorted(self._facts, key=lambda one: one[0] or "9999")
        while ordered:
            sizes = accumulate(len(fact.text) for _, fact, _ in ordered[:FACTS_PER_FILE])
            most = max(1, sum(1 for size in sizes if size <= CHARS_PER_FILE))
            found, ordered = ordered[:most], ordered[most:]
            taken = (f"{FOLDER}/{name}/facts-{number}.md" for number in count(1))
            path = next(one for one in taken if one not in plan.states and not (self._workspace / one).exists())
            plan.states[path] = ""
            pairs = [(day, fact) for day, fact, _ in found]
            text, lost = facts_page(path, f"Facts from {name}", pairs, source=name)
            kept = {str(fact.id): due.content for _, fact, due in found if fact.id not in lost}
            for _, fact, _ in found:
                if fact.id in lost:
                    self._leave_out(fact.text, tr("it could not be read back to the letter"))
                else:
                    self._count(ItemSort.FACT)
            if kept:
                self._batch.add(path, text, kept, facts=[*kept])
                await self._write()

    async def _write(self, *, done: bool = False) -> None:
        batch, self._batch = self._batch, _Batch()
        if not (batch.texts or batch.items or done):
            return
        operation = Operation(f"{OPERATION}{self._plan.id}:{self._number}", self._actor, Origin.IMPORT, OWNER)
        details = batch.details() | {"source": self._plan.importer.name, "origin": self._plan.origin, "done": done}
        await self._memory.run(write_files, batch.texts, operation, id=self._plan.id, details=details)
        self._number += 1

    def _count(self, sort: ItemSort) -> None:
        self._report.counts[sort] = self._report.counts.get(sort, 0) + 1

    def _leave_out(self, what: str, why: str) -> None:
        self._report.left_out.setdefault(why, []).append(what)


class _Batch:
    """Files that are written together: new ones by their paths, and what was replaced before."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.items: dict[str, tuple[str, str]] = {}
        self.facts: dict[str, list[str]] = {}
        self.replaced: dict[str, tuple[str, str]] = {}
        self.size = 0

    def add(self, path: str, text: str, contents: Mapping[str, str], *, facts: Sequence[str] = ()) -> None:
        self.texts[path] = text
        self.items |= {key: (content, path) for key, content in contents.items()}
        self.size += len(text)
        if facts:
            self.facts[path] = [*facts]

    def details(self) -> dict[str, Any]:
        """What the journal keeps of it: hashes and paths, none of the words."""
        files = {path: digest(text) for path, text in self.texts.items()}
        return {
            "files": files | {path: new for path, (new, _) in self.replaced.items()},
            "items": {key: [*value] for key, value in self.items.items()},
            "facts": self.facts,
            "replaces": {path: op_id for path, (_, op_id) in self.replaced.items()},
        }


async def undo_import(
    memory: Memory, id: str, *, op_id: str, actor: str, progress: Progress | None = None
) -> tuple[int, tuple[str, ...]]:
    """Take an import out again: what it replaced comes back, and folders that were left empty go.

    Returns:
        How many files are gone or back, and the paths of those that were edited since and stay.

    Raises:
        Missing: there is no such import, or it was taken out before.
        Error: as writing raises; calling it again goes on.
    """
    every = await memory.run(batches)
    due = [one for one in every if one.id == id and not one.is_undone]
    if not due:
        message = tr('There is no import "{id}" that could be undone.', id=id)
        raise Missing(message, hint=tr("See them with: scrubjay import list   Those of another agent: --agent NAME"))
    files = {path for one in due for path in one.details.get("files", {})}
    replaced = {name: path for one in due for path, name in one.details.get("replaces", {}).items()}
    others = [one for one in every if one.id != id]
    alive = {path for one in others if not one.is_undone for path in one.details.get("files", {})}
    before = {path: str(was) for one in others if one.is_undone for path, was in one.details.get("files", {}).items()}
    left = {path: before[path] for path in replaced.values() if path in before and path not in alive}
    kept = []
    undone = await memory.run(lambda context: frozenset(context.journal.state.undone))
    seqs = await memory.run(lambda context: {name: context.journal.state.operations.get(name, ()) for name in replaced})
    for number, name in enumerate(name for name in reversed(replaced) if not undone & {*seqs[name]}):
        try:
            await memory.undo(1, op_id=f"{op_id}:{number}", scope=OWNER, actor=actor, only={name})
        except NotUndoable:
            kept.append(replaced[name])
    operation = Operation(op_id, actor, Origin.IMPORT, OWNER)
    done = 0
    for one in reversed(due):
        written = one.details.get("files", {})
        replaces = one.details.get("replaces", {})
        states = {
            path: left.get(path, str(was)) for path, was in written.items() if path in left or path not in replaces
        }
        kept += await memory.run(remove_files, states, operation, undoes=one.seq)
        done += len(written)
        if progress:
            progress(done, len(files))
    return len(files) - len({*kept}), tuple(dict.fromkeys(kept))


@dataclass(frozen=True, slots=True)
class ListedImport:
    """An import as it is listed: its id, source, ISO instant of its beginning, files, facts, and how it stands."""

    id: str
    source: str
    at: str
    files: int
    facts: int
    state: str


async def list_imports(memory: Memory) -> tuple[ListedImport, ...]:
    """Return all imports, newest first; `state` is done, undone or unfinished."""
    found: dict[str, list[Batch]] = {}
    for one in await memory.run(batches):
        found.setdefault(one.id, []).append(one)
    listed = []
    for name, parts in found.items():
        files = {path for one in parts for path in one.details.get("files", {})}
        facts = sum(len(names) for one in parts for names in one.details.get("facts", {}).values())
        is_done = any(one.details.get("done") for one in parts)
        state = "undone" if all(one.is_undone for one in parts) else "done" if is_done else "unfinished"
        source = str(parts[0].details.get("source", ""))
        listed.append(ListedImport(name, source, parts[0].at, len(files), facts, state))
    return tuple(sorted(listed, key=lambda one: one.at, reverse=True))
