"""One platform refuses its bot for a while, beside another one: who notices, and how soon it is back.

    python -m tests.chaos.refusals --platform telegram --seconds 1 4 30 600 --json

prints one JSON object as its last line: {"platform", "status", "cases"}, and of each case {"seconds", "back_s",
"ready_s", "unready_s", "other_calm_ms", "other_p95_ms", "other_worst_ms", "told"}.
`back_s` runs from the end of the refusal until what was written during it, and right after it, is answered; `ready_s`
until /readyz says 200; `unready_s` from its beginning
until /readyz says 503, null if it never did; the other platform's times are the slowest answer before it, and the 95th
percentile and the slowest during it; `told` counts what its owner was told there. It fails if one of the first two is
more than 30 s, if the other platform's 95th percentile is a second above the slowest before, or if an outage of more
than four seconds is told other than once, and once when it is over.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from bot.pipeline.accounts import STEADY
from tests.chaos.script import answer
from tests.chaos.stages import PLATFORMS, well
from tests.servers.discord import client as discord
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.telegram import client as telegram
from tests.support.cli_process import ROOT

MOST_S = 30.0
MOST_LATER_MS = 1000
LOOK_S = 0.05
PATIENCE_S = 120.0
ASK_S = 1.0
"""Between two questions on the platform that is well."""
SETTLE_S = 3.0


@dataclass
class Chat:
    """The owner's private chat on one platform."""

    server: Any
    person: Any
    _seen: int = 0
    _said: list[str] = field(default_factory=list)

    def ask(self, key: str) -> float:
        """Write a question; returns the moment."""
        to = {} if isinstance(self.server, telegram.Telegram) else {"place": self.person.direct}
        self.person.says(*to.values(), f"what of ask-{key}?")
        return time.monotonic()

    def wait_for(self, words: str) -> float:
        """Wait until the bot has said this; returns the moment."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.look()
            if any(words in text for text in self._said):
                return time.monotonic()
            threading.Event().wait(LOOK_S)
        raise TimeoutError(f"the bot has not said {words!r} within {PATIENCE_S:g} s")

    def look(self) -> None:
        """Read what the bot has said since."""
        for entry in self.server.entries(since=self._seen):
            self._seen = max(self._seen, entry["n"])
            if entry["kind"] in {"message", "edit"} and entry["by"] == "bot":
                self._said.append(entry["text"])

    def said(self, words: str) -> int:
        """Count the bot's messages that contain this."""
        self.look()
        return sum(words in text for text in self._said)

    def question_ms(self, key: str) -> float:
        """How long one question takes."""
        asked = self.ask(key)
        return 1000 * (self.wait_for(f"ans-{key}") - asked)


@dataclass(frozen=True, slots=True)
class Case:
    """What one refusal did."""

    seconds: float
    back_s: float
    ready_s: float
    unready_s: float | None
    other_calm_ms: int
    other_p95_ms: int
    other_worst_ms: int
    told: tuple[int, int]

    @property
    def is_kept(self) -> bool:
        """Whether the promises were."""
        is_told = self.told == (1, 1) or self.seconds <= 4
        is_unaffected = self.other_p95_ms <= self.other_calm_ms + MOST_LATER_MS
        return max(self.back_s, self.ready_s) <= MOST_S and is_unaffected and is_told


class Readiness:
    """Looks at /readyz all the time."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/readyz"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.seen: list[tuple[float, bool]] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def wait(self, *, is_ready: bool) -> float:
        """Wait until it says so; returns the moment."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.seen or self.seen[-1][1] != is_ready:
            if time.monotonic() > deadline:
                raise TimeoutError(f"/readyz has not become {is_ready} within {PATIENCE_S:g} s")
            threading.Event().wait(LOOK_S)
        return self.seen[-1][0]

    def first(self, *, is_ready: bool, since: float) -> float | None:
        """The first moment since then at which it said so."""
        return next((at for at, was_ready in self.seen if at >= since and was_ready == is_ready), None)

    def _watch(self) -> None:
        while not self._over.wait(LOOK_S):
            try:
                with urllib.request.urlopen(self._url, timeout=10) as response:
                    self.seen.append((time.monotonic(), response.status == 200))
            except urllib.error.HTTPError as error:
                error.close()
                self.seen.append((time.monotonic(), False))
            except OSError:
                continue  # it does not listen yet


def refuse(platform: str, server: Any, status: int) -> None:
    """Let a platform refuse its bot from now on."""
    if platform == "telegram" and status == 404:
        server.fault("*", "status", status=404, times=None)
        return
    server.call("revoke_token")
    if platform == "discord":
        server.call("close", code=4004)


def accept(platform: str, server: Any, status: int) -> None:
    """Let it in again."""
    server.call("clear_faults" if platform == "telegram" and status == 404 else "restore_token")


def measured(platform: str, status: int, seconds: float, chats: dict[str, Chat], ready: Readiness) -> Case:
    """One refusal."""
    key = f"{platform}{round(10 * seconds)}"
    refused, other = chats[platform], next(chat for name, chat in chats.items() if name != platform)
    calm = max(other.question_ms(f"{key}calm{number}") for number in range(5))
    words = [f"{platform.title()} does not let me in", f"{platform.title()} lets me in again"]
    before = [other.said(one) for one in words]
    ready.wait(is_ready=True)
    threading.Event().wait(STEADY.total_seconds() + SETTLE_S)  # what follows is an outage of its own

    refuse(platform, refused.server, status)
    began, times = time.monotonic(), list[float]()
    refused.ask(f"{key}during")
    while (left := began + seconds - time.monotonic()) > 0:
        if left > ASK_S or not times:
            times.append(other.question_ms(f"{key}other{len(times)}"))
        threading.Event().wait(max(0.0, min(ASK_S, began + seconds - time.monotonic())))
    accept(platform, refused.server, status)
    ended = refused.ask(f"{key}after")
    back = max(refused.wait_for(f"ans-{key}{when}") for when in ("during", "after"))
    ready.wait(is_ready=True)
    threading.Event().wait(SETTLE_S)  # the notice that it is over
    unready = ready.first(is_ready=False, since=began)
    last_unready = max([at for at, was_ready in ready.seen if not was_ready and at >= began], default=ended)
    told = [other.said(one) - count for one, count in zip(words, before, strict=True)]
    return Case(
        seconds=seconds,
        back_s=round(back - ended, 1),
        ready_s=round(max(0.0, last_unready - ended), 1),
        unready_s=None if unready is None else round(unready - began, 1),
        other_calm_ms=round(calm),
        other_p95_ms=round(sorted(times)[int(0.95 * len(times))]),
        other_worst_ms=round(max(times)),
        told=(told[0], told[1]),
    )


@contextmanager
def running(folder: Path) -> Iterator[tuple[dict[str, Chat], Readiness]]:
    """`scrubjay run` on both platforms, each with its owner."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with telegram.running(patience_s=0.2) as one, discord.running() as two, OpenAIServer(answer, well) as model:
        chats = {"telegram": Chat(one, one.user(7, "Alice")), "discord": Chat(two, two.user("ada"))}
        owners = "".join(f"    - {name}:{chat.person.id}\n" for name, chat in chats.items())
        (folder / "config.yaml").write_text(
            f"telegram:\n  token: {one.token}\n  api: {one.url}\ndiscord:\n  token: {two.token}\n"
            f"access:\n  owners:\n{owners}health:\n  port: {port}\n"
            f"model:\n  name: {MODEL}\n  base_url: {model.base_url}\n  api_key: {KEY}\n"
            "owner:\n  timezone: UTC\nmemory:\n  embedder:\n    kind: none\n",
            encoding="utf-8",
        )
        environment = {
            "SCRUBJAY_HOME": str(folder),
            "HOME": str(folder),
            "PATH": os.defpath,
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "TZ": "UTC",
        }
        command = [sys.executable, "-m", "tests.chaos.program", two.url]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
            try:
                with Readiness(port) as ready:
                    ready.wait(is_ready=True)
                    for name, chat in chats.items():
                        chat.question_ms(f"{name}first")
                    yield chats, ready
            finally:
                process.terminate()


def main() -> int:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=PLATFORMS, default="telegram")
    parser.add_argument("--seconds", type=float, nargs="+", default=[1.0, 4.0, 30.0])
    parser.add_argument("--status", type=int, choices=(401, 404), default=401, help="404: on Telegram only")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (chats, ready):
        cases = [measured(given.platform, given.status, seconds, chats, ready) for seconds in given.seconds]
    print(json.dumps({"platform": given.platform, "status": given.status, "cases": [asdict(case) for case in cases]}))
    return 0 if all(case.is_kept for case in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
