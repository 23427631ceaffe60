"""What a message costs on a platform: processor time of the service, added latency, first visible text, calls.

    python -m benchmarks.platforms --platform telegram --rate 40 --chats 100 --messages 1000 --base ../other --json

A real `scrubjay run` with the built-in embedder, a platform of `tests/servers` and a scripted model, each a process of
its own; everybody who writes is an owner, in a private chat. Of Discord, more requests a second are allowed than it
takes from most bots, so that the program is measured (where a checkout has the option for that). With `--base`, the
`scrubjay run` of another checkout runs beside it in the same way, on a platform of its own: both get their messages in
turns, so that what else the machine does concerns both, and `ratio` is this checkout's figure divided by the other's.
`--json` prints one JSON object as the last line: {"platform", "rate", "chats", "messages", "model_ms", "this", "base",
"ratio"}. Of each:

- `cpu_ms`: user and system time of the service's process per message, from /proc (Linux);
- `added_p50_ms`, `added_p99_ms`: from the message's place in the platform's ledger to its final text, less the time
  that the model takes when it is asked directly;
- `burst_per_s`: answers a second while everybody waits for one: all write once, at the same moment, and the time until
  the last one is answered is taken, without the model's;
- `unanswered`: messages without an answer `SETTLE_S` after the last one of their block;
- `calls`: the platform's API calls per message, by name;
- `first_text_p50_s`: to the first visible word of a long answer whose first word leaves the model after 0.3 s.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks import figures
from memory.embed.model_file import ensure_model
from tests.servers.control import ServerProcess
from tests.servers.discord import client as discord
from tests.servers.ledger import Entry
from tests.servers.openai_script import Fault, Received, Step, slow
from tests.servers.openai_server import KEY, MODEL
from tests.servers.telegram import client as telegram

PLATFORMS = ("telegram", "discord")
MODEL_S = 0.3
"""What the model takes for a short answer, and until the first word of a long one."""
WORDS, LONG_WORDS = 8, 40
EVENTS = 4
"""Events of a stream that carry no text: the role, the reason of the end, the usage, the end."""
BLOCKS = 5
"""Into so many blocks the messages are divided; after each it is the other checkout's turn."""
LONG_EVERY_S, SETTLE_S, START_S = 0.5, 15.0, 120.0
LOOK_S = 0.1
ASKED = re.compile(r"\b(short|long)-(\w+)")
DIGITS = re.compile(r"\d+")
NOT_PER_MESSAGE = ("getme", "getupdates", "setmycommands", "GET gateway", "commands", "oauth2", "users/@me")


def answer(request: Received) -> Step:
    """A short or a long answer, in words that stream one by one and name the question."""
    kind, keys = _asked(request)
    words = (f" word{number}" for number in range((LONG_WORDS if kind == "long" else WORDS) - 1))
    return Step(text=(" ".join(f"answer-{key}" for key in keys), *words))


def take_time(request: Received) -> Fault:
    """A pause before every event: a short answer takes `MODEL_S`, the first word of a long one comes then."""
    kind, _ = _asked(request)
    return slow(MODEL_S / 2 if kind == "long" else MODEL_S / (WORDS + EVENTS))


def _asked(request: Received) -> tuple[str, list[str]]:
    """Return the kind of a request's questions, and their keys: one turn may answer several."""
    found: list[tuple[str, str]] = ASKED.findall(request.user_text)
    return found[-1][0], [key for _, key in found]


@dataclass
class Side:
    """One checkout at work: its service, its platform, and who talks there.

    Attributes:
        platform: its name.
        server: the platform's server.
        people: who talk.
        process: the service.
        taken_s: processor time of the service under load.
        added_s: for each message, seconds to its final text.
        unanswered: messages without an answer.
        calls: API calls under load.
        first_s: for each long answer, seconds to its first word.
        bursts: for each time that everybody wrote at once, answers a second.
    """

    platform: str
    server: Any
    people: Sequence[Any]
    process: subprocess.Popen[bytes]
    taken_s: float = 0.0
    added_s: list[float] = field(default_factory=list)
    unanswered: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    first_s: list[float] = field(default_factory=list)
    bursts: list[float] = field(default_factory=list)
    _chats: list[int] = field(default_factory=list)

    def load(self, numbers: range, *, rate: float, model_s: float) -> None:
        """Send short questions at a fixed rate, whoever is late, and take what they cost."""
        before, since = cpu_s(self.process.pid), self._last()
        self._say([f"short-{number}" for number in numbers], every_s=1 / rate)
        entries = self._wait(since, {f"short-{number}" for number in numbers})
        self.taken_s += cpu_s(self.process.pid) - before
        took = latencies(entries, final=True)
        self.added_s += [seconds - model_s for seconds in took.values()]
        self.unanswered += len(numbers) - len(took)
        self.calls.update(filter(None, map(_call, entries)))

    def burst(self, number: int, *, model_s: float) -> None:
        """Let everybody write at once, and take how many answers a second come."""
        since, keys = self._last(), [f"short-burst{number}x{place}" for place in range(len(self.people))]
        self._say(keys, every_s=0)
        took = moments(self._wait(since, set(keys)), final=True).values()
        if len(took) == len(keys):
            span = max(answered for _, answered in took) - min(asked for asked, _ in took)
            self.bursts.append(len(keys) / (span.total_seconds() - model_s))

    def ask_long(self, numbers: range) -> None:
        """Ask for long answers and take when their first words are seen."""
        since = self._last()
        self._say([f"long-{number}" for number in numbers], every_s=LONG_EVERY_S)
        entries = self._wait(since, {f"long-{number}" for number in numbers})
        self.first_s += latencies(entries, final=False).values()

    def start(self) -> None:
        """Wait for the first answer, which loads what the others need, and give every chat one."""
        since, deadline = self._last(), time.monotonic() + START_S
        while self.platform == "discord" and not self.server.entries("identify", since=0):
            self._look(deadline)
        self._say(["short-start"], every_s=0)
        while "start" not in latencies(self.server.entries(since=since), final=True):
            self._look(deadline)
        self._say([f"short-warm{number}" for number in range(len(self.people))], every_s=0.1)
        self._wait(since, {f"short-warm{number}" for number in range(len(self.people))})

    def result(self, messages: int) -> dict[str, Any]:
        """Return the figures, as the module says."""
        added = statistics.quantiles([1000 * one for one in self.added_s], n=100)
        return {
            "cpu_ms": round(1000 * self.taken_s / messages, 2),
            "added_p50_ms": round(added[49]),
            "added_p99_ms": round(added[98]),
            "burst_per_s": round(statistics.median(self.bursts), 1) if self.bursts else None,
            "unanswered": self.unanswered,
            "calls": {name: round(count / messages, 2) for name, count in self.calls.most_common()},
            "first_text_p50_s": round(statistics.median(self.first_s), 2) if self.first_s else None,
        }

    def _say(self, keys: Sequence[str], *, every_s: float) -> None:
        if self.platform == "discord" and not self._chats:
            self._chats = [person.direct for person in self.people]
        started = time.monotonic()
        for number, key in enumerate(keys):
            threading.Event().wait(max(0.0, started + number * every_s - time.monotonic()))
            place = number % len(self.people)
            chat = [self._chats[place]] if self._chats else []
            self.people[place].says(*chat, f"what do you think of {key}?")

    def _wait(self, since: int, keys: set[str]) -> list[Entry]:
        """Wait until all are answered in full, at most `SETTLE_S`; the ledger since then."""
        deadline = time.monotonic() + SETTLE_S
        wanted = {key.partition("-")[2] for key in keys}
        while True:
            entries = self.server.entries(since=since)
            if wanted <= latencies(entries, final=True).keys() or time.monotonic() > deadline:
                return list(entries)
            threading.Event().wait(LOOK_S)

    def _last(self) -> int:
        return len(self.server.entries())

    def _look(self, deadline: float) -> None:
        if self.process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"the service of {self.platform} did not begin to answer")
        threading.Event().wait(LOOK_S)


def latencies(entries: Sequence[Entry], *, final: bool) -> dict[str, float]:
    """Return by key the seconds from a question to its whole answer, or to the first word of it."""
    found = moments(entries, final=final)
    return {key: (answered - asked).total_seconds() for key, (asked, answered) in found.items()}


def moments(entries: Sequence[Entry], *, final: bool) -> dict[str, tuple[datetime, datetime]]:
    """Return by key when a question was asked, and when its whole answer, or the first word of it, was there."""
    asked: dict[str, datetime] = {}
    took: dict[str, tuple[datetime, datetime]] = {}
    for entry in entries:
        if entry["kind"] not in {"message", "edit"}:
            continue
        at, text = datetime.fromisoformat(entry["at"]), entry["text"]
        if entry["by"] == "user":
            asked |= {key: at for _, key in ASKED.findall(text)}
            continue
        for key in re.findall(r"\banswer-(\w+)", text):
            last = LONG_WORDS if f"word{WORDS}" in text else WORDS
            if key in asked and (not final or f"word{last - 2}" in text):
                took.setdefault(key, (asked[key], at))
    return took


def cpu_s(pid: int) -> float:
    """Return user and system time of a process so far."""
    values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


def _call(entry: Entry) -> str:
    """Return what the bot called; "" if the entry is no call that answers somebody."""
    name = str(entry.get("method") or entry.get("name") or "") if entry["kind"] == "answer" else ""
    is_other = any(part.lower() in name.lower() for part in NOT_PER_MESSAGE)
    return "" if is_other else DIGITS.sub("*", name)


def model_alone_s(url: str) -> float:
    """Return what the model takes for a short answer, asked directly."""
    body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "short-alone"}]}
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    took = []
    for _ in range(7):
        started = time.monotonic()
        request = urllib.request.Request(f"{url}/v1/chat/completions", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            response.read()
        took.append(time.monotonic() - started)
    return statistics.median(took)


@contextmanager
def serving(
    platform: str, checkout: Path, folder: Path, *, chats: int, model: str, model_files: Path
) -> Iterator[Side]:
    """Run a checkout's service on a platform of its own."""
    home = folder / "home"
    shutil.copytree(model_files, home / "cache")
    with telegram.spawned() if platform == "telegram" else discord.spawned() as server:
        if isinstance(server, telegram.Telegram):
            people: Sequence[Any] = [server.user(1000 + number, f"Person {number}") for number in range(chats)]
        else:
            people = [server.user(f"person{number}") for number in range(chats)]
        owners = "".join(f"    - {platform}:{person.id}\n" for person in people)
        api = f"  api: {server.url}\n" if platform == "telegram" else "  message_content: true\n"
        options = (checkout / "bot/config").rglob("*.py")
        if platform == "discord" and any("requests_per_s" in path.read_text() for path in options):
            api += "  requests_per_s: 1000\n"
        (home / "config.yaml").write_text(
            f"{platform}:\n  token: ${{TOKEN}}\n{api}access:\n  owners:\n{owners}owner:\n  timezone: UTC\n"
            f"model:\n  name: {MODEL}\n  base_url: {model}/v1\n  api_key: {KEY}\n"
        )
        environment = {
            "SCRUBJAY_HOME": str(home),
            "HOME": str(folder),
            "PATH": os.defpath,
            "PYTHONPATH": str(checkout),
            "PYTHONUTF8": "1",
            "TOKEN": server.token,
            "TZ": "UTC",
        }
        command = [sys.executable, "-m", "tests.chaos.program", server.url]
        with subprocess.Popen(command, env=environment, cwd=checkout, stderr=subprocess.DEVNULL) as process:
            try:
                yield Side(platform, server, people, process)
            finally:
                process.terminate()


def measured(given: argparse.Namespace) -> dict[str, Any]:
    """Return all figures of one run."""
    checkouts = {"this": figures.ROOT} | ({"base": given.base.resolve()} if given.base else {})
    name = "benchmarks.platforms"
    script = ("--answer", f"{name}:answer", "--mishap", f"{name}:take_time")
    with tempfile.TemporaryDirectory(prefix="scrubjay-platforms-") as folder, ExitStack() as running:
        model_files = Path(folder) / "cache"
        asyncio.run(ensure_model(model_files, say=print))
        model = running.enter_context(ServerProcess("tests.servers.openai_server", *script)).url
        model_s = model_alone_s(model)
        sides: dict[str, Side] = {}
        for which, checkout in checkouts.items():
            home = Path(folder) / which
            sides[which] = running.enter_context(
                serving(given.platform, checkout, home, chats=given.chats, model=model, model_files=model_files)
            )
            sides[which].start()
        for block in range(BLOCKS):
            numbers = range(block * given.messages // BLOCKS, (block + 1) * given.messages // BLOCKS)
            for side in list(sides.values())[:: 1 if block % 2 else -1]:
                side.load(numbers, rate=given.rate, model_s=model_s)
        for number in range(BLOCKS):
            for side in list(sides.values())[:: 1 if number % 2 else -1]:
                side.burst(number, model_s=model_s)
        for side in sides.values():
            side.ask_long(range(given.long))
        found = {which: side.result(given.messages) for which, side in sides.items()}
    ratio = {key: round(value / found["base"][key], 3) for key, value in found["this"].items() if _compares(key, found)}
    return {
        "platform": given.platform,
        "rate": given.rate,
        "chats": given.chats,
        "messages": given.messages,
        "model_ms": round(1000 * model_s),
        **found,
        "ratio": ratio,
    }


def _compares(key: str, found: dict[str, dict[str, Any]]) -> bool:
    """Return whether a figure of both can be divided."""
    return "base" in found and key.startswith(("cpu", "added", "first", "burst")) and bool(found["base"][key])


def main() -> None:
    """One run."""
    parser = figures.command_line("What a message costs on a platform.")
    parser.add_argument("--platform", choices=PLATFORMS, default="telegram")
    parser.add_argument("--rate", type=float, default=40, help="messages a second")
    parser.add_argument("--chats", type=int, default=100)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--long", type=int, default=20, help="long answers, for the first visible text")
    parser.add_argument("--base", type=Path, help="another checkout to compare with")
    given = parser.parse_args()
    found = measured(given)
    for which in ("base", "this", "ratio"):
        print(which, *(f"  {name:18} {value}" for name, value in found.get(which, {}).items()), sep="\n")
    figures.report(f"platforms_{given.platform}", found, given)


if __name__ == "__main__":
    main()
