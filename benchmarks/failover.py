"""What a worker that is killed costs the agents of the others: real processes, real turns, on one PostgreSQL database.

    python -m benchmarks.failover --agents 40 --kills 5 --json

Two `scrubjay run` with the role worker share the agents. Messages come steadily for all of them; the model answers at
once. One worker is killed; until all of its agents have been taken over, the agents that the other one held at
that moment are looked at: the longest time from the publishing of a message to the end of its turn, and the longest
time between the ends of two of their turns. Then a worker is started in its place, shares are
evened out, and so on. The same is measured in as many seconds before each kill. A turn's end is the commit of its
answer, by the server's clock. The last line is one JSON object: {"agents", "kills", "lease_s", "takeover_s", "wait_s",
"gap_s", "wait_before_s", "gap_before_s"}, each the longest of all kills, and of each kill in "each".
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.cluster import message
from benchmarks.figures import command_line
from bot.postgresql.coordinator import PostgresCoordinator
from bot.waiting import pause
from memory import SystemClock
from tests.chaos.stages import stage
from tests.servers.openai_script import Received, Step
from tests.servers.postgresql import postgres_server
from tests.support.cli_process import ROOT

LEASE_S = 2.0
BETWEEN_S = 0.1
CHATS = 4
"""Of each agent, in turn: so that no message waits for the one before it."""
LOOK_S = 0.05
CLOCK = SystemClock()

HELD = "SELECT name FROM lease WHERE name LIKE 'work/%' AND until >= lease_now() AND owner LIKE '%-{}-%'"
ENDED = "SELECT turn, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 FROM transcript WHERE kind = 'reply'"


class Waits(NamedTuple):
    """The longest of some agents, in seconds: from a message to its answer, and between two answers."""

    wait_s: float
    gap_s: float


@dataclass
class Workers:
    """Two processes on one store.

    Attributes:
        command, environment: of each.
        folder: where their homes are.
        config: theirs.
        processes: those that run.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    config: Mapping[str, object]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _number: count[int] = field(default_factory=count)

    def start(self) -> None:
        """Start one more."""
        home = self.folder / f"worker-{next(self._number)}"
        home.mkdir()
        home.joinpath("config.yaml").write_text(json.dumps(self.config), "utf-8")
        environment = {**self.environment, "SCRUBJAY_HOME": str(home)}
        with home.with_suffix(".log").open("ab") as log:
            self.processes.append(subprocess.Popen(self.command, env=environment, stderr=log, cwd=ROOT))

    def kill(self) -> None:
        """Kill the one that runs longest."""
        process = self.processes.pop(0)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """End all."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(60)


@dataclass
class Talk:
    """Messages that are published steadily, and when each was."""

    coordinator: PostgresCoordinator
    agents: int
    at: dict[int, float] = field(default_factory=dict)

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        """Publish messages to one agent after the other."""

        async def publish(group: asyncio.TaskGroup) -> None:
            while True:
                n = len(self.at)
                self.at[n] = CLOCK.now().timestamp()
                chat = str(n // self.agents % CHATS)
                group.create_task(self.coordinator.publish(message(n, n % self.agents, chat)))
                await pause(BETWEEN_S)

        async with asyncio.TaskGroup() as group:
            task = group.create_task(publish(group))
            yield
            task.cancel()

    async def waits(self, agents: set[str], since: float, until: float) -> Waits:
        """Return how long some agents' messages of a span waited, and how long nothing came of them."""
        own = [n for n in self.at if f"work/a{n % self.agents}" in agents]
        wanted = [n for n in own if since <= self.at[n] <= until]
        ends = dict[int, float]()
        while not ends.keys() >= {*wanted}:
            rows = await self.coordinator.statements.rows(ENDED)
            ends = {int(turn.rpartition(":")[2]): float(end) for turn, end in rows}
            await pause(LOOK_S)
        waits = [ends[n] - self.at[n] for n in wanted]
        inside = sorted(ends[n] for n in own if n in ends and since <= ends[n] <= until)
        return Waits(max(waits), max(later - one for one, later in pairwise([since, *inside])))


async def held(coordinator: PostgresCoordinator, process: subprocess.Popen[bytes]) -> set[str]:
    """Return the leases that a process has."""
    return {name for (name,) in await coordinator.statements.rows(HELD.format(process.pid))}


async def shared(coordinator: PostgresCoordinator, workers: Workers, agents: int) -> None:
    """Wait until every agent is held, by both in equal shares."""
    while [len(await held(coordinator, one)) for one in workers.processes] != [agents // 2] * 2:
        await pause(LOOK_S)


async def measured(workers: Workers, url: str, *, agents: int, kills: int) -> list[dict[str, float]]:
    """Kill one worker after the other."""
    found = list[dict[str, float]]()
    async with PostgresCoordinator.open(url, clock=CLOCK) as coordinator:
        talk = Talk(coordinator, agents)
        for _ in range(2):
            workers.start()
        for _ in range(kills):
            await shared(coordinator, workers, agents)
            async with talk.going_on():
                await pause(4 * LEASE_S)
                others = await held(coordinator, workers.processes[1])
                killed = CLOCK.now().timestamp()
                workers.kill()
                while len(await held(coordinator, workers.processes[0])) < agents:
                    await pause(LOOK_S)
                over = CLOCK.now().timestamp()
                await pause(2 * LEASE_S)
                after = await talk.waits(others, killed, over)
                before = await talk.waits(others, 2 * killed - over, killed)
            found.append(
                {
                    "takeover_s": over - killed,
                    **after._asdict(),
                    "wait_before_s": before.wait_s,
                    "gap_before_s": before.gap_s,
                }
            )
            workers.start()
    return found


def answer(_: Received) -> Step:
    """What the model says to everything."""
    return Step(text=("I see.",))


def figures(agents: int, kills: int) -> dict[str, object]:
    """One run, as figures with their names."""
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres_server(
            fsync="on", full_page_writes="on", synchronous_commit="on", track_commit_timestamp="on"
        ) as server,
        stage("telegram", Path(folder, "stage"), unclear=0, answers=answer) as scene,
        ExitStack() as stack,
    ):
        url = server.database()
        config = {
            "telegram": {"token": "${TOKEN}", "api": scene.server.url},
            "access": {"owners": ["telegram:7"]},
            "agents": {f"a{n}": {} for n in range(agents)},
            "model": {"name": "scripted", "base_url": scene.model_url, "api_key": "test-key"},
            "owner": {"timezone": "UTC"},
            "memory": {"embedder": {"kind": "none"}},
            "store": {"url": url, "lease": LEASE_S, "roles": ["worker"]},
        }
        workers = Workers(scene.command, scene.environment, Path(folder), config)
        stack.callback(workers.stop)
        each = asyncio.run(measured(workers, url, agents=agents, kills=kills))
    worst = {name: round(max(one[name] for one in each), 2) for name in each[0]}
    told = [{name: round(value, 2) for name, value in one.items()} for one in each]
    return {"agents": agents, "kills": kills, "lease_s": LEASE_S, **worst, "each": told}


def main() -> None:
    """One run."""
    parser = command_line(__doc__)
    parser.add_argument("--agents", type=int, default=40, help="an even number")
    parser.add_argument("--kills", type=int, default=5)
    asked = parser.parse_args()
    found = figures(asked.agents, asked.kills)
    for name, value in found.items():
        print(f"{name}: {value}")
    if asked.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
