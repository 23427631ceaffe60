"""Short questions in a group, one every few seconds, where Telegram takes twenty messages and edits a minute.

    python -m tests.chaos.group_answers --questions 18 --every 3 --json

prints one JSON object as its last line: {"questions", "answered", "p50_s", "worst_s", "calls_each", "refused"}. A time
runs from a question's place in the platform's ledger to that of its whole answer; calls are messages and edits. It
fails if an answer is later than 3 s, or if one costs more than 1.3 calls.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from statistics import median

from tests.chaos.stages import Stage, stage
from tests.servers.openai_script import Fault, Received, slow
from tests.support.cli_process import ROOT

GROUP_LIMIT = (20, 60)
"""Messages and edits in seconds."""
LATEST_S = 3.0
MOST_CALLS = 1.3
LOOK_S = 0.1
PATIENCE_S = 90.0
MODEL_PAUSE_S = 0.05
"""Before each event of the model's stream."""
COUNTED = {"sendMessage", "editMessageText"}


def unhurried(_: Received) -> Fault:
    """A model that takes its time."""
    return slow(MODEL_PAUSE_S)


def seconds(scene: Stage, chat: int, first: int) -> dict[str, list[float]]:
    """For each question since an entry of the ledger: when it was asked, and when its whole answer was there."""
    moments: dict[str, list[float]] = {}
    for entry in scene.server.entries(since=first):
        if entry["kind"] in {"message", "edit"} and entry["chat"] == str(chat) and "-q" in entry["text"]:
            key = entry["text"].partition("-q")[2][:2]
            moments.setdefault(key, []).append(datetime.fromisoformat(entry["at"]).timestamp())
    return moments


def ask(scene: Stage, chat: int, questions: range, every_s: float) -> dict[str, list[float]]:
    """Ask, wait for the answers, and return the moments of both."""
    first = max([0, *(entry["n"] for entry in scene.server.entries())])
    for number in questions:
        scene.people[0].says(f"@scrubjay_bot what of ask-q{number:02}?", chat=chat)
        threading.Event().wait(every_s)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        moments = seconds(scene, chat, first)
        if sum(len(times) > 1 for times in moments.values()) == len(questions):
            break
        threading.Event().wait(LOOK_S)
    threading.Event().wait(1)  # for what might still be edited
    return seconds(scene, chat, first)


def measured(questions: int, every_s: float) -> dict[str, float]:
    """The whole run, as numbers with their names."""
    with (
        tempfile.TemporaryDirectory() as folder,
        stage("telegram", Path(folder), unclear=0, mishap=unhurried) as scene,
        subprocess.Popen(scene.command, env=scene.environment, stderr=subprocess.DEVNULL, cwd=ROOT) as process,
    ):
        group = scene.server.group("Team", [scene.people[0]])
        ask(scene, group.id, range(90, 91), 0)  # the first answer loads what the others need
        scene.server.call("limit", group=GROUP_LIMIT)
        first = max(entry["n"] for entry in scene.server.entries())
        moments = ask(scene, group.id, range(questions), every_s)
        later = scene.server.entries(since=first)
        process.terminate()
    calls = sum(entry["kind"] == "request" and entry["method"] in COUNTED for entry in later)
    took = [times[-1] - times[0] for times in moments.values() if len(times) > 1]
    return {
        "questions": questions,
        "answered": len(took),
        "p50_s": round(median(took), 2),
        "worst_s": round(max(took), 2),
        "calls_each": round(calls / questions, 2),
        "refused": sum(entry["kind"] == "answer" and entry["status"] == 429 for entry in later),
    }


def main() -> int:
    """One run."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.group_answers")
    parser.add_argument("--questions", type=int, default=18)
    parser.add_argument("--every", type=float, default=3.0, help="seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured(options.questions, options.every)
    print(json.dumps(found))
    is_kept = found["answered"] == options.questions
    return 0 if is_kept and found["worst_s"] <= LATEST_S and found["calls_each"] <= MOST_CALLS else 1


if __name__ == "__main__":
    sys.exit(main())
