"""A whole service for hostile inputs: both platforms, a model, several agents; its pulse, its memory, its end."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.mutations import GROUP, GUEST, OWNER, STRANGER
from tests.chaos.script import answer
from tests.servers.control import ServerProcess
from tests.servers.discord import client as discord
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.telegram import client as telegram
from tests.support.cli_process import ROOT

START_S, ANSWER_S, ASK_AGAIN_S, END_S = 60, 120, 20, 60
BEAT_S, LOOK_S = 0.05, 0.1
CONFIG = """\
telegram: {{token: "${{TELEGRAM}}", api: {telegram.url}}}
discord: {{token: "${{DISCORD}}", agent: work, backfill: 0}}
agents:
  personal: {{about: "Everyday life."}}
  work: {{about: "Work."}}
{gardens}
access:
  owners: [{owners}]
  guests: ["telegram:{guest}"]
  groups: ["telegram:{group}"]
  only_addressed: false
routes:
{routes}
model: {{name: {model}, base_url: "{model_url}", api_key: {key}}}
owner: {{timezone: UTC}}
memory: {{embedder: {{kind: none}}, extra_paths: {{handbook: handbook}}}}
health: {{port: {port}}}
"""


class Ended(Exception):
    """The service is gone, or a part of it no longer works; the message says which."""


@dataclass
class Pulse(threading.Thread):
    """Asks a service on its loopback port how it is, all the time, and notes how long its event loop kept silent.

    What its threads waited for a processor, and what this one did, is taken off: other programs run here, too.
    """

    pid: int
    port: int
    worst_ms: float = 0.0
    is_over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        while not self.is_over.wait(BEAT_S):
            theirs, mine, began = _waited(self.pid), _waited(os.getpid()), time.monotonic()
            if not alive(self.port, patience_s=ANSWER_S) and not self.is_over.is_set():
                return  # ended: whoever waits for answers finds out
            took = time.monotonic() - began
            self.worst_ms = max(self.worst_ms, 1000 * (took - _longest(theirs, self.pid) - _longest(mine, os.getpid())))

    def taken_ms(self) -> float:
        """The longest silence since this was asked last."""
        worst, self.worst_ms = self.worst_ms, 0.0
        return worst

    def stop(self) -> None:
        self.is_over.set()
        self.join()


def alive(port: int, *, patience_s: float = 1) -> bool:
    """Whether somebody answers on the port within so many seconds."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=patience_s) as wire:
            wire.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            return wire.recv(16).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def remove(folder: Path) -> None:
    """A folder with whatever is in it: files that may not be read, folders that may not be entered."""
    subprocess.run(["chmod", "-R", "u+rwx", "--", folder], check=False, capture_output=True)
    shutil.rmtree(folder)


@dataclass
class Service:
    """The program, which can be started again and again in the same home.

    Attributes:
        home: the folder of the home.
        port: where its health is told.
        gardens: agents whose own records are damaged.
        is_new: it runs, and has met nothing hostile yet.
    """

    servers: dict[str, Any]
    home: Path
    environment: dict[str, str]
    port: int
    gardens: tuple[str, ...]
    is_new: bool = False
    asked: int = 0
    read: dict[str, int] = field(default_factory=lambda: {"telegram": 0, "discord": 0})
    peak_mb: float = 0.0
    process: subprocess.Popen[bytes] | None = None
    pulse: Pulse | None = None

    @property
    def agents(self) -> list[str]:
        return ["personal", "work", *self.gardens]

    @property
    def log(self) -> Path:
        return self.home.parent / "log"

    def keep(self) -> None:
        """End, and keep a copy of the home for `restore`."""
        self.end()
        shutil.copytree(self.home, self.home.parent / "pristine")

    def restore(self) -> None:
        """Everything as it was when it was kept."""
        self.kill()
        remove(self.home)
        shutil.copytree(self.home.parent / "pristine", self.home)
        self.servers["telegram"].call("drop_updates")
        self.servers["discord"].call("forget_nonces")  # the home has gone back in time, and its messages' ids with it
        self.peak_mb = 0.0

    def start(self) -> None:
        """Begin a life; raises `Ended` if it does not come up."""
        with self.log.open("wb") as log:
            command = [sys.executable, "-m", "tests.chaos.program", self.servers["discord"].url]
            self.process = subprocess.Popen(command, env=self.environment, stderr=log, cwd=ROOT)
        begun = self._moment()
        while not alive(self.port):
            if self.process.poll() is not None or self._since(begun) > START_S:
                raise self._ended("it did not start")
            threading.Event().wait(LOOK_S)
        self.pulse = Pulse(self.process.pid, self.port)
        self.pulse.start()
        while not self.servers["discord"].entries("identify", since=self.read["discord"]):
            if self.process.poll() is not None or self._since(begun) > START_S:
                raise self._ended("its Discord account did not log in")
            threading.Event().wait(LOOK_S)

    def probe(self, *, when: str) -> None:
        """Ask every agent on Telegram, and one on Discord; raises `Ended` if somebody is not answered in time.

        Who is not answered soon asks again, as people do: a connection may have been made anew meanwhile.
        """
        silent: set[int] = set(range(len(self.agents) + 1))
        asked, again = self._moment(), 0.0
        waiting: dict[str, int] = {}
        while silent:
            if time.monotonic() >= again:
                waiting |= {self._ask(number): number for number in sorted(silent)}
                again = time.monotonic() + ASK_AGAIN_S
            for key in [*self._answered("telegram"), *self._answered("discord")]:
                silent.discard(waiting.get(key, -1))
            if self.process is None or self.process.poll() is not None:
                raise self._ended(f"it ended {when}")
            if self._since(asked) > ANSWER_S:
                names = [*self.agents, "work on Discord"]
                raise self._ended(f"no answer {when} from {', '.join(names[number] for number in sorted(silent))}")
            threading.Event().wait(LOOK_S)

    def rest(self, most_s: float = 60) -> None:
        """Wait until it has next to nothing to do."""
        deadline, before = time.monotonic() + most_s, -1.0
        while time.monotonic() < deadline and self.process and self.process.poll() is None:
            now = _cpu_s(self.process.pid)
            if 0 <= now - before < 0.05:
                return
            before = now
            threading.Event().wait(0.4)

    def kill(self) -> None:
        """End a life without a warning."""
        if self.process is not None:
            self._measure()
            self.process.kill()
            self.process.wait()
            self.process = None

    def silence_ms(self) -> float:
        """How long its event loop kept silent at most since this was asked last."""
        return self.pulse.taken_ms() if self.pulse else 0.0

    def end(self) -> None:
        """Ask it to end; raises `Ended` if it does not do so, or not well."""
        assert self.process
        self._measure()
        self.process.terminate()
        try:
            code = self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            raise self._ended("it does not end when asked to") from None
        self.process = None
        if code:
            raise self._ended(f"it ended with exit code {code} when asked to")

    def memory_mb(self) -> float:
        """The most memory that this life has taken so far."""
        assert self.process
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)

    def _measure(self) -> None:
        if self.pulse:
            self.pulse.stop()
        if self.process and self.process.poll() is None:
            self.peak_mb = max(self.peak_mb, self.memory_mb())

    def _answered(self, platform: str) -> Iterator[str]:
        """The keys of answers that have come since the last look."""
        entries = self.servers[platform].entries(since=self.read[platform])
        self.read[platform] = entries[-1]["n"] if entries else self.read[platform]
        for entry in entries:
            if entry["kind"] in {"message", "edit"} and entry["by"] == "bot":
                yield from re.findall(r"\bans-(\d+)", entry["text"])

    def _moment(self) -> tuple[float, dict[str, int]]:
        return time.monotonic(), _waited(self.process.pid) if self.process else {}

    def _since(self, moment: tuple[float, dict[str, int]]) -> float:
        """Seconds since then, without those in which the service waited for a processor."""
        began, waits = moment
        return time.monotonic() - began - (_longest(waits, self.process.pid) if self.process else 0)

    def _ask(self, number: int) -> str:
        """Let the owner ask an agent on Telegram, or behind the last one the agent on Discord; the question's key."""
        self.asked += 1
        question = f"what of ask-{self.asked}?"
        if number < len(self.agents):
            self.servers["telegram"].user(7 + number).says(question)
        else:
            self.servers["person"].says(self.servers["person"].direct, question)
        return str(self.asked)

    def _ended(self, what: str) -> Ended:
        """What happened, with the last words of the log and the last lines of our own in the newest traceback."""
        said = self.log.read_text(errors="replace").strip().splitlines()[-2:]
        file = self.home / "state" / "logs" / "scrubjay.log"
        traced = file.read_text(errors="replace") if file.exists() else ""
        places = re.findall(r'/((?:bot|memory|adapters)/[\w/]+\.py)\\?", line (\d+)', traced)[-4:]
        return Ended(f"{what}; {' > '.join(':'.join(place) for place in places)}; {' / '.join(said)[-400:]}")


@contextmanager
def service(folder: Path, *, gardens: int, apart: bool = True) -> Iterator[Service]:
    """The servers, and a service that runs, in which every agent has been talked to and has something to remember.

    Servers `apart` are processes of their own, so that what the service takes is its own doing and not theirs.
    """
    with ExitStack() as stack:
        telegram_server: Any = stack.enter_context((telegram.spawned if apart else telegram.running)(patience_s=0.2))
        discord_server: Any = stack.enter_context((discord.spawned if apart else discord.running)())
        servers = {"telegram": telegram_server, "discord": discord_server, "person": discord_server.user("owner")}
        if apart:
            arguments = ("--answer", "tests.chaos.script:answer")
            model_url = f"{stack.enter_context(ServerProcess('tests.servers.openai_server', *arguments)).url}/v1"
        else:
            model_url = stack.enter_context(OpenAIServer(answer)).base_url
        home, names = folder / "home", tuple(f"garden{number}" for number in range(gardens))
        made = Service(servers, home, _environment(home, servers), _free_port(), names)
        _configure(made, model_url)
        stack.callback(made.kill)
        _begin(made)
        yield made


def _configure(made: Service, model_url: str) -> None:
    (made.home / "handbook").mkdir(parents=True)
    (made.home / "handbook" / "lamps.md").write_text("# Lamps\n\nLamps are green.\n")
    owners = [f"telegram:{7 + number}" for number in range(len(made.agents))]
    owners += [f"telegram:{OWNER}", f"discord:{made.servers['person'].id}"]
    routes = "\n".join(
        f"  - {{agent: {agent}, platform: telegram, user: {7 + number}}}" for number, agent in enumerate(made.agents)
    )
    written = CONFIG.format(
        telegram=made.servers["telegram"], routes=routes, owners=", ".join(f'"{owner}"' for owner in owners),
        gardens="\n".join(f"  {agent}: {{about: Garden}}" for agent in made.gardens),
        guest=GUEST, group=GROUP, model=MODEL, model_url=model_url, key=KEY, port=made.port,
    )  # fmt: skip
    (made.home / "config.yaml").write_text(written)


def _environment(home: Path, servers: dict[str, Any]) -> dict[str, str]:
    return {
        "SCRUBJAY_HOME": str(home), "HOME": str(home.parent), "PATH": os.defpath, "PYTHONPATH": str(ROOT), "TZ": "UTC",
        "PYTHONUTF8": "1", "TELEGRAM": servers["telegram"].token, "DISCORD": servers["discord"].token,
    }  # fmt: skip


def _begin(made: Service) -> None:
    """Let everybody say something worth remembering."""
    for person, name in ((GUEST, "Guest"), (OWNER, "Eve"), (STRANGER, "Stranger")):
        made.servers["telegram"].user(person, name)
    made.start()
    for number, _ in enumerate(made.agents):
        for fact in range(3):
            made.servers["telegram"].user(7 + number, f"Owner {number}").says(f"/remember The lamp {fact} is green.")
    made.probe(when="while it was set up")
    made.is_new = True


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _waited(pid: int) -> dict[str, int]:
    """How long each thread of a process has waited for a processor, in ns."""
    found = {}
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, IndexError):
                found[thread.name] = int((thread / "schedstat").read_text().split()[1])
    return found


def _longest(before: dict[str, int], pid: int) -> float:
    """The longest of these waits since then, in seconds."""
    return max((now - before.get(thread, 0) for thread, now in _waited(pid).items()), default=0) / 1e9


def _cpu_s(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0
