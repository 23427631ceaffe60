"""Sixty days of one person's notes in three languages, lived through day by day, and what is to follow from them.

The data is written by hand (`tests/data/sixty_days`): each note with its day and its source, and beside them what the
confidence of each opinion comes to, which notes contradict or replace each other, and which one answers a question.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from memory import OWNER, Filter, FrozenClock, Memory, Origin
from memory.index.sql import Index
from memory.index.types import Stored
from memory.knowledge.context import KnowledgeContext
from memory.ports import Embedding
from memory.types import Kind, Scope, chat_scope

DATA = Path(__file__).parents[1] / "data" / "sixty_days"
LAST = date(2026, 3, 5)
ZONE = ZoneInfo("Europe/Berlin")
EVENING_H = 17
GROUP = chat_scope("telegram.123:-100456")
WORLD = "bank/world.md"

SOURCES: dict[str, tuple[str, Origin, Scope]] = {
    "t": ("telegram:1001", Origin.OWNER, OWNER),
    "d": ("discord:2002", Origin.OWNER, OWNER),
    "a": ("personal", Origin.AGENT, OWNER),
    "g": ("telegram:777", Origin.GUEST, GROUP),
    "w": ("personal", Origin.UNTRUSTED, OWNER),
}
"""Who writes, whose words they are, and who may see them; `h` and `b` are the owner's hand, in a log or in the bank."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the data: its day, its name, its source, and what is written."""

    day: date
    name: str
    source: str
    line: str

    @property
    def statement(self) -> str:
        """What it says, without notation."""
        _, _, said = self.line.partition(": ")
        return re.sub(r" #\w+$", "", said)

    @property
    def is_own(self) -> bool:
        """Whether it may come into pages and opinions: it is neither a guest's nor a web page's."""
        return self.source not in "gw"


@dataclass(frozen=True, slots=True)
class Expected:
    """What an opinion comes to: the note it began with, whom it is about, (note, step) of its evidence, confidence."""

    name: str
    entity: str
    evidence: tuple[tuple[str, float], ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Question:
    """A question about time, what it is narrowed by, and the note that answers it."""

    language: str
    text: str
    where: Filter
    answer: str


@dataclass(frozen=True, slots=True)
class Life:
    """The memory on the last evening, and the ids that its facts have, by the names of the notes."""

    memory: Memory
    workspace: Path
    clock: FrozenClock
    ids: dict[str, str]


def notes() -> Iterator[Note]:
    """Yield all notes, oldest first."""
    day = LAST
    for line in _lines("facts.txt"):
        if re.fullmatch(r"\d{4}-\d\d-\d\d", line):
            day = date.fromisoformat(line)
        else:
            yield Note(day, *line.split(" ", 2))


def opinions() -> Iterator[Expected]:
    """Yield what all opinions come to."""
    for line in _lines("opinions.txt"):
        head, _, steps, confidence = (part.strip() for part in line.split("|"))
        name, entity = head.split()
        evidence = (step.split() for step in steps.split(",") if step)
        yield Expected(name, entity, tuple((note, float(step)) for note, step in evidence), float(confidence))


def pairs(kind: str) -> set[tuple[str, str]]:
    """Return the pairs of notes that are a `conflict`, or of which the second has `superseded` the first."""
    found = (line.split() for line in _lines("standing.txt"))
    return {(first, second) for word, first, second in found if word == kind}


def questions() -> Iterator[Question]:
    """Yield the questions about time."""
    for line in _lines("questions.txt"):
        language, text, answer = (part.strip() for part in line.split("|"))
        text, _, option = text.partition(" --")
        name, _, day = option.partition(" ")
        where = {"": Filter(), "as-of": Filter(valid=(day, day)), "believed": Filter(known=day)}[name]
        yield Question(language, text, where, answer)


def kinds() -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield questions of five kinds, the notes of which an answer shows one, and whether it is to show all of them."""
    for line in _lines("kinds.txt"):
        _, text, wanted = (part.strip() for part in line.split("|"))
        names = wanted.removeprefix("all ").split()
        yield text, tuple(names), wanted.startswith("all ")


def entities() -> dict[str, frozenset[str]]:
    """Return who is named in the notes that are the owner's, each with the notes that name them.

    A name stands alone, as it is written: a leaflet does not name Lea, nor the Atlantic Atlas.
    """
    own = [note for note in notes() if note.is_own]
    names = {name for note in own for name in re.findall(r"@([\w-]+)", note.line)} - {"me"}
    return {
        name: frozenset(
            note.name for note in own if re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])|{name}(?=s\b)", note.line)
        )
        for name in sorted(names)
    }


@asynccontextmanager
async def opened(folder: Path, clock: FrozenClock, *, embedding: Embedding | None = None) -> AsyncIterator[Memory]:
    """Open the memory in a folder."""
    workspace, index = folder / "workspace", folder / "index.sqlite"
    async with await Memory.open(workspace, index=index, clock=clock, zone=ZONE, embedding=embedding) as memory:
        yield memory


@asynccontextmanager
async def lived(folder: Path) -> AsyncIterator[Life]:
    """Live through the sixty days in an empty folder; the memory is open, and it is the last evening."""
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    workspace = folder / "workspace"
    async with opened(folder, clock) as memory:
        ids = {}
        for note in notes():
            evening = datetime(note.day.year, note.day.month, note.day.day, EVENING_H, tzinfo=UTC)
            clock.advance(seconds=(max(evening, clock.now() + timedelta(minutes=1)) - clock.now()).total_seconds())
            if note.source in SOURCES:
                actor, origin, scope = SOURCES[note.source]
                written = await memory.remember(
                    f"- {note.line}", origin=origin, scope=scope, op_id=f"day:{note.name}", actor=actor
                )
                ids[note.name] = written.fact.id or ""
            else:
                _write_by_hand(workspace, note)
        await memory.sync()
        by_hand = {note.statement: note.name for note in notes() if note.source in "hb"}
        for one in await facts(memory):
            said = one.unit.body.partition(": ")[2] if one.path == WORLD else one.unit.body
            if said in by_hand:
                ids[by_hand[said]] = one.unit.name
        yield Life(memory, workspace, clock, ids)


async def facts(memory: Memory) -> tuple[Stored, ...]:
    """Return all facts that the owner may see, in the order of the index."""

    def every(index: Index) -> list[Stored]:
        kinds = tuple(kind for kind in Kind if kind is not Kind.NOTE)
        return index.stored(index.newest(scope=OWNER, where=Filter(kinds=kinds), limit=100_000), scope=OWNER)

    def look(context: KnowledgeContext) -> tuple[Stored, ...]:
        return tuple(context.index_manager.ask(every))

    return await memory.run(look)


def _lines(name: str) -> Iterator[str]:
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def _write_by_hand(workspace: Path, note: Note) -> None:
    page = workspace / (WORLD if note.source == "b" else f"memory/{note.day}.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    with page.open("a", encoding="utf-8") as file:
        if not file.tell():
            file.write("## Retain\n\n")
        file.write(f"- {note.line}\n")
