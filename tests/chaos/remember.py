"""Kills the whole program at any change of a file between a `/remember` and its receipt, starts it again, and counts.

    python -m tests.chaos.remember --points 100 --seed 1 --json

prints one JSON object as its last line: {"points", "lost", "doubled", "broken"}. `lost` counts facts that had been
acknowledged, by a receipt or by being accepted, and are not answered for or not in the file; `doubled` those that are
twice in the file or were answered twice by the next life; `broken` homes whose journal does not verify, whose index
does not find the fact, or that take no further one. A quarter of the points each: the first fact of a home or a later
one, killed or with the power cut. It fails if any of the three is not 0.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from adapters.terminal import REMARK
from memory.files.workspace import Workspace
from memory.journal.maintenance import verify
from tests.chaos.tracer import Call, Run, Watch, When, fail_at, kill_at, record
from tests.support.cli_process import command, environment, run

FACT = "The tent is green."
ANOTHER = "The stove is red."
SAID = f"hello\n/remember {FACT}\n/remember {ANOTHER}\n".encode()
"""The answer to the greeting marks where the message begins that counts: a line is read when the last is answered."""
RECEIPT = "Noted in memory/2026-11-21.md:"
DAILY_LOG = "memory/2026-11-21.md"
CORE_LOG = "scrubjay.sqlite-wal"
JOURNAL = "2026-11.jsonl"
CHECKPOINT = "applied"
INDEX = "personal.sqlite"
"""How the names of the index's files begin."""

Select = Callable[[Call], bool]
"""Which calls are meant."""


@dataclass(frozen=True, slots=True)
class Seen(Watch):
    """Changes of files below the home, and what is printed.

    Not those of the transcripts' files: they follow from the core and are written beside it, by another thread, so that
    with them one number would be another call in each run.
    """

    def admits(self, name: str, paths: Sequence[Path]) -> bool:
        is_projection = any("sessions" in path.parts for path in paths)
        return (Watch.admits(self, name, paths) and not is_projection) or is_printing(name, paths)


def is_printing(name: str, paths: Sequence[Path]) -> bool:
    """Whether a call writes to the program's standard output or error, which are files without a name."""
    return name == "write" and str(paths[0]).endswith(" (deleted)")


def printed(call: Call) -> bool:
    """Select the printing of an answer."""
    return is_printing(call.name, call.paths)


def on(name: str, *calls: str) -> Select:
    """Select these calls on a file of that name."""
    return lambda call: call.paths[0].name == name and call.name in calls


def in_order(*steps: Select) -> When:
    """Select the call at which the last of these steps comes, each looked for after the one before it."""

    def is_there(calls: Sequence[Call]) -> bool:
        rest = iter(calls)
        return all(any(step(call) for call in rest) for step in steps) and next(rest, None) is None

    return is_there


def on_the_index(call: Call) -> bool:
    """Select changes of the index, which takes the fact in by itself: before its receipt, or after it."""
    return call.paths[0].name.startswith(INDEX)


def written_for_the_fact(calls: Sequence[Call]) -> list[Call]:
    """The calls between the fact's arrival and its receipt, the printing included, without those of the index."""
    first, last, *_ = [call.number for call in calls if printed(call)]
    return [call for call in calls if first < call.number <= last and not on_the_index(call)]


def taken_in(calls: Sequence[Call]) -> int:
    """How many calls on the index follow the fact's arrival."""
    arrival = next(call.number for call in calls if printed(call))
    return sum(on_the_index(call) for call in calls if call.number > arrival)


def at_step(step: int) -> When:
    """Select the call that many calls after the greeting, those of the index not counted.

    Counted from there, since how much is written while the program starts differs by a few calls between runs.
    """

    def is_there(calls: Sequence[Call]) -> bool:
        arrival = next((place for place, call in enumerate(calls, start=1) if printed(call)), len(calls))
        return sum(not on_the_index(call) for call in calls[arrival:]) == step

    return is_there


def stratified(calls: Sequence[Call], count: int, chance: random.Random) -> list[int]:
    """Steps (1 is the first call), taken in turn from every stretch over one file: long ones do not crowd out short."""
    numbered = enumerate(calls, start=1)
    stretches = [[step for step, _ in group] for _, group in groupby(numbered, key=lambda one: one[1].paths)]
    for stretch in stretches:
        chance.shuffle(stretch)
    taken: list[int] = []
    while len(taken) < count:
        filled = [stretch for stretch in stretches if stretch]
        if not filled:  # more points than calls: begin anew
            return [*taken, *stratified(calls, count - len(taken), chance)]
        room = count - len(taken)
        taken += [stretch.pop() for stretch in (filled if room >= len(filled) else chance.sample(filled, room))]
    return sorted(taken)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one fact after a crash and another start."""

    lost: bool
    doubled: bool
    broken: bool


class Home:
    """A home for one crash, copied from another one.

    Args:
        folder: where it is to be; must not exist.
        template: what to copy.
    """

    def __init__(self, folder: Path, template: Path) -> None:
        self.folder = folder
        shutil.copytree(template, folder)

    def live(self, *, until: When | None = None, power_cut: bool = False) -> Run:
        """The life in which the fact is told, to its end or up to a call."""
        watch, env = Seen(self.folder), environment(self.folder)
        if until:
            return kill_at(command("chat"), until, watch=watch, stdin=SAID, env=env, power_cut=power_cut)
        return record(command("chat"), watch=watch, stdin=SAID, env=env)

    def fail(self, selected: Select, error: int) -> Run:
        """The same, in which the first such call after the fact's arrival fails with an errno."""
        when = in_order(printed, selected)
        return fail_at(command("chat"), when, error, watch=Seen(self.folder), stdin=SAID, env=environment(self.folder))

    def again(self) -> str:
        """The next life, in which the fact is asked for; what it printed."""
        ended = run(self.folder, "chat", stdin=f"Where is the tent?\n/remember {ANOTHER}\n/recall stove\n")
        return ended.out + ended.err

    def has_accepted(self) -> bool:
        """Whether the message, or the answer to it, stands in the state file as the next start will find it."""
        with tempfile.TemporaryDirectory() as scratch:
            for path in (self.folder / "state").glob("scrubjay.sqlite*"):
                shutil.copy(path, scratch)
            with closing(sqlite3.connect(Path(scratch, "scrubjay.sqlite"))) as state:
                waiting = state.execute("SELECT body FROM inbox UNION ALL SELECT body FROM outbox").fetchall()
        return any(FACT in body for (body,) in waiting)

    def lines(self, fact: str = FACT) -> int:
        """How often a fact stands in the daily log."""
        log = self.folder / "workspaces" / "personal" / DAILY_LOG
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        return text.count(fact)

    def is_verified(self) -> bool:
        """Whether the journal holds together."""
        workspace = Workspace(self.folder / "workspaces" / "personal")
        try:
            return not verify(workspace)
        finally:
            workspace.close()


def verdict(home: Home, crash: Run) -> Verdict:
    """Start again, and judge by what is on the screen and on the disk."""
    told, is_accepted = crash.output.decode(errors="replace"), home.has_accepted()
    later = home.again()
    late = later.count(f"{REMARK}\n{RECEIPT}")
    receipts = told.count(RECEIPT) + late
    lines = home.lines()
    is_known = lines == 1 and f"> {FACT}\n" in later
    return Verdict(
        lost=(is_accepted or receipts > 0) and not (receipts and lines),
        doubled=lines > 1 or late > 1,  # killed between a receipt and the note of it, the terminal shows it again
        broken=not home.is_verified()
        or is_known != (receipts > 0)
        or home.lines(ANOTHER) != 1
        or f"> {ANOTHER}\n" not in later,
    )


def index_verdict(home: Home, crash: Run) -> Verdict:
    """The same after a crash in the index: the receipt may have been printed by then, and the next fact told."""
    told, later = crash.output.decode(errors="replace"), home.again()
    lines = home.lines()
    return Verdict(
        lost=RECEIPT in told and not lines,
        doubled=lines > 1,
        broken=not home.is_verified() or (lines > 0) != (f"> {FACT}\n" in later) or f"> {ANOTHER}\n" not in later,
    )


def templates(folder: Path) -> dict[str, Path]:
    """A home that has never been told anything, and one that has.

    They search by words: what is embedded beside the work would make one number another call in each run.
    """
    fresh, used = folder / "fresh", folder / "used"
    for home in (fresh, used):
        home.mkdir(parents=True)
        (home / "config.yaml").write_text("memory:\n  watch: off\n  embedder:\n    kind: none\n", encoding="utf-8")
    run(fresh, "chat")
    run(used, "chat", stdin="The kettle is blue.\n")
    return {"fresh": fresh, "used": used}


def sweep(folder: Path, template: Path, *, count: int, power_cut: bool, chance: random.Random) -> Counter[str]:
    """Crash at so many calls, a quarter of them on the index, each time in a new home; the sums of the verdicts."""
    whole = Home(folder / "whole", template).live().calls
    of_index = chance.sample(range(1, taken_in(whole) + 1), min(count // 4, taken_in(whole)))
    steps = stratified(written_for_the_fact(whole), count - len(of_index), chance)
    points = [(at_step(step), verdict) for step in steps]
    points += [(in_order(printed, *[on_the_index] * number), index_verdict) for number in of_index]
    sums: Counter[str] = Counter(points=0, lost=0, doubled=0, broken=0)
    for turn, (when, judge) in enumerate(points):
        home = Home(folder / str(turn), template)
        crash = home.live(until=when, power_cut=power_cut)
        found = judge(home, crash)
        sums.update(points=1, lost=found.lost, doubled=found.doubled, broken=found.broken)
        if found != Verdict(lost=False, doubled=False, broken=False):
            print(f"{template.name} power_cut={power_cut} {crash.hit}: {found}")
        shutil.rmtree(home.folder)
    return sums


def main() -> None:
    """Sweep over first and later facts, and over both kinds of crash."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sums: Counter[str] = Counter()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        for kind, template in templates(Path(name) / "templates").items():
            for power_cut in (False, True):
                folder = Path(name) / f"{kind}-{power_cut}"
                found = sweep(folder, template, count=given.points // 4, power_cut=power_cut, chance=chance)
                sums.update(found)
                if not given.json:
                    print(f"{kind} power_cut={power_cut}: {dict(found)}")
    print(json.dumps(dict(sums)))
    sys.exit(any(sums[name] for name in ("lost", "doubled", "broken")))


if __name__ == "__main__":
    main()
