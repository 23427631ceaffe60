"""The service as one of several processes on one database: each does its share of the work, under leases."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from functools import partial
from socket import gethostname
from typing import TypeVar

import structlog

from adapters.support import first_error
from bot.config.model import Config
from bot.errors import Fenced, Refused
from bot.pipeline.scheduler import Scheduler
from bot.postgresql.coordinator import LOOK_S, PostgresCoordinator
from bot.postgresql.leases import Lease, Leases, Share
from bot.service.service import Background, Service, ServiceParts, name_of
from bot.storage.coordinator import Coordinator
from bot.storage.port import Grant
from bot.storage.statements import Database
from bot.texts.catalogue import tr
from bot.turn import Agent
from bot.waiting import Pause, pause
from memory import Error as MemoryFailure

PUSH_S = 1.0
"""Seconds between two looks at what has changed in a workspace outside of turns."""

T = TypeVar("T")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class ProcessRole(StrEnum):
    """What a process does. Each role's work is shared among the processes that have it."""

    INGRESS = "ingress"
    """Receives events: polls Telegram or takes its requests, holds Discord's gateway."""
    WORKER = "worker"
    """Answers turns, and holds workspaces and memories."""
    EGRESS = "egress"
    """Delivers answers; on Discord, where the gateway is."""
    SCHEDULER = "scheduler"
    """Fires jobs."""


@dataclass
class SharedService(Service):
    """A `Service` that works for those agents and accounts whose leases it has; `supervised` waits for renewals.

    Attributes:
        agents: by name; the files of one are brought here when it is taken over.
        receives_without: accounts whose events any number of processes may receive: those with a webhook.
    """

    coordinator: PostgresCoordinator
    _: KW_ONLY
    supervised: Pause
    roles: frozenset[ProcessRole]
    leases: Leases
    agents: Mapping[str, Agent]
    scheduler: Scheduler
    receives_without: frozenset[str]
    _working: Share[Grant] | None = field(default=None, init=False)
    _ingress: Share[dict[str, int]] | None = field(default=None, init=False)

    @property
    def receiving(self) -> Collection[str]:
        """The accounts whose events this process is to receive now: with a webhook, and those it has leased."""
        free = self.receives_without if ProcessRole.INGRESS in self.roles else frozenset()
        leased = (lease.name.removeprefix("ingress/") for lease in (self._ingress.held if self._ingress else ()))
        return {*free, *leased}

    async def run(self, agents: Sequence[str], *, owner: str) -> None:
        """Do this process's share for these agents until `stop` is called.

        What is under way is finished first, and all leases are given back, so that others take them up at once.
        """
        del owner  # the leases have it
        async with asyncio.TaskGroup() as group:

            def start(jobs: Mapping[str, Background]) -> list[asyncio.Task[None]]:
                return [group.create_task(self._keep(name, job), name=name) for name, job in jobs.items()]

            receiving, others = start(self._receiving_jobs()), start(self._other_jobs(agents))
            await self._stopped.wait()
            for task in receiving:
                task.cancel()
            self.intake.close()
            held = self._working.held if self._working else ()
            await self._drain([lease.taken for lease in held], self._settle)
            for task in others:
                task.cancel()

    def _receiving_jobs(self) -> dict[str, Background]:
        if ProcessRole.INGRESS not in self.roles:
            return {}
        free = self.receives_without & self.accounts.adapters.keys()
        jobs: dict[str, Background] = {f"receiving {name}": partial(self._run_adapter, name) for name in free}
        leased = [name for name in self.accounts.adapters if name not in free]
        self._ingress = self._share("ingress", leased, self._start_sending, self._receive, is_idle=_never)
        return {**jobs, "ingress": self._ingress.run} if leased else jobs

    def _other_jobs(self, agents: Sequence[str]) -> dict[str, Background]:
        roles, owner = self.roles, self.leases.owner
        jobs: dict[str, Background] = {f"{name_of(run)} {n}": run for n, run in enumerate(self.background)}
        if ProcessRole.WORKER in roles:
            core = self.coordinator
            self._working = self._share(
                "work", agents, lambda name, db: core.take_over(db, owner, name), self._work, is_idle=core.is_idle
            )
            jobs["work"] = self._working.run
        sending = [one for one in self.accounts.adapters if not self._sends_while_connected(one)]
        if ProcessRole.EGRESS in roles and sending:
            jobs["egress"] = self._share("egress", sending, self._start_sending, self._send, is_idle=_never).run
        if ProcessRole.SCHEDULER in roles:
            share = self._share("scheduler", agents, lambda _agent, _db: None, self._schedule, is_idle=_always)
            jobs["scheduler"] = share.run
        return jobs

    def _share(
        self,
        what: str,
        names: Sequence[str],
        take: Callable[[str, Database], T],
        work: Callable[[Lease[T]], Awaitable[None]],
        *,
        is_idle: Callable[[str], Awaitable[bool]],
    ) -> Share[T]:
        return Share(self.leases, what, names, take=take, work=work, is_idle=is_idle, pause=self.supervised)

    def _sends_while_connected(self, account: str) -> bool:
        return self.accounts.adapters[account].capabilities.sends_while_connected

    def _start_sending(self, _account: str, db: Database) -> dict[str, int]:
        """Return the next sequence number of each agent: what is owed before may have been sent by another process."""
        return {str(agent): int(seq) for agent, seq in db.execute("SELECT agent, next_seq FROM agent").fetchall()}

    async def _work(self, lease: Lease[Grant]) -> None:
        """Work for an agent, beginning with its files as the process before has left them."""
        grant, agent = lease.taken, self.agents[lease.taken.agent]
        try:
            changed = await self.coordinator.pull_files(agent.name)
            try:  # where that fails, the files are complete; the index follows with a later look
                await agent.memory.take_over()
            except MemoryFailure as error:
                log.warning("index.behind", agent=agent.name, error=str(error))
            log.info("agent.taken_over", agent=agent.name, epoch=grant.epoch, files=changed)
            with _until_fenced(agent.name):
                async with asyncio.TaskGroup() as group:
                    for run in (self.worker.run, *(one.run for one in self.companions), self._keep_files):
                        group.create_task(self._keep(f"{agent.name}: {name_of(run)}", partial(run, grant)))
        finally:
            await self.coordinator.release(grant)

    async def _keep_files(self, grant: Grant) -> None:
        while True:
            await self.supervised(PUSH_S)
            await self.coordinator.push_files(grant)

    async def _receive(self, lease: Lease[dict[str, int]]) -> None:
        account = lease.name.removeprefix("ingress/")
        with _until_fenced(account):
            async with asyncio.TaskGroup() as group:
                group.create_task(self._run_adapter(account))
                if ProcessRole.EGRESS in self.roles and self._sends_while_connected(account):
                    group.create_task(self._send(lease))

    async def _send(self, lease: Lease[dict[str, int]]) -> None:
        account = lease.name.partition("/")[2]
        with _until_fenced(account):
            async with asyncio.TaskGroup() as group:
                for agent in self.agents:
                    grant = Grant(agent, lease.epoch, lease.taken.get(agent, 1), lease=lease.name)
                    run = partial(self.outbox.run, grant, [account])
                    group.create_task(self._keep(f"{agent}: {account}", run))

    async def _schedule(self, lease: Lease[None]) -> None:
        agent = lease.name.removeprefix("scheduler/")
        with _until_fenced(agent):
            await self.scheduler.run(Grant(agent, lease.epoch, 1, lease=lease.name))

    async def _settle(self, grant: Grant) -> None:
        """Wait until nothing of an agent is under way; what is owed, others deliver."""
        while not await self.coordinator.is_idle(grant.agent):
            await self.supervised(LOOK_S)
        await self.coordinator.push_files(grant)


def make_service(
    config: Config,
    coordinator: Coordinator,
    agents: Mapping[str, Agent],
    scheduler: Scheduler,
    parts: ServiceParts,
    *,
    is_service: bool,
) -> Service:
    """Make the service of its parts: one of several processes on a database, or the only one.

    Raises:
        Refused: a chat of this terminal alone cannot be one of several.
    """
    if not isinstance(coordinator, PostgresCoordinator):
        parts["companions"].append(scheduler)  # where several processes run, whoever has its lease begins it
        return Service(coordinator, supervised=pause if is_service else None, **parts)
    if not is_service:
        raise Refused(
            tr(
                "The agents of this home live in {place}, where other processes work for them.",
                place=coordinator.pool.place,
            ),
            hint=tr("Talk to them on their platforms, while this runs: scrubjay run"),
        )
    owner = f"{gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
    leases = Leases(coordinator.statements, coordinator.statements, owner=owner, lasting_s=config.store.lease)
    accounts = parts["accounts"].adapters if config.telegram.webhook.url else ()
    hooked = frozenset(one for one in accounts if one.startswith("telegram."))
    return SharedService(
        coordinator,
        supervised=pause,
        roles=frozenset(map(ProcessRole, config.store.roles)),
        leases=leases,
        agents=agents,
        scheduler=scheduler,
        receives_without=hooked,
        **parts,
    )


@contextmanager
def _until_fenced(what: str) -> Iterator[None]:
    """End without an error when another process has taken over."""
    try:
        yield
    except* Fenced as errors:
        log.warning("lease.fenced", what=what, reason=str(first_error(errors)))


async def _never(_: str) -> bool:
    return False


async def _always(_: str) -> bool:
    return True
