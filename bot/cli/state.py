"""How a command reaches the state: through the running service, or by itself while no other process has it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.cli.invocation import Invocation

if TYPE_CHECKING:
    from bot.sessions.redaction import DerivedSessions, DerivedTexts
    from bot.storage.coordinator import Coordinator

Ask = Callable[..., Coroutine[Any, Any, dict[str, Any]]]
"""Asks `bot.service.control.AdminApi` something, by the name of the request and what it is about."""


@contextmanager
def hold_home(run: Invocation, *, command: str) -> Iterator[None]:
    """Hold the home's lock as a command of this name, and log into its file; raises `Locked`."""
    from bot.system import instance

    run.home.prepare()
    with instance.hold(run.home, command=command, clock=run.clock), run.logged(run.config):
        yield


@asynccontextmanager
async def admin_client(run: Invocation) -> AsyncIterator[Ask]:
    """Yield a function that asks `bot.service.control.AdminApi`: `await ask("people")`.

    Raises:
        Unreachable: a service runs and does not answer.
        Locked: a chat in a terminal holds the state file.
    """
    from bot.service import control
    from bot.system import instance

    run.use_owner_language()
    if instance.serves(run.home):
        yield partial(control.ask, run.home.control)
        return
    from bot.access.pairing import Pairings
    from bot.postgresql.state import open_state
    from bot.service.control import AdminApi

    with hold_home(run, command="pair"):
        async with open_state(run.home, run.config, clock=run.clock) as core:
            pairings = Pairings(core.register, clock=run.clock, coordinator=core, marks=core.marks)
            yield AdminApi(core.register, pairings, core.dead_letters, dict).ask


@dataclass(frozen=True, slots=True)
class Records:
    """The state file, and all texts that are derived from it; of sessions, also what can be removed with them."""

    coordinator: Coordinator
    derived: Sequence[DerivedTexts]
    of_sessions: Sequence[DerivedSessions]


@asynccontextmanager
async def open_records(run: Invocation, *, command: str) -> AsyncIterator[Records]:
    """Hold the home's lock as a command of this name, and open its records.

    Raises:
        Locked: another process has them.
        StateError: the state file cannot be used.
    """
    from bot.agent.context.context_log import ContextLog
    from bot.postgresql.state import open_state
    from bot.sessions.files import ChangedSessions, Projection
    from bot.sessions.redaction import TypedHistory
    from bot.sessions.told import ToldFiles
    from bot.waiting import pause

    home = run.home
    with hold_home(run, command=command):
        async with open_state(home, run.config, clock=run.clock) as core:
            projection = Projection(core, ChangedSessions(), folder=home.sessions)
            told_files = ToldFiles(core, folder=home.told, memories={}, zone=run.config.owner.zone, pause=pause)
            contexts = ContextLog(home.state / "sessions")
            texts = (projection, told_files, contexts, TypedHistory(home.history))
            yield Records(core, texts, (projection, told_files, contexts))
