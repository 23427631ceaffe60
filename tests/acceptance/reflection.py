"""What becomes of sixty days of notes: which question about time gets which answer, and what a rebuilt index knows.

`python -m tests.acceptance.reflection --json` prints, as its last line, `{"facts", "entities", "time_questions",
"time_by_words", "time_by_meaning", "rebuilt_differs"}`: how many questions about time have the right fact first when
words are searched alone, and with the built-in embedder; and what of facts, entities, opinions, evidence and history
is another after the index was deleted and built anew, which is to be nothing. Questions that miss are printed before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path

from memory import OWNER, Memory
from memory.embed.lazy import builtin
from memory.knowledge.history import JournalEntry, changes
from memory.ports import Embedding
from tests.acceptance.sixty_days import Life, Question, entities, facts, lived, opened, questions


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the names of the notes that came first in the answer."""

    question: Question
    found: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return self.found[:1] == (self.question.answer,)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured; the module's docstring says what each number is."""

    facts: int
    entities: int
    time_questions: int
    time_by_words: int
    time_by_meaning: int | None
    rebuilt_differs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """All that a memory knows, but for the numbers that its index gives."""

    facts: tuple[object, ...]
    entities: tuple[tuple[str, int], ...]
    history: tuple[JournalEntry, ...]


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


async def run(folder: Path, embedding: Embedding | None) -> Figures:
    """Live through the sixty days, ask, and build the index anew; returns the figures."""
    async with lived(folder) as life:
        by_words = [asked async for asked in ask(life)]
        before, facts_count = await known(life.memory), len(life.ids)
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
    return Figures(
        facts=facts_count,
        entities=len(entities()),
        time_questions=len(by_words),
        time_by_words=sum(asked.is_right for asked in by_words),
        time_by_meaning=sum(asked.is_right for asked in by_meaning) if embedding else None,
        rebuilt_differs=tuple(part for part in Known.__slots__ if getattr(before, part) != getattr(after, part)),
    )


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
