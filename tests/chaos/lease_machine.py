"""Two processes on one database in any order of events: messages, takeovers, renewals, lapses, ends of turns.

    python -m tests.chaos.lease_machine --runs 2000 --json

prints one JSON object as its last line: {"runs", "violations"}. Hypothesis chooses what happens; the database's clock
is moved by hand. After each step: no message is lost or answered twice, answers are in the order of the messages, no
lease has two holders, and nobody who was replaced has changed anything.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from hypothesis.strategies import booleans, floats, integers, sampled_from

from bot.errors import Fenced
from bot.postgresql.coordinator import PostgresCoordinator
from bot.postgresql.leases import LASTING_S, Lease, Leases
from bot.storage.port import Grant
from bot.storage.statements import Database, execute
from memory import FrozenClock
from tests.servers.postgresql import PostgresServer, postgres_server
from tests.support.factories import NOON, effects, envelope, outbound
from tests.support.postgresql import DatabaseClock

AGENT, WORK = "personal", "work/personal"
TABLES = "inbox, outbox, transcript, seen, agent, lease, effect, placed"

T = TypeVar("T")


@dataclass
class Process:
    """One of the two, with the leases that it believes to have."""

    name: str
    coordinator: PostgresCoordinator
    leases: Leases
    lease: Lease[Grant] | None = None

    def take_over(self, db: Database) -> Grant:
        return self.coordinator.take_over(db, self.name, AGENT)


@dataclass
class Field:
    """What all runs share: a database, two processes, and a loop."""

    loop: asyncio.AbstractEventLoop
    url: str
    clock: DatabaseClock
    processes: list[Process]
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @classmethod
    def of(cls, server: PostgresServer) -> Field:
        """Open one on a server."""
        loop, stack, url = asyncio.new_event_loop(), AsyncExitStack(), server.database()

        async def process(name: str) -> Process:
            opening = PostgresCoordinator.open(url, clock=FrozenClock(NOON))
            coordinator = await stack.enter_async_context(opening)
            return Process(name, coordinator, Leases(coordinator.statements, coordinator.statements, owner=name))

        processes = [loop.run_until_complete(process(name)) for name in ("a", "b")]
        return cls(loop, url, DatabaseClock(url), processes, stack)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry out work of a process."""
        return self.loop.run_until_complete(work)

    def rows(self, sql: str) -> list[Any]:
        """Look into the database."""
        return self.run(self.processes[0].coordinator.statements.rows(sql))

    def close(self) -> None:
        """End both processes."""
        self.run(self.stack.aclose())
        self.loop.close()


class LeaseMachine(RuleBasedStateMachine):
    """Anything may happen at any time."""

    shared: ClassVar[Field]

    @initialize()
    def begin(self) -> None:
        """Nothing has happened yet."""
        self.shared.run(execute(self.shared.processes[0].coordinator.statements, f"TRUNCATE {TABLES}"))
        self.published, self.answered = list[str](), list[str]()
        for one in self.shared.processes:
            one.lease = None

    @rule(number=integers(0, 5), who=sampled_from([0, 1]))
    def publish(self, number: int, who: int) -> None:
        """An update comes, perhaps for the second time, through either process."""
        update = str(number)
        is_new = self.shared.run(self.shared.processes[who].coordinator.publish(envelope(f"m{update}", update=update)))
        assert is_new == (update not in self.published)
        if is_new:
            self.published.append(update)

    @rule(who=sampled_from([0, 1]))
    def claim(self, who: int) -> None:
        """A process takes the agent if it is free."""
        one, other = self.shared.processes[who], self.shared.processes[1 - who]
        lease = self.shared.run(one.leases.take(WORK, one.take_over))
        if lease:
            assert other.lease is None or lease.epoch > other.lease.epoch
            one.lease = lease

    @rule(who=sampled_from([0, 1]))
    def renew(self, who: int) -> None:
        """A process renews what it has, or learns that it has it no longer."""
        one = self.shared.processes[who]
        if one.lease and WORK not in self.shared.run(one.leases.renew([WORK])):
            one.lease = None

    @rule(seconds=floats(0.5, 1.5 * LASTING_S))
    def pass_time(self, seconds: float) -> None:
        """Time passes; leases may lapse."""
        self.shared.clock.advance(seconds)

    @rule(who=sampled_from([0, 1]), is_overtaken=booleans())
    def answer(self, who: int, *, is_overtaken: bool) -> None:
        """A process ends a turn over the first message, if it is still the holder; it need not know.

        Or it is frozen between the turn's beginning and its end, and the other one takes the agent.
        """
        one = self.shared.processes[who]
        waiting = self.shared.rows("SELECT min(seq) FROM inbox WHERE state = 'waiting'")[0][0]
        if one.lease is None or waiting is None:
            return
        grant = one.lease.taken
        (message, *_) = self.shared.run(one.coordinator.pending(grant, after=waiting - 1))
        update = message.envelope.inbound.update
        try:
            self.shared.run(one.coordinator.begin(grant, [message.seq], attempt=message.attempts + 1))
            if is_overtaken:
                self.pass_time(1.5 * LASTING_S)
                self.claim(1 - who)
            self.shared.run(one.coordinator.commit(grant, effects(message, parts=(outbound(f"to {update}", update),))))
        except Fenced:
            assert grant.epoch < self._epoch()
        else:
            assert grant.epoch == self._epoch()
            self.answered.append(update)

    @rule(who=sampled_from([0, 1]))
    def release(self, who: int) -> None:
        """A process gives the agent back."""
        one = self.shared.processes[who]
        if one.lease:
            self.shared.run(one.coordinator.release(one.lease.taken))
            self.shared.run(one.leases.release(one.lease))
            one.lease = None

    def _epoch(self) -> int:
        ((epoch,),) = self.shared.rows("SELECT epoch FROM agent")
        return int(epoch)

    @invariant()
    def nothing_is_lost_doubled_or_out_of_order(self) -> None:
        """What was accepted waits or is answered, once, in order; the transcript says the same."""
        waiting = [one for (one,) in self.shared.rows("SELECT body FROM inbox WHERE state = 'waiting' ORDER BY seq")]
        updates = [json.loads(body)["inbound"]["update"] for body in waiting]
        assert self.answered + updates == self.published
        assert len(self.shared.rows("SELECT seq FROM transcript")) == len(self.answered)
        assert [one for (one,) in self.shared.rows("SELECT id FROM outbox ORDER BY seq")] == [
            f"to {update}" for update in self.answered
        ]

    @invariant()
    def a_lease_has_one_holder(self) -> None:
        """Of two processes that both believe to have it, the database knows one."""
        held = [one for one in self.shared.processes if one.lease]
        epochs = {one.lease.epoch for one in held if one.lease}
        assert len(epochs) == len(held)


def check(server: PostgresServer, runs: int) -> None:
    """Let so many runs happen; raises what Hypothesis finds."""
    LeaseMachine.shared = shared = Field.of(server)
    try:
        run_state_machine_as_test(
            LeaseMachine,
            settings=settings(
                max_examples=runs,
                stateful_step_count=25,
                deadline=None,
                database=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        shared.close()


def main() -> None:
    """All runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with postgres_server() as server:
        check(server, given.runs)
    print(json.dumps({"runs": given.runs, "violations": 0}))


if __name__ == "__main__":
    main()
