"""The service: adapters, worker, outbox and background tasks, until a signal ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Protocol, TypedDict

import structlog

from adapters.port import LoginRefused
from adapters.support import first_error
from bot.pipeline.accounts import Accounts
from bot.pipeline.delivery.outbox import Outbox
from bot.pipeline.intake import Intake
from bot.pipeline.worker import Worker
from bot.storage.coordinator import Coordinator
from bot.storage.port import Grant
from bot.supervision import RUNNING, keep_running, outcome
from bot.waiting import Pause

DRAIN_S = 20
"""How long the end waits for turns and deliveries under way; what is left is taken up by the next process."""

Background = Callable[[], Coroutine[None, None, None]]
"""What runs beside the service until it is cancelled, and whose end nobody waits for."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Companion(Protocol):
    """What runs for each agent beside the worker and the outbox, and nothing waits for."""

    async def run(self, grant: Grant) -> None:
        """Work until cancelled, or until there is nothing more to do."""

    async def finish(self, grant: Grant) -> None:
        """Bring to an end what is under way; turns and deliveries have ended."""


class ServiceParts(TypedDict):
    """What every `Service` is made of, by its parameters."""

    intake: Intake
    worker: Worker
    outbox: Outbox
    accounts: Accounts
    companions: list[Companion]
    background: Sequence[Background]


@dataclass
class Service:
    """Everything that lives as long as the process.

    Attributes:
        coordinator: open; whoever opened it closes it after `run`.
        supervised: waits before what failed is begun anew, account by account and agent by agent; without it, the
            first failure ends the service.
        troubles: why other parts are being begun anew; empty if all is well.
    """

    coordinator: Coordinator
    _: KW_ONLY
    intake: Intake
    worker: Worker
    outbox: Outbox
    accounts: Accounts
    companions: Sequence[Companion] = ()
    background: Sequence[Background] = ()
    supervised: Pause | None = None
    troubles: dict[str, str] = field(default_factory=dict, init=False)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    @property
    def receiving(self) -> Collection[str]:
        """The accounts whose events this process is to receive now."""
        return frozenset(self.accounts.adapters)

    async def run(self, agents: Sequence[str], *, owner: str) -> None:
        """Serve these agents until every adapter has ended or `stop` is called, and finish what was accepted.

        Raises:
            BotError: the first failure that ended the service, as it was, not in an exception group.
        """
        grants = await self.coordinator.claim(owner, agents)
        try:
            await self._serve(grants)
        except ExceptionGroup as failures:
            raise first_error(failures) from failures
        for grant in grants:
            await self.coordinator.release(grant)

    def stop(self) -> None:
        """Take nothing more, finish, and end."""
        self.intake.close()
        self._stopped.set()

    async def _serve(self, grants: Sequence[Grant]) -> None:
        async def run_adapters() -> None:
            async with asyncio.TaskGroup() as group:
                for account in self.accounts.adapters:
                    group.create_task(self._run_adapter(account), name=account)

        async with asyncio.TaskGroup() as group:
            parts = [self.worker.run, self.outbox.run, *(companion.run for companion in self.companions)]
            jobs: dict[str, Background] = {
                f"{grant.agent}: {name_of(run)}": partial(run, grant) for grant in grants for run in parts
            }
            local: list[Background] = [partial(adapter.run, self.intake) for adapter in self.accounts.local]
            background = [*self.background, self.accounts.report, *local]
            jobs |= {f"{name_of(run)} {number}": run for number, run in enumerate(background)}
            tasks = [group.create_task(self._keep(name, job), name=name) for name, job in jobs.items()]
            ends: list[asyncio.Task[object]] = [group.create_task(self._stopped.wait())]
            if self.accounts.adapters:
                ends.append(group.create_task(run_adapters()))
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            self.intake.close()
            await self._drain(grants, lambda grant: self.coordinator.wait_settled(grant, self.accounts.reachable))
            for task in [*tasks, *ends]:
                task.cancel()

    async def _run_adapter(self, account: str) -> None:
        """Run one adapter. While its platform does not let it in, it is tried again, and the others go on."""
        adapter = self.accounts.adapters[account]
        while not self.accounts.are_hopeless:
            try:
                await self._keep(account, partial(adapter.run, self.intake))
                self.accounts.end(account)
                return
            except LoginRefused as error:
                if not self.supervised:
                    raise
                wait_s = self.accounts.refuse(account, error)
            if not self.accounts.are_hopeless:
                await self.supervised(wait_s)
        self.stop()

    async def _keep(self, name: str, job: Background) -> None:
        if self.supervised:
            await keep_running(name, job, pause=self.supervised, set_status=self._set_status)
        else:
            await job()

    def _set_status(self, name: str, status: str) -> None:
        if name in self.accounts.adapters:
            self.accounts.fail(name, status)
        elif status == RUNNING:
            self.troubles.pop(name, None)
        else:
            self.troubles[name] = status

    async def _drain(self, grants: Sequence[Grant], settle: Callable[[Grant], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout(DRAIN_S):
                for grant in grants:
                    await settle(grant)
                    for companion in (self.worker, *self.companions):
                        await outcome(companion.finish(grant), f"the end of {name_of(companion.finish)}")
        except TimeoutError:
            log.warning("service.unfinished", hint="What is under way is taken up by the next process.")


def name_of(run: Callable[..., object]) -> str:
    """What a part is called in the log."""
    return type(getattr(run, "__self__", run)).__name__.lower()
