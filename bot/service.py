"""The service: adapters, worker, outbox and background tasks, until a signal ends it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Protocol, runtime_checkable

import structlog

from adapters.port import Adapter, LoginRefused, SendRefused
from bot.pipeline.intake import Intake
from bot.pipeline.outbox import Outbox
from bot.pipeline.worker import Worker
from bot.storage.port import Coordinator, Grant
from bot.supervision import RUNNING, Supervision, first, outcome
from bot.waiting import Pause

DRAIN_S = 20
"""How long the end waits for turns and deliveries under way; what is left is taken up at the next start."""

Background = Callable[[], Coroutine[None, None, None]]
"""What runs beside the service until it is cancelled, and whose end nobody waits for."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Companion(Protocol):
    """What runs for each agent beside the worker and the outbox, and nothing waits for."""

    async def run(self, grant: Grant) -> None:
        """Work until cancelled, or until there is nothing more to do."""
        ...

    async def finish(self, grant: Grant) -> None:
        """Bring to an end what is under way; turns and deliveries have ended."""
        ...


class Service:
    """Everything that lives as long as the process.

    Args:
        coordinator: open; whoever opened it closes it after `run`.
        door: where the adapters bring events.
        worker: answers them.
        outbox: delivers the answers.
        adapters: the bot accounts.
        companions: what else runs for each agent.
        supervised: waits before what failed is begun anew, account by account and agent by agent; without it, the
            first failure ends the service.

    Attributes:
        accounts: how each bot account stands: `running`, `ended`, or why its platform has refused it, or why it is
            begun anew.
        troubles: the same of everything else that is being begun anew; empty if all is well.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        door: Intake,
        worker: Worker,
        outbox: Outbox,
        adapters: Sequence[Adapter],
        companions: Sequence[Companion] = (),
        supervised: Pause | None = None,
    ) -> None:
        self._coordinator = coordinator
        self._door = door
        self._worker = worker
        self._outbox = outbox
        self._adapters = adapters
        self._companions = companions
        self._beside: list[Background] = []
        self._stopped = asyncio.Event()
        self._supervision = Supervision(supervised, self._note) if supervised else None
        self.accounts = {f"{adapter.platform}.{adapter.bot}": RUNNING for adapter in adapters}
        self.troubles: dict[str, str] = {}

    def beside(self, *runs: Background) -> None:
        """Let something run as long as the adapters do; to be said before `run`."""
        self._beside += runs

    async def run(self, agents: Sequence[str], *, owner: str) -> None:
        """Serve these agents until every adapter has ended or `stop` is called, and finish what was accepted.

        Raises:
            BotError: the first failure that ended the service, as it was, not in an exception group.
        """
        grants = await self._coordinator.claim(owner, agents)
        try:
            await self._serve(grants)
        except ExceptionGroup as failures:
            raise first(failures) from failures
        for grant in grants:
            await self._coordinator.release(grant)

    def stop(self) -> None:
        """Take nothing more, finish, and end."""
        self._door.close()
        self._stopped.set()

    async def _serve(self, grants: Sequence[Grant]) -> None:
        async with asyncio.TaskGroup() as group:
            parts = [self._worker.run, self._outbox.run, *(companion.run for companion in self._companions)]
            jobs: dict[str, Background] = {
                f"{grant.agent}: {_name(run)}": partial(run, grant) for grant in grants for run in parts
            }
            jobs |= {f"{_name(run)} {number}": run for number, run in enumerate(self._beside)}
            tasks = [group.create_task(self._keep(name, job), name=name) for name, job in jobs.items()]
            ends = [group.create_task(self._intake()), group.create_task(self._stopped.wait())]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            self._door.close()
            await self._drain(grants)
            for task in [*tasks, *ends]:
                task.cancel()

    async def _intake(self) -> None:
        async with asyncio.TaskGroup() as group:
            for adapter in self._adapters:
                group.create_task(self._bring(adapter), name=f"{adapter.platform}.{adapter.bot}")

    async def _bring(self, adapter: Adapter) -> None:
        """Run one adapter. If its platform does not let it in, it ends, and the others go on."""
        account = f"{adapter.platform}.{adapter.bot}"
        try:
            await self._keep(account, partial(adapter.run, self._door))
            self.accounts[account] = "ended"
            return
        except LoginRefused as error:
            self.accounts[account] = reason = str(error)
        log.error("adapter.refused", adapter=account, reason=reason)

    async def _keep(self, name: str, job: Background) -> None:
        if self._supervision:
            await self._supervision.keep(name, job)
        else:
            await job()

    def _note(self, name: str, how: str) -> None:
        """How a job stands now."""
        if name in self.accounts:
            self.accounts[name] = how
        elif how == RUNNING:
            self.troubles.pop(name, None)
        else:
            self.troubles[name] = how

    async def _drain(self, grants: Sequence[Grant]) -> None:
        accounts = {account for account, stands in self.accounts.items() if stands in {RUNNING, "ended"}}
        try:
            async with asyncio.timeout(DRAIN_S):
                for grant in grants:
                    await self._coordinator.settled(grant, accounts)
                    for companion in self._companions:
                        await outcome(companion.finish(grant), f"the end of {_name(companion.finish)}")
        except TimeoutError:
            log.warning("service.unfinished", hint="What is under way is taken up at the next start.")


def _name(run: Callable[..., object]) -> str:
    """What a part is called in the log."""
    return type(getattr(run, "__self__", run)).__name__.lower()


@runtime_checkable
class Announcer(Protocol):
    """An adapter whose screen takes lines that are no answers."""

    async def announce(self, text: str) -> None:
        """Show a line; raises `SendRefused`."""
        ...


class Notices:
    """Takes lines from wherever they come, and shows them one after the other. All of them are in the log, too."""

    def __init__(self) -> None:
        self._waiting = asyncio.Queue[str]()

    def say(self, text: str) -> None:
        """Take a line; it is shown soon."""
        log.info("notice", text=text)
        self._waiting.put_nowait(text)

    async def run(self, adapters: Iterable[Adapter]) -> None:
        """Show what comes on those adapters that can, until cancelled; nobody is told twice who cannot be told."""
        announcers = [adapter for adapter in adapters if isinstance(adapter, Announcer)]
        while announcers:
            text = await self._waiting.get()
            for announcer in [*announcers]:
                try:
                    await announcer.announce(text)
                except SendRefused:
                    announcers.remove(announcer)


ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""What `kill`, a service supervisor and a closing terminal window send."""


INTERRUPT = (*ENDINGS, signal.SIGINT)
"""The same, and Ctrl-C, where nobody types."""


@contextmanager
def ending(stop: Callable[[], None], *, numbers: Collection[signal.Signals] = ENDINGS) -> Iterator[None]:
    """Call `stop` when one of these signals comes, instead of dying on the spot; for the running event loop."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
