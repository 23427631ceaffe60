"""A guest sends message after message: what the bot does for it, and how long its owner waits meanwhile.

    python -m tests.chaos.flood --messages 1000 --json

prints one JSON object as its last line: {"messages", "told", "turns", "tokens", "owner_idle_ms", "owner_flood_ms",
"ratio"}. The owner's times run from a question's place in the platform's ledger to its answer's, and are medians; those
of the flood are of questions that are asked while it lasts and of one behind its last message. It fails if the guest is
told more or less than once, if more turns begin than the limit allows, or if the owner waits more than 1.5 times as
long as without the flood.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from statistics import median

from bot.config.options.platforms import LimitsSection
from tests.chaos.stages import Stage, stage
from tests.servers.openai_script import Fault, Received, slow
from tests.support.cli_process import ROOT

QUESTIONS = 7
MOST_RATIO = 1.5
LOOK_S = 0.02
PATIENCE_S = 60.0
OWNER, GUEST = 0, 1
MODEL_PAUSE_S = 0.06
"""Before each event of the model's stream."""


class Owner:
    """Asks, and waits for each answer."""

    def __init__(self, scene: Stage) -> None:
        self._scene = scene
        self._seen = 0
        self._keys = (f"owner{number}" for number in range(1000))

    def asks(self) -> float:
        """How many milliseconds one question takes."""
        key = next(self._keys)
        server, seen = self._scene.server, self._seen
        self._scene.people[OWNER].says(f"what of ask-{key}?")
        moments: dict[str, datetime] = {}
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            threading.Event().wait(LOOK_S)
            entries = server.entries(since=seen)
            seen = max([seen, *(entry["n"] for entry in entries)])
            for entry in entries:
                if entry["kind"] in {"message", "edit"} and key in entry["text"]:
                    moments.setdefault(entry["by"], datetime.fromisoformat(entry["at"]))
            if len(moments) == 2:
                self._seen = seen
                return (moments["bot"] - moments["user"]).total_seconds() * 1000
        raise TimeoutError(f"no answer to ask-{key} within {PATIENCE_S:g} s")


def unhurried(_: Received) -> Fault:
    """A model that takes its time."""
    return slow(MODEL_PAUSE_S)


def only_an_owner(home: Path) -> None:
    """Make a guest of the second person."""
    config = home / "config.yaml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("    - telegram:8\n", "  guests:\n    - telegram:8\n"), encoding="utf-8")


def flooded(scene: Stage, owner: Owner, messages: int) -> Iterator[float]:
    """Times of the owner's questions while the guest writes, and of one behind the guest's last message."""
    guest = scene.people[GUEST]
    writing = threading.Thread(target=lambda: [guest.says(f"what of number {number}?") for number in range(messages)])
    writing.start()
    while writing.is_alive():
        yield owner.asks()
    writing.join()
    yield owner.asks()


def counted(home: Path) -> tuple[int, int]:
    """The guest's turns and tokens, as the service has counted them."""
    with sqlite3.connect(home / "state" / "scrubjay.sqlite") as db:
        sql = "SELECT turns, tokens FROM asked WHERE subject = 'sender telegram:8' AND span = 'day'"
        turns, tokens = db.execute(sql).fetchone()
    return int(turns), int(tokens)


def measured(messages: int) -> dict[str, float]:
    """The whole run, as numbers with their names."""
    with tempfile.TemporaryDirectory() as folder, stage("telegram", Path(folder), unclear=0, mishap=unhurried) as scene:
        only_an_owner(scene.home)
        with subprocess.Popen(scene.command, env=scene.environment, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
            owner = Owner(scene)
            owner.asks()  # the first answer loads what the others need
            idle = median(owner.asks() for _ in range(QUESTIONS))
            flood = median(flooded(scene, owner, messages))
            process.terminate()
        said = [entry for entry in scene.server.entries() if entry["kind"] in {"message", "edit"}]
        told = sum(entry["by"] == "bot" and "I go on" in entry["text"] for entry in said)
        turns, tokens = counted(scene.home)
    return {
        "messages": messages,
        "told": told,
        "turns": turns,
        "tokens": tokens,
        "owner_idle_ms": round(idle),
        "owner_flood_ms": round(flood),
        "ratio": round(flood / idle, 2),
    }


def main() -> int:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    found = measured(parser.parse_args().messages)
    print(json.dumps(found))
    is_kept = found["told"] == 1 and found["turns"] <= LimitsSection().guest_turns and found["ratio"] <= MOST_RATIO
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
