"""What was told in the owner's private sessions, as a source of recall beside the notes.

Statements alone go in: asked again, a question or an answer would be found in the place of what it is about. They are
written into files, one for each session and day, that a memory of their own indexes; so no number by which notes are
ranked depends on them. All of it is derived from the transcripts. Others' words stand in a folder of their own, which
that memory takes for foreign.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path

import structlog

from bot.memories import INDEX, OTHERS, OWN
from bot.paths import put
from bot.sessions.archive import Contribution, contributions, is_private, masked, session_pages
from bot.sessions.export import contribution
from bot.sessions.notes import MAX_CONTRIBUTION_CHARS, split_message
from bot.storage.port import Among, Coordinator, Recorded, Rewrite, Session
from bot.turn import SessionMemory
from memory import OWNER, Error, Hit, Memory, Origin, Recall, Scope
from memory.index.terms import tokens
from memory.traces import MARK

SHARE = 4
"""Of the room for notes, sessions have so many times less, beside it."""

_UPTO = re.compile(r"^upto: (\d+)$", re.MULTILINE)
_KEY = re.compile(r'^session: "(.*)"$', re.MULTILINE)
_PATH = re.compile(r"sessions/(?:others/)?\d{4}-\d\d-\d\d-[0-9A-Z]{26}\.md")
_SPEAKER = re.compile(r"^\[\d\d:\d\d\] \*\*.*?\*\*:\s*")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class Statements:
    """Keeps the files of all agents in step with the transcripts, and each memory with its files.

    Args:
        coordinator: where the transcripts are.
        folder: of an agent.
        memories: by agent; those whose sessions are not searched are left out.
        zone: the owner's, for days and times.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        folder: Callable[[str], Path],
        memories: Mapping[str, SessionMemory],
        zone: tzinfo,
    ) -> None:
        self._coordinator = coordinator
        self._folder = folder
        self._memories = memories
        self._zone = zone
        self._reached: dict[str, int] = {}
        self._behind: set[str] = set()

    async def add(self, session: Session) -> None:
        """Write what was told in a session and is not in its files yet; raises OSError."""
        if session.agent not in self._memories or not is_private(session.key):
            return
        if session.id not in self._reached:
            self._reached[session.id] = await asyncio.to_thread(self._last_number, session)
        if self._reached[session.id] >= session.last:
            return
        async for recorded in session_pages(self._coordinator, session, start=self._reached[session.id] + 1):
            if await asyncio.to_thread(self._write, session, recorded):
                self._behind.add(session.agent)
            self._reached[session.id] = recorded[-1].seq

    async def settle(self, agent: str) -> None:
        """Have an agent's memory take in what was written."""
        if agent not in self._behind:
            return
        self._behind.remove(agent)
        try:
            await self._memories[agent].memory.sync()
        except Error as error:
            log.warning("sessions.not_indexed", agent=agent, reason=str(error))

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite the texts of an agent's files, also if they are not searched any more; raises OSError."""
        folder, told = self._folder(agent), self._memories.get(agent)
        if not await asyncio.to_thread(_rewrite, folder, rewrite, among):
            return
        if told:
            await told.memory.sync()
            await told.memory.purge(at_once=True)
            return
        for file in folder.glob(f"{INDEX}*"):
            file.unlink()

    def _write(self, session: Session, recorded: Sequence[Recorded]) -> bool:
        """Add the statements among these entries to the files of their days; return whether there are any."""
        days: defaultdict[tuple[str, str], list[Contribution]] = defaultdict(list)
        for one in contributions(recorded, session):
            statement = "" if one.said.by_agent else split_message(one.said.text)[1]
            if statement:
                day = one.said.at.astimezone(self._zone).date().isoformat()
                told = replace(one, said=replace(one.said, text=statement))
                days[OTHERS if one.said.is_foreign else OWN, day].append(told)
        # The owner's own last: by them the next start sees what is written.
        for (whose, day), said in sorted(days.items(), key=lambda item: (item[0][0] == OWN, item[0][1])):
            path = self._folder(session.agent) / whose / f"{day}-{session.id}.md"
            text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            upto, body = _upto(text), text.partition("\n---\n")[2] or f"\n# {day}\n"
            new = [masked(one) for one in said if one.number > upto]
            if new:
                lines = [contribution(one.said, zone=self._zone, max_chars=MAX_CONTRIBUTION_CHARS) for one in new]
                head = f'---\nsession: "{session.key}"\nupto: {new[-1].number}\n---\n'
                # With two empty lines between them, no passage has more than one: what is known is left out one by one.
                put(path, head + body + "".join(f"\n\n{line}\n" for line in lines))
        return bool(days)

    def _last_number(self, session: Session) -> int:
        """Return the number of the last turn that the files of a session have; 0 for none."""
        files = sorted((self._folder(session.agent) / OWN).glob(f"*-{session.id}.md"))
        return _upto(files[-1].read_text(encoding="utf-8", errors="replace")) if files else 0


def _upto(text: str) -> int:
    found = _UPTO.search(text.partition("\n---\n")[0])
    return int(found[1]) if found else 0


def _rewrite(folder: Path, rewrite: Rewrite, among: Among) -> bool:
    """Rewrite the files of the conversations that are meant; return whether one has changed."""
    is_changed = False
    for path in sorted(folder.glob("*/*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        head, mark, body = text.partition("\n---\n")
        key = _KEY.search(head)
        if key and among(key[1]):
            texts = map(rewrite, body.split("\n\n"))
            new = head + mark + "\n\n".join(text for text in texts if text.strip() != MARK)
            if new != text:
                put(path, new)
                is_changed = True
    return is_changed


async def recall_with_sessions(
    memory: Memory,
    told: SessionMemory | None,
    query: str,
    *,
    scope: Scope,
    limit: int,
    budget_chars: int = 8000,
    known: Iterable[str] = (),
    own_only: bool = False,
) -> Recall:
    """Recall from a memory, and from what was told in the owner's sessions beside it.

    What notes have is what they would have without sessions: those come behind, within their own quota, and only if no
    note that was found says the same.

    Args:
        memory: of the notes.
        told: in sessions; None for none.
        query, scope, limit, budget_chars: as in `Memory.recall`, for the notes.
        known: texts that need not be found again.
        own_only: leave out what others' words may be in.
    """
    if told is None or scope != OWNER:
        return await memory.recall(query, scope=scope, limit=limit, budget_chars=budget_chars)
    found, beside = await asyncio.gather(
        memory.recall(query, scope=scope, limit=limit, budget_chars=budget_chars),
        told.memory.recall(query, scope=OWNER, limit=3 * told.quota, budget_chars=budget_chars // SHARE),
    )
    seen = [_plain(text) for text in (*(hit.content for hit in (*found.hits, *found.near)), *known)]
    hits: list[Hit] = []
    for hit in beside.related:
        statement = _plain(_SPEAKER.sub("", hit.content))
        is_own = hit.origin is Origin.OWNER
        if len(hits) < told.quota and (is_own or not own_only) and not any(statement in text for text in seen):
            seen.append(statement)
            hits.append(_renamed(hit))
    reason = found.reason if found.hits or not hits else beside.reason
    return replace(found, hits=(*found.hits, *hits), reason=reason)


def source_of(path: str) -> str:
    """Return what a path that recall has given is a part of: `memory`, `extra` folders, or `sessions`."""
    if _PATH.fullmatch(path):
        return "sessions"
    return "extra" if path.startswith("extra/") else "memory"


def path_within(path: str) -> str:
    """Return the name that a path of sessions has in their own memory."""
    inner = path.removeprefix("sessions/")
    return f"extra/{inner}" if inner.startswith(f"{OTHERS}/") else inner


def _renamed(hit: Hit) -> Hit:
    def outer(path: str) -> str:
        return f"sessions/{path.removeprefix('extra/')}"

    source, unit = (replace(place, path=outer(place.path)) for place in (hit.source, hit.unit))
    return replace(hit, source=source, unit=unit)


def _plain(text: str) -> str:
    return " ".join(tokens(text)).casefold()
