"""Kills the durable core between any two changes of its files, starts it again, and counts what was lost or doubled.

    python -m tests.chaos.core --points 100 --seed 1 --json

prints one JSON object as its last line: {"points", "lost", "doubled", "disordered", "on_record"}. `lost` counts only
what no record of the service admits to; `on_record` what it gave up because it may have arrived. It fails if anything
was lost, doubled or out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from adapters.port import PLACEHOLDER
from bot.storage.database import read_state
from bot.storage.tables.dead_letters import queue_depths
from tests.chaos.postbox import CHATS, Postbox
from tests.chaos.tracer import Run, Watch, fail_at, kill_at, record

MESSAGES = 6
KINDS: tuple[dict[str, bool], ...] = ({"recognises": True}, {"edits": True}, {})
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What became of the messages: how many got no answer, or two; and how many parts the service gave up."""

    lost: int = 0
    doubled: int = 0
    disordered: int = 0
    on_record: int = 0


class Home:
    """One service with one platform, made in an empty folder.

    Args:
        folder: where both live.
        recognises: whether the platform recognises a message that is sent twice.
        edits: whether messages can be changed there, so that texts are edited into placeholders.
    """

    def __init__(self, folder: Path, *, recognises: bool = False, edits: bool = False) -> None:
        self.state, platform = folder / "state", folder / "platform"
        self.state.mkdir(parents=True)
        platform.mkdir()
        (platform / "said").write_text("".join(f"message {n}\n" for n in range(MESSAGES)))
        self._postbox = Postbox(platform)
        self._argv = [sys.executable, "-m", "tests.chaos.postbox", str(self.state), str(platform)]
        if recognises:
            self._argv.append("--recognises")
        if edits:
            self._argv.append("--edits")

    def live(self, *, until: int = 0, power_cut: bool = False) -> Run:
        """One life of the service, to its end or up to its n-th change of a file."""
        watch, env = Watch(self.state), {"PYTHONPATH": str(ROOT)}
        if until:
            run = kill_at(self._argv, until, watch=watch, env=env, power_cut=power_cut)
        else:
            run = record(self._argv, watch=watch, env=env)
        if run.status and not run.hit:
            raise RuntimeError(run.errors.decode())
        return run

    def fail(self, number: int, error: int, *, names: frozenset[str]) -> Run:
        """One life of the service in which one change of a file, of these kinds, fails."""
        return fail_at(self._argv, number, error, watch=Watch(self.state, names), env={"PYTHONPATH": str(ROOT)})

    def ledger(self) -> Ledger:
        """What people have seen, against what the service knows."""
        shown = [line for line in self._postbox.shown() if line["text"] != PLACEHOLDER]
        texts = [line["text"] for line in shown]
        by_chat = [[line["text"] for line in shown if line["chat"] == f"chat-{n}"] for n in range(CHATS)]
        (depth,) = asyncio.run(read_state(self.state / "scrubjay.sqlite", queue_depths))
        missing = {f"re: message {n}" for n in range(MESSAGES)} - set(texts)
        return Ledger(
            lost=max(0, len(missing) - depth.dead) + depth.waiting + depth.owed,
            doubled=len(texts) - len(set(texts)),
            disordered=sum(seen != sorted(seen) for seen in by_chat),
            on_record=depth.dead,
        )


def sweep(folder: Path, numbers: list[int], *, power_cut: bool, **kind: bool) -> Counter[str]:
    """Crash once at each of these changes, each time in a new home; the sums of the ledgers."""
    sums: Counter[str] = Counter()
    for number in numbers:
        home = Home(folder / f"{''.join(kind)}-{power_cut}-{number}", **kind)
        home.live(until=number, power_cut=power_cut)
        home.live()
        ledger = home.ledger()
        sums.update(points=1, lost=ledger.lost, doubled=ledger.doubled)
        sums.update(disordered=ledger.disordered, on_record=ledger.on_record)
    return sums


def main() -> None:
    """Sweep over all kinds of platforms and both kinds of crash."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sums: Counter[str] = Counter(points=0, lost=0, doubled=0, disordered=0, on_record=0)
    with tempfile.TemporaryDirectory() as folder:
        chance = random.Random(given.seed)
        for kind, power_cut in product(KINDS, (True, False)):
            total = len(Home(Path(folder) / f"whole-{''.join(kind)}-{power_cut}", **kind).live().calls)
            numbers = chance.choices(range(1, total + 1), k=given.points // (2 * len(KINDS)))
            found = sweep(Path(folder), sorted(set(numbers)), power_cut=power_cut, **kind)
            sums.update(found)
            if not given.json:
                print(f"{''.join(kind) or 'plain'} power_cut={power_cut}: {dict(found)}")
    print(json.dumps(dict(sums)))
    sys.exit(any(sums[name] for name in ("lost", "doubled", "disordered")))


if __name__ == "__main__":
    main()
