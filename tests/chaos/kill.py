"""Kills the service at system calls while people talk to it on a platform, starts it again, and counts.

    python -m tests.chaos.kill --platform telegram --points 12 --seed 1 --json

prints one JSON object as its last line: {"points", "lost", "doubled", "memory_lost", "memory_doubled", "orphans"}. The
whole program runs against the platform's server and a scripted model; it is killed right before its n-th change of a
file, every second time with the power cut. `--twice` kills it again while it recovers. `--at N` kills it at one change,
with `--power-cut` and `--again N` as wanted. `--bug NAME` plants a mistake, kills it until the mistake shows, and says
so: that the harness finds each of them is its own proof. `--queue steer` has one person talk without waiting for
answers, with that mode of `chats.queue`; "steered" then counts the messages that went into a turn under way.
It fails if anything was lost, doubled or out of order, or if a planted mistake was not found.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.chaos.bugs import BUGS
from tests.chaos.script import Line, answer, answer_all, eager_talk, talk
from tests.chaos.stages import PLATFORMS, Stage, Verdict, stage

MESSAGES = 20
AT_INTAKE = {"acknowledge_before_commit", "no_deduplication"}
"""Mistakes that show while messages are taken in: early in a life."""
COUNTED = ("lost", "doubled", "memory_lost", "memory_doubled", "orphans")


@dataclass(frozen=True, slots=True)
class Scene:
    """Where and how people talk."""

    platform: str
    queue: str = "collect"

    @property
    def lines(self) -> list[Line]:
        """What is said."""
        return talk(MESSAGES) if self.queue == "collect" else eager_talk(MESSAGES)

    @contextmanager
    def stage(self, folder: Path) -> Iterator[Stage]:
        """Set it up in an empty home."""
        answers = answer if self.queue == "collect" else answer_all
        with stage(self.platform, folder, queue=self.queue, answers=answers) as ready:
            yield ready

    def changes(self, folder: Path) -> int:
        """How many changes of files a life without a kill makes."""
        with self.stage(folder / "whole") as whole:
            return len(whole.traced(self.lines).calls)


def killed(scene: Scene, folder: Path, number: int, *, power_cut: bool = False, again: int = 0) -> tuple[Verdict, int]:
    """Kill it at one change of a file, perhaps at another one while it recovers, and let it come to an end.

    Returns:
        What became of the messages, and how many went into a turn under way.
    """
    with scene.stage(folder) as ready:
        ready.traced(scene.lines, until=number, power_cut=power_cut)
        if again:
            ready.traced(scene.lines, until=again, power_cut=power_cut)
        ready.live(scene.lines)
        return ready.verdict(), steered(ready.home / "state" / "scrubjay.sqlite")


def steered(state: Path) -> int:
    """How many messages went into turns under way, as the transcripts say."""
    sql = "SELECT count(*) FROM transcript WHERE kind = 'step' AND json_extract(body, '$.role') = 'user'"
    with closing(sqlite3.connect(f"file:{state}?mode=ro", uri=True)) as db:
        return int(db.execute(sql).fetchone()[0])


def again_as(platform: str, number: int, *, power_cut: bool = False, again: int = 0) -> str:
    """The command that kills it at the same points again."""
    cut = " --power-cut" if power_cut else ""
    then = f" --again {again}" if again else ""
    return f"python -m tests.chaos.kill --platform {platform} --at {number}{cut}{then}"


def sweep(
    scene: Scene, folder: Path, *, points: int, seed: int, twice: bool = False
) -> Iterator[tuple[str, Verdict, int]]:
    """Kill it once (or twice) at each of so many points, each in a new home; what was done, and what came of it."""
    platform = scene.platform
    chance = random.Random(f"{platform} {seed}")
    total = scene.changes(folder)
    for turn in range(points):
        number, power_cut = chance.randint(1, total), bool(turn % 2)
        again = chance.randint(1, max(1, total // 3)) if twice else 0
        found, count = killed(scene, folder / str(turn), number, power_cut=power_cut, again=again)
        yield (
            f"{platform} {number}/{total}{' power cut' if power_cut else ''}{f' then {again}' if again else ''}",
            found,
            count,
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
    parser.add_argument("--queue", choices=("collect", "follow_up", "steer"), default="collect")
    parser.add_argument("--bug", choices=sorted(BUGS), default="")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    scene = Scene(given.platform, given.queue)
    sums: Counter[str] = Counter(points=0) + Counter()
    with tempfile.TemporaryDirectory() as folder:
        if given.bug:
            found = convicted(given.bug, Path(folder), tries=given.points, seed=given.seed)
            print(json.dumps({"bug": given.bug, "found": asdict(found) if found else None}))
            sys.exit(found is None)
        if given.at:
            verdict, _ = killed(scene, Path(folder), given.at, power_cut=given.power_cut, again=given.again)
            print(json.dumps(asdict(verdict)))
            sys.exit(not verdict.is_clean)
        for done, found, count in sweep(scene, Path(folder), points=given.points, seed=given.seed, twice=given.twice):
            counts = asdict(found)
            sums.update({name: counts[name] for name in COUNTED})
            sums.update({"points": 1, "misordered": found.misordered, "steered": count})
            if not given.json or not found.is_clean:
                print(f"{done}: {counts}", flush=True)
    print(json.dumps({name: sums[name] for name in ("points", *COUNTED, "misordered", "steered")}))
    sys.exit(any(sums[name] for name in (*COUNTED, "misordered") if name != "orphans"))


if __name__ == "__main__":
    main()
