"""What becomes of sixty days of notes: opinions, pages, conflicts, answers, and what a rebuilt index knows.

`python -m tests.acceptance.reflection --json` prints, as its last line, `{"facts", "opinions", "confidence_right",
"conflicts", "conflicts_shown", "conflicts_besides", "superseded", "superseded_shown", "entities", "pages_right",
"second_changed_bytes", "time_questions", "time_by_words", "time_by_meaning", "kinds", "kinds_answered",
"rebuilt_differs"}`: how many opinions have the confidence and the evidence that were reckoned by hand; how many
planted conflicts are told and stand on a page, and how many others are told; how many facts that another took the
place of stand as such on a page; how many pages of entities cite facts about them and nothing else; what a second
reflection changes, which is to be nothing; how many questions about time have the right fact first when words are
searched alone, and with the built-in embedder; how many questions of five kinds are answered in a chat without a
model; and what of facts, entities, opinions, evidence and history is another after the index was deleted and built
anew, which is to be nothing. What misses is printed before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import copytree

from bot.config.model import Config
from bot.paths import Home
from memory import OWNER, Memory
from memory.embed.lazy import builtin
from memory.index.types import Stored
from memory.knowledge.history import JournalEntry, changes
from memory.knowledge.reflection.reflect import Contradiction, reflect
from memory.ports import Embedding
from tests.acceptance.hundred import offline_bot
from tests.acceptance.sixty_days import (
    WORLD,
    Life,
    Note,
    Question,
    entities,
    facts,
    kinds,
    lived,
    notes,
    opened,
    opinions,
    pairs,
    questions,
)

OPINIONS = "bank/opinions.md"
_LINK = re.compile(r"\[\[(?P<page>\d{4}-\d\d-\d\d|world)(?:#\^(?P<id>[\w-]+))?\]\]")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the names of the notes that came first in the answer."""

    question: Question
    found: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return self.found[:1] == (self.question.answer,)


@dataclass(frozen=True, slots=True)
class Known:
    """All that a memory knows, but for the numbers that its index gives."""

    facts: tuple[object, ...]
    entities: tuple[tuple[str, int], ...]
    history: tuple[JournalEntry, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured; the module's docstring says what each number is."""

    facts: int
    opinions: int
    confidence_right: int
    conflicts: int
    conflicts_shown: int
    conflicts_besides: int
    superseded: int
    superseded_shown: int
    entities: int
    pages_right: int
    second_changed_bytes: int
    time_questions: int
    time_by_words: int
    time_by_meaning: int | None
    kinds: int
    kinds_answered: int
    rebuilt_differs: tuple[str, ...]


class Pages:
    """The pages of entities as they were written, and what is wrong with them."""

    def __init__(self, life: Life) -> None:
        folder = life.workspace / "bank" / "entities"
        self._texts = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.md")}
        self._names = {identity: name for name, identity in life.ids.items()}
        self._world = (life.workspace / WORLD).read_text(encoding="utf-8")
        self._notes = {note.name: note for note in notes()}

    def right(self) -> Iterator[str]:
        """Yield the entities whose page cites facts about them, and no others."""
        for entity, named in entities().items():
            cited = [self._cited(found, named) for found in _LINK.finditer(self._texts.get(entity, ""))]
            if cited and named.issuperset(cited):
                yield entity
            else:
                print(f"page of {entity}: {', '.join(sorted({*cited} - named)) or 'missing'}")

    def shows(self, first: str, second: str) -> bool:
        """Return whether a page says that two notes contradict each other."""
        one, other = self._notes[first], self._notes[second]
        lines = [line for text in self._texts.values() for line in _section(text, "In conflict")]
        return any(_says(line, one) and _says(line, other) for line in lines)

    def has_earlier(self, name: str) -> bool:
        """Return whether a page has a note as something that held earlier, and nowhere as what holds.

        The owner has no page: what is about them is among what holds, or it is not.
        """
        note = self._notes[name]
        if note.line.startswith("W @me:"):
            return not any(_says(line, note) for line in self._world.split("\n"))
        earlier = (line for text in self._texts.values() for line in _section(text, "Earlier"))
        now = (line for text in self._texts.values() for line in _section(text, "Facts"))
        return any(_says(line, note) for line in earlier) and not any(_says(line, note) for line in now)

    def _cited(self, link: re.Match[str], named: frozenset[str]) -> str:
        """Return the note that a link points to; of lines by hand, which have no ids, one of that day that fits."""
        if link["id"]:
            return self._names.get(link["id"], link["id"])
        by_hand = [note for note in self._notes.values() if note.source in "hb"]
        on_day = [note.name for note in by_hand if link["page"] == ("world" if note.source == "b" else str(note.day))]
        return next((name for name in on_day if name in named), link[0])


async def ask(life: Life) -> AsyncIterator[Asked]:
    """Ask all questions about time on the last evening."""
    names = {identity: name for name, identity in life.ids.items()}
    for question in questions():
        found = await life.memory.recall(question.text, scope=OWNER, where=question.where)
        yield Asked(question, tuple(names.get(hit.id, hit.id) for hit in found.hits[:3]))


async def known(memory: Memory) -> Known:
    """Return what a memory knows."""
    found = sorted((one.path, one.order, repr(one.unit)) for one in await facts(memory))
    stats = await memory.stats(scope=OWNER)
    history = await memory.run(changes, limit=100_000, scope=OWNER)
    return Known(tuple(found), stats.entities, history)


def confident(life: Life, found: tuple[Stored, ...]) -> Iterator[str]:
    """Yield the opinions that have the confidence and the evidence that were reckoned by hand."""
    names = {identity: name for name, identity in life.ids.items()}
    for expected in opinions():
        bullets = [one.unit for one in found if one.path == OPINIONS and expected.entity in one.unit.entities]
        got = [
            (
                round(float(dict(unit.attributes).get("c", "nan")), 2),
                tuple((names.get(piece.id, piece.id), piece.step) for piece in unit.evidence if piece.step),
            )
            for unit in bullets
        ]
        if got == [(expected.confidence, expected.evidence)]:
            yield expected.name
        else:
            print(f"opinion {expected.name}: {got}, not {(expected.confidence, expected.evidence)}")


def told(life: Life, contradictions: list[Contradiction], found: tuple[Stored, ...]) -> set[tuple[str, str]]:
    """Return the pairs of notes that a reflection has told to contradict each other; what opposes opinions left out."""
    names = {identity: name for name, identity in life.ids.items()}
    at = {f"{one.path}#L{one.unit.start}": names.get(one.unit.name, one.unit.name) for one in found}
    told_of = [one.places for one in contradictions if not any(OPINIONS in place for place in one.places)]
    return {(at[earlier], at[later]) for earlier, later in told_of}


async def run(folder: Path, embedding: Embedding | None) -> Figures:
    """Live through the sixty days, ask, reflect twice, and build the index anew; returns the figures."""
    async with lived(folder) as life:
        by_words = [asked async for asked in ask(life)]
        first = await life.memory.run(reflect, op_id="2026-03-05", actor="scheduler")
        for path, why in first.left.items():
            print(f"left: {path}: {why}")
        written = _contents(life.workspace)
        await life.memory.run(reflect, op_id="2026-03-06", actor="scheduler")
        changed = [path for path, content in _contents(life.workspace).items() if content != written.get(path)]
        found, before, pages = await facts(life.memory), await known(life.memory), Pages(life)
        contradictions = told(life, first.contradictions, found)
        right = [*confident(life, found)]
    for file in folder.glob("index.sqlite*"):
        file.unlink()
    by_meaning: list[Asked] = []
    async with opened(folder, life.clock, embedding=embedding) as memory:
        after = await known(memory)
        if embedding:
            await memory.embed()
            again = Life(memory, life.workspace, life.clock, life.ids)
            by_meaning = [asked async for asked in ask(again)]
    for way, many in (("words", by_words), ("meaning", by_meaning)):
        for asked in many:
            if not asked.is_right:
                print(f"{way}: {asked.question.text} -> {', '.join(asked.found)}, not {asked.question.answer}")
    planted, replaced = pairs("conflict"), pairs("superseded")
    shown = {pair for pair in planted if pair in contradictions and pages.shows(*pair)}
    earlier = {old for old, _ in replaced if pages.has_earlier(old)}
    for title, names in (
        ("not shown", planted - shown),
        ("no conflict", contradictions - planted),
        ("not earlier", {pair for pair in replaced if pair[0] not in earlier}),
    ):
        for one, other in sorted(names):
            print(f"{title}: {one}, {other}")
    return Figures(
        facts=len(life.ids),
        opinions=len([*opinions()]),
        confidence_right=len(right),
        conflicts=len(planted),
        conflicts_shown=len(shown),
        conflicts_besides=len(contradictions - planted),
        superseded=len(replaced),
        superseded_shown=len(earlier),
        entities=len(entities()),
        pages_right=len([*pages.right()]),
        second_changed_bytes=sum((life.workspace / path).stat().st_size for path in changed),
        time_questions=len(by_words),
        time_by_words=sum(asked.is_right for asked in by_words),
        time_by_meaning=sum(asked.is_right for asked in by_meaning) if embedding else None,
        kinds=len([*kinds()]),
        kinds_answered=len([text async for text in asked_in_chat(life, folder)]),
        rebuilt_differs=tuple(part for part in Known.__slots__ if getattr(before, part) != getattr(after, part)),
    )


async def asked_in_chat(life: Life, folder: Path) -> AsyncIterator[str]:
    """Ask the questions of five kinds as the owner does, without a model; yields those that are answered."""
    home = Home.at(folder / "home")
    home.prepare()
    copytree(life.workspace, home.workspace("personal"), dirs_exist_ok=True)
    config = Config.model_validate({"memory": {"embedder": {"kind": "none"}}})
    known = {note.name: note for note in notes()}
    async with offline_bot(home, config, life.clock) as people:
        await people.memory.sync()
        for text, names, all_of_them in kinds():
            life.clock.advance(minutes=1)
            answer = await people.ask(text)
            shown = [_says(answer, known[name]) for name in names]
            if all(shown) if all_of_them else any(shown):
                yield text
            else:
                print(f"in chat: {text} -> {answer}")


async def measured(cache: Path | None) -> Figures:
    """Measure in a fresh folder; with a cache folder for the built-in embedder's model by meaning as well."""
    with tempfile.TemporaryDirectory(prefix="scrubjay-reflection-") as name:
        if cache is None:
            return await run(Path(name), None)
        cache.mkdir(parents=True, exist_ok=True)
        embedder = builtin(cache)
        try:
            return await run(Path(name), Embedding(embedder, Path(name) / "vectors.sqlite"))
        finally:
            await embedder.close()


def _contents(workspace: Path) -> dict[str, bytes]:
    return {str(file.relative_to(workspace)): file.read_bytes() for file in workspace.rglob("*") if file.is_file()}


def _section(text: str, title: str) -> list[str]:
    """Return the lines under a heading of a page."""
    _, _, below = text.partition(f"## {title}\n")
    return below.split("\n#", 1)[0].split("\n")


def _says(line: str, note: Note) -> bool:
    return re.sub(r"[@\[\]]", "", note.statement) in re.sub(r"[@\[\]]", "", line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "scrubjay-cache", help="of the model"
    )
    parser.add_argument("--words", action="store_true", help="search by words alone")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = asdict(asyncio.run(measured(None if options.words else options.cache)))
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
