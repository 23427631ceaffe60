"""Whether spreading activation finds what a question needs and shares no word with: planted chains of two facts.

    python -m benchmarks.two_hop [--facts N] [--seed S] [--cache FOLDER] [--config spread=.5] [--json]

`tests/data/two_hop.jsonl` has chains {lang, facts: [first, second], chain, direct}: `chain` is a question that names
what the first fact tells and is answered by the second, `direct` one that the second answers by itself. With them
stand the 200 facts and direct questions of `tests/data/known.jsonl`, and fillers up to --facts, in shuffled order, as
daily logs. All are asked with and without spreading, by words and meaning and by words alone.

Printed are, in per cent: the second fact among the first 6 and 10 hits for chains; the right fact first, and among the
first 6 and 10, for direct questions; then milliseconds of a search (median). --json adds one JSON object as the last
line.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import figures
from benchmarks.homes import DATA, NOW, fillers, is_of, read, write_logs
from benchmarks.recall_quality import weighed
from memory import OWNER, Embedding, FrozenClock, Memory, Options, RankingWeights
from memory.embed.lazy import builtin

CHAINS = Path("tests/data/two_hop.jsonl")
KNOWN = Path("tests/data/known.jsonl")
SHOWN = 10
FEW = 6
"""Hits that a model is given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the fact that is to be found, and what kind of question it is."""

    text: str
    fact: str
    kind: str


def questions(chains: Path = CHAINS, known: Path = KNOWN) -> tuple[list[str], list[Asked]]:
    """Return all facts of both files, and all questions."""
    lines = [json.loads(line) for line in chains.read_text(encoding="utf-8").splitlines()]
    facts = [fact for line in lines for fact in line["facts"]]
    asked = [Asked(line["chain"], line["facts"][1], f"chain {line['lang']}") for line in lines]
    asked += [Asked(line["direct"], line["facts"][1], "direct second") for line in lines]
    asked += [Asked(one.text, one.fact, "direct known") for one in read(known)]
    return [*facts, *dict.fromkeys(one.fact for one in read(known))], asked


async def measure(
    facts: Sequence[str], asked: Sequence[Asked], weights: RankingWeights, embedding: Embedding | None
) -> dict[str, dict[str, float]]:
    """Write the facts down, link them, and ask with and without spreading."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="scrubjay-two-hop-") as name:
        notes, index = Path(name) / "notes", Path(name) / "index.sqlite"
        write_logs(notes / "memory", facts)
        for mode, setting in (("without", replace(weights, spread=0)), ("with", weights)):
            options = Options(clock=FrozenClock(NOW), ranking=setting)
            if embedding:
                options["embedding"] = embedding
            async with await Memory.open(notes, index=index, **options) as memory:
                await memory.embed()
                found[mode] = await _figures(memory, asked)
    found["gain"] = {name: round(value - found["without"][name], 1) for name, value in found["with"].items()}
    return found


async def _figures(memory: Memory, asked: Sequence[Asked]) -> dict[str, float]:
    """Ask all questions: the shares that have their fact among the first hits, by kind, and the median time."""
    places: dict[str, list[int]] = defaultdict(list)
    took = []
    for one in asked:
        recall = await memory.recall(one.text, scope=OWNER, limit=SHOWN, budget_chars=100_000)
        at = [n for n, hit in enumerate(recall.hits) if is_of(one.fact, hit.content)]
        for kind in {one.kind, one.kind.partition(" ")[0]}:
            places[kind].append(min(at, default=SHOWN))
        took.append(recall.ms)
    shares = {
        f"{kind} @{limit}": round(100 * sum(place < limit for place in many) / len(many), 1)
        for kind, many in sorted(places.items())
        for limit in (1, FEW, SHOWN)
    }
    return shares | {"ms": round(statistics.median(took), 2)}


async def run(size: int, seed: int, cache: Path, config: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures by words and meaning, and by words alone."""
    facts, asked = questions()
    facts += fillers(DATA / "fillers.json", max(0, size - len(facts)), seed)
    random.Random(seed).shuffle(facts)
    weights = weighed(RankingWeights(), config)
    embedder = builtin(cache)
    embedding = Embedding(embedder, cache / "vectors.sqlite")
    found = {
        "meaning": await measure(facts, asked, weights, embedding),
        "words": await measure(facts, asked, weights, None),
    }
    await embedder.close()
    return found


def main() -> None:
    """Run what the arguments ask for."""
    parser = figures.command_line(__doc__, seed=1)
    parser.add_argument("--facts", type=int, default=2000, help="facts in all")
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="folder for model and vectors")
    parser.add_argument("--config", default="", help="weights, as name=value,...")
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    found = asyncio.run(run(given.facts, given.seed, given.cache, given.config))
    for mode, one in found.items():
        print(f"{mode:28}{'without':>9}{'with':>9}{'gain':>9}")
        for name in one["gain"]:
            print(f"  {name:26}{one['without'][name]:9.1f}{one['with'][name]:9.1f}{one['gain'][name]:+9.1f}")
    figures.report("two_hop", found, given)


if __name__ == "__main__":
    main()
