"""Two hundred chats that talk at a fixed pace, whatever the service does: how much later than the model it answers.

    python -m tests.chaos.load --seconds 30 --json

prints one JSON object as its last line: {"chats", "rate", "messages", "model_ms", "added_p50_ms", "added_p99_ms",
"unanswered"}. The time of an answer runs from the message's place in the platform's ledger to the answer's; what the
model takes by itself, asked directly, is taken off.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import threading
import time
import urllib.request
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles

from tests.chaos.script import ASKED, Line
from tests.chaos.stages import Stage, stage
from tests.servers.ledger import bot_message
from tests.servers.openai_script import Fault, Received, slow
from tests.servers.openai_server import KEY, MODEL
from tests.support.cli_process import ROOT

CHATS, RATE = 200, 40
MODEL_S, PAUSES = 0.3, 5
"""What the model takes, and over how many events of its stream that is spread."""
SETTLE_S = 5


def unhurried(_: Received) -> Fault:
    """A model that takes its time."""
    return slow(MODEL_S / PAUSES)


def model_s(base_url: str) -> float:
    """What the model takes by itself."""
    body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "ask-0"}]}
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    took = []
    for _ in range(7):
        started = time.monotonic()
        request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            answer.read()
        took.append(time.monotonic() - started)
    return median(took)


def talk_steadily(scene: Stage, count: int) -> None:
    """One message after the other at the fixed pace; who is late does not slow the next one down."""
    started = time.monotonic()
    for number in range(count):
        threading.Event().wait(max(0.0, started + number / RATE - time.monotonic()))
        scene.say([Line(number % CHATS, f"what of ask-{number}?")], between_s=0)


def latencies(scene: Stage) -> dict[str, float]:
    """Seconds from each question to its answer, by key."""
    asked: dict[str, datetime] = {}
    took: dict[str, float] = {}
    for entry in scene.server.entries():
        if entry["kind"] not in {"message", "edit"}:
            continue
        at = datetime.fromisoformat(entry["at"])
        for key in ASKED.findall(entry["text"].replace("ans-", "ask-")):
            if entry["by"] == "user":
                asked.setdefault(key, at)
            elif key in asked:
                took.setdefault(key, (at - asked[key]).total_seconds())
    return took


def measured(seconds: int) -> dict[str, float]:
    """The whole run, as numbers with their names."""
    count = RATE * seconds
    with (
        tempfile.TemporaryDirectory() as folder,
        stage("telegram", Path(folder), people=CHATS, unclear=0, mishap=unhurried) as scene,
        subprocess.Popen(scene.command, env=scene.environment, stderr=subprocess.DEVNULL, cwd=ROOT) as process,
    ):
        alone = model_s(scene.model_url)
        scene.say([Line(0, "are you there, ask-first?")])
        while not any(bot_message(kind="edit", text="ans-first")(entry) for entry in scene.server.entries()):
            threading.Event().wait(0.2)
        talk_steadily(scene, count)
        threading.Event().wait(SETTLE_S)
        took = latencies(scene)
        process.terminate()
    took.pop("first", None)
    added = quantiles([1000 * (one - alone) for one in took.values()], n=100)
    return {
        "chats": CHATS,
        "rate": RATE,
        "messages": count,
        "model_ms": round(1000 * alone),
        "added_p50_ms": round(added[49]),
        "added_p99_ms": round(added[98]),
        "unanswered": count - len(took),
    }


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    print(json.dumps(measured(given.seconds)))


if __name__ == "__main__":
    main()
