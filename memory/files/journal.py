"""The journal: one record per change, chained by hashes in monthly files, and the state it adds up to."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from threading import RLock
from typing import Any

from memory.errors import JournalBroken
from memory.files.atomic import append
from memory.files.workspace import Workspace, digest, not_read, open_file, read_all
from memory.types import LineOrigins, Origin, Scope

VERSION = 1


class Action(StrEnum):
    """What was done: the first four change a file, `undo` takes them back, the last three are about a proposal."""

    REMEMBER = "remember"
    FORGET = "forget"
    APPEND = "append"
    REPLACE = "replace"
    UNDO = "undo"
    PROPOSE = "propose"
    ACCEPT = "accept"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that was asked for: its id (`<turn>:<n>`), who asked, where the text comes from, who may see it."""

    op_id: str
    actor: str
    origin: Origin
    scope: Scope

    def __post_init__(self) -> None:
        """Refuse what no file can hold, before anything is written; raises `UnicodeEncodeError`."""
        f"{self.op_id}{self.actor}{self.scope}".encode()

    def record(self, action: str, at: datetime) -> Record:
        """Return a record of it that says nothing yet of what is changed."""
        return Record(self.op_id, self.actor, self.origin, self.scope, action, instant(at))


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the journal.

    Attributes:
        op_id: `<turn>:<n>`; several records of one operation share it.
        actor: who asked for it.
        origin, scope: where the text came from, and who may see it.
        action: one of `Action`, or one that a newer version adds.
        at: ISO instant in UTC.
        target: the id of the fact that is meant, or empty.
        path: the file that is changed, or empty.
        offset: the byte where the change begins.
        before, after: the text that was there and the text that is; None when there is none, or when it was blanked.
        base: `digest` of the whole file before; empty if there was no file.
        lines: in a page with foreign words, the lines that are not: origins with `line_digest` of each line.
        sources: what a derived fact was made of: turns, and lines of files as `path#L12`.
        undoes: the number of the record that this one takes back; 0 for none.
        seq: 1, 2, 3, ... without gaps.
        before_hash, after_hash: `digest` of the two texts; empty where there is none.
        prev: `chain_hash` of the record before; empty for the first.
        v: version of the format.
        others: what a newer version has added: place among the keys of the line, key, and value as JSON.
    """

    op_id: str
    actor: str
    origin: Origin
    scope: Scope
    action: str
    at: str
    target: str = ""
    path: str = ""
    offset: int = 0
    before: str | None = None
    after: str | None = None
    base: str = ""
    lines: LineOrigins = ()
    sources: tuple[str, ...] = ()
    undoes: int = 0
    seq: int = 0
    before_hash: str = ""
    after_hash: str = ""
    prev: str = ""
    v: int = VERSION
    others: tuple[tuple[int, str, str], ...] = ()

    def sealed(self, seq: int, prev: str) -> Record:
        """This record with its number, its place in the chain and the hashes of its texts."""
        return replace(self, seq=seq, prev=prev, before_hash=_hash(self.before), after_hash=_hash(self.after))

    def blanked(self) -> Record:
        """This record without its texts."""
        return replace(self, before=None, after=None)

    @property
    def is_blanked(self) -> bool:
        """Whether a text has been taken out."""
        return (self.before is None and self.before_hash != "") or (self.after is None and self.after_hash != "")

    @property
    def is_intact(self) -> bool:
        """Whether the texts that are still there are those that were hashed."""
        texts = ((self.before, self.before_hash), (self.after, self.after_hash))
        return all(text is None or _hash(text) == expected for text, expected in texts)

    def line(self) -> bytes:
        """Return the record as it stands in the file, with its newline."""
        return _json(self._fields()) + b"\n"

    def chain_hash(self) -> str:
        """Return the hash that the next record carries as `prev`."""
        return digest(_json(self._fields(*_TEXTS)))

    def seal(self) -> str:
        """Return a hash over what never changes in the record: its path may be called otherwise by a purge."""
        return digest(_json(self._fields(*_TEXTS, "path", "prev")))

    def _fields(self, *without: str) -> dict[str, Any]:
        """What came later only where there is any: records that were written before have the same hash."""
        found = [(name, getattr(self, name)) for name in _NAMES if name not in _LATER or getattr(self, name)]
        for place, name, value in self.others:
            found.insert(place, (name, json.loads(value)))
        return {name: value for name, value in found if name not in without}


_FIRST = ("v", "seq", "at")
_KNOWN = tuple(field.name for field in fields(Record) if field.name != "others")
_NAMES = (*_FIRST, *(name for name in _KNOWN if name not in _FIRST))
_TEXTS = ("before", "after")
_LATER = ("lines", "sources")
_REQUIRED = tuple(name for name in _KNOWN if name not in _LATER)
_STRINGS = tuple("op_id actor origin scope action at target path base before_hash after_hash prev".split())
_NUMBERS = ("v", "seq", "offset", "undoes")
_LARGEST = 1 << 53
_LONGEST_LINE = 1 << 28
"""Bytes; two texts of the largest file that is written, with every character escaped, are shorter."""


def read_record(line: bytes) -> Record:
    """Read a line of the journal; raises `ValueError` if it is no record."""
    found = read_fields(line)
    others = tuple(
        (place, name, _json(value).decode()) for place, (name, value) in enumerate(found.items()) if name not in _KNOWN
    )
    known = {name: value for name, value in found.items() if name in _KNOWN}
    listed = {"lines": read_lines(found), "sources": tuple(found.get("sources", ())), "others": others}
    return Record(**{**known, "origin": Origin(found["origin"]), **listed})


def read_fields(line: bytes) -> dict[str, Any]:
    """Return the fields of a line, in its order: each that we know is what it should be, and others are as they are.

    Raises:
        ValueError: it is no record: cut off, altered, of another kind, or too long or too deep to be one.
    """
    if len(line) > _LONGEST_LINE:
        raise ValueError("longer than any record")
    try:
        found = json.loads(line)
        if not isinstance(found, dict) or not all(name in found for name in _REQUIRED):
            raise ValueError("not a record")
        for name in _NUMBERS:
            value = found[name]
            if type(value) is not int or not 0 <= value < _LARGEST or (name == "seq" and not value):
                raise ValueError(f"not a record: {name}")
        "".join([found[name] for name in _STRINGS]).encode()  # refuses what is no text, and what no file can hold
        if not all(isinstance(found[name], str | None) for name in _TEXTS):
            raise ValueError("not a record: texts")
        if not all(isinstance(source, str) for source in found.get("sources", ())):
            raise ValueError("not a record: sources")
        if datetime.fromisoformat(found["at"]).tzinfo is None:
            raise ValueError("not a record: at")
        Origin(found["origin"])
        json.dumps([value for name, value in found.items() if name not in _KNOWN])
        read_lines(found)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"not a record: {error}") from error
    return found


def read_lines(fields: Mapping[str, Any]) -> LineOrigins:
    """Return the `lines` among a record's fields; raises `ValueError` if they are none."""
    try:
        return tuple((Origin(origin), tuple(map(str, names))) for origin, names in fields.get("lines", ()))
    except TypeError as error:
        raise ValueError(f"not lines of a page: {error}") from error


def instant(at: datetime) -> str:
    """Return an instant as records carry it: ISO, UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _hash(text: str | None) -> str:
    return "" if text is None else digest(text)


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


FORGETTING_UNDOABLE = timedelta(hours=24)
"""How long something forgotten can be put back."""


def is_past(at: str, now: datetime) -> bool:
    """Return whether something forgotten at that ISO instant can no longer be put back."""
    return now - datetime.fromisoformat(at) > FORGETTING_UNDOABLE


UNDOABLE = frozenset({Action.REMEMBER, Action.FORGET, Action.APPEND, Action.REPLACE})
DECIDING = frozenset({Action.ACCEPT, Action.REJECT})


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a fact comes from.

    ISO instant, actor, operation and file of the write, its origin, who may see it, and what it was derived from.
    """

    origin: Origin
    scope: Scope
    at: str
    actor: str
    op_id: str = ""
    path: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribution:
    """A record that says whose words something is: its fact and file, and a hash over all such records so far."""

    target: str
    path: str
    mark: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A fact that was forgotten and not put back: the record's number, its ISO instant, whether its text is gone."""

    seq: int
    at: str
    blanked: bool


class JournalState:
    """A fold over records, taken one by one in their order.

    `changes` are the numbers of the records of each file, `undone` those that were taken back, `proposed` those of
    proposals by their ids, `decided` the ids of proposals that were accepted or rejected.
    """

    def __init__(self) -> None:
        self.operations: dict[str, tuple[int, ...]] = {}
        self.provenance: dict[str, Provenance] = {}
        self.attributions: list[Attribution] = []
        self.lines: dict[str, dict[str, Origin]] = {}
        self.forgotten: dict[str, Forgotten] = {}
        self.changes: dict[str, list[int]] = {}
        self.proposed: dict[str, int] = {}
        self.decided: set[str] = set()
        self.last = 0
        self._undoable: dict[str, list[int]] = {}
        self._targets: dict[int, str] = {}
        self.undone: set[int] = set()

    def fold(self, fields: dict[str, Any]) -> None:
        """Add one record, as `read_fields` gives it."""
        seq, action, op_id, target = fields["seq"], fields["action"], fields["op_id"], fields["target"]
        at, scope, path, lines = fields["at"], fields["scope"], fields.get("path", ""), read_lines(fields)
        self.changes.setdefault(path, []).append(seq)
        if action == Action.REMEMBER:
            sources = tuple(fields.get("sources", ()))
            self.provenance[target] = Provenance(
                Origin(fields["origin"]), scope, at, fields["actor"], op_id, path, sources
            )
        elif action == Action.FORGET:
            self.forgotten[target] = Forgotten(seq, at, fields["before"] is None)
        elif action == Action.UNDO:
            undoes = fields["undoes"]
            self.undone.add(undoes)
            if target in self.forgotten and self.forgotten[target].seq == undoes:
                del self.forgotten[target]
        elif action == Action.PROPOSE:
            self.proposed.setdefault(target, seq)
        elif action in DECIDING:
            self.decided.add(target)
        for origin, names in lines:
            self.lines.setdefault(path, {}).update(dict.fromkeys(names, origin))
        if action == Action.REMEMBER or lines:
            before = self.attributions[-1].mark if self.attributions else ""
            mark = digest("\0".join((before, target, path, scope, fields["origin"], at, op_id, repr(lines))))
            self.attributions.append(Attribution(target, path, mark))
        if action in UNDOABLE:
            self._undoable.setdefault(scope, []).append(seq)
            self._targets[seq] = target
        self.operations[op_id] = (*self.operations.get(op_id, ()), seq)
        self.last = seq

    def undoable(self, scope: Scope) -> Iterator[int]:
        """Numbers of the records of a scope that have not been undone, newest first.

        A fact that was forgotten later is not there to be undone: putting it back comes first.
        """
        for seq in reversed(self._undoable.get(scope, ())):
            forgotten = self.forgotten.get(self._targets[seq])
            if seq not in self.undone and (forgotten is None or forgotten.seq == seq):
                yield seq


FOLDER = (".memory", "journal")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}\.jsonl")
_TORN = ".torn"
_WHOLE = 1 << 62


@dataclass(frozen=True, slots=True)
class Listed:
    """A month's file as the folder lists it; a file that was replaced has another inode."""

    name: str
    inode: int
    size: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: file, first byte, length with its newline."""

    name: str
    offset: int
    length: int


class Months:
    """Access to these files. What it writes is on the disk when it returns; writers hold the workspace's lock."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def listing(self) -> list[Listed]:
        """Return the files there are, oldest month first."""
        try:
            with self._workspace.folder(FOLDER) as handle, os.scandir(handle) as entries:
                found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise not_read(error, "/".join(FOLDER)) from error
        months = ((name, state) for name, state in found if _MONTH.fullmatch(name) and stat.S_ISREG(state.st_mode))
        return sorted((Listed(name, state.st_ino, state.st_size) for name, state in months), key=lambda file: file.name)

    def torn(self) -> list[str]:
        """Return the names of the files that hold what was set aside."""
        with suppress(FileNotFoundError), self._workspace.folder(FOLDER) as handle, os.scandir(handle) as entries:
            return sorted(entry.name for entry in entries if entry.name.endswith(_TORN))
        return []

    def remove(self, name: str) -> None:
        """Remove a file of what was set aside."""
        with self._workspace.writing((*FOLDER, name)) as parent:
            os.unlink(name, dir_fd=parent)

    def read(self, name: str, offset: int = 0, length: int = _WHOLE) -> bytes:
        """Bytes of one file."""
        try:
            with self._workspace.folder(FOLDER) as parent:
                handle = open_file(parent, name, os.O_RDONLY)
                try:
                    os.lseek(handle, offset, os.SEEK_SET)
                    return read_all(handle, length)
                finally:
                    os.close(handle)
        except OSError as error:
            raise not_read(error, "/".join((*FOLDER, name))) from error

    def append(self, name: str, line: bytes) -> os.stat_result | None:
        """Add a line; returns what `memory.files.atomic.append` does."""
        return append(self._workspace, (*FOLDER, name), line)

    def set_aside(self, name: str, offset: int) -> None:
        """Move what follows a byte, a line that was never finished, into the `.torn` file beside it."""
        append(self._workspace, (*FOLDER, name.replace(".jsonl", _TORN)), self.read(name, offset) + b"\n")
        self.cut(name, offset)

    def cut(self, name: str, offset: int) -> None:
        """End a file at a byte."""
        with self._workspace.writing((*FOLDER, name)) as parent:
            handle = open_file(parent, name, os.O_RDWR)
            try:
                os.ftruncate(handle, offset)
                self._workspace.fsync(handle)
            finally:
                os.close(handle)


class Journal:
    """The journal of one workspace. `state` and `last` are what has been read so far; `refresh` reads on.

    Attributes:
        unreadable: how many lines are no records, and are passed over: damaged, or put there by others.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.months = Months(workspace)
        self._lock = RLock()
        self._forget_all()

    def refresh(self) -> list[Listed]:
        """Read what has been written since, by whatever process; returns the files there are.

        Raises:
            Unreadable: a file will not open.
        """
        with self._lock:
            listing = self.months.listing()
            if not self._continues(listing):
                self._forget_all()
            for file in listing:
                start = self._ends[file.name].size if file.name in self._ends else 0
                if file.size != start:
                    data = self.months.read(file.name, start, file.size - start)
                    self._take(file, start, data[: data.rfind(b"\n") + 1])
            return listing

    def mend(self) -> None:
        """Read on, and set aside a last line that was never finished: nobody was told that it had been written."""
        with self._lock:
            for file in self.refresh():
                read = self._ends.get(file.name, file)
                if file.size > read.size:
                    self.months.set_aside(file.name, read.size)

    def append(self, record: Record) -> Record:
        """Number a record, chain it to the last one that can be read, and put it on the disk.

        A line after that one which cannot be read keeps its place and its number, so that the break stays to be seen.

        Raises:
            WriteFailed: the disk refused; the record is not there.
        """
        with self._lock:
            last = self.last
            sealed = record.sealed(self.state.last + self._passed + 1, last.chain_hash() if last else "")
            name, line = max([f"{record.at[:7]}.jsonl", *self._ends]), sealed.line()
            before, now = self._ends.get(name), self.months.append(name, line)
            size = before.size if before else 0
            if now and now.st_size == size + len(line) and (before is None or before.inode == now.st_ino):
                self._take(Listed(name, now.st_ino, now.st_size), size, line)
            else:  # somebody else has written to the file: it is read again
                self.refresh()
            return sealed

    def retract(self, record: Record) -> None:
        """Take the last record away again, because what it announces could not be done and nobody was told of it."""
        with self._lock:
            place = self._places[record.seq]
            self.months.cut(place.name, place.offset)
            self.refresh()

    def first_record(self, op_id: str) -> Record | None:
        """Return the first record of an operation; None if it is not known."""
        return next(iter(self.operation(op_id)), None)

    def operation(self, op_id: str) -> tuple[Record, ...]:
        """Return all records of an operation, in their order."""
        with self._lock:
            return tuple(self.record(seq) for seq in self.state.operations.get(op_id, ()))

    def record(self, seq: int) -> Record:
        """Return the record with that number.

        Raises:
            JournalBroken: there is none, or it cannot be read.
        """
        with self._lock:
            try:
                place = self._places[seq]
                return read_record(self.months.read(place.name, place.offset, place.length))
            except (KeyError, ValueError) as error:
                raise JournalBroken(
                    f"Record {seq} of the journal cannot be read.",
                    hint="Run `scrubjay doctor`; restore it from a backup.",
                ) from error

    def head(self) -> str:
        """Return the last record in short, to be held against the journal later (`holds`); empty if there is none."""
        with self._lock:
            self.refresh()
            return f"{self.last.seq}:{self.last.seal()}" if self.last else ""

    def holds(self, head: str) -> bool:
        """Return whether the record that once was the last one is still there as it was."""
        number, _, seal = head.partition(":")
        with self._lock:
            self.refresh()
            try:
                return not head or self.record(int(number)).seal() == seal
            except (JournalBroken, ValueError):
                return False

    def file_of(self, record: Record) -> Listed:
        """Return the file that a record stands in, as it was when last read."""
        return self._ends[self._places[record.seq].name]

    def provenance(self, id: str) -> Provenance | None:
        """Return where a fact comes from; None if its line was written by hand."""
        return self.state.provenance.get(id)

    def _forget_all(self) -> None:
        self.state = JournalState()
        self._places: dict[int, Place] = {}
        self._ends: dict[str, Listed] = {}
        self.last: Record | None = None
        self.unreadable = 0
        self._last_line = b""
        self._passed = 0  # lines since the last record

    def _continues(self, listing: list[Listed]) -> bool:
        """Return whether the files that were read have only grown, and the last record is still as it was."""
        now = {file.name: file for file in listing}
        grown = all(
            name in now and now[name].inode == read.inode and now[name].size >= read.size
            for name, read in self._ends.items()
        )
        if not grown or self.last is None:
            return grown
        place = self._places[self.last.seq]
        return self.months.read(place.name, place.offset, place.length) == self._last_line

    def _take(self, file: Listed, at: int, data: bytes) -> None:
        """Take whole lines. One that is no record is passed over here, and named by `verify`."""
        newest = b""
        for line in data.split(b"\n")[:-1]:
            try:
                fields = read_fields(line)
            except ValueError:
                self.unreadable += 1
                self._passed += 1
            else:
                self.state.fold(fields)
                self._places[fields["seq"]] = Place(file.name, at, len(line) + 1)
                newest, self._passed = line, 0
            at += len(line) + 1
        self._ends[file.name] = Listed(file.name, file.inode, at)
        if newest:
            self.last, self._last_line = read_record(newest), newest + b"\n"
