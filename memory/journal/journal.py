"""The journal: records chained by hashes in monthly files."""

from __future__ import annotations

import dataclasses
import os
import re
from contextlib import suppress
from typing import Any, NamedTuple

from memory.errors import Error, JournalBroken, NotFound
from memory.files.atomic import append, replace
from memory.files.paths import original
from memory.files.workspace import Listed, Workspace, digest, not_read, opened, read_all
from memory.journal import records
from memory.journal.records import Record, read_fields, read_record
from memory.journal.state import JournalState

FOLDER = (".memory", "journal")
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}\.jsonl")
_VERSION = re.compile(r"[0-9]{4}-[0-9]{2}(?:\.sync-conflict-| \().+\.jsonl")
TORN = re.compile(r".+\.torn")
_FOR_GIT = {
    (".memory", ".gitignore"): b"/applied\n/lock\n/sensory/\n",
    (".memory", ".gitattributes"): b"/journal/* merge=union\n",
    (".gitattributes",): b"/memory/**/*.md merge=union\n",
}
"""What belongs to one machine stays there, and of journals and logs that two have written to each line is kept."""


class Place(NamedTuple):
    """Where a record stands: file, first byte, length with its newline."""

    name: str
    offset: int
    length: int


class Months:
    """Access to these files. What it writes is on the disk when it returns; writers hold the workspace's lock."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def listing(self, pattern: re.Pattern[str] = _MONTH) -> list[Listed]:
        """Return the files there are, oldest month first, or others with such names: what was set aside is `TORN`."""
        return self._workspace.listing(FOLDER, pattern)

    def remove(self, name: str) -> None:
        """Remove one of these further files."""
        with self._workspace.writing((*FOLDER, name)) as parent:
            os.unlink(name, dir_fd=parent)

    def read(self, name: str, offset: int = 0, length: int = 1 << 62) -> bytes:
        """Return the bytes of one file."""
        try:
            with self._workspace.folder(FOLDER) as parent, opened(parent, name, os.O_RDONLY) as handle:
                os.lseek(handle, offset, os.SEEK_SET)
                return read_all(handle, length)
        except OSError as error:
            raise not_read(error, "/".join((*FOLDER, name))) from error

    def tell_git(self) -> None:
        """Tell git, where nobody has, what to do with files that two have written to; no write depends on that."""
        for names, text in _FOR_GIT.items():
            with suppress(Error):  # people have put something else there, or the disk refuses, as it will the file
                replace(self._workspace, names, text, expected=None)

    def append(self, name: str, line: bytes) -> os.stat_result | None:
        """Add a line; returns what `memory.files.atomic.append` does."""
        return append(self._workspace, (*FOLDER, name), line)

    def take_in(self, version: str, name: str) -> None:
        """Add to a file the whole lines that only another version of it has, which goes."""
        known = set[bytes]()
        with suppress(NotFound):
            known.update(self.read(name).split(b"\n"))
        if added := [line for line in self.read(version).split(b"\n")[:-1] if line not in known]:
            self.append(name, b"\n".join([*added, b""]))
        self.remove(version)

    def set_aside(self, name: str, offset: int) -> None:
        """Move what follows a byte, a line that was never finished, into the `.torn` file beside it."""
        append(self._workspace, (*FOLDER, name.replace(".jsonl", ".torn")), self.read(name, offset) + b"\n")
        self.cut(name, offset)

    def cut(self, name: str, offset: int) -> None:
        """End a file at a byte."""
        with self._workspace.writing((*FOLDER, name)) as parent, opened(parent, name, os.O_RDWR) as handle:
            os.ftruncate(handle, offset)
            self._workspace.fsync(handle)


class Journal:
    """The journal of one workspace. `state` and `last` are what has been read so far; `refresh` reads on.

    Nothing is read before somebody asks for it: who only looks something up in an index need not know the journal. For
    one thread at a time, but for `glance` and `seen`.

    Attributes:
        seen: the number of the last record that has been read so far; 0 if none was, or nothing has been read.
        chain: the hash of that record, which the next one carries; empty if there is none.
        unreadable: how many lines are no records, and are passed over: damaged, or put there by others.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.months = Months(workspace)
        self._workspace = workspace
        self._is_read = False
        self._newest = ""
        self._forget_all()

    @property
    def state(self) -> JournalState:
        """What the records add up to."""
        self._read_once()
        return self._state

    @property
    def last(self) -> Record | None:
        """The last record; None if there is none."""
        self._read_once()
        return self._last

    @property
    def seen(self) -> int:
        return self._state.last

    def mark(self) -> str:
        """Return what the files are by name, inode, size and time: equal as long as nobody has changed them."""
        files = self.months.listing()
        return " ".join([f"{len(files)} files", *(":".join(map(str, file)) for file in files)])

    def glance(self) -> tuple[object, ...]:
        """Return what changes with every record that anybody writes; any thread may ask, and need not wait."""
        newest = self._newest
        return newest, self._workspace.glance(*FOLDER), self._workspace.glance(*FOLDER, newest) if newest else None

    def refresh(self) -> list[Listed]:
        """Read what has been written since, by whatever process; returns the files there are.

        Raises:
            Unreadable: a file will not open.
        """
        listing = self.months.listing()
        self._newest = listing[-1].name if listing else ""
        if not self._continues(listing):
            self._forget_all()
        for file in listing:
            start = self._ends[file.name].size if file.name in self._ends else 0
            if file.size != start:
                data = self.months.read(file.name, start, file.size - start)
                self._take(file, start, data[: data.rfind(b"\n") + 1])
        self._is_read = True
        return listing

    def mend(self) -> None:
        """Read on, and set aside a last line that was never finished: nobody was told that it had been written.

        What stands only in another version of a file, as Syncthing keeps it, comes into the file.
        """
        for file in self.refresh():
            read = self._ends.get(file.name, file)
            if file.size > read.size:
                self.months.set_aside(file.name, read.size)
        versions = [file.name for file in self.months.listing(_VERSION) if original(file.name) != file.name]
        for name in versions:
            with suppress(Error):  # what is refused stays there, and stops nothing
                self.months.take_in(name, original(name))
        if versions:
            self.refresh()

    def append(self, record: Record) -> Record:
        """Number a record, chain it to the last one that can be read, and put it on the disk.

        A line after that one which cannot be read keeps its place and its number, so that the break stays to be seen.

        Raises:
            WriteFailed: the disk refused; the record is not there.
        """
        sealed = record.sealed(self.state.last + self._passed + 1, self.chain)
        name, line = max([f"{record.at[:7]}.jsonl", *self._ends]), sealed.line()
        if (before := self._ends.get(name)) is None:
            self.months.tell_git()
        now = self.months.append(name, line)
        size = before.size if before else 0
        if now and now.st_size == size + len(line) and (before is None or before.inode == now.st_ino):
            self._take(Listed(name, now.st_ino, now.st_size), size, line)
        else:  # somebody else has written to the file: it is read again
            self.refresh()
        return sealed

    def retract(self, record: Record) -> None:
        """Take a record away again, because what it announces could not be done and nobody was told of it."""
        name, offset, length = self._places[record.seq]
        whole = self.months.read(name)
        if rest := whole[offset + length :]:  # a merge has put it there
            replace(self._workspace, (*FOLDER, name), whole[:offset] + rest, expected=digest(whole))
        else:
            self.months.cut(name, offset)
        self.refresh()

    def first_record(self, op_id: str) -> Record | None:
        """Return the first record of an operation; None if it is not known."""
        return next(iter(self.operation(op_id)), None)

    def operation(self, op_id: str) -> tuple[Record, ...]:
        """Return all records of an operation, in their order."""
        return tuple(self.record(seq) for seq in self.state.operations.get(op_id, ()))

    def record(self, seq: int) -> Record:
        """Return the record with that number.

        Raises:
            JournalBroken: there is none, or it cannot be read.
        """
        self._read_once()
        return self._numbered(self._as_written(seq), seq)

    def _as_written(self, seq: int) -> Record:
        try:
            return read_record(self.months.read(*self._places[seq]))
        except (KeyError, ValueError) as error:
            hint = "Run `scrubjay doctor`; restore it from a backup."
            raise JournalBroken(f"Record {seq} of the journal cannot be read.", hint=hint) from error

    def _numbered(self, record: Record, seq: int) -> Record:
        return dataclasses.replace(record, seq=seq, undoes=self._state.undoes.get(seq, 0))

    def head(self) -> str:
        """Return the last record in short, to be looked for in the journal later (`holds`); empty if there is none."""
        self.refresh()
        last = self._as_written(self._last.seq) if self._last else None
        return f"{last.seq}:{last.seal()}" if last else ""

    def holds(self, head: str) -> bool:
        """Return whether the record that once was the last one is still there as it was."""
        number, _, seal = head.partition(":")
        self.refresh()
        try:
            named = {int(number or 0), *(seq for seq, written in self._written.items() if str(written) == number)}
            return not head or any(self._as_written(seq).seal() == seal for seq in named & self._places.keys())
        except (JournalBroken, ValueError):
            return False

    def file_of(self, record: Record) -> Listed:
        """Return the file that a record stands in, as it was when last read."""
        return self._ends[self._places[record.seq].name]

    def author(self, id: str) -> str:
        """Return who wrote a fact; empty if its line was written by hand."""
        known = self.state.provenance.get(id)
        return known.actor if known else ""

    def _read_once(self) -> None:
        if not self._is_read:
            self.refresh()

    def _forget_all(self) -> None:
        self._state = JournalState()
        self._places: dict[int, Place] = {}
        self._ends: dict[str, Listed] = {}
        self._numbering = records.Numbering()
        self._written: dict[int, int] = {}  # the numbers on lines, where git has put others before these
        self._last: Record | None = None
        self.chain = ""
        self.unreadable = 0
        self._last_line = b""
        self._passed = 0  # lines since the last record

    def _continues(self, listing: list[Listed]) -> bool:
        """Return whether only the newest of the files that were read has grown, by what follows on the last record.

        Git may have put other records into it, or the same in another order.
        """
        names = [file.name for file in listing[: len(self._ends)]]
        grown = names == [*self._ends] and all(
            file.inode == read.inode and (file.size == read.size or (file.size > read.size and file.name == names[-1]))
            for file, read in zip(listing, self._ends.values(), strict=False)
        )
        if not grown or self._last is None:
            return grown
        end, size = self._ends[names[-1]].size, listing[len(names) - 1].size
        added, is_whole, _ = (self.months.read(names[-1], end) if size > end else b"").partition(b"\n")
        is_next = not is_whole or f'"prev":"{self.chain}"'.encode() in added
        return is_next and self.months.read(*self._places[self._last.seq]) == self._last_line

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
                written, identifying = fields["seq"], map(fields.__getitem__, records.IDENTIFYING)
                fields["seq"] = seq = self._numbering.take(written, *identifying)
                fields["moved"] = seq - written
                if seq in self._places:
                    self._take_again(fields, Place(file.name, at, len(line) + 1))
                else:
                    if seq != written:
                        self._written[seq] = written
                    self._state.fold(fields)
                    self._places[seq] = Place(file.name, at, len(line) + 1)
                    newest = line
                self._passed = 0
            at += len(line) + 1
        self._ends[file.name] = Listed(file.name, file.inode, at)
        if newest:
            record = read_record(newest)
            self._last, self._last_line = self._numbered(record, self._state.last), newest + b"\n"
            self.chain = record.chain_hash()

    def _take_again(self, fields: dict[str, Any], place: Place) -> None:
        """Take a record that stands there twice; git may have kept in one of the two what was blanked in the other."""
        first = self._as_written(fields["seq"])
        if (first.before, first.after) != (fields["before"], fields["after"]):
            self._state.note_unblanked(first.target)
            if first.is_blanked:
                self._places[fields["seq"]] = place
