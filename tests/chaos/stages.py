"""The platforms as the kill harness needs them: a server, people who talk, and a bot that can be started and killed."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tests.chaos.script import KEYS, Account, Line, answer
from tests.chaos.tracer import Run, Watch, kill_at, record
from tests.servers.discord import client as discord
from tests.servers.history import check
from tests.servers.ledger import Entry
from tests.servers.openai_script import Answer, Mishap, Received
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.telegram import client as telegram
from tests.servers.telegram.client import File
from tests.support.forked import ROOT, fork

PATIENCE_S = 50
LOOK_S = 0.2
UNCLEAR = 0.1
BETWEEN_S = 0.05
"""So that what is said does not come all at once."""
SENDS = {"telegram": ("sendMessage", "editMessageText"), "discord": ("POST /channels/*/messages",)}
PLATFORMS = ("telegram", "discord")


@dataclass(frozen=True, slots=True)
class Core(Watch):
    """Changes of the durable core's files."""

    def admits(self, name: str, paths: Sequence[Path]) -> bool:
        return Watch.admits(self, name, paths) and any(path.name.startswith("scrubjay.sqlite") for path in paths)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What went wrong in one run, as counts; `orphans` are placeholders that were left behind.

    What the bot never fetched is lost, and what it answered where nobody had asked is an answer too many.
    """

    lost: int = 0
    doubled: int = 0
    misordered: int = 0
    memory_lost: int = 0
    memory_doubled: int = 0
    orphans: int = 0

    @property
    def is_clean(self) -> bool:
        """Nothing lost, doubled or out of order."""
        return self == Verdict(orphans=self.orphans)


@dataclass
class Stage:
    """One home, one platform, one talk.

    Attributes:
        platform: its name.
        server: the platform.
        people: who talk, all of them owners.
        home: the folder of the home.
        environment: what the service sees.
        model_url: the model's server.
        bug: a planted mistake.
    """

    platform: str
    server: Any
    people: Sequence[Any]
    home: Path
    environment: dict[str, str]
    model_url: str
    bug: str = ""
    said: list[Line] = field(default_factory=list)

    @property
    def command(self) -> list[str]:
        """What starts the service."""
        return [sys.executable, "-m", "tests.chaos.program", self.server.url, *([self.bug] if self.bug else [])]

    def say(self, lines: Sequence[Line], *, between_s: float = BETWEEN_S) -> None:
        """People say it, one after the other."""
        self.said += lines
        for line in lines:
            threading.Event().wait(between_s)
            person = self.people[line.person]
            if self.platform == "discord":
                files = [("note.txt", b"hello")] if line.has_file else []
                person.says(person.direct, line.text, files=files)
            elif line.has_file:
                person.sends(File("note.txt", b"hello"), caption=line.text)
            else:
                person.says(line.text)

    def traced(self, lines: Sequence[Line], *, until: int = 0, power_cut: bool = False, only_core: bool = False) -> Run:
        """A life in which the lines are said (if they were not), up to a system call or to the last answer.

        `only_core` counts changes of the durable core's files alone; the power cannot be cut then.
        """
        over = threading.Event()
        helper = threading.Thread(target=self._accompany, args=(lines, over))
        helper.start()
        try:
            watch = Core(self.home) if only_core else Watch(self.home)
            if until:
                return kill_at(self.command, until, watch=watch, env=self.environment, power_cut=power_cut)
            return record(self.command, watch=watch, env=self.environment)
        finally:
            over.set()
            helper.join()

    def live(self, lines: Sequence[Line]) -> str:
        """A life to the last answer; what it logged."""
        with TemporaryFile() as nothing, TemporaryFile() as log:
            program = fork(self.command, self.environment, (nothing, nothing, log))
            self._accompany(lines, threading.Event(), program.pid)
            program.wait(60)
            log.seek(0)
            return log.read().decode(errors="replace")

    def verdict(self) -> Verdict:
        """What the platform's ledger and the workspace say."""
        entries = self.server.entries()
        found = check(entries, workspace=self.home / "workspaces" / "personal", keys=KEYS)
        account = Account(tuple(self.said))
        return Verdict(
            lost=len(found.lost) + len(found.waiting) + account.missing(entries) + (not self.said),
            doubled=len(found.doubled) + len(found.unasked) + account.surplus(entries),
            misordered=len(found.misordered),
            memory_lost=len(found.memory_lost),
            memory_doubled=len(found.memory_doubled),
            orphans=len(found.orphans),
        )

    def _accompany(self, lines: Sequence[Line], over: threading.Event, pid: int = 0) -> None:
        """Speak when the bot listens, and ask it to end when all is answered."""
        started, deadline = len(self.server.entries()), time.monotonic() + PATIENCE_S
        while not over.wait(LOOK_S) and time.monotonic() < deadline:
            entries = self.server.entries()
            if not self.said and self._listens(entries[started:]):
                self.say(lines)
            elif self.said and self._is_answered(entries):
                break
        if not over.is_set():
            self._end(pid)

    def _listens(self, fresh: Sequence[Entry]) -> bool:
        return self.platform == "telegram" or any(entry["kind"] == "identify" for entry in fresh)

    def _is_answered(self, entries: list[Entry]) -> bool:
        found = check(entries, keys=KEYS)
        return not (found.lost or found.waiting or Account(tuple(self.said)).missing(entries))

    def _end(self, pid: int) -> None:
        with suppress(OSError, ValueError, KeyError, ProcessLookupError):
            pid = pid or json.loads((self.home / "state" / "instance.json").read_text())["pid"]
            os.kill(pid, signal.SIGTERM)


def well(_: Received) -> None:
    """A model that never fails."""


@contextmanager
def stage(
    platform: str,
    folder: Path,
    *,
    people: int = 2,
    bug: str = "",
    unclear: float = UNCLEAR,
    mishap: Mishap = well,
    answers: Answer = answer,
    queue: str = "collect",
) -> Iterator[Stage]:
    """A platform with people on it, a model, and an empty home.

    `unclear` is the share of the bot's requests that are carried out, and not answered; `mishap` makes the model fail;
    `answers` is what it says; `queue` what becomes of messages that come meanwhile (`chats.queue`).
    """
    home = folder / "home"
    home.mkdir(parents=True)
    with OpenAIServer(answers, mishap) as model, _server(platform) as server:
        users = [server.user(*who) for who in _names(platform, people)]
        for request in SENDS[platform]:
            server.fault(request, "reset", effect=True, times=None, rate=unclear, seed=1)
        yield Stage(
            platform,
            server,
            users,
            home,
            _environment(platform, server, users, home, model, queue),
            model.base_url,
            bug,
        )


@contextmanager
def _server(platform: str) -> Iterator[Any]:
    with telegram.running(patience_s=0.2) if platform == "telegram" else discord.running() as server:
        yield server


def _names(platform: str, count: int) -> list[tuple[Any, ...]]:
    return [(7 + n, f"Person {n}") if platform == "telegram" else (f"person{n}",) for n in range(count)]


def _environment(
    platform: str, server: Any, users: Sequence[Any], home: Path, model: OpenAIServer, queue: str
) -> dict[str, str]:
    owners = "".join(f"    - {platform}:{user.id}\n" for user in users)
    api = f"  api: {server.url}\n" if platform == "telegram" else "  message_content: true\n"
    (home / "config.yaml").write_text(
        f"{platform}:\n  token: ${{TOKEN}}\n{api}access:\n  owners:\n{owners}"
        f"model:\n  name: {MODEL}\n  base_url: {model.base_url}\n  api_key: {KEY}\n"
        f"chats:\n  queue:\n    mode: {queue}\n"
        "owner:\n  timezone: UTC\nmemory:\n  embedder:\n    kind: none\n"
    )
    return {
        "SCRUBJAY_HOME": str(home),
        "HOME": str(home.parent),
        "PATH": os.defpath,
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "TOKEN": server.token,
        "TZ": "UTC",
    }
