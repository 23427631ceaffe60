"""How long the command line takes to start, and how much memory a chat takes, over 10,000 units.

`scrubjay --help`, a recall in a new process by words and by words and meaning, and the peak of a chat that answers
three questions. Vectors are made up, since embedding is measured elsewhere; the question's vector is real.

Run it with `python -m benchmarks.startup`; `--json` prints the figures as the last line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from benchmarks import figures
from benchmarks.stand_in import StandIn
from bot.memories import VECTORS
from memory import Embedding, Memory
from memory.embed.model_file import ensure_model

PER_DAY = 40
"""Facts in one daily log."""

SCRUBJAY = (sys.executable, "-m", "bot")
NOTHING = (sys.executable, "-c", "pass")

GOALS = {"help": 0.4, "words": 0.8, "hybrid": 1.5}
"""Seconds, on a machine of 2026 with two cores that does nothing else."""
CHAT_GOAL_MB = 450
NOT_EMBEDDED = 40
"""Notes that the chat embeds beside the conversation."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One command, run several times: medians in seconds."""

    wall_s: float
    cpu_s: float


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print a table, and keep the figures."""
    options = _options(argv)
    with tempfile.TemporaryDirectory(prefix="scrubjay-startup-") as folder:
        texts = notes(options.units, options.seed)
        environment = write_home(Path(folder), texts)
        wanted = f"n{options.units // 2}"
        question = _question(texts, wanted)
        recall = (*SCRUBJAY, "memory", "recall", question, "--agent", "personal", "--json")
        commands = {"bare": NOTHING, "help": (*SCRUBJAY, "--help"), "words": (*recall, "--words"), "hybrid": recall}
        first = timed((*SCRUBJAY, "memory", "recall", question, "--agent", "personal"), environment)
        asyncio.run(embed(Path(folder)))
        _assert_found(commands["words"], environment, wanted, mode="words")
        _assert_found(commands["hybrid"], environment, wanted, mode="hybrid")
        timings = {name: repeated(words, environment, options.repeat) for name, words in commands.items()}
        peak_mb = chat_peak_mb(Path(folder), environment, question)
    measured = _summary(timings, first, units=options.units) | {"chat_peak_mb": peak_mb}
    _print(timings, first, options.units)
    print(f"{'scrubjay chat, peak memory':<40}{peak_mb:>6.0f} MB{'':>17}{CHAT_GOAL_MB:>5} MB")
    figures.report("startup", measured, options)
    return 0


def timed(words: Sequence[str], environment: dict[str, str]) -> Timing:
    """One run of a command: wall-clock time, and the processor time of the process and its children."""
    began = time.perf_counter()
    process = subprocess.Popen(words, env=environment, cwd=figures.ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with exit code {process.returncode}")
    return Timing(wall, usage.ru_utime + usage.ru_stime)


def repeated(words: Sequence[str], environment: dict[str, str], times: int) -> Timing:
    """The medians of several runs, after one that warms the disk's cache."""
    timed(words, environment)
    runs = [timed(words, environment) for _ in range(times)]
    return Timing(statistics.median(run.wall_s for run in runs), statistics.median(run.cpu_s for run in runs))


async def embed(home: Path) -> None:
    """Convert the built-in model, and give every unit a vector that somebody made up."""
    await ensure_model(home / "cache", say=print)
    workspace, index = home / "workspaces" / "personal", home / "state" / "memory" / "personal.sqlite"
    embedding = Embedding(StandIn(), home / "cache" / VECTORS)
    async with await Memory.open(workspace, index=index, embedding=embedding) as memory:
        await memory.embed()


def chat_peak_mb(home: Path, environment: dict[str, str], question: str) -> float:
    """The most memory that a chat had at once: it answers by meaning and embeds new notes between the questions."""
    fresh = home / "workspaces" / "personal" / "memory" / "fresh.md"
    fresh.write_text("".join(f"Something new, number {number}.\n\n" for number in range(NOT_EMBEDDED)))
    chat = (*SCRUBJAY, "chat", "--agent", "personal")
    process = subprocess.Popen(
        chat, env=environment, cwd=figures.ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert process.stdin
    with process.stdin as typed:
        typed.writelines(f"{number}: {question}?\n" for number in range(3))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the chat ended with exit code {process.returncode}")
    return round(usage.ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024), 1)


def notes(units: int, seed: int) -> dict[str, str]:
    """Daily logs with one fact per line: path in the workspace -> text. Each fact has a number of its own."""
    chance = random.Random(seed)
    words = vocabulary(chance)
    texts: dict[str, str] = {}
    day = date(2020, 1, 1)
    for start in range(0, units, PER_DAY):
        lines = [
            f"- W @{chance.choice(words).title()}: {' '.join(chance.choices(words, k=12))} n{number}."
            for number in range(start, min(start + PER_DAY, units))
        ]
        texts[f"memory/{day.isoformat()}.md"] = "\n".join([f"# {day.isoformat()}", "", "## Retain", "", *lines, ""])
        day += timedelta(days=1)
    return texts


def vocabulary(chance: random.Random) -> list[str]:
    """Three thousand words that sound like words."""
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    return ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(3000)]


def _question(texts: dict[str, str], wanted: str) -> str:
    """Two words of a note and its number, as somebody would ask who remembers it roughly."""
    words = next(line for text in texts.values() for line in text.splitlines() if f" {wanted}." in line).split()
    return f"what about {words[4]} and {words[9]} {wanted}"


def write_home(folder: Path, texts: dict[str, str]) -> dict[str, str]:
    """Write notes into a new home; return the environment of commands that work there."""
    workspace = folder / "workspaces" / "personal"
    for path, text in texts.items():
        file = workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return {"SCRUBJAY_HOME": str(folder), "PATH": os.defpath, "PYTHONPATH": str(figures.ROOT), "TZ": "UTC"}


def _assert_found(words: Sequence[str], environment: dict[str, str], wanted: str, *, mode: str) -> None:
    """A recall that finds nothing would be fast for nothing."""
    shown = subprocess.run(words, env=environment, cwd=figures.ROOT, capture_output=True, text=True, check=True)
    found = json.loads(shown.stdout)
    if found["mode"] != mode:
        raise SystemExit(f"searched by {found['mode']} instead of {mode}: {found['reason']}")
    hits = found["hits"]
    if not any(wanted in hit["content"] for hit in hits):
        raise SystemExit(f"the note that holds {wanted} was not found, but {hits[:1]}")


def _summary(timings: dict[str, Timing], first: Timing, *, units: int) -> dict[str, object]:
    bare = timings["bare"]
    told: dict[str, object] = {"units": units, "index_wall_s": round(first.wall_s, 3)}
    for name, timing in timings.items():
        told |= {f"{name}_wall_s": round(timing.wall_s, 4), f"{name}_cpu_s": round(timing.cpu_s, 4)}
        told[f"{name}_ratio"] = round(timing.wall_s / bare.wall_s, 1)
    return told


def _print(timings: dict[str, Timing], first: Timing, units: int) -> None:
    print(f"{'command':<40}{'wall':>9}{'cpu':>9}{'x bare':>8}{'goal':>8}")
    titles = {
        "bare": "python -c pass",
        "help": "scrubjay --help",
        "words": f"scrubjay memory recall --words, {units:,}",
        "hybrid": f"scrubjay memory recall, {units:,}",
    }
    for name, timing in timings.items():
        ratio = timing.wall_s / timings["bare"].wall_s
        goal = f"{GOALS[name]:.1f} s" if name in GOALS else ""
        print(f"{titles[name]:<40}{timing.wall_s:>7.3f} s{timing.cpu_s:>7.3f} s{ratio:>8.1f}{goal:>8}")
    print(f"{'first index of the same notes':<40}{first.wall_s:>7.3f} s{first.cpu_s:>7.3f} s")


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = figures.command_line(__doc__, seed=7)
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=7)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
