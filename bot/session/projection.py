"""The transcripts as files for people and their tools: written out from the state file, never read by the service.

    sessions/<agent>/sessions.json      which file is which conversation
    sessions/<agent>/<session>.jsonl    a session, as `bot.session.file` writes it

Everything in them follows from the state file. What is missing (a crash came between, the folder was deleted, the disk
was full) is added at the next start, or with the conversation's next turn.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from bot.durable.port import Among, Coordinator, Grant, Session
from bot.durable.texts import Rewrite
from bot.files import put
from bot.session.file import SessionFile
from bot.session.key import SessionKey
from bot.session.split import continued, pages, split, summed_up

INDEX = "sessions.json"

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Endings:
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

    def __init__(self, coordinator: Coordinator, endings: Endings, *, folder: Callable[[str], Path]) -> None:
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
        """Rewrite the texts in an agent's files (`bot.redaction.Keeper`); raises OSError."""
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
            for part in split(recorded):
                is_open = before is not None and not before.is_over
                session = continued(before, part) if before and is_open else summed_up(agent, key, part)
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
