"""Several workers on one PostgreSQL database: throughput with a model of 200 ms, and what one busy chat costs others.

    python -m benchmarks.cluster --json

prints one JSON object as its last line: {"turns_per_s": {workers: number}, "ratio_2", "p95_s", "p95_beside_hot_s",
"ratio_hot"}. The workers are processes with the coordinator, leases and shares of the service; instead of answering,
each turn waits as long as a model takes, at most 40 at once. Workers, server and load share this machine's cores. In
the second measurement 500 agents get one message each, without and with 1,000 messages in another agent's one chat
before them; p95 is from the publishing to the end of the turn.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime

from adapters.port import Address, ChatKind, Outbound
from benchmarks.figures import command_line
from bot.postgresql.coordinator import PostgresCoordinator
from bot.postgresql.leases import Lease, Leases, Share
from bot.storage.port import Effects, EntryKind, Envelope, Grant, QueuedMessage, TranscriptEntry
from bot.waiting import pause
from memory import SystemClock
from tests.servers.postgresql import postgres_server
from tests.support.factories import OWNER, inbound

MODEL_S = 0.2
AT_ONCE = 40
MESSAGES, AGENTS = 800, 80
HOT, OTHERS = 1000, 500
CLOCK = SystemClock()


async def serve(url: str, name: str, agents: Sequence[str]) -> None:
    """Be a worker until killed."""
    async with PostgresCoordinator.open(url, clock=CLOCK) as coordinator:
        busy = asyncio.Semaphore(AT_ONCE)

        async def turn(grant: Grant, message: QueuedMessage) -> None:
            async with busy:
                await coordinator.begin(grant, [message.seq], attempt=1)
                await asyncio.sleep(MODEL_S)
                out = Outbound(f"{grant.agent}-{message.seq}", message.envelope.inbound.address, "answer")
                entry = TranscriptEntry(EntryKind.REPLY, message.envelope.turn, CLOCK.now(), "{}")
                await coordinator.commit(grant, Effects(message.envelope.session, (message.seq,), (out,), (entry,)))

        async def work(lease: Lease[Grant]) -> None:
            seen, chains = 0, dict[str, asyncio.Task[None]]()

            async def after(before: asyncio.Task[None] | None, message: QueuedMessage) -> None:
                if before:
                    await before
                await turn(lease.taken, message)

            async with asyncio.TaskGroup() as group:
                while True:
                    for message in await coordinator.pending(lease.taken, after=seen):
                        seen, key = message.seq, str(message.envelope.session)
                        chains[key] = group.create_task(after(chains.get(key), message))

        leases = Leases(coordinator.statements, coordinator.statements, owner=name)
        await Share(
            leases,
            "work",
            agents,
            take=lambda name, db: coordinator.take_over(db, leases.owner, name),
            work=work,
            is_idle=coordinator.is_idle,
            pause=pause,
        ).run()


@contextmanager
def workers(url: str, count: int, agents: int) -> Iterator[None]:
    """Run so many workers."""
    with ExitStack() as stack:
        for number in range(count):
            command = [sys.executable, "-m", "benchmarks.cluster", "--worker", url, f"w{number}", str(agents)]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            stack.callback(process.kill)
        yield


def message(number: int, agent: int, chat: str) -> Envelope:
    """Return a message to an agent."""
    at = Address("telegram", "bot", chat, ChatKind.PRIVATE)
    return Envelope(f"a{agent}", OWNER, inbound("hello", update=str(number), at=at))


async def settle(coordinator: PostgresCoordinator, agents: int) -> None:
    """Wait until every agent has a holder."""
    sql = "SELECT count(*) FROM lease WHERE name LIKE 'work/%' AND owner <> ''"
    while (await coordinator.statements.rows(sql))[0][0] < agents:
        await pause(0.1)
    await pause(6)  # shares are evened out with the next renewals


async def drained(coordinator: PostgresCoordinator) -> None:
    """Wait until nothing waits."""
    while (await coordinator.statements.rows("SELECT count(*) FROM inbox"))[0][0]:
        await pause(0.05)


async def throughput(url: str, count: int) -> float:
    """Return the turns a second of so many workers."""
    async with PostgresCoordinator.open(url, clock=CLOCK) as coordinator:
        with workers(url, count, AGENTS):
            await settle(coordinator, AGENTS)
            began = time.monotonic()
            await asyncio.gather(
                *(coordinator.publish(message(n, n % AGENTS, f"c{n % (2 * AGENTS)}")) for n in range(MESSAGES))
            )
            await drained(coordinator)
            return MESSAGES / (time.monotonic() - began)


async def waited(url: str, *, hot: int) -> float:
    """Return the p95 of how long 500 agents wait for one turn, in seconds."""
    async with PostgresCoordinator.open(url, clock=CLOCK) as coordinator:
        with workers(url, 2, OTHERS + 1):
            await settle(coordinator, OTHERS + 1)
            await asyncio.gather(*(coordinator.publish(message(n, OTHERS, "hot")) for n in range(hot)))
            began = {n: CLOCK.now() for n in range(OTHERS)}
            for n in range(OTHERS):
                began[n] = CLOCK.now()
                await coordinator.publish(message(HOT + n, n, f"c{n}"))
            sql = "SELECT agent, at FROM transcript WHERE agent <> ?"
            rows = list[tuple[str, str]]()
            while len(rows) < OTHERS:
                rows = await coordinator.statements.rows(sql, f"a{OTHERS}")
                await pause(0.1)
    spans = sorted((datetime.fromisoformat(at) - began[int(agent[1:])]).total_seconds() for agent, at in rows)
    return spans[int(len(spans) * 0.95)]


def main() -> None:
    """All measurements, or one worker."""
    parser = command_line(__doc__)
    parser.add_argument("--worker", nargs=3, metavar=("URL", "NAME", "AGENTS"))
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    given = parser.parse_args()
    if given.worker:
        url, name, agents = given.worker
        asyncio.run(serve(url, name, [f"a{n}" for n in range(int(agents))]))
        return
    with postgres_server(fsync="on", full_page_writes="on", synchronous_commit="on") as server:
        turns = {count: asyncio.run(throughput(server.database(), count)) for count in given.workers}
        alone, beside = (asyncio.run(waited(server.database(), hot=hot)) for hot in (0, HOT))
    print(
        json.dumps(
            {
                "turns_per_s": {count: round(number, 1) for count, number in turns.items()},
                "ratio_2": round(turns[2] / turns[1], 2),
                "p95_s": round(alone, 2),
                "p95_beside_hot_s": round(beside, 2),
                "ratio_hot": round(beside / alone, 2),
            }
        )
    )


if __name__ == "__main__":
    main()
