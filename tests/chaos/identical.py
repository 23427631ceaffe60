"""The same observation again and again: what it costs in time, journal, files and memory.

    python -m tests.chaos.identical --observations 1000000 --json

Half of the observations say what a fact says, half are of no importance; every operation is another one. Prints
how long one took at the beginning and at the end, and what grew meanwhile; as the last line with `--json` one object:
{"observations", "first_us", "last_us", "slower", "grown_bytes", "grown_rss_kb", "facts", "decisions"}.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from memory import OWNER, FrozenClock, Memory, Origin

KNOWN, TRIFLE = "We decided to move to Graz.", "Had pasta for lunch."
PARTS = 10


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def run(observations: int, folder: Path) -> dict[str, object]:
    """Observe so often; nothing is counted before each of the two texts was observed once."""
    clock = FrozenClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
    decisions: Counter[str] = Counter()
    took: list[float] = []
    async with await Memory.open(folder / "notes", index=folder / "index.sqlite", clock=clock) as memory:

        async def observe(number: int) -> None:
            text = KNOWN if number % 2 else TRIFLE
            found = await memory.observe(
                text, origin=Origin.OWNER, scope=OWNER, op_id=f"observe:{number}", actor="owner"
            )
            decisions[found.decision.value] += 1

        for number in range(-4, 0):
            await observe(number)
        before, rss = size_of(folder / "notes"), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        decisions.clear()
        for part in range(PARTS):
            begun = perf_counter()
            for number in range(part * observations // PARTS, (part + 1) * observations // PARTS):
                await observe(number)
            took.append((perf_counter() - begun) / max(1, observations // PARTS))
        facts = (await memory.stats(scope=OWNER)).facts
        return {
            "observations": observations,
            "first_us": round(took[0] * 1e6, 1),
            "last_us": round(took[-1] * 1e6, 1),
            "slower": round(took[-1] / took[0], 2),
            "grown_bytes": size_of(folder / "notes") - before,
            "grown_rss_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - rss,
            "facts": facts,
            "decisions": dict(decisions),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--observations", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(run(options.observations, Path(folder)))
    for name, value in found.items():
        print(f"{name:14} {value}")
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
