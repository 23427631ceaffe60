"""Opens the state where the configuration has it: the file of this home, or a database that several share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.postgresql.connection import SharedDatabase
from bot.storage.coordinator import Coordinator
from bot.storage.database import Durability
from bot.storage.keys import SessionKey
from bot.storage.sqlite import SqliteCoordinator
from bot.storage.statements import State
from memory import Clock

if TYPE_CHECKING:
    from bot.config.model import Config
    from bot.paths import Home


@asynccontextmanager
async def open_state(
    home: Home,
    config: Config,
    *,
    clock: Clock,
    ended: Callable[[SessionKey], None] = lambda _: None,
    endurance: Durability | None = None,
) -> AsyncIterator[Coordinator]:
    """Open the state for reading and writing, where the configuration has it, else in the home's file.

    `ended` and `endurance` are as in `SqliteCoordinator.open`. Raises `StateError`.
    """
    url = config.store.url.get_secret_value()
    if not url:
        async with SqliteCoordinator.open(home.database, clock=clock, ended=ended, endurance=endurance) as local:
            yield local
        return
    from bot.postgresql.coordinator import PostgresCoordinator
    from bot.postgresql.workspaces import WorkspaceFiles

    async with PostgresCoordinator.open(url, clock=clock, ended=ended, endurance=endurance) as shared:
        shared.files = WorkspaceFiles(config.workspaces(home))
        yield shared


def state_of(home: Home, config: Config) -> State:
    """Return where the state is."""
    url = config.store.url.get_secret_value()
    return SharedDatabase(url) if url else home.database
