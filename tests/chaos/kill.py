"""Kills the service at system calls while people talk to it on a platform, starts it again, and counts.

    python -m tests.chaos.kill --platform telegram --points 12 --seed 1 --json

prints one JSON object as its last line: {"points", "lost", "doubled", "memory_lost", "memory_doubled", "orphans"}. The
whole program runs against the platform's server and a scripted model; it is killed right before its n-th change of a
file, every second time with the power cut. `--twice` kills it again while it recovers. `--at N` kills it at one change,
with `--power-cut` and `--again N` as wanted. `--bug NAME` plants a mistake, kills it until the mistake shows, and says
so: that the harness finds each of them is its own proof.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tests.chaos.bugs import BUGS
from tests.chaos.script import talk
from tests.chaos.stages import PLATFORMS, Verdict, stage

MESSAGES = 20
AT_INTAKE = {"acknowledge_before_commit", "no_deduplication"}
"""Mistakes that show while messages are taken in: early in a life."""
COUNTED = ("lost", "doubled", "memory_lost", "memory_doubled", "orphans")


def changes(platform: str, folder: Path) -> int:
    """How many changes of files a life without a kill makes."""
    with stage(platform, folder / "whole") as whole:
        return len(whole.traced(talk(MESSAGES)).calls)


def killed(platform: str, folder: Path, number: int, *, power_cut: bool = False, again: int = 0) -> Verdict:
    """Kill it at one change of a file, perhaps at another one while it recovers, and let it come to an end."""
    lines = talk(MESSAGES)
    with stage(platform, folder) as scene:
        scene.traced(lines, until=number, power_cut=power_cut)
        if again:
            scene.traced(lines, until=again, power_cut=power_cut)
        scene.live(lines)
        return scene.verdict()


def again_as(platform: str, number: int, *, power_cut: bool = False, again: int = 0) -> str:
    """The command that kills it at the same points again."""
    cut = " --power-cut" if power_cut else ""
    then = f" --again {again}" if again else ""
    return f"python -m tests.chaos.kill --platform {platform} --at {number}{cut}{then}"


def sweep(platform: str, folder: Path, *, points: int, seed: int, twice: bool = False) -> Iterator[tuple[str, Verdict]]:
    """Kill it once (or twice) at each of so many points, each time in a new home; what was done, and its verdict."""
    chance = random.Random(f"{platform} {seed}")
    total = changes(platform, folder)
    for turn in range(points):
        number, power_cut = chance.randint(1, total), bool(turn % 2)
        again = chance.randint(1, max(1, total // 3)) if twice else 0
        found = killed(platform, folder / str(turn), number, power_cut=power_cut, again=again)
        yield (
            f"{platform} {number}/{total}{' power cut' if power_cut else ''}{f' then {again}' if again else ''}",
            found,
        )


def convicted(bug: str, folder: Path, *, tries: int, seed: int) -> Verdict | None:
    """The first verdict that shows a planted mistake; None if so many kills did not.

    The kills fall between changes of the durable core's files, where such mistakes show; one about the disk shows only
    when the power is cut.
    """
    platform = "discord" if bug == "random_nonce" else "telegram"
    power_cut = bug == "no_fsync"
    chance, lines = random.Random(f"{bug} {seed}"), talk(MESSAGES)
    total = 0
    for turn in range(tries):
        with stage(platform, folder / f"{bug} {turn}", bug=bug) as scene:
            number = (
                chance.randint(*(total // 8, total // 3) if bug in AT_INTAKE else (total // 4, total)) if total else 0
            )
            run = scene.traced(lines, until=number, power_cut=power_cut and bool(number), only_core=not power_cut)
            total = total or len(run.calls)
            scene.live(lines)
            if not scene.verdict().is_clean:
                return scene.verdict()
    return None


def main() -> None:
    """Sweep over one platform."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=PLATFORMS, default="telegram")
    parser.add_argument("--points", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--power-cut", action="store_true")
    parser.add_argument("--again", type=int, default=0)
    parser.add_argument("--bug", choices=sorted(BUGS), default="")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sums: Counter[str] = Counter(points=0) + Counter()
    with tempfile.TemporaryDirectory() as folder:
        if given.bug:
            found = convicted(given.bug, Path(folder), tries=given.points, seed=given.seed)
            print(json.dumps({"bug": given.bug, "found": asdict(found) if found else None}))
            return
        if given.at:
            verdict = killed(given.platform, Path(folder), given.at, power_cut=given.power_cut, again=given.again)
            print(json.dumps(asdict(verdict)))
            return
        for done, found in sweep(given.platform, Path(folder), points=given.points, seed=given.seed, twice=given.twice):
            counts = asdict(found)
            sums.update({name: counts[name] for name in COUNTED} | {"points": 1, "misordered": found.misordered})
            if not given.json or not found.is_clean:
                print(f"{done}: {counts}", flush=True)
    print(json.dumps({name: sums[name] for name in ("points", *COUNTED, "misordered")}))


if __name__ == "__main__":
    main()
