"""The checkpoint of a journal: up to where it was carried out, so that a start knows what a crash left over."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from string import ascii_lowercase

from memory.errors import Error, NotFound
from memory.files.workspace import Listed, Workspace, opened, write_all
from memory.journal.journal import Journal
from memory.journal.records import Record

NAMES = (".memory", "applied")
SIZE = 256
"""Bytes of the mark, blanks at its end included."""


@dataclass(frozen=True, slots=True)
class _CheckpointFile:
    """The machine, up to which number its records are carried out, and the journal's last file.

    `size` is the file's, 0 as long as the text of something forgotten waits there to be blanked.
    """

    seq: int
    file: str
    inode: int
    size: int = 0  # from here on, a mark of an older version may have none
    machine: str = ""


_DAMAGED = _CheckpointFile(-1, "", 0)


class Checkpoint:
    """The mark of one workspace; read and written under the workspace's lock.

    Attributes:
        machine: what this machine is called in its records, at random.
    """

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal
        self._synced: _CheckpointFile | None = None
        self.machine = "".join(map(secrets.choice, [ascii_lowercase] * 8))

    def is_at_rest(self) -> bool:
        """Return whether, by the mark, the journal ends as it was left, with nothing to carry out or to blank.

        The journal itself is not read for that.
        """
        mark, files = self._read(), self._journal.months.listing()
        if not files:
            return True
        newest = files[-1]
        return mark is not None and (mark.file, mark.inode, mark.size) == (newest.name, newest.inode, newest.size)

    def pending(self, when_merged: Callable[[], None] = lambda: None) -> Record | None:
        """Return the last record of this machine, wherever a merge has put it, if it may not have been carried out.

        Before, `when_merged` is called if the journal has got records of others since the mark. This process goes by
        the name that the mark has for all of the machine, unless that was copied here.
        """
        mark = self._read()
        written, own = self._journal.state.latest.get(mark.machine if mark else "", (0, 0))
        if mark and self._journal.seen > max(mark.seq, written):
            when_merged()
        if mark and mark.machine not in {"", self.machine}:
            files = [(file.name, file.inode) for file in self._journal.months.listing()]
            self.machine = mark.machine if (mark.file, mark.inode) in files else self.machine
        if mark == _DAMAGED:
            return self._journal.last
        if mark and written > mark.seq:
            return self._journal.record(own)
        if mark != self._current():
            self._write(synced=True)
        return None

    def save(self) -> None:
        """Save that all that is in the journal has been carried out; the disk is waited for once for each file."""
        synced, now = self._synced, self._current()
        self._write(synced=synced is None or (synced.file, synced.inode) != (now.file, now.inode))

    def _write(self, *, synced: bool) -> None:
        mark = self._current()
        # A mark that cannot be written is one that is behind: the next writer looks again and finds the effect there.
        with (
            suppress(Error),
            self._workspace.writing(NAMES) as parent,
            opened(parent, NAMES[-1], os.O_WRONLY | os.O_CREAT) as handle,
        ):
            write_all(handle, json.dumps(asdict(mark)).ljust(SIZE).encode())
            os.ftruncate(handle, SIZE)
            if synced:
                self._workspace.fsync(handle)
                self._workspace.fsync(parent)
                self._synced = mark

    def _current(self) -> _CheckpointFile:
        record = self._journal.last
        file = self._journal.file_of(record) if record else Listed("", 0, 0)
        size = 0 if any(self._journal.state.unblanked()) else file.size
        return _CheckpointFile(self._journal.seen, file.name, file.inode, size, self.machine)

    def _read(self) -> _CheckpointFile | None:
        try:
            fields = {**json.loads(self._workspace.read_at(NAMES))}
            return _CheckpointFile(**{name: fields[name] for name in fields.keys() & _CheckpointFile.__slots__})
        except NotFound:
            return None
        except (Error, ValueError, TypeError, RecursionError):
            return _DAMAGED
