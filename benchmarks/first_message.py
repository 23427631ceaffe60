"""What the first message of a process costs, and what memory the process takes, over 10,000 units.

    python -m benchmarks.first_message --units 10000 --json

A real `scrubjay run` on the Telegram server of the tests, with a scripted model and the built-in embedder; the
vectors of its notes are made up. One person, an owner, writes twice. Linux alone, for /proc. Printed, and kept in
`figures/first_message.json`:

- `ready_s`: from the start of the process to its first poll for updates;
- `first_s`, `second_s`: from a message to the whole answer; the first one is sent `--after` seconds after `ready_s`;
- `start_blocked_ms`: the longest time for which the event loop was kept from its timers before the first message, after
  it was ready; `first_blocked_ms`, `second_blocked_ms` during the messages. Beside each, the processor time that the
  process took meanwhile (`_cpu_ms`): on a machine that does something else too, the smaller one counts.
- `before_mb`: memory (PSS) before anybody has written, with the embedder, which has been tested by then; `warm_mb`
  after both messages; `left_mb` when the embedder has left after its idle time, where there is one
  (`memory.embedder.idle_minutes`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bot
from benchmarks import figures
from benchmarks.startup import embed, notes, write_home
from tests.servers.control import ServerProcess
from tests.servers.openai_script import Received, Step
from tests.servers.openai_server import KEY, MODEL
from tests.servers.telegram import client as telegram

LOOK_S, START_S, ANSWER_S = 0.02, 60.0, 30.0
"""Seconds between two looks, and after which a process that is not ready, or does not answer, is given up."""
SETTLED_S = 2.0
"""Seconds without a message after which memory is read."""


def answer(request: Received) -> Step:
    """A short answer that names the question."""
    return Step(text=(f"answer to {re.findall(r'q[0-9]+', request.user_text)[-1]}.",))


@dataclass(frozen=True, slots=True)
class Late:
    """A timer of the event loop that was called late: when due, when called (s), and the processor time meanwhile."""

    due: float
    called: float
    cpu_s: float


def lates(file: Path, start: float, end: float) -> Iterator[Late]:
    """What the probe has written down within a time."""
    for line in file.read_text(encoding="utf-8").splitlines():
        late = Late(*map(float, line.split()))
        if start <= late.called and late.due <= end:
            yield late


def blocked(name: str, file: Path, start: float, end: float) -> dict[str, float]:
    """The longest time within another for which the loop was kept from its timers."""
    longest = max(lates(file, start, end), key=lambda late: late.called - late.due, default=Late(0, 0, 0))
    most_cpu_s = max((min(late.cpu_s, late.called - late.due) for late in lates(file, start, end)), default=0)
    return {
        f"{name}_blocked_ms": round(1000 * (longest.called - longest.due), 1),
        f"{name}_blocked_cpu_ms": round(1000 * most_cpu_s, 1),
    }


def memory_mb(pid: int) -> float:
    """The process's share of the machine's memory: what it alone has, and its part of what several have."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
    return round(int(re.findall(r"^Pss: +(\d+)", rollup, re.MULTILINE)[0]) / 1024, 1)


@contextmanager
def serving(home: Path, model: str, *, idle_minutes: float) -> Iterator[tuple[Any, subprocess.Popen[bytes], float]]:
    """Run the service; yields the platform, the process, and when it was started."""
    with telegram.spawned() as server:
        person = server.user(1, "Ann")
        idle = f"memory:\n  embedder:\n    idle_minutes: {idle_minutes}\n" if idle_minutes else ""
        (home / "config.yaml").write_text(
            f"telegram:\n  token: ${{TOKEN}}\n  api: {server.url}\naccess:\n  owners:\n    - telegram:{person.id}\n"
            f"owner:\n  timezone: UTC\n{idle}model:\n  name: {MODEL}\n  base_url: {model}/v1\n  api_key: {KEY}\n"
        )
        environment = {
            "SCRUBJAY_HOME": str(home),
            "HOME": str(home),
            "PATH": os.defpath,
            "PYTHONPATH": os.pathsep.join([str(Path(bot.__file__).parents[1]), str(figures.ROOT)]),
            "PYTHONUTF8": "1",
            "TOKEN": server.token,
            "TZ": "UTC",
        }
        command = [sys.executable, "-m", "benchmarks.probed_run", str(home / "late")]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
            try:
                yield server, process, time.monotonic()
            finally:
                process.terminate()


def wait_for(server: Any, process: subprocess.Popen[bytes], seconds: float, *found: str) -> float:
    """Wait until an entry of the platform's ledger has these words in it; return when that was seen."""
    deadline = time.monotonic() + seconds
    while not any(all(word in str(entry) for word in found) for entry in server.entries()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the service has not come to {' '.join(found)}")
        threading.Event().wait(LOOK_S)
    return time.monotonic()


def measured(given: argparse.Namespace) -> dict[str, Any]:
    """All figures of one process."""
    script = ("--answer", "benchmarks.first_message:answer")
    with (
        tempfile.TemporaryDirectory(prefix="scrubjay-first-") as folder,
        ServerProcess("tests.servers.openai_server", *script) as model,
    ):
        home = Path(folder)
        write_home(home, notes(given.units, given.seed))
        asyncio.run(embed(home))
        with serving(home, model.url, idle_minutes=given.idle_minutes) as (server, process, started):
            ready = wait_for(server, process, START_S, "'poll'")
            threading.Event().wait(given.after)
            found: dict[str, Any] = {"units": given.units, "after_s": given.after, "ready_s": round(ready - started, 2)}
            found["before_mb"] = memory_mb(process.pid)
            late, person = home / "late", server.user(1, "Ann")
            found |= blocked("start", late, ready, time.monotonic())
            for number, name in enumerate(("first", "second")):
                asked = time.monotonic()
                person.says(f"what do you think of q{number}?")
                answered = wait_for(server, process, ANSWER_S, f"answer to q{number}.")
                found[f"{name}_s"] = round(answered - asked, 3)
                threading.Event().wait(SETTLED_S)
                found |= blocked(name, late, asked, answered)
            found["warm_mb"] = memory_mb(process.pid)
            if given.idle_minutes:
                from bot.memories import LOOK_EVERY_S  # a program from before it has no idle time

                threading.Event().wait(60 * given.idle_minutes + LOOK_EVERY_S + SETTLED_S)
                found["left_mb"] = memory_mb(process.pid)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and keep the figures."""
    parser = figures.command_line("What the first message of a process costs, and its memory.", seed=7)
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--after", type=float, default=5.0, help="seconds between the start and the first message")
    parser.add_argument("--idle-minutes", type=float, default=0, help="set memory.embedder.idle_minutes")
    given = parser.parse_args(argv)
    found = measured(given)
    for name, value in found.items():
        print(f"{name:22} {value:>9,}")
    figures.report("first_message", found, given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
