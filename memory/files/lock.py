"""The workspace's lock: one writer at a time among all processes, held for a single write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memory.errors import Busy
from memory.files.faults import not_written
from memory.files.handles import FILE_MODE
from memory.files.workspace import Workspace

FOLDER = ".memory"
NAMES = (FOLDER, "lock")
PATIENCE_S = 10.0
"""How long a writer waits for another."""

_POLL_S = 0.005


class WorkspaceLock:
    """Taken by the service and by every command of a person, around each write; a holder cannot take it again."""

    def __init__(self, workspace: Workspace, *, timeout_s: float | None = None) -> None:
        self._workspace = workspace
        self._timeout_s = PATIENCE_S if timeout_s is None else timeout_s

    @contextmanager
    def hold(self, *, timeout_s: float | None = None) -> Iterator[None]:
        """Keep all other writers out.

        Args:
            timeout_s: how long to wait for another; as given when the lock was made if left out.

        Raises:
            Busy: another process did not let go in time.
            NotFound: the workspace is not there any more.
            WriteFailed: the lock's file cannot be made.
        """
        from filelock import FileLock, Timeout

        timeout_s = self._timeout_s if timeout_s is None else timeout_s
        self._workspace.check_place()
        with self._workspace.writing(NAMES):  # the folder is made, and is a folder
            lock = FileLock(self._workspace.root.joinpath(*NAMES), mode=FILE_MODE, poll_interval=_POLL_S)
        try:
            lock.acquire(timeout=timeout_s)
        except Timeout as error:
            raise Busy(
                f"Another process has been writing to {self._workspace.root} for {timeout_s:g} seconds.",
                hint="Wait for it to end, or stop it; then try again.",
            ) from error
        except OSError as error:
            raise not_written(error, "/".join(NAMES)) from error
        try:
            yield
        finally:
            lock.release()
