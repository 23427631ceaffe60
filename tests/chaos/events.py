"""Malformed and foreign events of a platform, over its sockets: none may end the bot or silence it.

    python -m tests.chaos.events --platform telegram --events 10000 --seed 1 --json

prints one JSON object as its last line: {"platform", "events", "seed", "ends", "logins", "answered"}. The bot is a
process of its own; between two hundred events somebody asks it something. It fails if the process ends, if it logs in
more than once, or if a question has no answer.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

from tests.chaos.discord_events import frame
from tests.chaos.mutations import telegram_update
from tests.chaos.stages import Stage, stage
from tests.servers.ledger import Entry
from tests.support.cli_process import ROOT

BETWEEN_QUESTIONS = 200
LOOK_S = 0.1
PATIENCE_S = 120.0
SENDERS = (7, 8, 99, -1001)
"""Two owners, a stranger, a group."""

MAX_EVENT_CHARS = 50_000
"""Platforms limit what people can make an event of."""

Push = Callable[[Stage, int, Random], None]


def push_telegram(scene: Stage, number: int, chance: Random) -> None:
    """Hand the bot one odd update."""
    while True:
        update, _ = telegram_update(number, chance, chance.choice(SENDERS))
        if len(json.dumps(update)) <= MAX_EVENT_CHARS:
            scene.server.call("push", update=update)
            return


def push_discord(scene: Stage, number: int, chance: Random) -> None:
    """Send the bot one odd frame of the gateway."""
    person = scene.people[0]
    scene.server.call("emit_all", frames=[frame(number, chance, person=person.id, room=person.direct)])


def asks_who_it_is(entry: Entry) -> bool:
    """Whether the bot on Telegram logs in."""
    return bool(entry["kind"] == "request" and entry["method"].lower() == "getme")


def begins_session(entry: Entry) -> bool:
    """Whether the bot on Discord logs in."""
    return bool(entry["kind"] == "identify")


PLATFORMS: Mapping[str, tuple[Push, Callable[[Entry], bool]]] = {
    "telegram": (push_telegram, asks_who_it_is),
    "discord": (push_discord, begins_session),
}
"""What pushes an event, and what tells that the bot logs in."""


def is_answered(scene: Stage, key: str, process: subprocess.Popen[bytes]) -> bool:
    """Ask something, and wait for the answer while the process lives."""
    seen = max([0, *(entry["n"] for entry in scene.server.entries())])
    person, text = scene.people[0], f"what of ask-{key}?"
    if scene.platform == "discord":
        person.says(person.direct, text)
    else:
        person.says(text)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        fresh = scene.server.entries(since=seen)
        seen = max([seen, *(entry["n"] for entry in fresh)])
        said = [entry for entry in fresh if entry["kind"] in {"message", "edit"} and entry["by"] == "bot"]
        if any(f"ans-{key}" in entry["text"] for entry in said):
            return True
        threading.Event().wait(LOOK_S)
    return False


def answered(scene: Stage, platform: str, events: int, chance: Random) -> Iterator[bool]:
    """Run the bot among the events; yield for each question whether it was answered, and last whether it ended well."""
    push, login = PLATFORMS[platform]
    with subprocess.Popen(scene.command, env=scene.environment, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
        try:
            while not any(map(login, scene.server.entries())) and process.poll() is None:
                threading.Event().wait(LOOK_S)
            yield is_answered(scene, "first", process)
            for number in range(events):
                push(scene, number, chance)
                if number % BETWEEN_QUESTIONS == BETWEEN_QUESTIONS - 1:
                    yield is_answered(scene, f"e{number}", process)
            yield is_answered(scene, "last", process)
            is_alive = process.poll() is None
        finally:
            process.terminate()
    yield is_alive


def measured(platform: str, events: int, seed: int) -> dict[str, object]:
    """The whole run, as numbers with their names."""
    with tempfile.TemporaryDirectory() as folder, stage(platform, Path(folder), unclear=0) as scene:
        *asked, is_alive = answered(scene, platform, events, Random(seed))
        _, login = PLATFORMS[platform]
        logins = sum(map(login, scene.server.entries()))
    return {
        "platform": platform,
        "events": events,
        "seed": seed,
        "ends": int(not is_alive),
        "logins": logins,
        "answered": f"{sum(asked)} of {len(asked)}",
    }


def main() -> int:
    """One run."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.events")
    parser.add_argument("--platform", choices=tuple(PLATFORMS), default="telegram")
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured(options.platform, options.events, options.seed)
    print(json.dumps(found))
    right, _, all_of = str(found["answered"]).partition(" of ")
    return int(found["ends"] != 0 or found["logins"] != 1 or right != all_of)


if __name__ == "__main__":
    sys.exit(main())
