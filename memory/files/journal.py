"""The journal: every change in its order, chained by hashes, and what it adds up to.

Any process may read along without a lock. Who writes holds the workspace's lock and has called `mend` under it.
"""

from __future__ import annotations

from threading import RLock

from memory.errors import JournalBroken
from memory.files.ledger import Ledger, Provenance
from memory.files.months import Listed, Months, Place
from memory.files.record import Record, read_fields, read_record
from memory.files.workspace import Workspace


class Journal:
    """The journal of one workspace. `ledger` and `last` are what has been read so far; `refresh` reads on.

    Attributes:
        unreadable: how many lines are no records, and are passed over: damaged, or put there by others.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.months = Months(workspace)
        self._lock = RLock()
        self._forget_all()

    def refresh(self) -> None:
        """Read what has been written since, by whatever process.

        Raises:
            Unreadable: a file will not open.
        """
        with self._lock:
            listing = self.months.listing()
            if not self._continues(listing):
                self._forget_all()
            self._read_on(listing)

    def mend(self) -> None:
        """Read on, and set aside a last line that was never finished: nobody was told that it had been written."""
        with self._lock:
            self.refresh()
            for file in self.months.listing():
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
            sealed = record.sealed(self.ledger.last + self._passed + 1, last.chain_hash() if last else "")
            self.months.append(max([f"{record.at[:7]}.jsonl", *self._ends]), sealed.line())
            self.refresh()
            return sealed

    def retract(self, record: Record) -> None:
        """Take the last record away again, because what it announces could not be done and nobody was told of it."""
        with self._lock:
            place = self._places[record.seq]
            self.months.cut(place.name, place.offset)
            self.refresh()

    def known(self, op_id: str) -> Record | None:
        """The first record of an operation; None if it is not known."""
        return next(iter(self.operation(op_id)), None)

    def operation(self, op_id: str) -> tuple[Record, ...]:
        """All records of an operation, in their order."""
        with self._lock:
            return tuple(self.record(seq) for seq in self.ledger.operations.get(op_id, ()))

    def record(self, seq: int) -> Record:
        """The record with that number.

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
        """The last record in short, to be held against the journal later (`holds`); empty if there is none."""
        with self._lock:
            self.refresh()
            return f"{self.last.seq}:{self.last.seal()}" if self.last else ""

    def holds(self, head: str) -> bool:
        """Whether the record that once was the last one is still there as it was."""
        number, _, seal = head.partition(":")
        with self._lock:
            self.refresh()
            try:
                return not head or self.record(int(number)).seal() == seal
            except (JournalBroken, ValueError):
                return False

    def file_of(self, record: Record) -> Listed:
        """The file that a record stands in, as it was when last read."""
        return self._ends[self._places[record.seq].name]

    def provenance(self, id: str) -> Provenance | None:
        """Where a fact comes from; None if its line was written by hand."""
        return self.ledger.provenance.get(id)

    def _forget_all(self) -> None:
        self.ledger = Ledger()
        self._places: dict[int, Place] = {}
        self._ends: dict[str, Listed] = {}
        self.last: Record | None = None
        self.unreadable = 0
        self._last_line = b""
        self._passed = 0  # lines since the last record

    def _continues(self, listing: list[Listed]) -> bool:
        """Whether the files that were read are still these and have only grown, and the last record still stands."""
        now = {file.name: file for file in listing}
        grown = all(
            name in now and now[name].inode == read.inode and now[name].size >= read.size
            for name, read in self._ends.items()
        )
        if not grown or self.last is None:
            return grown
        place = self._places[self.last.seq]
        return self.months.read(place.name, place.offset, place.length) == self._last_line

    def _read_on(self, listing: list[Listed]) -> None:
        for file in listing:
            start = self._ends[file.name].size if file.name in self._ends else 0
            if file.size == start:
                continue
            data = self.months.read(file.name, start, file.size - start)
            self._take(file, start, data[: data.rfind(b"\n") + 1])

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
                self.ledger.take(fields)
                self._places[fields["seq"]] = Place(file.name, at, len(line) + 1)
                newest, self._passed = line, 0
            at += len(line) + 1
        self._ends[file.name] = Listed(file.name, file.inode, at)
        if newest:
            self.last, self._last_line = read_record(newest), newest + b"\n"
