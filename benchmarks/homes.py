"""Homes of facts to ask: small, middling and large, made from files of facts and questions."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from memory import OWNER, Embedder, Embedding, FrozenClock, Memory, Options, Recall
from memory.capture import draft
from memory.files.notation import format_fact
from memory.ports import Vectors

DATA = Path(__file__).parent / "data"
NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
FEW, SOME, MANY = 10, 200, 5000
SHOWN = 3
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: `fact` is what answers it, empty if nothing does; `kind` is what makes it hard, if anything."""

    text: str
    language: str
    fact: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Home:
    """Facts, and the questions that are asked about them."""

    facts: Sequence[str]
    questions: Sequence[Question]


class Ungauged:
    """An embedder under another name, whose cosines are of unknown meaning therefore."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.identity = f"{embedder.identity}:ungauged"
        self.dims = embedder.dims

    async def probe(self) -> None:
        """See `Embedder.probe`."""
        await self._embedder.probe()

    async def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`."""
        return await self._embedder.embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> AsyncIterator[Vectors]:
        """See `Embedder.embed_passages`."""
        async for rows in self._embedder.embed_passages(texts):
            yield rows

    async def close(self) -> None:
        """Whoever made the embedder closes it."""


def read(path: Path, half: str = "") -> list[Question]:
    """The questions of a file, or of one half of it."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return [
        Question(line["question"], line["lang"], line.get("fact", ""), line.get("kind", ""))
        for line in lines
        if not half or line["half"] == half
    ]


def fillers(path: Path, count: int, seed: int) -> list[str]:
    """So many different sentences, language by language in turn."""
    made: dict[str, None] = {}
    rng = random.Random(seed)
    told = json.loads(path.read_text(encoding="utf-8"))
    for _ in range(20 * count):
        made.setdefault(_sentence(told[rng.choice(list(told))], rng))
        if len(made) == count:
            return [*made]
    raise SystemExit(f"{path} gives no {count} different sentences.")


def homes(known: Sequence[Question], unknown: Sequence[Question], more: Sequence[str]) -> Iterator[tuple[int, Home]]:
    """The homes of each size; `more` are the fillers."""
    tens = len(known) // FEW
    mixed = random.Random(7).sample(known, len(known))
    for n in range(tens):
        mine = mixed[FEW * n : FEW * (n + 1)]
        yield FEW, Home(_facts(mine), [*mine, *unknown[n::tens]])
    facts = _facts(known)
    for size in (SOME, MANY):
        yield size, Home([*facts, *more[: max(0, size - len(facts))]], [*known, *unknown])


async def asked(home: Home, embedding: Embedding | None) -> AsyncIterator[tuple[Question, Recall]]:
    """Write the facts down as daily logs, and ask."""
    options = Options(clock=FrozenClock(NOW))
    if embedding:
        options["embedding"] = embedding
    with tempfile.TemporaryDirectory(prefix="scrubjay-answerable-") as name:
        write_logs(Path(name) / "notes" / "memory", home.facts)
        async with await Memory.open(Path(name) / "notes", index=Path(name) / "index.sqlite", **options) as memory:
            await memory.embed()
            for question in home.questions:
                yield question, await memory.recall(question.text, scope=OWNER, limit=SHOWN)


def is_of(fact: str, content: str) -> bool:
    """Whether a hit is this fact."""
    return fact.rstrip(".。") in content


def parted(questions: Iterable[Question]) -> tuple[list[Question], list[Question]]:
    """Those that a fact answers, and the others."""
    every = [*questions]
    return [one for one in every if one.fact], [one for one in every if not one.fact]


def _facts(known: Iterable[Question]) -> list[str]:
    """The facts that answer, each once."""
    return list(dict.fromkeys(one.fact for one in known))


def _sentence(slots: Mapping[str, Sequence[str]], rng: random.Random) -> str:
    return _SLOT.sub(lambda slot: rng.choice(slots[slot[1]]), rng.choice(slots["templates"]))


def write_logs(folder: Path, facts: Sequence[str]) -> None:
    """Write facts down as daily logs, the last of them on the earliest day."""
    folder.mkdir(parents=True)
    daily = max(1, min(25, len(facts) // 10))
    for number, start in enumerate(range(0, len(facts), daily)):
        day = date(2026, 11, 20) - timedelta(days=number)
        lines = [format_fact(draft(fact)) for fact in facts[start : start + daily]]
        (folder / f"{day}.md").write_text("\n".join([f"# {day}", "", "## Retain", *lines, ""]), encoding="utf-8")
