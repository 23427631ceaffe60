"""How Discord's missed messages are looked for in many channels, within its limit of 50 requests a second.

    python -m benchmarks.discord_survey --channels 1500 --seed 1 --json

A server of `tests/servers` with so many channels, each with something new, and a mention of the bot in every fiftieth;
a real `scrubjay run` that was away meanwhile and now comes back; as soon as it is there, one more mention in a channel
drawn by the seed. Prints one JSON object as its last line: {"channels", "mentions", "refused", "most_in_a_second",
"first_answer_s", "live_answer_s", "survey_s", "unanswered"}. Seconds count from the bot's new session of the gateway;
`refused` are requests answered 401, 403 or 429, of which 10,000 in ten minutes have an address banned.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from benchmarks import figures
from tests.servers.discord.client import Discord, Person, spawned
from tests.servers.ledger import Entry

LIMIT_PER_S = 50
MENTION_EVERY = 50
LOOK_S, PATIENCE_S = 0.2, 300.0
ROOT = Path(__file__).parent.parent
CONFIG = """\
discord: {{token: "${{TOKEN}}"}}
access: {{owners: ["discord:{owner}"], groups: ["discord:{guild}"]}}
memory: {{embedder: {{kind: none}}}}
owner: {{timezone: UTC}}
"""


def measure(channels: int, seed: int) -> dict[str, object]:
    """Run the bot, let it miss something in every channel, run it again."""
    with tempfile.TemporaryDirectory() as folder, spawned() as server:
        person = server.user("alice")
        guild = server.guild("Large", [person])
        rooms = [guild.channel(f"room-{number}") for number in range(channels)]
        home = Path(folder) / "home"
        home.mkdir()
        (home / "config.yaml").write_text(CONFIG.format(owner=person.id, guild=guild.id))
        with _running(server, home):
            pass
        asked = _write(server, person, rooms)
        server.call("limit_overall", count=LIMIT_PER_S, window_s=1)
        since = len(server.entries())
        with _running(server, home):
            live = random.Random(seed).choice(rooms)
            asked.append(person.says(live, f"{server.mention} /whoami"))
            _wait(lambda: len(_answers(server.entries(since=since))) >= len(asked))
            entries = server.entries(since=since)
        begun = _at(next(entry for entry in entries if entry["kind"] == "identify"))
        answers = {entry["reply_to"]: _at(entry) - begun for entry in _answers(entries)}
        requests = [entry for entry in entries if entry["kind"] == "request"]
        reads = [
            _at(entry) - begun for entry in requests if str(entry["name"]).endswith("/messages") and entry["query"]
        ]
        return {
            "channels": channels,
            "mentions": len(asked),
            "refused": server.call("invalid_requests"),
            "most_in_a_second": _most(sorted(_at(entry) for entry in requests)),
            "first_answer_s": round(min(answers.values(), default=PATIENCE_S), 2),
            "live_answer_s": round(answers.get(str(asked[-1]), PATIENCE_S), 2),
            "survey_s": round(max(reads, default=0.0), 1),
            "unanswered": len(asked) - len(answers),
        }


def _write(server: Discord, person: Person, rooms: Sequence[int]) -> list[int]:
    """Something new in every channel; returns the messages that mention the bot."""
    for room in rooms:
        person.says(room, "Somebody said something.")
    return [person.says(room, f"{server.mention} /whoami") for room in rooms[MENTION_EVERY // 2 :: MENTION_EVERY]]


@contextmanager
def _running(server: Discord, home: Path) -> Iterator[None]:
    """A life of the bot; it has a session of the gateway."""
    environment = {"SCRUBJAY_HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(ROOT), "TOKEN": server.token}
    since = len(server.entries())
    command = [sys.executable, "-m", "tests.chaos.program", server.url]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
        try:
            _wait(lambda: bool(server.entries("identify", since=since)))
            yield
        finally:
            process.terminate()


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not until() and time.monotonic() < deadline:
        threading.Event().wait(LOOK_S)


def _answers(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry["kind"] == "message" and entry["by"] == "bot" and entry["reply_to"]]


def _at(entry: Entry) -> float:
    return datetime.fromisoformat(entry["at"]).timestamp()


def _most(instants: Sequence[float]) -> int:
    """The most instants within any second."""
    first, most = 0, 0
    for number, instant in enumerate(instants):
        while instant - instants[first] >= 1:
            first += 1
        most = max(most, number - first + 1)
    return most


def main() -> int:
    """One run."""
    parser = figures.command_line(__doc__, seed=1)
    parser.add_argument("--channels", type=int, default=1500)
    options = parser.parse_args()
    found = measure(options.channels, options.seed)
    figures.write("discord_survey", found, seed=options.seed)
    print(json.dumps(found))
    return int(found["refused"] != 0 or found["unanswered"] != 0)


if __name__ == "__main__":
    sys.exit(main())
