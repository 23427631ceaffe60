"""Notices edits by hand: one watch over the folders of all agents, whose memories then look at their files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import structlog

from bot.supervision import outcome
from bot.waiting import Pause
from memory.errors import Error

DEBOUNCE_MS = 1500
"""Changes that come close together are one: an editor writes a file in several steps, a checkout writes thousands."""
QUIET_MS = 300
"""Without a change for so long, the rest of that time is not waited for."""
TICK_MS = 5000
"""How often a look is taken whether the folders themselves are still the same."""
POLL_S = 5.0
"""How often all files are looked through where the system does not tell of changes."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Unwatchable(Exception):
    """The system does not tell of changes here."""


class Missed(Exception):
    """Something has changed that the system cannot tell: a file whose name is no text."""


class Memory(Protocol):
    """What is told to look."""

    async def sync(self) -> object:
        """Take in what has changed in the files."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One agent's files: its memory, the folders that they are in, and how changes are to be noticed."""

    agent: str
    memory: Memory
    folders: tuple[Path, ...]
    how: Literal["auto", "poll", "off"] = "auto"


class Watcher:
    """Runs beside the service. Without it a question still finds what was edited: it looks before it answers."""

    def __init__(self, agents: Iterable[Watched], *, pause: Pause) -> None:
        self._agents = tuple(agents)
        self._pause = pause

    async def run(self) -> None:
        """Watch until cancelled; it ends at once if nobody wants to be watched."""
        followed = [agent for agent in self._agents if agent.how == "auto"]
        polled = [agent for agent in self._agents if agent.how == "poll"]
        async with asyncio.TaskGroup() as group:
            if followed:
                group.create_task(self._follow(followed))
            if polled:
                group.create_task(self._poll(polled))

    async def _follow(self, agents: Sequence[Watched]) -> None:
        """Wait for what the system tells; where it tells nothing, look through the files again and again."""
        try:
            while True:
                try:
                    await self._follow_same_folders(agents)
                except Missed as error:
                    log.warning("watch.missed", reason=str(error), hint="Rename the file.")
                    await _sync(agents)
                    await self._pause(POLL_S)
        except Unwatchable as error:
            log.warning("watch.polls", reason=str(error), every_s=POLL_S)
        await self._poll(agents)

    async def _follow_same_folders(self, agents: Sequence[Watched]) -> None:
        """Watch until a folder is another one than before: moved away, made anew, or there for the first time."""
        identities = _identities(agents)
        existing = [folder for folder, identity in identities.items() if identity]
        is_due = True  # what was changed before the watch began, and what a full queue of the system has swallowed
        async with aclosing(_changes(existing)) as changes:
            async for changed in changes:
                if changed:
                    await _sync(agent for agent in agents if not changed.isdisjoint(agent.folders))
                elif is_due:
                    await _sync(agents)
                is_due = bool(changed)
                if _identities(agents) != identities:
                    return

    async def _poll(self, agents: Sequence[Watched]) -> None:
        while True:
            await _sync(agents)
            await self._pause(POLL_S)


async def _sync(agents: Iterable[Watched]) -> None:
    """Let each memory look at its files; what goes wrong with one is no end for the others."""
    for agent in agents:
        try:
            await outcome(agent.memory.sync(), f"the look at the files of {agent.agent}", foreseen=(Error,))
        except Error as error:  # a full disk, a folder that was moved away: `status` tells, the next look tries again
            log.warning("watch.sync_failed", agent=agent.agent, reason=str(error))


async def _changes(folders: Sequence[Path]) -> AsyncGenerator[set[Path], None]:
    """Yield the folders in which something has changed; an empty set at every tick without a change."""

    def matters(_: object, path: str) -> bool:
        return any(_is_of_interest(path, folder) for folder in folders)

    try:
        from watchfiles import awatch

        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # at INFO it reports each of our own writes
        stream = awatch(
            *folders,
            watch_filter=matters,
            debounce=DEBOUNCE_MS,
            step=QUIET_MS,
            rust_timeout=TICK_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        async with aclosing(stream) as batches:
            async for batch in batches:
                yield {folder for _, path in batch for folder in folders if _is_of_interest(path, folder)}
    except (ImportError, OSError, RuntimeError) as error:  # not installed, no watches left, not possible here
        raise Unwatchable(str(error)) from error
    except ExceptionGroup as errors:  # what the library's own thread has met while it watched
        if errors.split(RuntimeError)[1] is not None:
            raise
        raise Missed(str(errors.exceptions[0])) from errors


def _is_of_interest(path: str, folder: Path) -> bool:
    """Whether a note may have changed: nothing hidden, as our own `.memory` is; a folder may hold notes."""
    try:
        inside = Path(path).relative_to(folder)
    except ValueError:
        return False
    if any(part.startswith(".") for part in inside.parts):
        return False
    return inside.suffix.lower() == ".md" or not Path(path).is_file()


def _identities(agents: Iterable[Watched]) -> dict[Path, tuple[int, int] | None]:
    """Return which folder each is, by device and inode; None if there is none."""
    identities: dict[Path, tuple[int, int] | None] = {}
    for folder in (folder for agent in agents for folder in agent.folders):
        try:
            status = folder.stat()
            identities[folder] = (status.st_dev, status.st_ino)
        except OSError:
            identities[folder] = None
    return identities
