"""How the parts of the service were lately: sampled now and then, and at once when something has changed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

import structlog

from adapters.terminal import HERE
from bot.app import Application
from bot.errors import BotError
from bot.storage.keys import SessionKey
from bot.supervision import RUNNING
from bot.texts.catalogue import mark, tr
from bot.texts.memory import of_memory
from bot.waiting import Pause, either
from memory import Error

SAMPLES = 60
EVERY_S = 20.0
"""Seconds between two samples where nothing happens: the bars tell twenty minutes."""

TELLING = ("account.", "adapter.", "model.", "job.ended", "index.", "disk.", "turn.finished", "service.")
"""Beginnings of the names of events after which a part may stand otherwise."""

OK, DEGRADED, DOWN = "ok", "degraded", "down"

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PartHealth:
    """How one part is.

    Attributes:
        agent: whose part it is; empty for one of the whole service.
        state: `ok`, `degraded` or `down`.
        reason: why it is not ok; empty if it is.
    """

    agent: str
    name: str
    state: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HealthBar:
    """A part as it is now, since when it has been so, and its states lately, the newest last."""

    now: PartHealth
    since: datetime
    states: tuple[str, ...]


class HealthHistory:
    """Watches the parts of a service while it runs."""

    def __init__(self, app: Application, pause: Pause) -> None:
        self._app = app
        self._pause = pause
        self._bars: dict[tuple[str, str], HealthBar] = {}

    async def run(self) -> None:
        """Take samples until cancelled."""
        with self._app.events.subscribe(lambda event: event.name.startswith(TELLING)) as events:
            while True:
                try:
                    await self.sample()
                except (BotError, Error) as error:
                    log.warning("health.not_sampled", reason=str(error))
                await either(self._pause(EVERY_S), anext(events))
                events.waiting.clear()

    async def sample(self) -> None:
        """Take one sample of every part."""
        for part in [part async for part in parts_of(self._app)]:  # an error leaves no half of a sample
            before = self._bars.get((part.agent, part.name))
            since = before.since if before and before.now.state == part.state else self._app.clock.now()
            states = (*(before.states if before else ()), part.state)[-SAMPLES:]
            self._bars[part.agent, part.name] = HealthBar(part, since, states)

    def bars(self, agent: str) -> tuple[HealthBar, ...]:
        """Return the parts that an agent's page shows: those of the whole service, and its own."""
        return tuple(bar for bar in self._bars.values() if bar.now.agent in {"", agent})


async def parts_of(app: Application) -> AsyncIterator[PartHealth]:
    """Yield how each part is: bot accounts, what is begun anew, and each agent's model, index and jobs."""
    service = app.context
    for account, status in service.accounts().items():
        if account != HERE.account:
            is_well = status == RUNNING
            yield PartHealth("", account, OK if is_well else DOWN, "" if is_well else status)
    for name, trouble in app.service.troubles.items():
        yield PartHealth("", name, DEGRADED, trouble)
    stalled = app.coordinator.stalled
    yield PartHealth("", mark("state file"), DOWN if stalled else OK, str(stalled or ""))
    for name, agent in service.agents.items():
        models = await service.models(SessionKey(name, HERE))
        silent = [model for model in models if model.outage]
        if models:
            state = OK if not silent else DOWN if len(silent) == len(models) else DEGRADED
            reason = "; ".join(f"{model.name}: {model.outage.error.again()}" for model in silent if model.outage)
            yield PartHealth(name, mark("model"), state, reason)
        reason = of_memory((await agent.memory.status()).reason)
        yield PartHealth(name, mark("index"), DEGRADED if reason else OK, reason)
        jobs = await service.jobs.states(name)
        failed = [state.job.name for state in jobs if state.last and state.last.outcome == "failed"]
        reason = tr("failed last time: {names}", names=", ".join(failed)) if failed else ""
        yield PartHealth(name, mark("jobs"), DEGRADED if failed else OK, reason)
