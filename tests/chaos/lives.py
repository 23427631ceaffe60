"""Kills the service again and again, in lives shorter than its start, while people talk; then lets it live, and counts.

    python -m tests.chaos.lives --platform telegram --seed 1 --json
    python -m tests.chaos.lives --platform telegram --updates either --seed 1 --json

The second form lets Telegram post updates in some lives, at random, and fetches them in the others.
Both print one JSON object as their last line: {"platform", "updates", "seed", "kills", "messages", "lost", "set_aside",
"doubled", "marked", "misordered", "orphans", "seconds"}. The last life lasts until all is answered; `seconds` says how
long that took. An answer of several parts is lost if one of its parts is. `marked` counts what may have been sent
twice, and said so. It fails if anything was lost, set aside, doubled or out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.pipeline.delivery.outbox import REPEATED
from bot.storage.database import read_state
from bot.storage.tables.dead_letters import list_dead_letters
from tests.chaos.script import ASKED, Line
from tests.chaos.stages import PLATFORMS, Stage, stage
from tests.servers.history import Keys, check, pattern
from tests.servers.ledger import Entry
from tests.servers.openai_script import Fault, Received, Step, slow
from tests.support.cli_process import ROOT

KILLS, MESSAGES, CHATS = 20, 60, 4
SHORTEST_S, LONGEST_S = 0.2, 2.5
PATIENCE_S = 180
LOOK_S = 0.2
EVENT_S = 0.06
"""Between the events of an answer's stream: a short one takes some 300 ms."""
LONG_EVERY = 6
FILLING = 120
"""Sentences that make an answer longer than a message may be, on either platform."""

FETCHED, POSTED, EITHER = "fetched", "posted", "either"

BEGINNINGS, ENDS = pattern(r"\bans-(\w+)"), pattern(r"\bend-(\w+)")


def answer(request: Received) -> Step:
    """An answer with a key at its beginning and another one at its end; every sixth has several parts."""
    parts = []
    for key in ASKED.findall(request.user_text):
        filling = f"This is the longer answer to question {key}. " * (FILLING if int(key) % LONG_EVERY == 0 else 0)
        parts.append(f"ans-{key} {filling}end-{key}\n\n")
    return Step(text=tuple(parts) or "I see.")


def unhurried(_: Received) -> Fault:
    """A model that takes its time."""
    return slow(EVENT_S)


@dataclass
class Lives:
    """One life of the service after the other.

    Attributes:
        scene: where.
        kills: how many of them are to be ended.
        chance: says when.
        updates: how they come from Telegram.
    """

    scene: Stage
    kills: int
    chance: random.Random
    updates: str = FETCHED

    def __post_init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._config = self.scene.home / "config.yaml"
        self._fetching = self._config.read_text()
        webhook = f"telegram:\n  webhook:\n    url: http://127.0.0.1:{port}\n    port: {port}\n"
        self._posting = self._fetching.replace("telegram:\n", webhook, 1)

    def run(self, life: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        """End a life and all after it but the last, which is returned."""
        for _ in range(self.kills):
            threading.Event().wait(self.chance.uniform(SHORTEST_S, LONGEST_S))
            life.kill()
            life.wait()
            life = self.start()
        return life

    def start(self) -> subprocess.Popen[bytes]:
        """Begin a life."""
        is_posting = self.updates == POSTED or (self.updates == EITHER and self.chance.random() < 1 / 2)
        self._config.write_text(self._posting if is_posting else self._fetching)
        with (self.scene.home.parent / "log").open("ab") as log:
            return subprocess.Popen(self.scene.command, env=self.scene.environment, stderr=log, cwd=ROOT)


def unmarked(entries: list[Entry]) -> list[Entry]:
    """The ledger without the messages that say of themselves that they may be there twice."""
    marked = {(entry.get("chat"), entry.get("id")) for entry in entries if REPEATED in entry.get("text", "")}
    return [entry for entry in entries if (entry.get("chat"), entry.get("id")) not in marked]


def figures(platform: str, updates: str, seed: int, folder: Path) -> Iterator[tuple[str, str | int | float]]:
    """One run, as figures with their names."""
    chance = random.Random(f"{platform} {seed}")
    lines = [Line(number % CHATS, f"what of ask-{number}?") for number in range(MESSAGES)]
    between_s = KILLS * (SHORTEST_S + LONGEST_S) / 2 / MESSAGES
    with stage(platform, folder, people=CHATS, unclear=0, mishap=unhurried, answers=answer) as scene:
        lives = Lives(scene, KILLS, chance, updates)
        life = lives.start()
        while platform == "discord" and not any(entry["kind"] == "identify" for entry in scene.server.entries()):
            threading.Event().wait(LOOK_S)
        scene.say(lines[:CHATS])  # on Discord a chat is known from its first message on
        _wait(scene, CHATS)
        talking = threading.Thread(target=scene.say, args=(lines[CHATS:],), kwargs={"between_s": between_s})
        talking.start()
        life = lives.run(life)
        talking.join()
        seconds = _wait(scene, MESSAGES)
        life.terminate()
        life.wait(60)
        entries = scene.server.entries()
        set_aside = asyncio.run(read_state(scene.home / "state" / "scrubjay.sqlite", list_dead_letters))
    first, last = (check(unmarked(entries), keys=Keys(answered=keys)) for keys in (BEGINNINGS, ENDS))
    yield from (("platform", platform), ("updates", updates))
    yield from (("seed", seed), ("kills", KILLS), ("messages", MESSAGES))
    yield "lost", len(_missing(entries, MESSAGES))
    yield "set_aside", len(set_aside)
    yield "doubled", len({*first.doubled, *last.doubled, *first.unasked, *last.unasked})
    yield "marked", sum(Counter(entry["kind"] for entry in entries if REPEATED in entry.get("text", "")).values())
    yield "misordered", len(first.misordered)
    yield "orphans", len(first.orphans)
    yield "seconds", seconds


def _wait(scene: Stage, messages: int) -> float:
    """Wait until so many messages are answered, or in vain; how many seconds that took."""
    began = time.monotonic()
    while _missing(scene.server.entries(), messages) and time.monotonic() < began + PATIENCE_S:
        threading.Event().wait(LOOK_S)
    return round(time.monotonic() - began, 1)


def _missing(entries: list[Entry], messages: int) -> set[str]:
    """Those of the first so many questions that have no answer, or not the whole of it."""
    shown = {(e.get("chat"), e["id"]): e["text"] for e in entries if e.get("by") == "bot" and "text" in e}
    texts = "\n".join(shown.values())
    answered = {*BEGINNINGS(texts)} & {*ENDS(texts)}
    return {str(number) for number in range(messages)} - answered


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=PLATFORMS, default="telegram")
    parser.add_argument("--updates", choices=(FETCHED, POSTED, EITHER), default=FETCHED, help="on Telegram")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = dict(figures(given.platform, given.updates, given.seed, Path(folder)))
    print(json.dumps(found))
    sys.exit(any(found[name] for name in ("lost", "set_aside", "doubled", "misordered")))


if __name__ == "__main__":
    main()
