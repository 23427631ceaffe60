"""Taking words out of all that is kept of conversations: the state file, its files for people, what models saw, the
input history. Memory is not kept here; `bot.sessions.forgetting` does both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import structlog

from adapters.terminal import HERE
from adapters.typed_history import rewrite_typed
from bot.storage.keys import SessionKey
from bot.storage.port import Among, Coordinator, Rewrite, everywhere

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Keeper(Protocol):
    """Keeps texts of conversations in files that are derived from the state file."""

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite them; raises OSError."""
        ...


class Records:
    """All that is kept of what was said.

    Args:
        coordinator: the transcripts, and what is under way.
        keepers: what is derived from them.
        backups: the state file, whose backups go when nothing at all is to be left.
    """

    def __init__(
        self, coordinator: Coordinator, keepers: Sequence[Keeper] = (), *, backups: Path | None = None
    ) -> None:
        self.coordinator = coordinator
        self._keepers = tuple(keepers)
        self._backups = backups

    async def redact(self, agent: str, rewrite: Rewrite, *, among: Among = everywhere, compact: bool = False) -> int:
        """Rewrite every text of these conversations; how many messages and answers of the transcripts changed.

        Args:
            agent: whose conversations.
            rewrite: gives a text in the place of a text.
            among: which conversations, by their keys.
            compact: leave nothing of earlier rewriting either, in unused parts of files and in backups.

        Raises:
            StateError: the state file could not be written; nothing was changed.
            OSError: a derived file could not; the state file is done, and a repetition does the rest.
        """
        count = await self.coordinator.redact(agent, rewrite, among=among, compact=compact)
        await self.redact_derived(agent, rewrite, among)
        if compact and self._backups:
            for backup in self._backups.parent.glob(f"{self._backups.name}.v*.bak"):
                backup.unlink()
                log.info("state.backup_removed", file=backup.name)
        return count

    async def redact_derived(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """The same in all but the state file; raises OSError."""
        for keeper in self._keepers:
            await keeper.redact(agent, rewrite, among)


class Typed:
    """The input history of the terminal, which is one for all agents (`Keeper`)."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite what was typed, if what was said at the terminal is meant."""
        if among(str(SessionKey(agent, HERE))):
            await asyncio.to_thread(rewrite_typed, self._path, rewrite)
