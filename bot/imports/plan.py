"""What an import would do, before it does anything: what is new, what is there already, what is left out and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from bot.imports.discovery import load_importers
from bot.imports.pages import conversation_path, day_of, fact_id, fingerprint, note_path
from bot.imports.sources.base import Content, Importer, Item, ItemSort, Setting, Skipped
from bot.imports.sources.places import MAX_TEXT_BYTES, Source
from bot.texts.catalogue import tr
from bot.texts.formatting import did_you_mean
from bot.waiting import pause
from memory import OWNER, Memory
from memory.journal.records import Action
from memory.knowledge.context import KnowledgeContext
from memory.privacy.secrets import find_secrets, mask

OPERATION = "import:"
"""How the ids of operations begin; then come the import's id, `:`, and the number of the batch."""
EXAMPLES = 3
EXAMPLE_CHARS = 200
MAX_FACTS = 1_000_000
"""Facts of memory that those of an import are compared with."""
BREATHE_EVERY = 100
"""Items; so often Ctrl-C is heard."""


class Only(StrEnum):
    """What is wanted of a source: what it keeps as memory, or what was talked."""

    MEMORIES = "memories"
    CONVERSATIONS = "conversations"


@dataclass(frozen=True, slots=True)
class Batch:
    """What the journal has of a part of an import: its id, ISO instant and details."""

    seq: int
    id: str
    at: str
    details: Mapping[str, Any]
    is_undone: bool


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item that was imported before: a hash of its content, the file that it is in, and a hash of the source's path.

    `origin` is empty for an archive, and where it was imported by a version that did not note it.
    """

    content: str
    path: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """What becomes of one item: its file, and whether that exists and is to be replaced."""

    path: str
    content: str
    is_change: bool = False


@dataclass(slots=True)
class Plan:
    """What an import would do.

    Attributes:
        id: of the import; that of one that was broken off goes on.
        number: of its next batch.
        origin: a hash of the source's path; empty for an archive.
        due: what is to be written, by the hash of its key.
        counts: new items by their sort.
        changed: items that are other than they were when they were imported.
        left_out: how often each reason was given, with an example.
        settings: options of another program, to be shown.
        first, last: ISO days of new items; empty if none is dated.
        examples: the first new items of each sort, as (path, words).
        states: what each file was when it was last imported.
        apart: keys of files that another source has, too, and what they are known by here.
    """

    importer: Importer
    id: str
    number: int
    origin: str = ""
    due: dict[str, PlannedItem] = field(default_factory=dict)
    counts: Counter[ItemSort] = field(default_factory=Counter)
    changed: int = 0
    known: int = 0
    left_out: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    settings: list[Setting] = field(default_factory=list)
    first: str = ""
    last: str = ""
    examples: list[tuple[str, str]] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    apart: dict[str, str] = field(default_factory=dict)

    def key_of(self, item: Item) -> str:
        """Return what an item is known by in this import."""
        return self.apart.get(key_of(item), key_of(item))


def choose_importer(source: Source, name: str = "") -> Importer:
    """Return the importer of this name, or the surest of the source; raises `UsageError` if there is none."""
    known = load_importers()
    if name:
        if name not in known:
            hint = did_you_mean(name, known) or tr("Choose one of: {names}", names=", ".join(known))
            raise UsageError(tr('There is no format called "{name}".', name=name), hint=hint)
        return known[name]
    sure, best = max(((one.detect(source), one) for one in known.values()), key=lambda pair: pair[0])
    if not sure:
        message = tr("It is not clear what {path} is.", path=source.path)
        raise UsageError(message, hint=tr("Say it with --as, one of: {names}", names=", ".join(known)))
    return best


def batches(context: KnowledgeContext) -> tuple[Batch, ...]:
    """Return the parts of all imports, oldest first; raises `JournalBroken` and `Unreadable`."""
    context.journal.refresh()
    known = context.journal.state
    seqs = sorted(seq for op_id, found in known.operations.items() if op_id.startswith(OPERATION) for seq in found)
    records = (record for record in map(context.journal.record, seqs) if record.action == Action.IMPORT)
    return tuple(Batch(one.seq, one.target, one.at, one.details, one.seq in known.undone) for one in records)


async def items(source: Source, importer: Importer, only: Only | None) -> AsyncIterator[Content]:
    """Yield what an importer reads, as far as it is wanted, and what it does not; Ctrl-C is heard in between."""
    for name, why in source.left_out:
        yield Skipped(name, why)
    untold = {*source.names} - {*importer.names(source)}
    for number, one in enumerate(importer.read(source)):
        if number % BREATHE_EVERY == 0:
            await pause(0)
        if isinstance(one, Skipped):
            untold.discard(one.what)
        is_talk = isinstance(one, Item) and one.sort is ItemSort.CONVERSATION
        if not isinstance(one, Item) or only is None or is_talk == (only is Only.CONVERSATIONS):
            yield one
    for name in sorted(untold):
        yield Skipped(name, tr("the format {name} does not read it", name=importer.name))


async def make_plan(
    memory: Memory, workspace: Path, source: Source, importer: Importer, *, day: str, zone: tzinfo, only: Only | None
) -> Plan:
    """Read a source once, and say what would come of it; nothing is written.

    The import is named after `day`, the owner's ISO day.

    Raises:
        BotError: the source is damaged, or no such one.
        Error: as reading memory raises.
    """
    every = await memory.run(batches)
    before = [one for one in every if not one.is_undone and one.details.get("source") == importer.name]
    open_ids = dict.fromkeys(one.id for one in before)
    for one in before:
        if one.details.get("done"):
            open_ids.pop(one.id, None)
    names = [f"{importer.name}-{day}{f'-{number}' if number > 1 else ''}" for number in range(1, len(every) + 2)]
    used = {one.id for one in every}
    name = next(reversed(open_ids), "") or next(one for one in names if one not in used)
    origin = fingerprint(source.origin) if source.origin else ""
    plan = Plan(importer, name, sum(1 for one in every if one.id == name), origin)
    known = {
        key: KnownItem(content, path, str(one.details.get("origin", "")))
        for one in before
        for key, (content, path) in one.details.get("items", {}).items()
    }
    for one in before:
        plan.states |= one.details.get("files", {})
    planner = _Planner(plan, known, workspace, zone)
    async for found in items(source, importer, only):
        if isinstance(found, Setting):
            plan.settings.append(found)
        elif isinstance(found, Skipped):
            plan.left_out[found.why].append(found.what)
        else:
            planner.add(found)
    if plan.counts[ItemSort.FACT]:
        planner.drop_repeated({words_of(hit.content) for hit in await memory.recent(MAX_FACTS, scope=OWNER)})
    return plan


def key_of(item: Item) -> str:
    """Return what an item is known by: a fact by its words and its day, anything else by what its source calls it."""
    return fact_id(item) if item.sort is ItemSort.FACT else fingerprint(item.key)


def content_of(item: Item) -> str:
    """Return a hash that is another one when the item has changed."""
    if item.sort is ItemSort.FACT:
        return words_of(item.text)
    return fingerprint(item.title, item.text, *(text for one in item.messages for text in (one.who, one.text)))


def words_of(text: str) -> str:
    """Return a hash of a text that is the same whatever its case and spacing."""
    return fingerprint(" ".join(text.split()).casefold())


class _Planner:
    """Decides for one item after the other; each file is given to one of them only."""

    def __init__(self, plan: Plan, known: Mapping[str, KnownItem], workspace: Path, zone: tzinfo) -> None:
        self._plan = plan
        self._known = known
        self._workspace = workspace
        self._zone = zone
        self._taken = {one.path.casefold() for one in known.values()}
        self._seen = set[str]()

    def add(self, item: Item) -> None:
        plan, content = self._plan, content_of(item)
        if item.is_file:  # known by its source, too, where another has one of the same name with other words
            own, like = fingerprint(plan.origin, item.key), self._known.get(key_of(item))
            origins = {like.origin, plan.origin} - {""} if like and like.content != content else set[str]()
            if own in self._known or len(origins) > 1:
                plan.apart[key_of(item)] = own
        key = plan.key_of(item)
        if len(item.text) + sum(len(one.text) for one in item.messages) > MAX_TEXT_BYTES:
            plan.left_out[tr("it is longer than {count} million characters", count=15)].append(item.title or item.key)
            return
        if key in self._seen:
            plan.left_out[tr("it is there twice")].append(item.title or item.key)
            return
        self._seen.add(key)
        known = self._known.get(key)
        if known is None or (plan.number and not (self._workspace / known.path).exists()):  # it was broken off there
            plan.due[key] = PlannedItem(known.path if known else self._path(item), content)
            plan.counts[item.sort] += 1
            if plan.counts[item.sort] <= EXAMPLES:
                text = item.title or item.text
                plan.examples.append((plan.due[key].path, mask(text, find_secrets(text))[:EXAMPLE_CHARS]))
            if day := day_of(item.at, self._zone):
                plan.first, plan.last = min(plan.first or day, day), max(plan.last, day)
        elif known.content == content:
            plan.known += 1
        else:
            plan.changed += 1
            plan.due[key] = PlannedItem(known.path, content, is_change=True)

    def drop_repeated(self, words: Collection[str]) -> None:
        """Leave out the facts that memory has word for word."""
        repeated = [key for key, one in self._plan.due.items() if not one.path and one.content in words]
        for key in repeated:
            del self._plan.due[key]
        self._plan.known += len(repeated)
        self._plan.counts[ItemSort.FACT] -= len(repeated)

    def _path(self, item: Item) -> str:
        """Return a file of the item's own, empty for a fact: facts share files."""
        if item.sort is ItemSort.FACT:
            return ""
        name, is_talk = self._plan.importer.name, item.sort is ItemSort.CONVERSATION
        path = conversation_path(item, name, self._zone) if is_talk else note_path(item, name)
        stem = unused = path.removesuffix(".md")
        number = 1
        while f"{unused}.md".casefold() in self._taken or (self._workspace / f"{unused}.md").exists():
            number += 1
            unused = f"{stem}-{number}"
        self._taken.add(f"{unused}.md".casefold())
        return f"{unused}.md"
