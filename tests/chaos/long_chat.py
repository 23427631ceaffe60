"""One conversation that is never reset: how long a turn keeps the event loop, what memory it takes, how long a start.

    python -m tests.chaos.long_chat --exchanges 40000 --json

prints one JSON object as its last line: {"exchanges", "turns", "answer_ms_p50", "blocked_ms_p99", "blocked_ms_max",
"busy_ms_max", "memory_ratio", "cpu_ratio", "cpu_ms", "rss_mb", "start_s"}. The event loop counts as blocked while a
timer of some milliseconds comes late; of each turn the longest such time counts. Busy is what its thread computes in
such a time, which is the same on a machine that others use too, where every timer comes late. Memory and processor time
of a question are held against those of a conversation of a hundred exchanges, the memory at its highest, each in a
process of its own, when the conversation has been written out as a file. The start is the time until the first answer,
in which a conversation that does not fit is summarised. With `--sessions` what was told in it is indexed, too, beside
the turns.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from bot.access.access import AccessRules
from bot.agent.compaction import SECTIONS
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from bot.storage.port import EntryKind
from memory import FrozenClock
from tests.servers.openai_script import Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.cli_process import ROOT
from tests.support.factories import NOON
from tests.support.service import PeopleAdapter

SHORT = 100
"""Exchanges of the conversation that the memory is compared with."""
TURNS = 30
ROUNDS = 5
"""So often the processor time of questions is measured; the least counts, since others use the machine, too."""
TICK_S = 0.002
SESSION = "agent:personal:volatile.bot:private:home"
FIRST_SEQ = 1000


class Delay(NamedTuple):
    """Milliseconds: how long the event loop was blocked, how long its thread computed, how long the answer took."""

    blocked_ms: float
    busy_ms: float
    answer_ms: float = 0.0


def answer(received: Received) -> Step:
    """A model of few words, which can write a summary."""
    is_summary = not received.tools and SECTIONS[0] in str(received.messages[0])
    return Step(text="\n".join(f"## {name}\nnone" for name in SECTIONS) if is_summary else "ok")


def rows(exchanges: int) -> Iterator[tuple[str | int, ...]]:
    """The transcript of so many exchanges, row by row."""
    for number in range(exchanges):
        text = f"I have told you number {number}, " + "words that I tell, " * 20
        said = {
            "sender": "volatile:owner", "is_owner": True, "name": "Owner", "is_foreign": False, "message": "1",
            "sent_at": NOON.isoformat(), "text": text, "shown_as": f"[2026-11-21 13:00 Sat]\n{text}",
            "shown": [f"fact{number}"] * 6,
        }  # fmt: skip
        bodies = {
            EntryKind.MESSAGE: said,
            EntryKind.REPLY: {"text": "an answer " * 80},
            EntryKind.RECALL: {"query": text, "mode": "words", "reason": "", "ms": 1.0, "hits": [], "more": "x" * 3000},
        }
        for place, (kind, body) in enumerate(bodies.items()):
            seq = FIRST_SEQ + len(bodies) * number + place
            yield "personal", SESSION, seq, kind.value, f"x:{number}", NOON.isoformat(), json.dumps(body)


def fill(database: Path, exchanges: int) -> None:
    """Write a conversation of so many exchanges into a state file."""
    db = sqlite3.connect(database)
    with db:
        db.executemany("INSERT INTO transcript VALUES (?, ?, ?, ?, ?, ?, ?)", rows(exchanges))
        db.execute("UPDATE agent SET next_seq = ?", (FIRST_SEQ + 3 * exchanges,))
    db.close()


@asynccontextmanager
async def service(home: Home, model: OpenAIServer, *, sessions: bool) -> AsyncIterator[PeopleAdapter]:
    """A service in this process, with people who talk to it."""
    clock = FrozenClock(NOON)
    people = PeopleAdapter(clock)
    config = Config.model_validate(
        {
            "memory": {"embedder": {"kind": "none"}, "sessions": {"index": sessions}},
            "model": {"name": MODEL, "base_url": model.base_url, "api_key": KEY},
        }
    )
    access = AccessRules(frozenset({"volatile:owner"}))
    home.prepare()
    async with (
        build(
            home, config, clock=clock, opening=lambda _: nullcontext([people]), default_agent="personal", access=access
        ) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(list(config.agents), owner="test"))
        try:
            yield people
        finally:
            built.service.stop()


async def worst_delay(ended: asyncio.Event) -> Delay:
    """Watch the event loop until something has ended; the longest times in which it did nothing else."""
    blocked = busy = 0.0
    while not ended.is_set():
        before, computed = time.perf_counter(), time.thread_time()
        await asyncio.sleep(TICK_S)
        blocked = max(blocked, time.perf_counter() - before - TICK_S)
        busy = max(busy, time.thread_time() - computed)
    return Delay(1000 * blocked, 1000 * busy)


async def asked(people: PeopleAdapter, text: str) -> Delay:
    """Ask something; how late the event loop was at worst until the answer came."""
    ended, began = asyncio.Event(), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(worst_delay(ended))
        await people.ask(text)
        took = time.perf_counter() - began
        ended.set()
    return watching.result()._replace(answer_ms=1000 * took)


async def life(folder: Path, exchanges: int, *, sessions: bool) -> dict[str, Any]:
    """One service over a conversation of so many exchanges."""
    home = Home.at(folder)
    with OpenAIServer(answer) as model:
        async with service(home, model, sessions=sessions) as people:
            await people.ask("hello")
        fill(home.database, exchanges)
        gc.collect()
        started = time.perf_counter()
        async with service(home, model, sessions=sessions) as people:
            people.say("seen before")  # has the id of the first life's message
            await people.ask("the first question")
            start_s = time.perf_counter() - started
            await written_out(home, exchanges)
            delays = [await asked(people, f"question {number}") for number in range(TURNS)]
            if sessions:
                await told_out(home, exchanges)
            cpu_ms = min([await counted(people) for _ in range(ROUNDS)])
            delays += [await asked(people, command) for command in ("/status", "/context", "/new")]
    return {
        "answer_ms": [delay.answer_ms for delay in delays[:TURNS]],
        "blocked_ms": [delay.blocked_ms for delay in delays],
        "busy_ms_max": max(delay.busy_ms for delay in delays),
        "cpu_ms": cpu_ms,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "start_s": start_s,
    }


async def counted(people: PeopleAdapter) -> float:
    """Ask some questions; milliseconds of processor time that each took."""
    computed = time.process_time()
    for number in range(TURNS):
        await people.ask(f"question {number} that is counted")
    return 1000 * (time.process_time() - computed) / TURNS


async def written_out(home: Home, exchanges: int) -> None:
    """Wait until the conversation so far stands in its file, which takes a while after a start."""
    (file,) = home.sessions("personal").glob("*.jsonl")
    lines = 0
    while lines <= 3 * exchanges:
        await asyncio.sleep(TICK_S * 100)
        with file.open("rb") as opened:
            lines = sum(1 for _ in opened)


async def told_out(home: Home, exchanges: int) -> None:
    """Wait until all that was told stands in the files that are indexed."""
    told = 0
    while told < exchanges:
        await asyncio.sleep(TICK_S * 100)
        files = (home.told("personal") / "own").glob("*.md")
        told = sum(path.read_text(encoding="utf-8").count("I have told you number") for path in files)


def alone(exchanges: int, *, sessions: bool) -> dict[str, Any]:
    """The same in a process of its own, so that its memory is its own."""
    options = ["--exchanges", str(exchanges), *(["--sessions"] if sessions else [])]
    command = [sys.executable, "-m", "tests.chaos.long_chat", *options, "--life"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(exchanges: int, *, sessions: bool) -> dict[str, float]:
    """The long conversation against the short one."""
    short, long = alone(SHORT, sessions=sessions), alone(exchanges, sessions=sessions)
    blocked = long["blocked_ms"]
    return {
        "exchanges": exchanges,
        "turns": len(blocked),
        "answer_ms_p50": round(median(long["answer_ms"]), 1),
        "blocked_ms_p99": round(quantiles(blocked, n=100, method="inclusive")[98], 1),
        "blocked_ms_max": round(max(blocked), 1),
        "busy_ms_max": round(long["busy_ms_max"], 1),
        "memory_ratio": round(long["rss_mb"] / short["rss_mb"], 2),
        "cpu_ratio": round(long["cpu_ms"] / short["cpu_ms"], 2),
        "cpu_ms": round(long["cpu_ms"], 1),
        "rss_mb": round(long["rss_mb"]),
        "start_s": round(long["start_s"], 2),
    }


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=40_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sessions", action="store_true", help="index what was told in it")
    parser.add_argument("--life", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.life:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(asyncio.run(life(Path(folder), given.exchanges, sessions=given.sessions))))
    else:
        print(json.dumps(measured(given.exchanges, sessions=given.sessions)))


if __name__ == "__main__":
    main()
