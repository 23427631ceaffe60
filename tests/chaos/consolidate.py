"""Kills a consolidation before any change of a file, lets the next run finish it, and compares all bytes.

    python -m tests.chaos.consolidate --points 60 --seed 1 --json

prints one JSON object as its last line: {"calls", "points", "different", "broken"}. `calls` counts the changes of files
that an undisturbed run makes in the workspace, `different` the points after which the finished workspace is not the
same to the byte, `broken` those whose journal does not verify. Every third point cuts the power as well: what was not
synced is lost. It fails if any was different or broken.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from memory import FrozenClock
from memory.files.workspace import Workspace
from memory.journal.maintenance import verify
from tests.chaos.remember import stratified
from tests.chaos.tracer import Watch, kill_at, record
from tests.support.cli_process import TIMEOUT_S, environment
from tests.support.consolidating import Listener, crowd, listening
from tests.support.forked import complete

LATER = timedelta(hours=2)


async def _prepare(folder: Path) -> datetime:
    async with listening(folder) as life:
        life.give_ids()
        await crowd(life)
        return life.clock.now()


async def _once(folder: Path, at: datetime) -> None:
    async with listening(folder, clock=FrozenClock(at)) as life:
        await life.consolidate()


def once(folder: Path, at: datetime) -> list[str]:
    """Return the command that consolidates a folder's memory once, at an instant."""
    return [sys.executable, "-m", "tests.chaos.consolidate", "--once", str(folder), "--at", at.isoformat()]


def tree(folder: Path) -> dict[str, bytes]:
    """Return the files that count; a line that was cut in two by a power cut is set aside in a file of its own."""
    return {name: text for name, text in Listener.files(folder / "notes").items() if not name.endswith(".torn")}


def is_verified(folder: Path) -> bool:
    """Return whether the journal holds together."""
    workspace = Workspace(folder / "notes")
    try:
        return not verify(workspace)
    finally:
        workspace.close()


def sweep(base: Path, *, points: int, seed: int) -> Counter[str]:
    """Kill at so many points, each in a copy of the same memory."""
    template, whole = base / "template", base / "whole"
    at = asyncio.run(_prepare(template))
    shutil.copytree(template, whole)
    env = environment(base)
    calls = record(once(whole, at), watch=Watch(whole / "notes"), env=env).calls
    expected = tree(whole)
    sums = Counter(calls=len(calls), points=0, different=int(expected == tree(template)), broken=0)
    for turn, number in enumerate(stratified(calls, points, random.Random(seed))):
        folder = base / str(turn)
        shutil.copytree(template, folder)
        crash = kill_at(once(folder, at), number, watch=Watch(folder / "notes"), env=env, power_cut=turn % 3 == 2)
        has_begun = b'"action":"consolidate"' in b"".join(tree(folder).values())
        again = at + LATER if has_begun else at
        if complete(once(folder, again), env, timeout_s=TIMEOUT_S).code:
            raise RuntimeError(f"the next run fails after {crash.hit}")
        is_same = tree(folder) == expected
        sums.update(points=1, different=not is_same, broken=not is_verified(folder))
        if not is_same:
            print(f"different after {crash.hit}, power cut: {turn % 3 == 2}", file=sys.stderr)
        shutil.rmtree(folder)
    return sums


def main() -> None:
    """Sweep, or consolidate once as the program that is killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--once", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--at", type=datetime.fromisoformat, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        asyncio.run(_once(given.once, given.at))
        return
    with tempfile.TemporaryDirectory() as name:
        sums = sweep(Path(name), points=given.points, seed=given.seed)
    print(json.dumps(sums))
    sys.exit(bool(sums["different"] or sums["broken"]))


if __name__ == "__main__":
    main()
