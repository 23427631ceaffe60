"""Kills the whole program at chosen writes of a turn in which a tool writes, starts it again, and counts.

    python -m tests.chaos.turn --json

prints one JSON object as its last line: {"points", "lost", "doubled", "unanswered"}. The points are chosen by what is
about to be written, and where; each of them is met twice, once killed and once with the power cut. `lost` counts facts
of which the person was told that they are written down, and that are not; `doubled` facts that are twice in the file,
and answers that are twice in one life (over two lives a terminal may print one again: it is at least once);
`unanswered` those lives after the crash that do not answer the next message. It fails if any of the three is not 0, or
if a point was not met.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.remember import CHECKPOINT, CORE_LOG, DAILY_LOG, JOURNAL, Seen, in_order, on, printed
from tests.chaos.tracer import SYNCS, Run, When, kill_at, record
from tests.servers.openai_script import Call as ToolCall
from tests.servers.openai_script import Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.cli_process import command, environment, run

STATEMENT = "Please note that the tent is green."
FACT = "The tent is green."
RECEIPT = "Noted in memory/2026-11-21.md:"
DONE = "That is written down."
HERE = "I am here."
SAID = f"hello\n{STATEMENT}\n".encode()

_LOG = Path(DAILY_LOG).name
POINTS: dict[str, When] = {
    "the message": in_order(printed, on(CORE_LOG, "pwrite64")),
    "the message, sync": in_order(printed, on(CORE_LOG, *SYNCS)),
    "the journal": in_order(printed, on(JOURNAL, "write")),
    "the journal, sync": in_order(printed, on(JOURNAL, *SYNCS)),
    "the file": in_order(printed, on(_LOG, "write")),
    "the file, sync": in_order(printed, on(_LOG, *SYNCS)),
    "the checkpoint": in_order(printed, on(CHECKPOINT, "write")),
    "the index": in_order(printed, on(CHECKPOINT, *SYNCS), on("personal.sqlite-wal", "pwrite64")),
    "the tool's result": in_order(printed, on(CHECKPOINT, *SYNCS), on(CORE_LOG, "pwrite64")),
    "the tool's result, sync": in_order(printed, on(CHECKPOINT, *SYNCS), on(CORE_LOG, *SYNCS)),
    "the answer": in_order(printed, on(CHECKPOINT, *SYNCS), on(CORE_LOG, *SYNCS), on(CORE_LOG, "pwrite64")),
    "the answer, sync": in_order(printed, on(CHECKPOINT, *SYNCS), on(CORE_LOG, *SYNCS), on(CORE_LOG, *SYNCS)),
    "the printing": in_order(printed, printed),
    "the record of the printing": in_order(printed, printed, on(CORE_LOG, "pwrite64")),
}
"""Kill points, by what is about to be written after the message's arrival, which the first printing marks."""


def answer(received: Received) -> Step:
    """Notes what it is asked to note, each time that it is asked."""
    if received.tool_results:
        return Step(text=DONE)
    if received.user_text.endswith(STATEMENT):
        return Step(calls=(ToolCall("remember", {"text": FACT}),))
    return Step(text=HERE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one turn after a crash and another start."""

    lost: bool
    doubled: bool
    unanswered: bool


UNHARMED = Verdict(lost=False, doubled=False, unanswered=False)


@contextmanager
def template(folder: Path) -> Iterator[Path]:
    """A home to copy, and the model that it names, which runs until the block is left.

    It searches by words, and watches nothing: what is written beside the turn would only make it longer.
    """
    with OpenAIServer(answer) as server:
        home = folder / "template"
        home.mkdir()
        model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
        memory = {"watch": "off", "embedder": {"kind": "none"}}
        (home / "config.yaml").write_text(json.dumps({"model": model, "memory": memory}), encoding="utf-8")
        run(home, "chat")
        yield home


def unharmed(home: Path) -> Run:
    """A life in a home in which nothing is killed."""
    return record(command("chat"), watch=Seen(home), stdin=SAID, env=environment(home))


def killed(home: Path, point: When, *, power_cut: bool = False) -> tuple[Run, Verdict]:
    """Kill the program at a point, start it again, and judge by what is on the screen and on the disk."""
    watch, env = Seen(home), environment(home)
    crash = kill_at(command("chat"), point, watch=watch, stdin=SAID, env=env, power_cut=power_cut)
    later = run(home, "chat", stdin="Are you there?\n")
    lives = [crash.output.decode(), later.out]
    log = home / "workspaces" / "personal" / DAILY_LOG
    facts = log.read_text(encoding="utf-8").count(FACT) if log.exists() else 0
    answers = [life.count(DONE) for life in lives]
    return crash, Verdict(
        lost=not facts and (any(answers) or any(RECEIPT in life for life in lives)),
        doubled=facts > 1 or max(answers) > 1,
        unanswered=HERE not in later.out
        or (facts > 0 and not any(answers))
        or answers != [life.count(RECEIPT) for life in lives],
    )


def main() -> None:
    """Kill it at each point, and cut the power at each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sums: Counter[str] = Counter(points=0, lost=0, doubled=0, unanswered=0)
    with tempfile.TemporaryDirectory() as name, template(Path(name)) as home:
        for power_cut in (False, True):
            for point, when in POINTS.items():
                copied = Path(shutil.copytree(home, Path(name) / f"{point} {power_cut}"))
                crash, found = killed(copied, when, power_cut=power_cut)
                sums.update(points=bool(crash.hit), lost=found.lost, doubled=found.doubled, unanswered=found.unanswered)
                if not given.json or found != UNHARMED:
                    print(f"{point}{', power cut' if power_cut else ''}: {crash.hit}: {found}", flush=True)
    print(json.dumps(dict(sums)))
    sys.exit(sums["points"] < 2 * len(POINTS) or any(sums[name] for name in ("lost", "doubled", "unanswered")))


if __name__ == "__main__":
    main()
