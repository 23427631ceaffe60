"""Files that people send: fetched once, into a folder of their turn, and removed when they are old or too many."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import KW_ONLY, dataclass, replace
from datetime import timedelta
from pathlib import Path

import structlog

from adapters.port import AdapterError, Ambiguous, Attachment, Fetches, FileRefused, NotSent, SlowDown
from bot.config.options.media import FilesSection
from bot.paths import flush, safe_name
from bot.pipeline.delivery.outbox import Adapters
from bot.storage.coordinator import Coordinator
from bot.storage.objects import SharedFiles
from bot.turn import FetchFailure, File, Turn
from bot.waiting import Pause
from memory import Clock

LIMIT = 20 * 2**20
"""Bytes of the largest file that is fetched."""

TURN_LIMIT = 100 * 2**20
"""Bytes of all files of one turn: an album, or all that was sent while an answer was under way."""

TIMEOUT_S = 120
TRIES = 3
WAIT_S = 2.0
HOUR_S, DAY_S = 3600.0, 86_400.0
MAX_WAIT_S = 30.0

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class AttachmentStore:
    """The files of all agents' turns, in `FOLDER/AGENT/TURN/NAME`; other machines find them where they are shared."""

    def __init__(self, folder: Path, *, adapters: Adapters, pause: Pause, shared: SharedFiles | None = None) -> None:
        self._folder = folder
        self._shared = shared
        self._adapters = adapters
        self._pause = pause

    def folder(self, turn: Turn) -> Path:
        """Return where a turn's files are kept; it need not exist."""
        return self._folder / turn.agent.name / safe_name(turn.id)

    def limit(self, turn: Turn) -> int:
        """Return the bytes of the largest file that can be sent to a turn's chat; 0 for none at all."""
        return self._adapters.capabilities(turn.session.address).file_limit

    async def receive(self, turn: Turn) -> tuple[File, ...]:
        """Return the turn's files, fetched unless they were before, for the same question.

        One that cannot be had has a `lack` instead. Whoever calls this has let the person in and knows that the turn
        is no command.
        """
        folder = self.folder(replace(turn, id=turn.asked or turn.id))
        files: list[File] = []
        for name, attachment in zip(names(turn.attachments), turn.attachments, strict=True):
            held = sum(file.size for file in files if file.path)
            path, limit = folder / name, min(LIMIT, TURN_LIMIT - held)
            files.append(await self._receive(turn, attachment, path, limit=limit))
        return tuple(files)

    async def _receive(self, turn: Turn, attachment: Attachment, path: Path, *, limit: int) -> File:
        file = File(path.name, attachment.kind, attachment.mime, attachment.size)
        file = replace(file, is_forwarded=attachment.is_forwarded, seconds=attachment.seconds)
        if path.exists() or await self._bring(path):
            return replace(file, path=path, size=path.stat().st_size)
        if attachment.size > limit:
            return replace(file, lack=FetchFailure.TOO_LARGE)
        try:
            await self._fetch(turn, attachment, path, limit=limit)
        except FileRefused:
            return replace(file, lack=FetchFailure.REFUSED)
        except (AdapterError, OSError) as error:  # without its words: they may hold the file's name
            log.warning("file.not_fetched", turn=turn.id, error=type(error).__name__)
            return replace(file, lack=FetchFailure.FAILED)
        await self.share([path])
        return replace(file, path=path, size=path.stat().st_size)

    async def share(self, files: Iterable[Path]) -> None:
        """Let other machines have files that came or go out; where that fails, they stay on this one."""
        for path in files:
            try:
                if self._shared:
                    await self._shared.put(path.relative_to(self._folder).as_posix(), path)
            except OSError as error:
                log.warning("file.not_shared", reason=str(error) or type(error).__name__)

    async def here(self, files: Sequence[str]) -> tuple[str, ...]:
        """Return where files that go out lie on this machine, brought here if another one has shared them."""
        places = []
        for file in files:
            path = self._folder.joinpath(*Path(file).parts[-4:])  # AGENT/TURN/SENT/NAME; folders differ by machine
            is_here = Path(file).exists() or not (path.exists() or await self._bring(path))
            places.append(file if is_here else str(path))
        return tuple(places)

    async def _bring(self, path: Path) -> bool:
        """Write a file as another machine has shared it; return whether there was one."""
        content = None
        try:
            if self._shared:
                content = await self._shared.get(path.relative_to(self._folder).as_posix())
            if content is not None:
                part = _beside(path)
                await asyncio.to_thread(part.write_bytes, content)
                await asyncio.to_thread(_put, part, path)
        except OSError as error:
            log.warning("file.not_brought", reason=str(error) or type(error).__name__)
            return False
        return content is not None

    async def _fetch(self, turn: Turn, attachment: Attachment, path: Path, *, limit: int) -> None:
        """Fetch a file beside its place, and put it there when it is whole and on disk."""
        adapter = self._adapters.get(turn.session.address.account)
        if adapter is None or not isinstance(adapter, Fetches):
            raise NotSent("The account that the file came over does not run, or hands over no files.")
        part = _beside(path)
        try:
            await self._persistently(adapter, attachment, part, limit=limit)
            await asyncio.to_thread(_put, part, path)
        finally:
            part.unlink(missing_ok=True)

    async def _persistently(self, adapter: Fetches, attachment: Attachment, part: Path, *, limit: int) -> None:
        tries = 0
        while True:
            tries += 1
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    return await adapter.fetch(attachment, part, limit=limit)
            except (NotSent, Ambiguous, SlowDown) as error:
                if tries == TRIES:
                    raise
                await self._pause(min(getattr(error, "seconds", WAIT_S), MAX_WAIT_S))


@dataclass
class FileSweeper:
    """Removes files of old turns, each day; those of turns that wait or of answers owed stay.

    An hour after the start it begins: by then the clock is set of a machine that begins with a wrong one.
    The quota is not for what is shared with other machines.
    """

    folder: Path
    options: FilesSection
    coordinator: Coordinator
    _: KW_ONLY
    clock: Clock
    pause: Pause
    shared: SharedFiles | None = None

    async def run(self) -> None:
        """Sweep again and again; a disk that refuses is tried again the next day."""
        await self.pause(HOUR_S)
        while True:
            try:
                removed = await self.sweep()
            except OSError as error:
                log.warning("files.not_swept", error=type(error).__name__)
            else:
                log.info("files.swept", turns=removed) if removed else None
            await self.pause(DAY_S)

    async def sweep(self) -> int:
        """Remove what is too old, then the oldest until the rest keeps to the quota; return of how many turns."""
        turns, files = await self.coordinator.unfinished()
        kept = {safe_name(turn) for turn in turns} | {Path(file).parent.parent.name for file in files}
        oldest = self.clock.now() - timedelta(days=self.options.keep_days)
        quota = self.options.quota_mb * 2**20
        removed = await asyncio.to_thread(_sweep, self.folder, kept, oldest.timestamp(), quota)
        if self.shared:
            await self.shared.sweep(oldest, kept=kept)
        return removed


def _sweep(folder: Path, kept: AbstractSet[str], oldest: float, quota: int) -> int:
    """Remove folders of turns last changed before `oldest`, and the oldest of the others down to so many bytes."""
    turns = []
    for turn in folder.glob("*/*"):
        try:
            stats = [file.stat(follow_symlinks=False) for file in (turn, *turn.rglob("*"))]
        except FileNotFoundError:  # its files come and go at this moment, so it is not old
            continue
        turns.append((max(stat.st_mtime for stat in stats), sum(stat.st_size for stat in stats), turn))
    total, removed = sum(size for _, size, _ in turns), 0
    for at, size, turn in sorted(turns):
        if turn.name not in kept and (at < oldest or total > quota):
            shutil.rmtree(turn)
            total, removed = total - size, removed + 1
    return removed


def names(attachments: Sequence[Attachment]) -> tuple[str, ...]:
    """Return a name for each, fit for any disk; the same on every attempt, and no two alike."""
    safe = [safe_name(attachment.name) for attachment in attachments]
    if len({name.casefold() for name in safe}) == len(safe):
        return tuple(safe)
    return tuple(f"{number}-{name}" for number, name in enumerate(safe, 1))


def _beside(path: Path) -> Path:
    """Make the folder of a file; return where in it the file is written until it is whole: none begins with a dot."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path.with_name(f".{path.name}")


def _put(part: Path, path: Path) -> None:
    part.chmod(0o600)
    flush(part)
    part.replace(path)
