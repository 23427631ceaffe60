"""Several schedulers on one PostgreSQL database, killed and frozen while jobs come due: is each instant fired once?

    python -m tests.chaos.schedulers --jobs 600 --kills 4 --freezes 2 --json

prints one JSON object as its last line: {"engine", "schedulers", "agents", "jobs", "kills", "freezes", "fired",
"distinct", "missed", "latest_s"}. Each scheduler is a `scrubjay run --roles scheduler`; nobody answers, so that what
was fired waits and can be counted. The jobs are those of six agents, under the same names; each comes once, in the time
in which the processes are killed or frozen, and one of each agent every minute. It fails unless `fired`, `distinct` and
`jobs` are the same. `latest_s` is how long after its instant the last one was fired.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bot.postgresql.coordinator import PostgresCoordinator
from bot.storage.port import Job
from bot.storage.tables.jobs import job_row, put_jobs
from memory import SystemClock
from tests.chaos.cluster import Cluster
from tests.chaos.scene import LOOK_S, Scene
from tests.chaos.stages import well
from tests.servers.postgresql import postgres_server
from tests.support.factories import envelope

SCHEDULERS, AGENTS = 3, 6
BETWEEN_S = 8.0
"""Seconds between two kills or freezes: a lease, a look, and some time of peace."""
AFTER_S = 10
EVERY_MINUTE = "every minute"
CLOCK = SystemClock()


def schedule(url: str, jobs: int, lasting_s: float, chance: random.Random) -> Counter[tuple[str, str]]:
    """Put jobs on the schedule; return the instants of those that come once, as (agent, update), each counted once."""
    agents, names = [f"agent{n}" for n in range(AGENTS)], [f"job {n}" for n in range(jobs // AGENTS)]
    begin = CLOCK.now()
    dues = {name: begin + timedelta(seconds=chance.uniform(0, lasting_s)) for name in names}
    expected = Counter[tuple[str, str]]()

    async def put() -> None:
        async with PostgresCoordinator.open(url, clock=CLOCK) as coordinator:
            for agent in agents:
                own = [Job(name, due, envelope("/whoami", agent=agent)) for name, due in dues.items()]
                minute = begin.replace(second=0, microsecond=0) + timedelta(minutes=1)
                repeated = Job(EVERY_MINUTE, minute, envelope("/whoami", agent=agent), "* * * * *")
                rows = [job_row(job) for job in [*own, repeated]]
                await coordinator.statements.write(partial(put_jobs, agent=agent, rows=rows))
                expected.update((agent, job.fired(job.due).inbound.update) for job in own)

    asyncio.run(put())
    return expected


def fired(cluster: Cluster) -> list[tuple[str, str, datetime, float]]:
    """Return what was fired: agent, update, instant, and how many seconds after that it was."""
    found = []
    for agent, at, body in cluster.rows("SELECT agent, at, body FROM inbox"):
        inbound = json.loads(body)["inbound"]
        due = datetime.fromisoformat(inbound["sent_at"])
        if inbound["text"] == "/whoami":  # an agent has standing jobs, too
            found.append((agent, inbound["update"], due, (datetime.fromisoformat(at) - due).total_seconds()))
    return found


def figures(jobs: int, kills: int, freezes: int, seed: int) -> dict[str, object]:
    """One run."""
    chance = random.Random(seed)
    deeds = chance.sample(["kill"] * kills + ["freeze"] * freezes, kills + freezes)
    lasting_s = BETWEEN_S * (len(deeds) + 1)
    with (
        tempfile.TemporaryDirectory() as folder,
        postgres_server(fsync="on", full_page_writes="on", synchronous_commit="on") as server,
        Scene.of("telegram", Path(folder), people=1, mishap=well) as scene,
    ):
        url = server.database()
        config = {**scene.config, "agents": {f"agent{n}": {} for n in range(AGENTS)}}
        cluster = Cluster(replace(scene, config=config), url, SCHEDULERS, options={"roles": ["scheduler"]})
        with cluster.running():
            expected = schedule(url, jobs, lasting_s, chance)
            begin = CLOCK.now()
            for deed in deeds:
                threading.Event().wait(BETWEEN_S * chance.uniform(0.5, 1))
                getattr(cluster, deed)(chance.randrange(SCHEDULERS))
            while CLOCK.now() < begin + timedelta(seconds=lasting_s + AFTER_S):
                threading.Event().wait(LOOK_S)
            ended = cluster.rows("SELECT min(due) FROM job WHERE name = 'every minute'")[0][0]
        found = fired(cluster)
    minutes = [(agent, update) for agent, update, _, _ in found if EVERY_MINUTE in update]
    once = Counter((agent, update) for agent, update, _, _ in found) - Counter(minutes)
    first = begin.replace(second=0, microsecond=0)
    wanted = AGENTS * round((datetime.fromisoformat(ended).astimezone(UTC) - first) / timedelta(minutes=1) - 1)
    return {
        "engine": "postgresql",
        "schedulers": SCHEDULERS,
        "agents": AGENTS,
        "jobs": len(expected) + wanted,
        "kills": kills,
        "freezes": freezes,
        "fired": len(found),
        "distinct": len({(agent, update) for agent, update, _, _ in found}),
        "missed": len(expected - once) + max(0, wanted - len({*minutes})),
        "latest_s": round(max((late_s for *_, late_s in found), default=0.0), 1),
    }


def main() -> int:
    """One run; 1 if an instant was fired twice, or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=600)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--freezes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = figures(given.jobs, given.kills, given.freezes, given.seed)
    print(json.dumps(found))
    return int(not found["fired"] == found["distinct"] == found["jobs"] or bool(found["missed"]))


if __name__ == "__main__":
    sys.exit(main())
