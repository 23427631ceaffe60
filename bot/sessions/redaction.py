"""Rewriting texts in all that is stored of conversations, wherever it is: the state file and what is derived from it.

Memory is stored elsewhere; `bot.sessions.forgetting` covers both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

import structlog

from adapters.terminal import CHATS
from bot.paths import PRIVATE_FILE, put
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SessionKey
from bot.storage.port import Among, Rewrite, Session, everywhere

_TYPED = "+"
"""With this the lines of an entry begin in the line editor's history."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class DerivedTexts(Protocol):
    """Texts of conversations in files that are derived from the state file."""

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite them; raises OSError."""
        ...


class DerivedSessions(Protocol):
    """Files that are derived from transcripts."""

    async def remove(self, agent: str, gone: Sequence[Session], *, left: Collection[str]) -> None:
        """Remove those of sessions; of the conversations with the keys `left` there are others. Raises OSError."""


class ConversationRecords:
    """All that is stored of conversations: in the state file, its files for people, what models saw, what was typed.

    `backups` is the state file, whose backups are removed when nothing at all is to be left.
    """

    def __init__(
        self, coordinator: Coordinator, derived: Sequence[DerivedTexts] = (), *, backups: Path | None = None
    ) -> None:
        self.coordinator = coordinator
        self._derived = tuple(derived)
        self._backups = backups

    async def redact(self, agent: str, rewrite: Rewrite, *, among: Among = everywhere, compact: bool = False) -> int:
        """Rewrite every text of these conversations; return how many messages and answers of transcripts changed.

        With `compact`, also clear what earlier rewriting left, in unused parts of files and in backups.

        Raises:
            StateError: the state file could not be written; nothing was changed.
            OSError: a derived file could not; the state file is done, and a repetition does the rest.
        """
        count = await self.coordinator.redact(agent, rewrite, among=among, compact=compact)
        await self.redact_derived(agent, rewrite, among)
        if compact and self._backups:
            remove_backups(self._backups)
        return count

    async def redact_derived(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite all but the state file; raises OSError."""
        for derived in self._derived:
            await derived.redact(agent, rewrite, among)


def remove_backups(state: Path) -> None:
    """Remove the copies of the state file that migrations have left; raises OSError."""
    for backup in state.parent.glob(f"{state.name}.v*.bak"):
        backup.unlink()
        log.info("state.backup_removed", file=backup.name)


class TypedHistory:
    """The input history of the terminal, which is one for all agents (`DerivedTexts`)."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite what was typed, if conversations at the terminal are meant."""
        if any(among(str(SessionKey(agent, chat))) for chat in CHATS):
            await asyncio.to_thread(rewrite_history, self._path, rewrite)


def rewrite_history(path: Path, rewrite: Callable[[str], str]) -> None:
    """Rewrite every entry of the line editor's history, as prompt_toolkit keeps it; an open prompt loads the new file.

    The file has, for each entry, a line with the time, and the lines typed with a `+` in front.

    Raises:
        OSError: the system refuses; the file is as it was.
    """
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    lines: list[str] = []
    for is_typed, group in groupby(text.splitlines(keepends=True), key=lambda line: line.startswith(_TYPED)):
        if is_typed:
            entry = "".join(line.removeprefix(_TYPED) for line in group)
            lines += [f"{_TYPED}{line}\n" for line in rewrite(entry.removesuffix("\n")).split("\n")]
        else:
            lines += group
    new = "".join(lines)
    if new != text:
        put(path, new, lasting=True)
        path.chmod(PRIVATE_FILE)
