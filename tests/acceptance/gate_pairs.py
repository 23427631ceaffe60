"""What the gate makes of paraphrases and of near misses, in a memory of as many facts.

    python -m tests.acceptance.gate_pairs --json

For each language the statements of `tests/data/gate` are remembered. Then, each time in a memory of its own, all
paraphrases are observed, all near misses, and sentences of the calibration that have nothing to do with any of them.
Prints the shares that were merged and linked, with the built-in embedder and by words alone; as the last line with
`--json` one object: {"pairs", "measures": {measure: {language: {...}}}}.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory import OWNER, Decision, Embedding, FrozenClock, Memory, Origin
from memory.embed import lazy
from memory.life.calibrate import Pair, pairs

DATA = Path(__file__).parents[1] / "data" / "gate"
LANGUAGES = ("en", "de", "zh")


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the pairs of one language.

    Attributes:
        merged_wrongly: near misses that were merged.
        known: paraphrases that were merged or linked.
        merged: paraphrases that were merged.
        found: paraphrases whose nearest fact was the right one.
        linked_near: near misses that were linked.
        linked_unrelated: sentences about something else that were linked.
    """

    merged_wrongly: float
    known: float
    merged: float
    found: float
    linked_near: float
    linked_unrelated: float


def fixture(language: str, limit: int | None = None) -> list[Pair]:
    """Return the pairs of one language, in their order."""
    lines = (DATA / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()[:limit]
    return [Pair(**json.loads(line)) for line in lines]


async def measure(language: str, *, limit: int | None, embedding: Embedding | None) -> Shares:
    """Measure one language."""
    found = fixture(language, limit)
    texts = [pair.text for pair in found]
    paraphrases, right = await _observed(texts, [pair.paraphrase for pair in found], embedding)
    near, _ = await _observed(texts, [pair.near_miss for pair in found], embedding)
    unrelated, _ = await _observed(texts, [pair.text for pair in pairs()[language][:limit]], embedding)
    return Shares(
        _share(near, Decision.MERGE),
        _share(paraphrases, Decision.MERGE) + _share(paraphrases, Decision.LINK),
        _share(paraphrases, Decision.MERGE),
        right / len(found),
        _share(near, Decision.LINK),
        _share(unrelated, Decision.LINK),
    )


def _share(decisions: Counter[Decision], decision: Decision) -> float:
    return round(decisions[decision] / decisions.total(), 4)


async def _observed(
    texts: Sequence[str], observations: Iterable[str], embedding: Embedding | None
) -> tuple[Counter[Decision], int]:
    """Remember the texts, then observe; the decisions, and how often the nearest fact was the one at the same place."""
    decisions: Counter[Decision] = Counter()
    right = 0
    clock = FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        opening = Memory.open(root / "workspace", index=root / "index.sqlite", embedding=embedding, clock=clock)
        async with await opening as memory:
            ids = []
            for n, text in enumerate(texts):
                clock.advance(hours=1)
                written = await memory.remember(text, origin=Origin.OWNER, scope=OWNER, op_id=f"{n}", actor="owner")
                ids.append(written.fact.id)
            await memory.embed()
            for n, text in enumerate(observations):
                op_id = f"observe:{n}"
                clock.advance(hours=1)
                observed = await memory.observe(text, origin=Origin.OWNER, scope=OWNER, op_id=op_id, actor="owner")
                decisions[observed.decision] += 1
                right += observed.nearest == ids[n % len(ids)]
    return decisions, right


async def run(limit: int | None, measures: Sequence[str], cache: Path) -> dict[str, dict[str, Shares]]:
    """Measure all languages, with vectors or without."""
    found: dict[str, dict[str, Shares]] = {}
    for name in measures:
        with tempfile.TemporaryDirectory() as folder:
            embedder = lazy.builtin(cache, say=print) if name == "built-in" else None
            embedding = Embedding(embedder, Path(folder) / "vectors.sqlite") if embedder else None
            found[name] = {code: await measure(code, limit=limit, embedding=embedding) for code in LANGUAGES}
            if embedder:
                await embedder.close()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, help="only the first so many of each language")
    parser.add_argument("--measure", choices=["built-in", "words", "both"], default="both")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "scrubjay-bench-cache")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    measures = ["built-in", "words"] if options.measure == "both" else [options.measure]
    found = asyncio.run(run(options.pairs, measures, options.cache))
    for name, languages in found.items():
        for code, shares in languages.items():
            print(f"{name:9} {code}  " + "  ".join(f"{key} {value:.1%}" for key, value in asdict(shares).items()))
    if options.json:
        told = {name: {code: asdict(one) for code, one in languages.items()} for name, languages in found.items()}
        print(json.dumps({"pairs": options.pairs or len(fixture("en")), "measures": told}))


if __name__ == "__main__":
    main()
