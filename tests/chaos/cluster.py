"""Several workers on one PostgreSQL database, killed, frozen or left without the server while people talk.

    python -m tests.chaos.cluster --kills 50 --messages 400 --seed 1 --json

prints one JSON object as its last line: {"engine", "workers", "messages", "kills", "lost", "doubled", "misordered",
"memory_lost", "memory_doubled", "gap_s", "mid_turn"}. Each worker is a `scrubjay run` in a home of its own, the model
takes .2 s, and `mid_turn` counts how often a turn was under way on the worker that was killed, frozen or cut off;
`--how mid-turn` kills only in the first attempt at one, as the bot gives a turn up in which it is killed again and
again. `--how freeze` stops a worker for longer than its lease and lets it go on; `--how cut` lets nothing pass between
it and the database for as long; `--how crash` ends the database, as if the power failed, and starts it again; `--how
promote` ends it for good, once, and its synchronous standby takes its place. `--every 10 --minutes 10` kills a worker
every ten seconds for ten minutes. `--platform both` has people on Telegram and on Discord at once. `--copies 5` has
Telegram post to a webhook, and each update come one to five times, at any of the workers: "posts", "updates",
"taken_by_both", and how often one of the "questions" was "answered" by a turn. `--pgbouncer PATH` has that program
stand before the database, in transaction mode (`tests.servers.pgbouncer` tells where to get it). `gap_s` is the longest
time between two things that the bot did.
It fails if anything was lost, doubled or out of order.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from bot.postgresql.connection import PostgresDatabase
from bot.postgresql.workspaces import checkout
from tests.chaos.redelivery import Redelivery, free_ports
from tests.chaos.scene import BOTH, LOOK_S, Scene
from tests.chaos.script import ASKED, talk
from tests.chaos.stages import PLATFORMS
from tests.servers.openai_script import slow
from tests.servers.pgbouncer import pgbouncer
from tests.servers.postgresql import PostgresServer, postgres_server
from tests.servers.serving import ServingThread
from tests.support.cli_process import ROOT
from tests.support.postgresql import Gates

WORKERS, PEOPLE = 2, 4
LEASE_S = 2.0
FROZEN_S = 2 * LEASE_S
PATIENCE_S = 120
MODEL_S = 0.2
AT_EASE_S = 0.3
"""Between two messages where nothing is in the way."""
SETTLED_S = 3.0
"""Without a further entry in the ledger for so long, nothing more is coming."""

UNDER_WAY = """SELECT agent.owner, inbox.attempts FROM inbox JOIN agent ON agent.agent = inbox.agent
               WHERE inbox.is_under_way AND inbox.state = 'waiting'"""
ANSWERED = "SELECT body FROM transcript WHERE kind = 'message'"


@dataclass
class Cluster:
    """The processes of one store.

    Attributes:
        scene: where people talk.
        url: the store's address.
        count: how many workers.
        gates: through which they reach it; None if they do so directly.
        hook: where Telegram posts, and the port of each worker to which that goes; None if they fetch.
        options: further ones of the store.
        workers: the processes.
        mid_turn: how many were killed, frozen or cut off while a turn was under way there.
    """

    scene: Scene
    url: str
    count: int = WORKERS
    gates: Gates | None = None
    hook: tuple[str, Sequence[int]] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    mid_turn: int = 0
    _logged: dict[int, int] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run all of them for a while."""
        with ExitStack() as stack:
            for number in range(self.count):
                self.workers.append(self._start(number))
            stack.callback(self._end)
            while not all(map(self.is_serving, range(self.count))):
                threading.Event().wait(LOOK_S)
            yield

    def kill(self, number: int) -> None:
        """End a worker without a warning, and begin another in its home."""
        self.mid_turn += number in self.busy()
        self.workers[number].kill()
        self.workers[number].wait()
        self.workers[number] = self._start(number)

    def freeze(self, number: int) -> None:
        """Stop a worker for longer than its lease, and let it go on."""
        self.mid_turn += number in self.busy()
        self.workers[number].send_signal(signal.SIGSTOP)
        threading.Event().wait(FROZEN_S)
        self.workers[number].send_signal(signal.SIGCONT)

    def cut(self, number: int) -> None:
        """Let nothing pass between a worker and the database for longer than its lease."""
        if self.gates:
            self.mid_turn += number in self.busy()
            self.gates.close(number)
            threading.Event().wait(FROZEN_S)
            self.gates.open(number)

    def busy(self, *, first_attempt: bool = False) -> list[int]:
        """Return the workers on which a turn is under way, or one that was begun for the first time."""
        owners = [owner for owner, attempts in self.rows(UNDER_WAY) if attempts <= 1 or not first_attempt]
        return [n for n, worker in enumerate(self.workers) if any(f"-{worker.pid}-" in owner for owner in owners)]

    def rows(self, sql: str) -> list[Any]:
        """Look into the database."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(sql.encode()).fetchall()

    def checkout(self, agent: str) -> None:
        """Bring an agent's files into the stage's own home, where its verdict looks for them."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            db = PostgresDatabase(connection)
            checkout(db, agent, self.scene.home / "workspaces" / agent)

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        home = self._home(number)
        if not home.exists():
            home.mkdir()
            config = {**self.scene.config, "store": {"url": "${STORE}", "lease": LEASE_S, **self.options}}
            if self.hook:
                address, ports = self.hook
                config["telegram"] = {**config["telegram"], "webhook": {"url": address, "port": ports[number]}}
            home.joinpath("config.yaml").write_text(json.dumps(config))
        url = self.gates.urls[number] if self.gates else self.url
        environment = {**self.scene.environment, "SCRUBJAY_HOME": str(home), "STORE": url}
        with home.with_suffix(".log").open("ab") as log:
            self._logged[number] = log.tell()
            return subprocess.Popen(self.scene.command, env=environment, stderr=log, cwd=ROOT)

    def _home(self, number: int) -> Path:
        return self.scene.home.parent / f"worker-{number}"

    def is_serving(self, number: int) -> bool:
        """Whether a worker has come so far that it takes leases; a supervisor would start one anew that has ended."""
        said = self._home(number).with_suffix(".log").read_bytes()[self._logged[number] :].decode()
        if self.workers[number].poll() is not None:
            raise AssertionError(said)
        return "service.started" in said

    def _end(self) -> None:
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(60)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happens to a cluster, again and again.

    Attributes:
        how: `kill`, `mid-turn`, `freeze`, `cut`, `crash` or `promote`.
        times: how often.
        every_s: seconds between two times; 0 for at random, up to two seconds.
    """

    how: str
    times: int
    every_s: float

    @property
    def lasting_s(self) -> float:
        """About how long all of it takes, in seconds."""
        each_s = FROZEN_S if self.how in {"freeze", "cut"} else 0.0
        return self.times * (each_s + (self.every_s or (6.0 if self.how == "mid-turn" else 1.1)))

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

        def kill_mid_turn() -> None:
            deadline, busy = time.monotonic() + PATIENCE_S, list[int]()
            while not busy and time.monotonic() < deadline:
                threading.Event().wait(chance.uniform(0, 2 * MODEL_S))
                busy = cluster.busy(first_attempt=True)
            cluster.kill(busy[0] if busy else 0)

        deeds: dict[str, Callable[[], None]] = {
            "kill": lambda: cluster.kill(chance.randrange(cluster.count)),
            "mid-turn": kill_mid_turn,
            "freeze": lambda: cluster.freeze(chance.randrange(cluster.count)),
            "cut": lambda: cluster.cut(chance.randrange(cluster.count)),
            "crash": crash,
            "promote": promote,
        }
        for _ in range(self.times):
            threading.Event().wait(self.every_s or chance.uniform(0.2, 2))
            deeds[self.how]()


@dataclass(frozen=True, slots=True)
class Setting:
    """What a cluster is, and what people do.

    Attributes:
        platform: its name, or `both`.
        messages: how many people send.
        seed: makes what happens the same again.
        workers: how many.
        copies: how often an update of Telegram's is posted at most; 0 if it is fetched.
        model_s: seconds between two pieces of an answer of the model.
        bouncer: the program of PgBouncer, if that stands before the database.
    """

    platform: str
    messages: int
    seed: int
    workers: int = WORKERS
    copies: int = 0
    model_s: float = 0.0
    bouncer: Path | None = None


def figures(setting: Setting, trouble: Trouble) -> dict[str, object]:
    """One run, as figures with their names."""
    chance = random.Random(f"{setting.platform} {trouble.how} {setting.seed}")
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres_server(fsync="on", full_page_writes="on", synchronous_commit="on") as server,
        Scene.of(setting.platform, Path(folder), people=PEOPLE, mishap=lambda _: slow(setting.model_s)) as scene,
        ExitStack() as stack,
    ):
        if setting.bouncer:
            stack.enter_context(pgbouncer(setting.bouncer, server))
        url, standby, gates = server.database(), None, None
        if trouble.how == "promote":
            standby = server.standby(server.folder.with_name("standby"))
            stack.callback(standby.stop)
            server.administer("ALTER SYSTEM SET synchronous_standby_names = '*'")
            server.administer("SELECT pg_reload_conf()")
            url = url.replace(f":{server.port}/", f":{server.port},127.0.0.1:{standby.port}/")
            url += "?target_session_attrs=read-write"
        elif trouble.how == "cut":
            gates = stack.enter_context(Gates.to(server, url, setting.workers))
        cluster = Cluster(scene, url, setting.workers, gates)
        redelivery = None
        if setting.copies:
            ports = free_ports(setting.workers)
            redelivery = Redelivery(ports, setting.copies, random.Random(setting.seed))
            cluster.hook = stack.enter_context(ServingThread(redelivery.application())).url, ports
        lines = talk(setting.messages, people=PEOPLE * len(scene.stages))
        with cluster.running():
            scene.wait_for_gateway()
            between_s = (trouble.lasting_s or setting.messages * AT_EASE_S) / setting.messages
            say = threading.Thread(target=scene.say, args=(lines,), kwargs={"between_s": between_s})
            say.start()
            trouble.happen(cluster, server, standby, chance)
            say.join()
            _settle(scene)
        cluster.checkout("personal")
        found: dict[str, object] = {
            "engine": "postgresql",
            "workers": setting.workers,
            "messages": setting.messages,
            "kills": trouble.times,
            **asdict(scene.verdict()),
            "gap_s": scene.longest_gap(),
            "mid_turn": cluster.mid_turn,
        }
        if redelivery:
            asked = sum(bool(ASKED.search(line.text)) for line in lines)
            answered = sum(bool(ASKED.search(body)) for (body,) in cluster.rows(ANSWERED))
            found |= {**redelivery.figures, "questions": asked, "answered": answered}
        return found


def _settle(scene: Scene) -> None:
    """Wait until all is answered, or until nothing more is coming."""
    deadline, quiet_since, seen = time.monotonic() + PATIENCE_S, time.monotonic(), 0
    while time.monotonic() < deadline:
        threading.Event().wait(LOOK_S)
        if scene.entries != seen:
            seen, quiet_since = scene.entries, time.monotonic()
        if not scene.verdict().lost and time.monotonic() - quiet_since > SETTLED_S:
            return


def main() -> None:
    """One run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--platform", choices=(*PLATFORMS, BOTH), default="telegram")
    parser.add_argument("--how", choices=("kill", "mid-turn", "freeze", "cut", "crash", "promote"), default="kill")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--copies", type=int, default=0)
    parser.add_argument("--pgbouncer", type=Path)
    parser.add_argument("--every", type=float, default=0.0)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    times = int(given.minutes * 60 / given.every) if given.minutes else given.kills
    setting = Setting(given.platform, given.messages, given.seed, given.workers, given.copies, MODEL_S, given.pgbouncer)
    found = figures(setting, Trouble(given.how, times, given.every))
    print(json.dumps(found))
    sys.exit(any(found[name] for name in ("lost", "doubled", "misordered", "memory_lost", "memory_doubled")))


if __name__ == "__main__":
    main()
