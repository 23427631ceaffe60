"""Jobs carried out without a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.app import jobs
from bot.config.model import Config
from bot.jobs.base import JobContext, JobRunner
from bot.paths import Home
from bot.sessions.redaction import DerivedSessions
from bot.storage.coordinator import Coordinator
from bot.storage.in_memory import InMemoryCoordinator
from bot.turn import Agent
from memory import Clock
from memory.ports import Writer


class Owner:
    """Hears what the owner is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    async def tell(self, text: str, about: str) -> None:
        self.heard.append((text, about))


def job_context(
    agents: Mapping[str, Agent],
    clock: Clock,
    *,
    options: Mapping[str, object] | None = None,
    coordinator: Coordinator | None = None,
    derived: Sequence[DerivedSessions] = (),
    owner: Owner | None = None,
    writer: Writer | None = None,
) -> JobContext:
    """Make what jobs work with; the owner lives in Berlin."""
    given = {"owner": {"timezone": "Europe/Berlin"}, "agents": {name: {} for name in agents} or {"personal": {}}}
    return JobContext(
        Home.at(Path("nowhere")),
        Config.model_validate({**given, **(options or {})}),
        clock,
        coordinator or InMemoryCoordinator(),
        agents,
        derived,
        (owner or Owner()).tell,
        lambda _agent, _payer: writer,
    )


def job_runner(context: JobContext) -> JobRunner:
    """Make what carries out all jobs there are."""
    return JobRunner(jobs(), context)
