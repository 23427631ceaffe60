"""Sessions as JSONL files, written beside the state file."""

from __future__ import annotations

import asyncio
import json
import os
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

import structlog

from bot.paths import open_private, put
from bot.sessions.archive import session_pages
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SessionKey
from bot.storage.port import Among, Grant, Recorded, Rewrite, Session
from bot.storage.tables.redaction import redact_fields
from bot.storage.tables.transcripts import FEW
from bot.texts.formatting import as_json
from bot.waiting import pause

CHUNK_BYTES = 64 * 1024
"""Read at a time from the end of a file."""

INDEX = "sessions.json"
WRITTEN_EVERY_S = 1.0
"""How long a turn that has ended waits for others to be written out with it."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def marks(session: Session) -> dict[str, Any]:
    """Return how often a session was summarised, and when it was flushed last."""
    return {"compactions": session.compactions, "last_flush": session.flushed.isoformat() if session.flushed else None}


class SessionFile:
    """The JSONL file of a session. What a crash left of its last line is cut off before anything is read or added."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rewrite(self, rewrite: Rewrite, among: Among) -> None:
        """Rewrite the texts of the file, if its conversation is meant. Raises `OSError`; then it is as it was."""
        lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        if not among(str((_parse(lines[0]) or {}).get("key", ""))):
            return
        new: list[str] = []
        for text in lines:
            fields = _parse(text)
            redacted = redact_fields(fields, rewrite) if fields else None
            if redacted is None:  # left unfinished by a crash
                new.append(rewrite(text))
            else:
                new.append(text if redacted == fields else as_json(redacted))
        if new != lines:
            put(self.path, "\n".join(new))

    def add(self, session: Session, recorded: Iterable[Recorded], *, after: int = 0) -> int:
        """Add the entries that the file does not have, unless it ends before `after`; raises `OSError`.

        Return the `seq` with which the file ended; 0 if it had no entry.
        """
        with open_private(self.path, "a+b") as file:
            last = _repair(file)
            if last >= after:
                opening = [heading(session)] if file.tell() == 0 else []
                lines = [*opening, *(line(one) for one in recorded if one.seq > last)]
                file.write("".join(lines).encode())
            return last


def heading(session: Session) -> str:
    """Return the line about the session."""
    fields = {"id": session.id, "agent": session.agent, "key": session.key, "began": session.began.isoformat()}
    return as_json({"type": "session", **fields}) + "\n"


def line(recorded: Recorded) -> str:
    """Return the line of an entry; `body` is as the state file holds it, one that is no JSON in a field `text`."""
    entry = recorded.entry
    try:
        body = json.loads(entry.body)
    except (ValueError, RecursionError):
        body = {"text": entry.body}  # a text field, so that what is forgotten is taken out of it, too
    fields = {"type": entry.kind.value, "seq": recorded.seq, "turn": entry.turn, "at": entry.at.isoformat()}
    return as_json({**fields, "body": body}) + "\n"


def _parse(text: str | bytes) -> dict[str, Any] | None:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _repair(file: IO[bytes]) -> int:
    """Cut off what is no line of ours, and seek to the end; return the last entry's `seq`, 0 if there is none."""
    end = size = at = file.seek(0, os.SEEK_END)
    seq, held = 0, b""  # of the lines up to `end`, what is read of them
    while end:
        cut = held.rfind(b"\n", 0, -1)
        if cut < 0 and at:  # the last of them begins farther up
            step = min(CHUNK_BYTES, at)
            at -= step
            file.seek(at)
            held = file.read(step) + held
            continue
        text, held = held[cut + 1 :], held[: cut + 1]
        fields = (_parse(text) if text.endswith(b"\n") else None) or {}
        found = fields.get("seq", 0 if fields.get("type") == "session" else None)
        if isinstance(found, int):
            seq = found
            break
        end -= len(text)
    if end != size:
        file.truncate(end)
    file.seek(end)
    return seq


class ChangedSessions:
    """The conversations in which a turn has ended since they were last taken."""

    def __init__(self) -> None:
        self._keys: defaultdict[str, set[str]] = defaultdict(set)
        self._any: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def add(self, session: SessionKey) -> None:
        """Record that a turn of this conversation has ended."""
        self._keys[session.agent].add(str(session))
        self._any[session.agent].set()

    async def wait(self, agent: str) -> None:
        """Wait until there is one of this agent."""
        await self._any[agent].wait()

    def take(self, agent: str) -> set[str]:
        """Return those of this agent, and remove them."""
        self._any[agent].clear()
        return self._keys.pop(agent, set())


@dataclass(slots=True)
class _AgentFiles:
    """What an agent's files are known to hold: the newest session of each conversation, and the index's line of each.

    `ended` says when the last session of a conversation that is over has ended.
    """

    newest: dict[str, Session] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    ended: dict[str, datetime] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class _Gain(NamedTuple):
    """What a session has more than before: entries after a `seq` that its file holds."""

    session: Session
    recorded: Sequence[Recorded]
    after: int


@dataclass
class Projection:
    """Keeps a folder of session files for each agent in step with the state file.

    Attributes:
        told: is told of every session that may have more than before.
        tokens: counts what models have taken for the conversation of an agent between two instants.
    """

    coordinator: Coordinator
    changed: ChangedSessions
    _: KW_ONLY
    folder: Callable[[str], Path]
    told: Callable[[Session], None] = field(default=lambda _: None)
    tokens: Callable[[str, str, datetime, datetime], Awaitable[int]] | None = None
    _agents: defaultdict[str, _AgentFiles] = field(default_factory=lambda: defaultdict(_AgentFiles), init=False)

    async def run(self, grant: Grant) -> None:
        """Follow one agent's transcripts until cancelled; first add what its files lack."""
        gained = defaultdict[str, list[_Gain]](list)
        async with self._agents[grant.agent].lock:
            for session in reversed(await self.coordinator.sessions(grant.agent)):
                gained[session.key].append(_Gain(session, (), session.last))
            await self._write(grant.agent, gained)
        while True:
            await self.changed.wait(grant.agent)
            await pause(WRITTEN_EVERY_S)
            await self.finish(grant)

    async def finish(self, grant: Grant) -> None:
        """Write the turns that have ended so far."""
        async with self._agents[grant.agent].lock:
            if changed := sorted(self.changed.take(grant.agent)):
                await self._write(grant.agent, {key: await self._gained(grant.agent, key) for key in changed})

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite the texts in an agent's files (`bot.sessions.redaction.DerivedTexts`); raises OSError."""
        async with self._agents[agent].lock:
            for path in sorted(self.folder(agent).glob("*.jsonl")):
                await asyncio.to_thread(SessionFile(path).rewrite, rewrite, among)

    async def remove(self, agent: str, gone: Sequence[Session], *, left: Collection[str]) -> None:
        """Remove the files of sessions (`DerivedSessions`); raises OSError."""
        files = self._agents[agent]
        async with files.lock:
            for session in gone:
                self._file(session).path.unlink(missing_ok=True)
                files.lines.pop(session.id, None)
                if session.key not in left:
                    files.newest.pop(session.key, None)
            await asyncio.to_thread(self._write_index, agent, files)

    async def _gained(self, agent: str, key: str) -> list[_Gain]:
        """Return what a conversation has gained: more of its open session, then further ones."""
        before, gains = self._agents[agent].newest.get(key), list[_Gain]()
        known = before.last if before else 0
        after = before.first - 1 if before and not before.is_over else known
        for session in reversed(await self.coordinator.sessions(agent, key=key, after=after)):
            pages = session_pages(self.coordinator, session, start=known + 1, first=FEW)  # mostly a turn or two
            recorded = [one async for page in pages for one in page]
            gains.append(_Gain(session, recorded, known if session.first <= known else 0))
        return gains

    async def _write(self, agent: str, gained: Mapping[str, Sequence[_Gain]]) -> None:
        """Write what conversations have gained, and the index; what fails is written with what they gain next."""
        files, ends = self._agents[agent], await asyncio.to_thread(self._append, gained)
        for key, gains in gained.items():
            try:
                for gain, end in zip(gains, ends[key], strict=False):
                    await self._add(gain.session, files, end=end, upto=gain.after)
            except OSError as error:
                log.warning("transcript.not_written_out", session=key, reason=str(error))
        try:
            await asyncio.to_thread(self._write_index, agent, files)
        except OSError as error:
            log.warning("transcript.not_written_out", agent=agent, reason=str(error))

    def _append(self, gained: Mapping[str, Sequence[_Gain]]) -> dict[str, list[int]]:
        """Write what conversations have gained, and return with which `seq` each file ended before, up to a failure.

        All that a second brings is handed to one thread at once: to hand it over takes longer than to write it.
        """
        ends: dict[str, list[int]] = {}
        for key, gains in gained.items():
            ends[key] = []
            try:
                for session, recorded, after in gains:
                    ends[key].append(self._file(session).add(session, recorded, after=after))
            except OSError as error:
                log.warning("transcript.not_written_out", session=key, reason=str(error))
        return ends

    async def _add(self, session: Session, files: _AgentFiles, *, end: int, upto: int) -> None:
        """Take in what a session has by now; its file, which ended with `end`, ought to have all up to a `seq`."""
        if end < upto:  # a crash has cut it off, or somebody has removed the file, or something of it
            async for recorded in session_pages(self.coordinator, session, start=end + 1):
                await asyncio.to_thread(self._file(session).add, session, recorded)
        files.newest[session.key] = session
        self.told(session)
        tokens = 0
        if self.tokens:
            after = files.ended.get(session.key, datetime.min.replace(tzinfo=UTC))
            tokens = await self.tokens(session.agent, session.key, after, session.used)
        entry = {"key": session.key, "began": session.began.isoformat(), "is_over": session.is_over, "tokens": tokens}
        files.lines[session.id] = f" {as_json(session.id)}: {as_json(entry | marks(session))}"
        if session.is_over:
            files.ended[session.key] = session.used

    def _write_index(self, agent: str, files: _AgentFiles) -> None:
        lines = (files.lines[name] for name in sorted(files.lines))
        put(self.folder(agent) / INDEX, "{\n" + ",\n".join(lines) + "\n}\n")

    def _file(self, session: Session) -> SessionFile:
        return SessionFile(self.folder(session.agent) / f"{session.id}.jsonl")
