"""Observations that are worth no fact yet: kept for a day in `.memory/sensory/<day>.jsonl`, and never indexed.

The day in a file's name is UTC's. A line is a JSON object with the fields of `SensoryEntry`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from memory.errors import TooLarge
from memory.files.atomic import append, remove, remove_leftovers, replace
from memory.files.workspace import Workspace, digest
from memory.ports import Clock, instant
from memory.types import Origin, Scope

FOLDER = (".memory", "sensory")
LIVES = timedelta(hours=24)
MAX_ENTRIES = 20_000
MAX_BYTES = 32 << 20
"""Entries that are kept at once, and bytes of them."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl")


@dataclass(frozen=True, slots=True)
class SensoryEntry:
    """One observation.

    Attributes:
        op_id, actor: the operation, and who asked for it.
        origin, scope: where the text came from, and who may see it.
        at: ISO instant in UTC.
        text: what was observed, to the letter.
        similarity: to the nearest fact, on the scale of `memory.life.calibrate`.
        salience: what it was judged to be worth, 0 to 1.
    """

    op_id: str
    actor: str
    origin: Origin
    scope: Scope
    at: str
    text: str
    similarity: float
    salience: float


@dataclass(slots=True)
class _File:
    """What was read of one file; it is another one if its number or its size has changed."""

    inode: int
    size: int
    entries: list[SensoryEntry]


class SensoryStore:
    """The observations of one workspace. For one thread; several processes may write."""

    def __init__(self, workspace: Workspace, *, clock: Clock) -> None:
        self._workspace = workspace
        self._clock = clock
        self._files: dict[str, _File] = {}
        self._by_operation: dict[str, SensoryEntry] = {}
        self._by_text: dict[tuple[Scope, str], SensoryEntry] = {}

    def find(self, op_id: str) -> SensoryEntry | None:
        """Return what an operation has kept; None if it has kept nothing, or that is a day ago."""
        self._read()
        return self._living(self._by_operation.get(op_id))

    def keep(self, entry: SensoryEntry) -> SensoryEntry:
        """Keep an observation, on disk when this returns; one with the same text in the same scope is enough.

        Returns the entry that is kept: this one or, unchanged, the one that has its text or its operation. Raises
        `TooLarge` if as many observations of a day as are held are there, `WriteFailed` or `Busy` if it cannot be
        written.
        """
        known = self.find(entry.op_id) or self._living(self._by_text.get((entry.scope, entry.text)))
        if known:
            return known
        files = self._files.values()
        count, size = sum(len(file.entries) for file in files), sum(file.size for file in files)
        if count >= MAX_ENTRIES or size >= MAX_BYTES:
            raise TooLarge(
                f"There are {count:,} observations of the last 24 hours already; this one was not kept.",
                hint="They go by themselves after a day. What must stay can be remembered instead of observed.",
            )
        name, line = f"{entry.at[:10]}.jsonl", _line(entry)
        with self._workspace.lock():
            now = append(self._workspace, (*FOLDER, name), line)
        file = self._files.setdefault(name, _File(0, 0, []))
        if now and now.st_size == file.size + len(line) and now.st_ino == (file.inode or now.st_ino):
            file.inode, file.size = now.st_ino, now.st_size
            file.entries.append(entry)
            self._find_by([entry])
        return entry

    def entries(self, *, scope: Scope | None = None) -> tuple[SensoryEntry, ...]:
        """Return what was observed within a day, in one scope if given, oldest first; raises `Unreadable`."""
        self._read()
        every = (entry for name in sorted(self._files) for entry in self._files[name].entries)
        return tuple(entry for entry in every if scope in {None, entry.scope} and self._living(entry))

    def expire(self) -> int:
        """Remove what is older than a day; says how many entries that was."""
        return self._remove(lambda entry: self._living(entry) is None)

    def forget(self, is_meant: Callable[[str], bool], *, scope: Scope) -> int:
        """Remove the entries of a scope whose texts are meant, and leave no byte of them; says how many that was."""
        return self._remove(lambda entry: entry.scope == scope and is_meant(entry.text))

    def _living(self, entry: SensoryEntry | None) -> SensoryEntry | None:
        is_alive = entry is not None and entry.at > instant(self._clock.now() - LIVES)
        return entry if is_alive else None

    def _remove(self, goes: Callable[[SensoryEntry], bool]) -> int:
        self._read()
        if not any(goes(entry) for file in self._files.values() for entry in file.entries):
            return 0
        count = 0
        with self._workspace.lock():
            self._read()
            for name, file in list(self._files.items()):
                kept = [entry for entry in file.entries if not goes(entry)]
                if len(kept) == len(file.entries):
                    continue
                path = (*FOLDER, name)
                state = digest(self._workspace.content_at(path) or b"")
                lines = b"".join(map(_line, kept))
                if kept:
                    replace(self._workspace, path, lines, expected=state)
                else:
                    remove(self._workspace, path, expected=state)
                remove_leftovers(self._workspace, path)
                count += len(file.entries) - len(kept)
        return count

    def _read(self) -> None:
        """Read the files that have changed. A line that is no entry, because its writer was killed, is passed over."""
        listed = {file.name: (file.inode, file.size) for file in self._workspace.listing(FOLDER, _DAY)}
        if listed == {name: (file.inode, file.size) for name, file in self._files.items()}:
            return
        files, self._files, self._by_operation, self._by_text = self._files, {}, {}, {}
        for name, (inode, size) in sorted(listed.items()):
            file = files.get(name)
            if file is None or (file.inode, file.size) != (inode, size):
                data = self._workspace.content_at((*FOLDER, name)) or b""
                file = _File(inode, size, [*_entries(data[: data.rfind(b"\n") + 1])])
            self._files[name] = file
            self._find_by(file.entries)

    def _find_by(self, entries: Sequence[SensoryEntry]) -> None:
        """Have entries found by their operations and their texts."""
        self._by_operation |= {entry.op_id: entry for entry in entries}
        self._by_text |= {(entry.scope, entry.text): entry for entry in entries}


def _line(entry: SensoryEntry) -> bytes:
    return json.dumps(asdict(entry), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _entries(data: bytes) -> Iterator[SensoryEntry]:
    for line in data.split(b"\n"):
        with suppress(ValueError, TypeError, KeyError):
            fields = json.loads(line)
            at, origin, scope = datetime.fromisoformat(fields["at"]), Origin(fields["origin"]), Scope(fields["scope"])
            yield SensoryEntry(**{**fields, "at": instant(at), "origin": origin, "scope": scope})
