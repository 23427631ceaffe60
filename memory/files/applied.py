"""How far the journal has been carried out: a small mark beside it, so that a killed write can be told from a done one.

The mark is written after the effect and not synced: a lost one makes us look at a record again, nothing more. It has
the same length each time and is written over the last one, so that a power cut leaves either of them and not none.
It names the journal's file by its inode. A journal that was brought by git or copied is another file, and its records
were carried out where they were written; so is one without any mark. Such a journal is marked as ours before anything
is added to it, and the first mark that names a file is synced: without it the records after the next one would be
taken for some that came with it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass

from memory.errors import Error, NotFound
from memory.files.handles import open_file, write_all
from memory.files.journal import Journal
from memory.files.record import Record
from memory.files.workspace import Workspace

NAMES = (".memory", "applied")
SIZE = 128
"""Bytes of the mark, blanks at its end included."""


@dataclass(frozen=True, slots=True)
class _Mark:
    seq: int
    name: str
    inode: int

    def is_of(self, other: _Mark) -> bool:
        """Whether both are in the same file."""
        return (self.name, self.inode) == (other.name, other.inode)


_DAMAGED = _Mark(-1, "", 0)


class Applied:
    """The mark of one workspace; read and written under the workspace's lock."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._synced: _Mark | None = None

    def pending(self) -> Record | None:
        """The last record, if this machine wrote it and may not have carried it out."""
        record = self._journal.last
        mark = self._read()
        if mark and record and self._is_ours(record, mark):
            return record
        if mark != self._current():
            self._write(synced=True)
        return None

    def mark(self) -> None:
        """Note that all that is in the journal has been carried out."""
        self._write(synced=self._synced is None or not self._synced.is_of(self._current()))

    def _write(self, *, synced: bool) -> None:
        mark = self._current()
        fields = {"seq": mark.seq, "file": mark.name, "inode": mark.inode}
        # A mark that cannot be written is one that is behind: the next writer looks again and finds the effect there.
        with suppress(Error), self._workspace.writing(NAMES) as parent:
            handle = open_file(parent, NAMES[-1], os.O_WRONLY | os.O_CREAT)
            try:
                write_all(handle, json.dumps(fields).ljust(SIZE).encode())
                os.ftruncate(handle, SIZE)
                if synced:
                    self._workspace.fsync(handle)
                    self._workspace.fsync(parent)
                    self._synced = mark
            finally:
                os.close(handle)

    def _is_ours(self, record: Record, mark: _Mark) -> bool:
        if mark == _DAMAGED:
            return True
        file = self._journal.file_of(record)
        if file.name == mark.name:
            return record.seq > mark.seq and file.inode == mark.inode
        return record.seq == mark.seq + 1

    def _current(self) -> _Mark:
        record = self._journal.last
        if record is None:
            return _Mark(0, "", 0)
        file = self._journal.file_of(record)
        return _Mark(record.seq, file.name, file.inode)

    def _read(self) -> _Mark | None:
        try:
            fields = json.loads(self._workspace.read_at(NAMES))
            return _Mark(fields["seq"], fields["file"], fields["inode"])
        except NotFound:
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            return _DAMAGED
