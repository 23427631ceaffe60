"""What was told in the owner's private sessions, as a source of recall beside the notes.

Statements alone go in: asked again, a question or an answer would be found in the place of what it is about. They are
written into files, at least one for each session and day, that a memory of their own indexes; so no number by which
notes are ranked depends on them. All of it is derived from the transcripts. Others' words stand in a folder of their
own, which that memory takes for foreign.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import tzinfo
from pathlib import Path

import structlog

from bot.memories import INDEX, OTHERS, OWN
from bot.paths import put
from bot.sessions.archive import Contribution, contributions, masked, session_pages
from bot.sessions.export import contribution
from bot.sessions.notes import MAX_CONTRIBUTION_CHARS, split_message
from bot.sessions.turns import decode_turns
from bot.storage.coordinator import Coordinator
from bot.storage.keys import SessionKey, is_private
from bot.storage.port import Among, EntryKind, Grant, Recorded, Rewrite, Session
from bot.storage.tables.transcripts import PAGE
from bot.turn import SessionMemory
from bot.waiting import Pause
from memory import OWNER, Error, Filter, Hit, Memory, Origin, Recall, Scope
from memory.index.terms import tokens
from memory.privacy.traces import MARK
from memory.types import EVERYWHERE

MAX_FILE_CHARS = 16_000
"""A file that is longer is followed by another, so that what a turn adds is indexed fast."""

REST_S = 0.1
"""Seconds between two pages of what was told before."""

SHARE = 4
"""Of the room for notes, sessions have so many times less, beside it."""

_UPTO = re.compile(r"^upto: (\d+)$", re.MULTILINE)
_KEY = re.compile(r'^session: "(.*)"$', re.MULTILINE)
_PATH = re.compile(r"sessions/(?:others/)?\d{4}-\d\d-\d\d-[0-9A-Z]{26}-\d+\.md(?:#L\d+(?:-L\d+)?)?")
_SPEAKER = re.compile(r"^\[\d\d:\d\d\] \*\*.*?\*\*:\s*")

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass
class ToldFiles:
    """Keeps the files of all agents in step with the transcripts, and each memory with its files.

    Attributes:
        memories: by agent; those whose sessions are not searched are left out.
        pause: waits between parts of much that was told, for turns to go on.
    """

    coordinator: Coordinator
    _: KW_ONLY
    folder: Callable[[str], Path]
    memories: Mapping[str, SessionMemory]
    zone: tzinfo
    pause: Pause
    _reached: dict[str, int] = field(default_factory=dict, init=False)
    _behind: set[str] = field(default_factory=set, init=False)
    _waiting: defaultdict[str, dict[str, Session]] = field(default_factory=lambda: defaultdict(dict), init=False)
    _any: defaultdict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event), init=False)
    _locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock), init=False)

    def add(self, session: Session) -> None:
        """Record that there may be more in a session."""
        if session.agent in self.memories and is_private(session.key):
            self._waiting[session.agent][session.id] = session
            self._any[session.agent].set()

    async def run(self, grant: Grant) -> None:
        """Write what is told to one agent, and have its memory take it in, until cancelled."""
        while True:
            await self._any[grant.agent].wait()
            while await self._write_page(grant.agent):
                await self.pause(REST_S)

    async def finish(self, grant: Grant) -> None:
        """Write what was told last; of much that is left to write, the next start writes the rest."""
        for _ in tuple(self._waiting[grant.agent]):
            await self._write_page(grant.agent)

    async def _write_page(self, agent: str) -> bool:
        """Write a page of the session that was used last; return whether there is more."""
        waiting = self._waiting[agent]
        async with self._locks[agent]:
            session = max(waiting.values(), key=lambda one: one.last, default=None)
            try:
                if session and await self._write_next(session) >= waiting[session.id].last:
                    del waiting[session.id]
            except OSError as error:
                log.warning("sessions.not_written_out", agent=agent, reason=str(error))
                waiting.clear()
        if waiting:
            return True
        self._any[agent].clear()
        if agent in self._behind:
            self._behind.remove(agent)
            try:
                await self.memories[agent].memory.sync()
            except Error as error:
                log.warning("sessions.not_indexed", agent=agent, reason=str(error))
        return bool(waiting)

    async def _write_next(self, session: Session) -> int:
        """Write the next page of a session; return the `seq` that is reached."""
        name = session.id

        def last_number() -> int:
            path = max((self.folder(session.agent) / OWN).glob(f"*-{name}-*.md"), default=None)
            return _upto(path.read_text(encoding="utf-8", errors="replace")) if path else 0

        if name not in self._reached:
            self._reached[name] = await asyncio.to_thread(last_number)
        async for recorded in session_pages(self.coordinator, session, start=self._reached[name] + 1):
            earlier: tuple[Recorded, ...] = ()
            if any(turn.edits for turn in decode_turns(recorded)):
                key, end, only = SessionKey.parse(session.key), recorded[0].seq, (EntryKind.MESSAGE,)
                earlier = await self.coordinator.newest(key, after=0, before=end, limit=PAGE, kinds=only)
                await self._write_edited(session, earlier)
            if await asyncio.to_thread(self._write, session, recorded, earlier):
                self._behind.add(session.agent)
            self._reached[name] = recorded[-1].seq
            return self._reached[name]
        return session.last

    async def _write_edited(self, session: Session, earlier: Sequence[Recorded]) -> None:
        """Write the sessions before this one that its edits may reach: what is edited is taken out of their files."""
        start = earlier[0].seq if earlier else session.first
        for one in sorted(self._waiting[session.agent].values(), key=lambda one: one.last):
            if one.key == session.key and start <= one.last < session.first:
                while await self._write_next(one) < one.last:
                    pass

    async def redact(self, agent: str, rewrite: Rewrite, among: Among) -> None:
        """Rewrite the texts of an agent's files, also if they are not searched any more; raises OSError."""
        async with self._locks[agent]:
            is_changed = await asyncio.to_thread(_rewrite, self.folder(agent), rewrite, among)
        if is_changed:
            await self._forget_earlier(agent)

    async def remove(self, agent: str, gone: Sequence[Session], *, left: Collection[str]) -> None:
        """Remove what was told in sessions (`DerivedSessions`); raises OSError."""
        del left  # each session has files of its own
        async with self._locks[agent]:
            paths = [path for one in gone for path in self.folder(agent).glob(f"*/*-{one.id}-*.md")]
            for path in paths:
                path.unlink()
        if paths:
            await self._forget_earlier(agent)

    async def _forget_earlier(self, agent: str) -> None:
        """Leave nothing in the index of an agent's files that does not stand in them any more."""
        told = self.memories.get(agent)
        if told:
            await told.memory.sync()
            await told.memory.purge(at_once=True)
            return
        for file in self.folder(agent).glob(f"{INDEX}*"):
            file.unlink()

    def _write(self, session: Session, recorded: Sequence[Recorded], earlier: Sequence[Recorded]) -> bool:
        """Add what these entries state, and take out what they edit of the `earlier` ones; return if a file changed."""
        repeated, home = set[str](), self.folder(session.agent)
        days = self._lines(contributions(recorded, session, repeated))
        known, kept = (self._lines(contributions(earlier, session, among)) for among in (None, repeated))
        # What is still said stays: an edit repeats the other messages that were answered with the one that it changes.
        gone = {day: lines.keys() - kept[day].keys() - days[day].keys() for day, lines in known.items()}
        for (whose, day), lines in gone.items():
            for file in (home / whose).glob(f"{day}-*.md") if lines else ():  # also of the chat's sessions before
                text = file.read_text(encoding="utf-8", errors="replace")
                if _key(text) == session.key:
                    parts = text.rstrip("\n").split("\n\n\n")
                    put(file, "\n\n\n".join(part for part in parts if part not in lines) + "\n")
        # The owner's own last: by them the next start sees what is written.
        for (whose, day), said in sorted(days.items(), key=lambda item: (item[0][0] == OWN, item[0][1])):
            path = max((home / whose).glob(f"{day}-{session.id}-*.md"), default=None)
            text = path.read_text(encoding="utf-8", errors="replace") if path else ""
            written = text.rstrip("\n").split("\n\n\n")
            new = [line for line, number in said.items() if number > _upto(text) and line not in written]
            if new:
                if path is None or len(text) > MAX_FILE_CHARS:
                    path, text = home / whose / f"{day}-{session.id}-{said[new[0]]:010}.md", ""
                body = text.partition("\n---\n")[2] or f"\n# {day}\n"
                head = f'---\nsession: "{session.key}"\nupto: {said[new[-1]]}\n---\n'
                # With two empty lines between them, no passage has more than one: what is known is left out one by one.
                put(path, head + body + "".join(f"\n\n{line}\n" for line in new))
        return any((*days.values(), *gone.values()))

    def _lines(self, said: Iterable[Contribution]) -> defaultdict[tuple[str, str], dict[str, int]]:
        """Return the lines that are written of what people state, by folder and day, with their turns' numbers."""
        days = defaultdict[tuple[str, str], dict[str, int]](dict)
        for one in said:
            if not one.said.by_agent and (statement := split_message(one.said.text)[1]):
                told = masked(replace(one, said=replace(one.said, text=statement))).said
                day = told.at.astimezone(self.zone).date().isoformat()
                line = contribution(told, zone=self.zone, max_chars=MAX_CONTRIBUTION_CHARS)
                days[OTHERS if told.is_foreign else OWN, day][line] = one.number
        return days


def _upto(text: str) -> int:
    found = _UPTO.search(text.partition("\n---\n")[0])
    return int(found[1]) if found else 0


def _key(text: str) -> str:
    """Return the conversation that a file is of."""
    found = _KEY.search(text.partition("\n---\n")[0])
    return found[1] if found else ""


def _rewrite(folder: Path, rewrite: Rewrite, among: Among) -> bool:
    """Rewrite the files of the conversations that are meant; return whether one has changed."""
    is_changed = False
    for path in sorted(folder.glob("*/*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        head, mark, body = text.partition("\n---\n")
        if (key := _key(text)) and among(key):
            texts = map(rewrite, body.split("\n\n"))
            new = head + mark + "\n\n".join(text for text in texts if text.strip() != MARK).rstrip("\n") + "\n"
            if new != text:
                put(path, new)
                is_changed = True
    return is_changed


@dataclass(frozen=True, slots=True)
class RecallBeside:
    """What notes have, and what sessions have beside it; of that, `quota` passages at most."""

    notes: Recall
    sessions: Recall | None = None
    quota: int = 0

    def joined(self, known: Iterable[str] = (), *, own_only: bool = False) -> Recall:
        """Return both as one.

        What notes have is what they would have without sessions: those come behind, within their own quota, and only if
        no note that was found, and none of the `known` texts, says the same. With `own_only`, what others' words may be
        in is left out.
        """
        found = self.notes
        if self.sessions is None:
            return found
        seen = [_plain(text) for text in (*(hit.content for hit in (*found.hits, *found.near)), *known)]
        hits: list[Hit] = []
        for hit in self.sessions.related:
            statement = _plain(_SPEAKER.sub("", hit.content))
            is_own = hit.origin is Origin.OWNER
            if len(hits) < self.quota and (is_own or not own_only) and not any(statement in text for text in seen):
                seen.append(statement)
                places = (hit.source, hit.unit)  # under the paths that `path_within` takes back
                source, unit = (replace(one, path=f"sessions/{one.path.removeprefix('extra/')}") for one in places)
                hits.append(replace(hit, source=source, unit=unit))
        reason = found.reason if found.hits or not hits else self.sessions.reason
        return replace(found, hits=(*found.hits, *hits), reason=reason)


async def search_with_sessions(
    memory: Memory,
    told: SessionMemory | None,
    query: str,
    *,
    scope: Scope,
    limit: int,
    budget_chars: int = 8000,
    where: Filter = EVERYWHERE,
    hypothetical: str = "",
) -> RecallBeside:
    """Recall from a memory, and from what was told in the owner's sessions beside it, to be put together later.

    No sessions are searched where `told` is None, or what is asked for is narrowed to a place. The other arguments are
    those of `Memory.recall`, for the notes.
    """
    notes = memory.recall(
        query, scope=scope, limit=limit, budget_chars=budget_chars, where=where, hypothetical=hypothetical
    )
    if told is None or scope != OWNER or where.under:
        return RecallBeside(await notes)
    found, beside = await asyncio.gather(
        notes,
        told.memory.recall(query, scope=OWNER, limit=3 * told.quota, budget_chars=budget_chars // SHARE, where=where),
    )
    return RecallBeside(found, beside, told.quota)


def source_of(path: str) -> str:
    """Return what a path that recall has given is a part of: `memory`, `extra` folders, or `sessions`."""
    if _PATH.fullmatch(path):
        return "sessions"
    return "extra" if path.startswith("extra/") else "memory"


def path_within(path: str) -> str:
    """Return the name that a path of sessions has in their own memory."""
    inner = path.removeprefix("sessions/")
    return f"extra/{inner}" if inner.startswith(f"{OTHERS}/") else inner


def _plain(text: str) -> str:
    return " ".join(tokens(text)).casefold()
