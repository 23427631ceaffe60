"""Leases: which of several processes does what. One that is not renewed in time is somebody else's to take.

A process may be frozen, or cut off, without noticing. What it writes afterwards is refused by the epoch of its grant;
the lease only keeps two from doing the same work.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Generic, TypeVar

import structlog

from bot.storage.statements import Database, StatementReader, StatementWriter, execute
from bot.supervision import Done, outcome
from bot.waiting import Pause

LASTING_S = 10.0
"""Seconds after which a lease that was not renewed ends."""

RENEWALS = 4
"""How often a lease is renewed while it lasts."""

MEMBER = "member/"
"""The names of the leases with which processes say that they are there."""

FREE = """SELECT value FROM json_each(?) AS wanted LEFT JOIN lease ON lease.name = wanted.value
          WHERE lease.name IS NULL OR lease.owner = '' OR lease.until < lease_now()"""

TAKE = """INSERT INTO lease (name, owner, epoch, until) VALUES (?, ?, 1, lease_now() + make_interval(secs => ?))
          ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = lease.epoch + 1, until = excluded.until
          WHERE lease.owner = '' OR lease.until < lease_now() RETURNING epoch"""
"""Compare and swap: of several processes that have found a lease free, one changes the row."""

RENEW = """UPDATE lease SET until = lease_now() + make_interval(secs => ?)
           WHERE owner = ? AND until >= lease_now() AND name IN (SELECT value FROM json_each(?)) RETURNING name"""

JOIN = """INSERT INTO lease (name, owner, epoch, until) VALUES (?, ?, 1, lease_now() + make_interval(secs => ?))
          ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until"""

GONE = "DELETE FROM lease WHERE name LIKE ? AND until < lease_now() - interval '1 day'"

COUNT = "SELECT count(*) FROM lease WHERE name LIKE ? AND owner <> '' AND until >= lease_now()"

T = TypeVar("T")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Lease(Generic[T]):
    """The right to do what has a name; `epoch` differs each time that it is taken, `taken` is what came with it."""

    name: str
    epoch: int
    taken: T


class Leases:
    """The leases of one process, the `owner`; one that was not renewed for `lasting_s` ends."""

    def __init__(
        self, reader: StatementReader, writer: StatementWriter, *, owner: str, lasting_s: float = LASTING_S
    ) -> None:
        self.owner = owner
        self.lasting_s = lasting_s
        self._reader = reader
        self._writer = writer

    async def free(self, names: Sequence[str]) -> list[str]:
        """Return those of these names that nobody holds, in no order."""
        return [name for (name,) in await self._reader.rows(FREE, json.dumps([*names]))]

    async def take(self, name: str, then: Callable[[Database], T]) -> Lease[T] | None:
        """Take a lease that is free, and do `then` in the same transaction; None if another process was faster."""

        def take(db: Database) -> Lease[T] | None:
            rows = db.execute(TAKE, (name, self.owner, self.lasting_s)).fetchall()
            return Lease(name, int(rows[0][0]), then(db)) if rows else None

        return await self._writer.write(take, lane=name)

    async def renew(self, names: Sequence[str]) -> frozenset[str]:
        """Renew the leases of these names that are still this process's; return which."""

        def renew(db: Database) -> frozenset[str]:
            rows = db.execute(RENEW, (self.lasting_s, self.owner, json.dumps([*names]))).fetchall()
            return frozenset(name for (name,) in rows)

        return await self._writer.write(renew, flush=False, lane="leases")

    async def release(self, lease: Lease[T]) -> None:
        """Give a lease back; without effect if it is somebody else's by now."""
        sql = "UPDATE lease SET owner = '' WHERE name = ? AND epoch = ?"
        await execute(self._writer, sql, lease.name, lease.epoch, lane=lease.name)
        log.debug("lease.released", lease=lease.name)

    async def members(self, what: str) -> int:
        """Say that this process does a kind of work; return how many do."""
        name = f"{MEMBER}{what}/{self.owner}"

        def look(db: Database) -> int:
            db.execute(JOIN, (name, self.owner, self.lasting_s))
            db.execute(GONE, (f"{MEMBER}%",))
            return int(db.execute(COUNT, (f"{MEMBER}{what}/%",)).fetchall()[0][0])

        return await self._writer.write(look, flush=False, lane="leases")

    async def leave(self, what: str) -> None:
        """Say that this process does this kind of work no longer."""
        name = f"{MEMBER}{what}/{self.owner}"
        await execute(self._writer, "DELETE FROM lease WHERE name = ?", name, lane="leases")


@dataclass(slots=True)
class _Held(Generic[T]):
    lease: Lease[T]
    task: asyncio.Task[None]


@dataclass
class Share(Generic[T]):
    """Keeps as many leases of a kind as are this process's share, and works for each while it lasts.

    Attributes:
        what: the kind of work; names of leases begin with it.
        names: all that is to be done, without that beginning.
        take: what is done in the transaction that takes a lease, given the name.
        work: works until cancelled; when it ends or fails, the lease is given back.
        is_idle: whether the work for a name can be left to another process at the moment.
        pause: waits between two renewals.
    """

    leases: Leases
    what: str
    names: Sequence[str]
    _: KW_ONLY
    take: Callable[[str, Database], T]
    work: Callable[[Lease[T]], Awaitable[None]]
    is_idle: Callable[[str], Awaitable[bool]]
    pause: Pause
    monotonic: Callable[[], float] = time.monotonic
    _held: dict[str, _Held[T]] = field(default_factory=dict, init=False)
    _renewed: float = field(default=0, init=False)  # nothing is held before the first time

    @property
    def held(self) -> tuple[Lease[T], ...]:
        """The leases that this process has at the moment."""
        return tuple(one.lease for one in self._held.values())

    async def run(self) -> None:
        """Take, renew and give back until cancelled; then give all back."""

        async def expire() -> None:
            """Stop working when the leases were not renewed for as long as they last: nobody knows who has them."""
            while True:
                await self.pause(self.leases.lasting_s / RENEWALS)
                if self.monotonic() - self._renewed > self.leases.lasting_s:
                    for name in [*self._held]:
                        self._drop(name, "the database does not answer")

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(expire())
                while True:
                    done = await outcome(self._turn(group), f"the leases of {self.what}")
                    if not (isinstance(done, Done) and done.result):
                        await self.pause(self.leases.lasting_s / RENEWALS)
        finally:
            for held in [*self._held.values()]:
                await self.leases.release(held.lease)
            await self.leases.leave(self.what)

    async def _turn(self, group: asyncio.TaskGroup) -> bool:
        """Renew what is held, and take what is free; return whether there is more, but it is time to renew again."""
        began = self.monotonic()
        kept = await self.leases.renew([f"{self.what}/{name}" for name in self._held])
        self._renewed = began
        for name in [name for name in self._held if f"{self.what}/{name}" not in kept]:
            self._drop(name, "it was not renewed in time")
        share = math.ceil(len(self.names) / max(1, await self.leases.members(self.what)))
        surplus = len(self._held) - share
        for name in [*self._held]:  # given back as far as nothing is under way there
            if surplus > 0 and await self.is_idle(name):
                self._held[name].task.cancel()
                surplus -= 1
        others = [f"{self.what}/{name}" for name in self.names if name not in self._held]
        free = await self.leases.free(others) if others else []
        for name in free[: share - len(self._held)]:
            if self.monotonic() - began > self.leases.lasting_s / RENEWALS:
                return True
            short = name.removeprefix(f"{self.what}/")
            lease = await self.leases.take(name, partial(self.take, short))
            if lease:
                log.info("lease.taken", lease=name)
                self._held[short] = _Held(lease, group.create_task(self._serve(short, lease), name=name))
        return False

    async def _serve(self, name: str, lease: Lease[T]) -> None:
        try:
            await outcome(self.work(lease), lease.name, foreseen=())
        finally:
            if self._held.get(name) and self._held[name].lease == lease:
                del self._held[name]
                await self.leases.release(lease)

    def _drop(self, name: str, why: str) -> None:
        held = self._held.pop(name)
        log.warning("lease.lost", lease=held.lease.name, reason=why)
        held.task.cancel()
