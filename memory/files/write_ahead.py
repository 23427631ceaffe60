"""Write-ahead: a change is journalled and synced, then made and synced, then marked as made; under the lock.

So only the last record can be unfinished, and whoever takes the lock next finishes it before anything else is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memory.errors import Conflict, Error
from memory.files.applied import Applied
from memory.files.carry_out import carry_out, finish
from memory.files.journal import Journal
from memory.files.lock import WorkspaceLock
from memory.files.names import admit
from memory.files.record import Record
from memory.files.workspace import Workspace

Draft = Callable[[bytes | None], Record]
"""Makes a record from what the file is at this moment (None: there is none)."""

_TRIES = 5


class WriteAhead:
    """Carries out changes of one workspace."""

    def __init__(self, workspace: Workspace, journal: Journal, lock: WorkspaceLock) -> None:
        self._workspace = workspace
        self._journal = journal
        self._lock = lock
        self._applied = Applied(workspace, journal)

    @contextmanager
    def hold(self, *, timeout_s: float | None = None) -> Iterator[None]:
        """Hold the lock, with all that was written before read, and finished if its writer was killed.

        Raises:
            Busy: another process does not let go.
        """
        with self._lock.hold(timeout_s=timeout_s):
            self._journal.mend()
            unfinished = self._applied.pending()
            if unfinished:
                finish(self._workspace, self._journal, unfinished)
                self._applied.mark()
            yield

    def write(self, path: str, draft: Draft) -> Record:
        """Make one change, drafted anew if the file changes under our hands.

        Raises:
            Conflict: the file will not hold still.
            Error: as the draft or the write raises; then the journal has no record of it either.
        """
        for _ in range(_TRIES):
            content = self._workspace.content_at(admit(path))
            record = self._journal.append(draft(content))
            try:
                carry_out(self._workspace, self._journal, record)
            except Conflict:
                self._journal.retract(record)
            except Error:
                self._journal.retract(record)
                raise
            else:
                self._applied.mark()
                return record
        raise Conflict(f"{path} is being changed all the time.", hint="Close it elsewhere, then try again.")

    def rewritten(self) -> None:
        """Note that the journal's files themselves were replaced, with nothing left to carry out."""
        self._journal.refresh()
        self._applied.mark()
