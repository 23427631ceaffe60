"""The checkpoint of a journal: which record was carried out last, so that a start knows what a crash left over."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass

from memory.errors import Error, NotFound
from memory.files.workspace import Workspace, opened, write_all
from memory.journal.journal import Journal
from memory.journal.records import Record

NAMES = (".memory", "applied")
SIZE = 128
"""Bytes of the mark, blanks at its end included."""


@dataclass(frozen=True, slots=True)
class _CheckpointFile:
    """The last record that was carried out, and the file that it stands in.

    `size` is the file's, 0 as long as the text of something forgotten waits there to be blanked.
    """

    seq: int
    name: str
    inode: int
    size: int = 0


_DAMAGED = _CheckpointFile(-1, "", 0)


class Checkpoint:
    """The mark of one workspace; read and written under the workspace's lock."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._synced: _CheckpointFile | None = None

    def is_at_rest(self) -> bool:
        """Return whether, by the mark, the journal ends as it was left, with nothing to carry out or to blank.

        The journal itself is not read for that.
        """
        mark, files = self._read(), self._journal.months.listing()
        if not files:
            return True
        newest = files[-1]
        return mark is not None and (mark.name, mark.inode, mark.size) == (newest.name, newest.inode, newest.size)

    def pending(self) -> Record | None:
        """Return the last record, if this machine wrote it and may not have carried it out."""
        record = self._journal.last
        mark = self._read()
        if mark and record and self._is_ours(record, mark):
            return record
        if mark != self._current():
            self._write(synced=True)
        return None

    def save(self) -> None:
        """Save that all that is in the journal has been carried out; the disk is waited for once for each file."""
        synced, now = self._synced, self._current()
        self._write(synced=synced is None or (synced.name, synced.inode) != (now.name, now.inode))

    def _write(self, *, synced: bool) -> None:
        mark = self._current()
        fields = {"seq": mark.seq, "file": mark.name, "inode": mark.inode, "size": mark.size}
        # A mark that cannot be written is one that is behind: the next writer looks again and finds the effect there.
        with (
            suppress(Error),
            self._workspace.writing(NAMES) as parent,
            opened(parent, NAMES[-1], os.O_WRONLY | os.O_CREAT) as handle,
        ):
            write_all(handle, json.dumps(fields).ljust(SIZE).encode())
            os.ftruncate(handle, SIZE)
            if synced:
                self._workspace.fsync(handle)
                self._workspace.fsync(parent)
                self._synced = mark

    def _is_ours(self, record: Record, mark: _CheckpointFile) -> bool:
        if mark == _DAMAGED:
            return True
        file = self._journal.file_of(record)
        if file.name == mark.name:
            return record.seq > mark.seq and file.inode == mark.inode
        return record.seq == mark.seq + 1

    def _current(self) -> _CheckpointFile:
        record = self._journal.last
        if record is None:
            return _CheckpointFile(0, "", 0)
        file = self._journal.file_of(record)
        is_due = any(not forgetting.blanked for forgetting in self._journal.state.forgotten.values())
        return _CheckpointFile(record.seq, file.name, file.inode, 0 if is_due else file.size)

    def _read(self) -> _CheckpointFile | None:
        try:
            fields = json.loads(self._workspace.read_at(NAMES))
            return _CheckpointFile(fields["seq"], fields["file"], fields["inode"], fields.get("size", 0))
        except NotFound:
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            return _DAMAGED
