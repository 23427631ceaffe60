"""How fast links are followed in a large memory: spreading from the first hits, and a walk.

    python -m benchmarks.links [--facts 100000] [--links 600000] [--seed S] [--json]

An index is filled with facts, of which some name entities, and with links drawn at random, most to facts close by and
some to a few that everybody is linked to. What is timed is CPU time, the median of 200: `spread` follows the links of
five facts over two hops with the whole way through the index; `neighbours` looks up the links of 24 facts; `wander`
takes a walk of five steps. Beside them stands the same two hops over compressed sparse rows in memory (numpy: two
arrays of offsets and targets), and what it takes to merely read from those arrays, in one go, the rows that the hops
touch; `ratio` is `spread` over that. --json adds one JSON object as the last line.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import figures
from benchmarks.recall_speed import cost_ms
from memory.index.owners import Owners
from memory.index.sqlite import SqliteIndex
from memory.index.types import FactLink, FileChange, FileState, LinkKind
from memory.index.units import chunk
from memory.journal.state import JournalState
from memory.life.wander import walk
from memory.recall.spreading import FIRST_HITS, MAX_FRONTIER, spread
from memory.strength import Fading, Life
from memory.types import OWNER

QUESTIONS = 200
PER_FILE = 100
TODAY = date(2026, 11, 21)
_HUBS = 20
"""Facts that a tenth of all links lead to."""


def drawn(facts: int, links: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return sources, targets and weights; no fact is linked to itself, or twice to another."""
    draw = np.random.default_rng(seed)
    one = np.repeat(np.arange(facts), -(-links // facts))[:links]
    other = (one + draw.integers(1, 500, len(one))) % facts
    hubs = draw.random(len(one)) < 0.1
    other[hubs] = draw.integers(0, _HUBS, int(hubs.sum()))
    _, first = np.unique(one * facts + other, return_index=True)
    kept = np.sort(first[one[first] != other[first]])
    return one[kept], other[kept], np.round(draw.uniform(0.5, 1.0, len(kept)), 3)


@dataclass(frozen=True, slots=True)
class Rows:
    """Links as compressed sparse rows: those of fact n are from `starts[n]` to `starts[n + 1]`."""

    starts: NDArray[np.int64]
    targets: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def of(cls, facts: int, one: NDArray[np.int64], other: NDArray[np.int64], weights: NDArray[np.float64]) -> Rows:
        """Take links from both ends."""
        source, target = np.concatenate([one, other]), np.concatenate([other, one])
        order = np.argsort(source, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=facts))])
        both = np.concatenate([weights, weights])
        return cls(starts, target[order].astype(np.int32), both[order].astype(np.float32))

    def neighbours(self, units: Sequence[int]) -> list[FactLink]:
        """Do what `memory.index.tables.links.LinkTable` does, for links by meaning."""
        found = []
        for unit in units:
            here = slice(self.starts[unit], self.starts[unit + 1])
            order = np.argsort(-self.weights[here], kind="stable")[:12]
            rows = zip(self.targets[here][order].tolist(), self.weights[here][order].tolist(), strict=True)
            found += [FactLink(unit, target, weight, LinkKind.MEANING) for target, weight in rows]
        return found

    def touched(self, units: Sequence[int]) -> NDArray[np.int64]:
        """Return the places of all rows of these facts."""
        return np.concatenate([np.arange(self.starts[unit], self.starts[unit + 1]) for unit in units])


def fill(index: SqliteIndex, facts: int, seed: int) -> list[int]:
    """Write facts as bullets of daily logs, every third of them about one of many entities; return their numbers."""
    draw = random.Random(seed)
    changes = []
    for start in range(0, facts, PER_FILE):
        lines = [_bullet(number, facts, draw) for number in range(start, min(facts, start + PER_FILE))]
        day = date.fromordinal(TODAY.toordinal() - start // PER_FILE)
        path = f"memory/{day}.md"
        text = "\n".join([f"# {day}", "", "## Retain", *lines, ""])
        changes.append(FileChange(path, FileState(1, 1, path), chunk(path, text, owners=Owners(JournalState()))))
    index.write(changes)
    return [life.id for life in sorted(index.lives.facts(scope=OWNER), key=lambda one: one.name)]


def _bullet(number: int, facts: int, draw: random.Random) -> str:
    about = f" @P{draw.randrange(facts // 6 + 1)}" if number % 3 == 0 else ""
    return f"- W{about}: Thing {number} has the property {draw.randrange(10**6)}. ^{name_of(number)}"


def name_of(number: int) -> str:
    """Return the id of a fact; as texts they are in the order of the numbers."""
    return f"f{number:07d}"


def starts(facts: int, seed: int) -> Iterator[list[int]]:
    """Yield the first hits of questions."""
    draw = random.Random(seed)
    for _ in range(QUESTIONS):
        yield [draw.randrange(facts) for _ in range(FIRST_HITS)]


def measure(facts: int, links: int, seed: int) -> dict[str, float]:
    """Return the figures of one index."""
    one, other, weights = drawn(facts, links, seed)
    asked = [*starts(facts, seed)]
    found: dict[str, float] = {"facts": facts, "links": len(one)}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="scrubjay-links-"))
        index = stack.enter_context(closing(SqliteIndex.open(Path(folder) / "index.sqlite")))
        ids = fill(index, facts, seed)
        linked: list[dict[str, float]] = [{} for _ in range(facts)]
        for a, b, weight in zip(one.tolist(), other.tolist(), weights.tolist(), strict=True):
            linked[a][name_of(b)] = weight
        index.lives.write([Life(name_of(n), links=some) for n, some in enumerate(linked)])

        def through_index(units: Sequence[int]) -> list[FactLink]:
            return index.links.neighbours(units, scope=OWNER)

        found["spread_ms"] = cost_ms(lambda n: _spread([ids[at] for at in asked[n]], through_index), QUESTIONS)
        draw = random.Random(seed)
        some = [[ids[draw.randrange(facts)] for _ in range(MAX_FRONTIER)] for _ in range(QUESTIONS)]
        found["neighbours_ms"] = cost_ms(lambda n: through_index(some[n]), QUESTIONS)
        found["wander_ms"] = cost_ms(lambda n: _walked(index, n), QUESTIONS)
    rows = Rows.of(facts, one, other, weights)
    found["rows_spread_ms"] = cost_ms(lambda n: _spread(asked[n], rows.neighbours), QUESTIONS)
    touched = [rows.touched([*asked[n], *_frontier(asked[n], rows)]) for n in range(QUESTIONS)]
    found["raw_read_ms"] = cost_ms(lambda n: (rows.targets[touched[n]], rows.weights[touched[n]]), QUESTIONS)
    found["ratio"] = round(found["spread_ms"] / max(found["raw_read_ms"], 1e-6), 1)
    return {name: round(value, 4) for name, value in found.items()}


def _spread(hits: Sequence[int], neighbours: Callable[[Sequence[int]], list[FactLink]]) -> object:
    return spread({hit: 1 - 0.1 * place for place, hit in enumerate(hits)}, neighbours)


def _walked(index: SqliteIndex, seed: int) -> object:
    return [*walk(index, random.Random(seed), scope=OWNER, today=TODAY, fading=Fading(), steps=5)]


def _frontier(hits: Sequence[int], rows: Rows) -> list[int]:
    reached = sorted(rows.neighbours(hits), key=lambda link: -link.weight)
    return list(dict.fromkeys(link.target for link in reached))[:MAX_FRONTIER]


def main() -> None:
    """Run what the arguments ask for."""
    parser = figures.command_line(__doc__, seed=1)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=600_000)
    given = parser.parse_args()
    found = measure(given.facts, given.links, given.seed)
    for name, value in found.items():
        print(f"{name:20}{value:12.3f}")
    figures.report("links", found, given)


if __name__ == "__main__":
    main()
