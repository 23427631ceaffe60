"""Several workers on one PostgreSQL database, killed, frozen or left without the server while people talk.

    python -m tests.chaos.cluster --kills 20 --messages 200 --seed 1 --json

prints one JSON object as its last line: {"engine", "workers", "messages", "kills", "lost", "doubled", "misordered",
"memory_lost", "memory_doubled", "gap_s"}. Each worker is a `scrubjay run` in a home of its own. `--how freeze` stops a
worker for longer than its lease and lets it go on; `--how cut` lets nothing pass between it and the database for as
long; `--how crash` ends the database, as if the power failed, and starts it again; `--how promote` ends it for good,
once, and its synchronous standby takes its place. `--every 10 --minutes 10` kills a worker every ten seconds for ten
minutes. `gap_s` is the longest time between two things that the bot did.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import psycopg

from bot.postgresql.connection import PostgresDatabase
from bot.postgresql.workspaces import checkout, versions
from tests.chaos.script import talk
from tests.chaos.stages import PLATFORMS, Stage, stage
from tests.servers.ledger import Entry
from tests.servers.postgresql import PostgresServer, postgres_server
from tests.support.cli_process import ROOT
from tests.support.postgresql import Gates

WORKERS, PEOPLE = 2, 4
LEASE_S = 2.0
FROZEN_S = 2 * LEASE_S
PATIENCE_S = 120
LOOK_S = 0.2
SETTLED_S = 3.0
"""Without a further entry in the ledger for so long, nothing more is coming."""


@dataclass
class Cluster:
    """The processes of one store.

    Attributes:
        scene: where people talk.
        url: the store's address.
        count: how many workers.
        gates: through which they reach it; None if they do so directly.
    """

    scene: Stage
    url: str
    count: int = WORKERS
    gates: Gates | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run all of them for a while."""
        with ExitStack() as stack:
            for number in range(self.count):
                self.workers.append(self._start(number))
            stack.callback(self._end)
            while not all(map(self._is_serving, range(self.count))):
                threading.Event().wait(LOOK_S)
            yield

    def kill(self, number: int) -> None:
        """End a worker without a warning, and begin another in its home."""
        self.workers[number].kill()
        self.workers[number].wait()
        self.workers[number] = self._start(number)

    def freeze(self, number: int) -> None:
        """Stop a worker for longer than its lease, and let it go on."""
        self.workers[number].send_signal(signal.SIGSTOP)
        threading.Event().wait(FROZEN_S)
        self.workers[number].send_signal(signal.SIGCONT)

    def cut(self, number: int) -> None:
        """Let nothing pass between a worker and the database for longer than its lease."""
        if self.gates:
            self.gates.close(number)
            threading.Event().wait(FROZEN_S)
            self.gates.open(number)

    def checkout(self, agent: str) -> None:
        """Bring an agent's files into the stage's own home, where its verdict looks for them."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            db = PostgresDatabase(connection)
            checkout(db, agent, self.scene.home / "workspaces" / agent, versions(db, agent))

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        home = self.scene.home.parent / f"worker-{number}"
        if not home.exists():
            home.mkdir()
            store = f"store:\n  url: ${{STORE}}\n  lease: {LEASE_S}\n"
            home.joinpath("config.yaml").write_text((self.scene.home / "config.yaml").read_text() + store)
        url = self.gates.urls[number] if self.gates else self.url
        environment = {**self.scene.environment, "SCRUBJAY_HOME": str(home), "STORE": url}
        with home.with_suffix(".log").open("ab") as log:
            return subprocess.Popen(self.scene.command, env=environment, stderr=log, cwd=ROOT)

    def _is_serving(self, number: int) -> bool:
        """Whether a worker has come so far that it takes leases; a supervisor would start one anew that has ended."""
        log = self.scene.home.parent / f"worker-{number}.log"
        if self.workers[number].poll() is not None:
            raise AssertionError(log.read_text())
        return "service.started" in log.read_text()

    def _end(self) -> None:
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(60)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happens to a cluster, again and again.

    Attributes:
        how: `kill`, `freeze`, `cut`, `crash` or `promote`.
        times: how often.
        every_s: seconds between two times; 0 for at random, up to two seconds.
    """

    how: str
    times: int
    every_s: float

    def happen(
        self, cluster: Cluster, server: PostgresServer, standby: PostgresServer | None, chance: random.Random
    ) -> None:
        """Let all of it happen."""

        def crash() -> None:
            server.stop(signal.SIGQUIT)
            server.start()

        def promote() -> None:
            server.stop(signal.SIGQUIT)
            if standby:
                standby.promote()

        deeds: dict[str, Callable[[], None]] = {
            "kill": lambda: cluster.kill(chance.randrange(cluster.count)),
            "freeze": lambda: cluster.freeze(chance.randrange(cluster.count)),
            "cut": lambda: cluster.cut(chance.randrange(cluster.count)),
            "crash": crash,
            "promote": promote,
        }
        for _ in range(self.times):
            threading.Event().wait(self.every_s or chance.uniform(0.2, 2))
            deeds[self.how]()


def longest_gap(entries: Sequence[Entry]) -> float:
    """The longest time, in seconds, between two things that the bot did."""
    instants = [datetime.fromisoformat(entry["at"]) for entry in entries if entry.get("by") == "bot" and "at" in entry]
    return round(max(((later - one).total_seconds() for one, later in pairwise(instants)), default=0.0), 1)


def figures(platform: str, trouble: Trouble, messages: int, seed: int, workers: int) -> dict[str, object]:
    """One run, as figures with their names."""
    chance = random.Random(f"{platform} {trouble.how} {seed}")
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres_server(fsync="on", full_page_writes="on", synchronous_commit="on") as server,
        stage(platform, Path(folder), people=PEOPLE, unclear=0) as scene,
        ExitStack() as stack,
    ):
        url, standby, gates = server.database(), None, None
        if trouble.how == "promote":
            standby = server.standby(server.folder.with_name("standby"))
            stack.callback(standby.stop)
            server.administer("ALTER SYSTEM SET synchronous_standby_names = '*'")
            server.administer("SELECT pg_reload_conf()")
            url = url.replace(f":{server.port}/", f":{server.port},127.0.0.1:{standby.port}/")
            url += "?target_session_attrs=read-write"
        elif trouble.how == "cut":
            gates = stack.enter_context(Gates.to(server, url, workers))
        cluster = Cluster(scene, url, workers, gates)
        lines = talk(messages, people=PEOPLE)
        with cluster.running():
            while platform == "discord" and not any(one["kind"] == "identify" for one in scene.server.entries()):
                threading.Event().wait(LOOK_S)
            last_s = trouble.times * (trouble.every_s or 1.1)
            say = threading.Thread(target=scene.say, args=(lines,), kwargs={"between_s": last_s / messages})
            say.start()
            trouble.happen(cluster, server, standby, chance)
            say.join()
            _settle(scene)
        cluster.checkout("personal")
        verdict = scene.verdict()
        return {
            "engine": "postgresql",
            "workers": workers,
            "messages": messages,
            "kills": trouble.times,
            **asdict(verdict),
            "gap_s": longest_gap(scene.server.entries()),
        }


def _settle(scene: Stage) -> None:
    """Wait until all is answered, or until nothing more is coming."""
    deadline, quiet_since, seen = time.monotonic() + PATIENCE_S, time.monotonic(), 0
    while time.monotonic() < deadline:
        threading.Event().wait(LOOK_S)
        count = len(scene.server.entries())
        if count != seen:
            seen, quiet_since = count, time.monotonic()
        if not scene.verdict().lost and time.monotonic() - quiet_since > SETTLED_S:
            return


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=PLATFORMS, default="telegram")
    parser.add_argument("--how", choices=("kill", "freeze", "cut", "crash", "promote"), default="kill")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--every", type=float, default=0.0)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    times = int(given.minutes * 60 / given.every) if given.minutes else given.kills
    trouble = Trouble(given.how, times, given.every)
    print(json.dumps(figures(given.platform, trouble, given.messages, given.seed, given.workers)))


if __name__ == "__main__":
    main()
