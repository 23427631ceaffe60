"""Every way in which a conversation can end or outgrow the window, with a model, with one that fails, and with none.

    python -m tests.acceptance.flush_paths --json

prints one JSON object as its last line: {"cells", "facts", "found", "lost"}; `lost` names each cell that lost a fact.
In each cell the owner says three facts, what has to happen happens, a new conversation begins, and the facts are asked
for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import structlog

from bot.paths import Home
from memory import FrozenClock
from tests.acceptance.long_conversation import FACT, QUESTION, WORDS, Talk, Talker, talking
from tests.servers.openai_server import OpenAIServer
from tests.support.cli_process import ROOT
from tests.support.factories import NOON

PATHS = ("threshold", "overflow", "/compact", "/new", "daily", "idle", "SIGTERM", "kill -9")
MODELS = ("ok", "down", "none")
WINDOW = 8_000
FACTS = {"dora": "bikulo", "mela": "fozagu", "rino": "setapu"}
RESETS = {"daily": {"daily": 4}, "idle": {"idle_minutes": 300}}
PATIENCE_S = 30.0


async def plant(talk: Talk) -> None:
    """Say the facts, and so much behind them that the note of the last messages does not reach back to them."""
    for name, hook in FACTS.items():
        await talk.say(FACT.format(name=name, hook=hook))
    for word in WORDS[:16]:
        await talk.say(f"What do you think of the {word}?")


async def fill(talk: Talk, talker: Talker, what: str) -> None:
    """Talk until the model was asked for something, if there is one."""
    for _ in range(60):
        if talker.total.get(what):
            return
        await talk.say(f"What do you think: {' '.join(WORDS * 6)}?")


async def cell(folder: Path, path: str, model: str) -> int:
    """Let one thing happen in an empty home; return how many facts are found afterwards."""
    talker, clock, home = Talker(), FrozenClock(NOON), Home.at(folder)
    reset = RESETS.get(path)
    with OpenAIServer(talker.answer, talker.fault) as server:
        address = server.base_url if model != "none" else ""
        if path in {"SIGTERM", "kill -9"}:
            live_and_end(folder, address, signal.SIGTERM if path == "SIGTERM" else signal.SIGKILL)
        async with talking(home, address, window=WINDOW, clock=clock, reset=reset, first=1_000) as talk:
            if path not in {"SIGTERM", "kill -9"}:
                await plant(talk)
            talker.is_down = model == "down"
            talker.overflows = path == "overflow"
            match path:
                case "threshold":
                    await fill(talk, talker, "compaction")
                case "overflow" | "/compact":
                    await talk.say("What now?" if path == "overflow" else "/compact")
                case "daily" | "idle":
                    clock.advance(hours=24)
                    async with asyncio.timeout(PATIENCE_S):
                        await talk.people.answer()  # the scheduler looks at the clock every few seconds
                case _:
                    pass
            if not reset:
                await talk.say("/new")
            talker.is_down = False
            clock.advance(hours=1)
            answers = [await talk.say(QUESTION.format(name=name)) for name in FACTS]
    return sum(hook in answer for hook, answer in zip(FACTS.values(), answers, strict=True))


def live_and_end(folder: Path, address: str, how: signal.Signals) -> None:
    """Plant the facts in a process of its own, and end that."""
    command = [sys.executable, "-m", "tests.acceptance.flush_paths", "--plant", str(folder), "--address", address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        if process.stdout.readline().strip() != "planted":
            raise RuntimeError("The facts could not be said.")
        process.send_signal(how)
        process.wait(PATIENCE_S)


async def plant_and_wait(folder: Path, address: str) -> None:
    async with talking(Home.at(folder), address, window=WINDOW, clock=FrozenClock(NOON)) as talk:
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        await plant(talk)
        print("planted", flush=True)
        await ended.wait()


async def run(paths: Sequence[str] = PATHS, models: Sequence[str] = MODELS) -> dict[str, object]:
    """Run all cells, one after the other."""
    lost, found = [], 0
    for path, model in product(paths, models):
        with tempfile.TemporaryDirectory() as folder:
            here = await cell(Path(folder), path, model)
        found += here
        if here < len(FACTS):
            lost.append(f"{path} with model {model}: {here} of {len(FACTS)}")
    cells = len(paths) * len(models)
    return {"cells": cells, "facts": cells * len(FACTS), "found": found, "lost": lost}


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", nargs="*", choices=PATHS, default=PATHS)
    parser.add_argument("--json", action="store_true", help="print the figures as the last line")
    parser.add_argument("--plant", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--address", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    if options.plant:
        asyncio.run(plant_and_wait(options.plant, options.address))
        return
    found = asyncio.run(run(options.paths))
    print(json.dumps(found) if options.json else found)
    if found["lost"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
