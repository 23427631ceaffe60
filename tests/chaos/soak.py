"""Thousands of messages in fifty chats, while the model and the platform fail now and then and the service is killed.

    python -m tests.chaos.soak --messages 10000 --seed 1 --json

prints one JSON object as its last line: {"messages", "lost", "doubled", "misordered", "memory_lost", "memory_doubled",
"orphans", "kills", "growth_percent"}. The last is how much more memory a life of the process takes than the second one,
at most, each at its end. It fails if anything was lost, doubled or out of order.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.chaos.script import ASKED, OWNER, RECEIPT, talk
from tests.chaos.stages import Stage, stage
from tests.servers.ledger import Entry
from tests.servers.openai_script import Fault, Mishap, Received, cut, resets, server_error
from tests.support.cli_process import ROOT

CHATS = 50
UNDER_WAY = 100
KILL_EVERY = 500
PLATFORM_FAULTS, MODEL_FAULTS = 0.02, 0.05
MOST_FAULTS = 2
PATIENCE_S = 120
LOOK_S = 0.1


@dataclass
class Progress:
    """What has been answered so far, read off the ledger as it grows."""

    stage: Stage
    read: int = 0
    answered: set[str] = field(default_factory=set)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)

    def look(self) -> int:
        """How many of the lines are answered by now."""
        fresh: list[Entry] = self.stage.server.entries(since=self.read)
        self.read += len(fresh)
        for entry in fresh:
            if entry["kind"] in {"message", "edit"} and entry["by"] == "bot":
                self._note(entry)
        commands = sum((OWNER in text) + len(RECEIPT.findall(text)) for text in self.texts.values())
        return len(self.answered) + commands

    def _note(self, entry: Entry) -> None:
        self.answered.update(ASKED.findall(entry["text"].replace("ans-", "ask-")))
        if OWNER in entry["text"] or RECEIPT.search(entry["text"]):
            self.texts[entry["chat"], entry["id"]] = entry["text"]


class Service:
    """One life of the service after the other."""

    def __init__(self, scene: Stage) -> None:
        self._scene = scene
        self._log = (scene.home.parent / "log").open("ab")
        self.sizes: list[int] = []
        self._start()

    def kill(self) -> None:
        """End this life without a warning, and begin the next."""
        self.sizes.append(_resident(self._process.pid))
        self._process.kill()
        self._process.wait()
        self._start()

    def end(self) -> None:
        """End the last life."""
        self._process.terminate()
        self._process.wait(60)
        self._log.close()

    @property
    def growth_percent(self) -> float:
        """How much larger a later life became than the second one."""
        first, *later = self.sizes[1:] or [1]
        return round(100 * (max(later, default=first) / first - 1), 1)

    def _start(self) -> None:
        scene = self._scene
        self._process = subprocess.Popen(scene.command, env=scene.environment, stderr=self._log, cwd=ROOT)


def soak(scene: Stage, messages: int) -> Service:
    """Let people talk, at most so many lines ahead of the answers, and kill the service every now and then."""
    lines, service, progress = talk(messages, people=CHATS), Service(scene), Progress(scene)
    said, kills, moved = 0, 0, time.monotonic()
    done = before = 0
    while done < messages and time.monotonic() - moved < PATIENCE_S:
        done = progress.look()
        if done > before:
            before, moved = done, time.monotonic()
        upto = min(messages, done + UNDER_WAY)
        scene.say(lines[said:upto], between_s=0)
        said = max(said, upto)
        if done // KILL_EVERY > kills and done < messages:
            kills += 1
            service.kill()
        threading.Event().wait(LOOK_S)
    service.end()
    return service


def _resident(pid: int) -> int:
    """How much memory a process takes, in kB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def mishaps(seed: int) -> Mishap:
    """A model that fails in one of twenty requests, and no request more than twice.

    At the third failure the service would answer from memory, rightly, and without the words by which the checker
    knows an answer.
    """
    chance, failed = random.Random(seed), Counter[str]()

    def mishap(received: Received) -> Fault | None:
        faults: Sequence[Fault] = (server_error(503), resets(), cut(2))
        if failed[received.user_text] == MOST_FAULTS or chance.random() >= MODEL_FAULTS:
            return None
        failed[received.user_text] += 1
        return chance.choice(faults)

    return mishap


def figures(messages: int, seed: int) -> Iterator[tuple[str, float]]:
    """The whole run, as numbers with their names."""
    with (
        tempfile.TemporaryDirectory() as folder,
        stage("telegram", Path(folder), people=CHATS, unclear=PLATFORM_FAULTS, mishap=mishaps(seed)) as scene,
    ):
        service = soak(scene, messages)
        yield "messages", messages
        yield from asdict(scene.verdict()).items()
        yield "kills", len(service.sizes)
        yield "growth_percent", service.growth_percent


def main() -> None:
    """One soak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = dict(figures(given.messages, given.seed))
    print(json.dumps(found))
    sys.exit(any(found[name] for name in ("lost", "doubled", "misordered", "memory_lost", "memory_doubled")))


if __name__ == "__main__":
    main()
