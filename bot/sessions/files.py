"""Sessions as JSONL files, written beside the state file."""

from __future__ import annotations

import asyncio
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import structlog

from bot.formatting import as_json
from bot.paths import put
from bot.sessions.transcript import pages
from bot.storage.keys import SessionKey
from bot.storage.port import Among, Coordinator, Grant, Recorded, Rewrite, Session
from bot.storage.redaction import redact_fields
from bot.storage.transcripts import extend_session, split_sessions, summarize_session

CHUNK = 64 * 1024


class SessionFile:
    """A file in the making. What a crash left of its last line is cut off before anything is read or added."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def last(self) -> int:
        """The `seq` of the last entry; 0 if there is none.

        Raises:
            OSError: the system refuses.
        """
        if not self._path.exists():
            return 0
        with self._path.open("r+b") as file:
            return _repaired(file)

    def rewrite(self, rewrite: Rewrite, among: Among) -> None:
        """Give the file its entries with their texts rewritten, if it is of a conversation that is meant.

        Raises:
            OSError: the system refuses; the file is as it was.
        """
        lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        if not among(str(_parsed(lines[0]).get("key", ""))):
            return
        new = [_rewritten(one, rewrite) for one in lines]
        if new != lines:
            put(self._path, "\n".join(new))

    def add(self, session: Session, recorded: Iterable[Recorded]) -> None:
        """Add the entries that the file does not have; raises as `last` does."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(self._path, "a+b", opener=_private) as file:
            last = _repaired(file)
            opening = [heading(session)] if file.tell() == 0 else []
            lines = [*opening, *(line(one) for one in recorded if one.seq > last)]
            file.write("".join(lines).encode())


def heading(session: Session) -> str:
    """The line about the session."""
    return _written(
        {
            "type": "session",
            "id": session.id,
            "agent": session.agent,
            "key": session.key,
            "began": session.began.isoformat(),
        }
    )


def line(recorded: Recorded) -> str:
    """The line of an entry; `body` is as the state file holds it."""
    entry = recorded.entry
    return _written(
        {
            "type": entry.kind.value,
            "seq": recorded.seq,
            "turn": entry.turn,
            "at": entry.at.isoformat(),
            "body": json.loads(entry.body),
        }
    )


def _rewritten(text: str, rewrite: Rewrite) -> str:
    """A line with its texts rewritten; one that a crash left unfinished as a whole."""
    fields = _parsed(text)
    if not fields:
        return rewrite(text)
    new = redact_fields(fields, rewrite)
    return text if new == fields else _written(new).removesuffix("\n")


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _written(fields: dict[str, object]) -> str:
    return as_json(fields) + "\n"


def _repaired(file: BinaryIO) -> int:
    """Cut off what is no line of ours, and stand at the end; the `seq` of the last entry, 0 for the heading or less."""
    for end, text in _backwards(file):
        seq = _seq(text) if text.endswith(b"\n") else None
        if seq is not None:
            file.truncate(end)
            file.seek(end)
            return seq
    file.truncate(0)
    file.seek(0)
    return 0


def _seq(text: bytes) -> int | None:
    """The `seq` in a line, 0 in a heading; None if it is neither."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    seq = fields.get("seq", 0 if fields.get("type") == "session" else None)
    return seq if isinstance(seq, int) else None


def _backwards(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines of a file from the last one up, each with the place where it ends."""
    end = at = file.seek(0, os.SEEK_END)
    held = b""
    while at:
        step = min(CHUNK, at)
        at -= step
        file.seek(at)
        held = file.read(step) + held
        while (cut := held.rfind(b"\n", 0, -1)) >= 0:
            text, held = held[cut + 1 :], held[: cut + 1]
            yield end, text
            end -= len(text)
    if held:
        yield end, held


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


INDEX = "sessions.json"

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class TurnEndings:
    """The conversations in which a turn has ended since somebody looked."""

    def __init__(self) -> None:
        self._keys: defaultdict[str, set[str]] = defaultdict(set)
        self._any: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def note(self, session: SessionKey) -> None:
        """A turn of this conversation has ended."""
        self._keys[session.agent].add(str(session))
        self._any[session.agent].set()

    async def wait(self, agent: str) -> None:
        """Wait until there is one of this agent."""
        await self._any[agent].wait()

    def take(self, agent: str) -> set[str]:
        """Those of this agent; they count as looked at."""
        self._any[agent].clear()
        return self._keys.pop(agent, set())


@dataclass(slots=True)
class _Written:
    """What is known to be in an agent's files: sessions by id, and the newest of each conversation."""

    sessions: dict[str, Session] = field(default_factory=dict)
    newest: dict[str, Session] = field(default_factory=dict)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note(self, session: Session) -> None:
        self.sessions[session.id] = self.newest[session.key] = session


class Projection:
    """Keeps a folder for each agent as the state file is (`bot.service.Companion`).

    Args:
        coordinator: where the transcripts are.
        endings: told of every turn's end.
        folder: where an agent's files belong.
    """

    def __init__(self, coordinator: Coordinator, endings: TurnEndings, *, folder: Callable[[str], Path]) -> None:
        self._coordinator = coordinator
        self._endings = endings
        self._folder = folder
        self._written: defaultdict[str, _Written] = defaultdict(_Written)

    async def run(self, grant: Grant) -> None:
        """Follow one agent's transcripts until cancelled; what its files lack comes first."""
        await self._refill(grant.agent)
        while True:
            await self._endings.wait(grant.agent)
            await self.finish(grant)

    async def finish(self, grant: Grant) -> None:
        """Write out the turns that have ended so far."""
        agent = grant.agent
        written = self._written[agent]
        async with written.turn:
            for key in sorted(self._endings.take(agent)):
                try:
                    await self._extend(agent, key, written)
                except OSError as error:
                    log.warning("transcript.not_written_out", session=key, reason=str(error))

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite the texts in an agent's files (`bot.sessions.redaction.Keeper`); raises OSError."""
        async with self._written[agent].turn:
            for path in sorted(self._folder(agent).glob("*.jsonl")):
                await asyncio.to_thread(SessionFile(path).rewrite, rewrite, among)

    async def _refill(self, agent: str) -> None:
        written = self._written[agent]
        async with written.turn:
            sessions = await self._coordinator.sessions(agent)
            try:
                ends = await asyncio.to_thread(self._ends, sessions)
                for session, end in zip(reversed(sessions), reversed(ends), strict=True):
                    if end < session.last:
                        await self._write(session, after=end)
                    written.note(session)
                await asyncio.to_thread(self._write_index, agent, written)
            except OSError as error:
                log.warning("transcript.not_written_out", agent=agent, reason=str(error))

    async def _extend(self, agent: str, key: str, written: _Written) -> None:
        before = written.newest.get(key)
        async for recorded in pages(self._coordinator, agent, key, after=before.last if before else 0):
            for part in split_sessions(recorded):
                is_open = before is not None and not before.is_over
                session = extend_session(before, part) if before and is_open else summarize_session(agent, key, part)
                end = await asyncio.to_thread(SessionFile(self._path(session)).last)
                await self._write(session, after=end)
                written.note(session)
                if end == 0 or session.is_over:
                    await asyncio.to_thread(self._write_index, agent, written)
                before = session

    async def _write(self, session: Session, *, after: int) -> None:
        start = max(after, session.first - 1)
        async for recorded in pages(self._coordinator, session.agent, session.key, after=start):
            own = [one for one in recorded if one.seq <= session.last]
            await asyncio.to_thread(SessionFile(self._path(session)).add, session, own)
            if len(own) < len(recorded):
                return

    def _ends(self, sessions: Sequence[Session]) -> list[int]:
        """How far each session's file has come."""
        return [SessionFile(self._path(session)).last() for session in sessions]

    def _write_index(self, agent: str, written: _Written) -> None:
        listed = {name: _told(session) for name, session in sorted(written.sessions.items())}
        put(self._folder(agent) / INDEX, json.dumps(listed, ensure_ascii=False, indent=1) + "\n")

    def _path(self, session: Session) -> Path:
        return self._folder(session.agent) / f"{session.id}.jsonl"


def _told(session: Session) -> dict[str, object]:
    return {"key": session.key, "began": session.began.isoformat(), "is_over": session.is_over}
