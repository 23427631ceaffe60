"""The rooms behind the front door: files, index and recall put together, for one thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.answers import Line, Page, Passage, Preview
from memory.capture import draft
from memory.capture.notation import is_notation
from memory.errors import PathRefused, WriteFailed
from memory.files.daily import daily_log, local_day
from memory.files.digest import state
from memory.files.journal import Journal
from memory.files.lock import WorkspaceLock
from memory.files.notation import parse_fact
from memory.files.record import Operation
from memory.files.scribe import Scribe
from memory.files.undo import Undone
from memory.files.verify import verify
from memory.files.workspace import Workspace
from memory.index import sync
from memory.model import OWNER, Fact, Hit, Kind, Origin, Problem, Recall, Scope, Stats, Where, Written
from memory.ports import Clock
from memory.previews import Previews
from memory.recall.finder import find, recall
from memory.recall.pack import Room, shown
from memory.shelf import Shelf

LINES = 120
CHARACTERS = 12_000
"""The most that one reading of a file hands over."""
SHOWN_TO_FORGET = 5
"""Facts that a query proposes for forgetting."""

MOST_UNITS = 10_000
"""Of one file; a larger one is read no further."""

_FACTS = tuple(kind for kind in Kind if kind is not Kind.NOTE)


class Rooms:
    """What `Memory` does, synchronously; its docstrings say what each method raises."""

    def __init__(self, workspace: Path, index: Path, *, clock: Clock, zone: ZoneInfo, read_only: bool) -> None:
        self._clock = clock
        self._zone = zone
        self._workspace = Workspace(workspace, create=not read_only)
        self._journal = Journal(self._workspace)
        self._scribe = Scribe(self._workspace, self._journal, WorkspaceLock(self._workspace), clock=clock, zone=zone)
        self._previews = Previews()
        if not read_only:
            self._scribe.recover()
            self._scribe.purge()
        self.shelf = Shelf(index, self._workspace, self._journal, clock=clock, read_only=read_only)

    def remember(self, text: str | Fact, *, origin: Origin, scope: Scope, op_id: str, actor: str) -> Written:
        self._check_writable()
        fact = text if isinstance(text, Fact) else self._read(text)
        written = self._scribe.remember(fact, origin=origin, scope=scope, op_id=op_id, actor=actor)
        self.shelf.refresh([written.at.path])
        return written

    def recall(self, query: str, *, scope: Scope, limit: int, budget_chars: int, where: Where) -> Recall:
        room = Room(limit, budget_chars)
        found = self.shelf.ask(
            lambda index: recall(index, query, scope=scope, today=self._today(), where=where, room=room)
        )
        return replace(found, reason=f"{found.reason} {self.shelf.reason}".strip())

    def get(self, path: str, *, scope: Scope, start: int, lines: int) -> Passage:
        text, _ = self._workspace.read_lenient(path)
        allowed = self._lines(path, text.split("\n"), scope)
        first = max(1, start)
        taken: list[str] = []
        room = CHARACTERS
        for line in allowed[first - 1 : first - 1 + max(1, lines)]:
            if taken and room < len(line) + 1:
                break
            taken.append(line[:room])
            room -= len(line) + 1
        end = first + len(taken) - 1
        return Passage(path, first, end, "\n".join(taken), end + 1 if end < len(allowed) else None)

    def page(self, path: str) -> Page:
        content = self._workspace.read(path)
        text, _ = self._workspace.read_lenient(path)
        return Page(path, text, state(content), self._workspace.identity(path))

    def append(self, path: str, text: str, *, origin: Origin, op_id: str, actor: str) -> Citation:
        self._check_writable()
        written = self._scribe.append(path, text, Operation(op_id, actor, origin, OWNER))
        self.shelf.refresh([path])
        return written

    def rewrite(self, path: str, text: str, *, expected: str, origin: Origin, op_id: str, actor: str) -> None:
        self._check_writable()
        self._scribe.replace(path, text, Operation(op_id, actor, origin, OWNER), expected=expected)
        self.shelf.refresh([path])

    def find(self, name: str, *, scope: Scope) -> Hit:
        return self.shelf.ask(lambda index: find(index, name, scope=scope))

    def day(self, day: str, *, scope: Scope) -> tuple[Hit, ...]:
        path = daily_log(day, scope)
        return self._in_order(path, scope)

    def recent(self, limit: int, *, scope: Scope) -> tuple[Hit, ...]:
        return self._listed(Where(kinds=_FACTS), scope=scope, limit=limit)

    def stats(self, *, scope: Scope) -> Stats:
        return self.shelf.ask(lambda index: index.stats(scope=scope))

    def preview_forget(self, wanted: str, *, scope: Scope, actor: str) -> Preview:
        hits = self._meant(wanted.strip(), scope)
        return self._previews.show([self._line(hit) for hit in hits], scope=scope, actor=actor, now=self._clock.now())

    def forget(self, token: str, *, only: Sequence[int], op_id: str, scope: Scope, actor: str) -> tuple[Line, ...]:
        self._check_writable()
        done = self._carried_out(op_id)
        if done:
            return done
        lines = self._previews.confirmed(token, only, scope=scope, actor=actor, now=self._clock.now())
        gone = self._scribe.forget(lines, op_id=op_id, scope=scope, actor=actor)
        self._previews.done(token)
        self.shelf.refresh(sorted({line.path for line in gone}))
        return gone

    def undo(self, count: int, *, op_id: str, scope: Scope, actor: str) -> tuple[Undone, ...]:
        self._check_writable()
        undone = self._scribe.undo(count, op_id=op_id, scope=scope, actor=actor)
        self.shelf.refresh(sorted({one.path for one in undone}))
        return undone

    def problems(self) -> tuple[Problem, ...]:
        return (*self.shelf.ask(sync.problems), *verify(self._workspace))

    def close(self) -> None:
        self.shelf.close()
        self._workspace.close()

    def _read(self, text: str) -> Fact:
        """A message as a fact: in notation it says what it is, otherwise rules find kind, entities and category."""
        if is_notation(text):
            return replace(parse_fact(f"- {text.strip()}"), id=None)
        return draft(text)

    def _check_writable(self) -> None:
        if self.shelf.is_read_only:
            raise WriteFailed("This memory was opened for reading only.", hint="Open it for writing.")

    def _today(self) -> date:
        return date.fromisoformat(local_day(self._clock.now(), self._zone))

    def _lines(self, path: str, lines: list[str], scope: Scope) -> list[str]:
        """A file's lines; for anybody but the owner only those that belong to their scope, the others empty."""
        if scope == OWNER:
            return lines
        units = self._in_order(path, scope)
        visible = {number for hit in units for number in range(hit.unit.start, hit.unit.end + 1)}
        if not visible:
            raise PathRefused(f"{path} has nothing that belongs to this chat.", hint="Search instead.")
        return [line if number in visible else "" for number, line in enumerate(lines, 1)]

    def _in_order(self, path: str, scope: Scope) -> tuple[Hit, ...]:
        """The units of one file, from top to bottom."""
        units = self._listed(Where(under=path), scope=scope, limit=MOST_UNITS)
        return tuple(hit for hit in reversed(units) if hit.unit.path == path)

    def _listed(self, where: Where, *, scope: Scope, limit: int) -> tuple[Hit, ...]:
        found = self.shelf.ask(
            lambda index: index.stored(index.listed(scope=scope, where=where, limit=limit), scope=scope)
        )
        return tuple(map(shown, found))

    def _meant(self, wanted: str, scope: Scope) -> tuple[Hit, ...]:
        """What is to be forgotten: one unit by id or place, else the facts that the words find."""
        by_id = self.shelf.ask(
            lambda index: [index.find(word.removeprefix("^"), scope=scope) for word in wanted.split()]
        )
        if all(by_id) or wanted.startswith("^"):
            return tuple(shown(found) for found in by_id if found)
        path, _, number = wanted.rpartition(":")
        if path.endswith(".md") and number.isdecimal():
            return self._at(path, int(number), scope)
        found = self.recall(
            wanted, scope=scope, limit=SHOWN_TO_FORGET, budget_chars=CHARACTERS, where=Where(kinds=_FACTS)
        )
        return found.hits

    def _at(self, path: str, number: int, scope: Scope) -> tuple[Hit, ...]:
        units = self._in_order(path, scope)
        return tuple(hit for hit in units if hit.unit.start <= number <= hit.unit.end)[:1]

    def _line(self, hit: Hit) -> Line:
        """The whole lines of a unit, as they stand in the file now."""
        text, _ = self._workspace.read_lenient(hit.unit.path)
        lines = text.split("\n")[hit.unit.start - 1 : hit.unit.end]
        return Line(hit.id, hit.unit.path, hit.unit.start, "\n".join(lines))

    def _carried_out(self, op_id: str) -> tuple[Line, ...]:
        """What an operation that is known already forgot: a turn may be repeated after a crash."""
        self._journal.refresh()
        return tuple(
            Line(record.target, record.path, 0, record.before or "") for record in self._journal.operation(op_id)
        )
