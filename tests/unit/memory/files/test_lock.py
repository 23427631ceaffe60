from __future__ import annotations

import stat
import threading

import pytest

from memory.errors import Busy, PathRefused, WriteFailed
from memory.files.lock import NAMES, WorkspaceLock
from memory.files.workspace import Workspace


def test_one_holder_keeps_the_others_out_until_it_lets_go(workspace: Workspace) -> None:
    told: list[str] = []

    def wait() -> None:
        try:
            with WorkspaceLock(workspace, timeout_s=0.02).hold():
                told.append("held")
        except Busy as busy:
            told.append(busy.hint)

    for holder in (True, False):
        thread = threading.Thread(target=wait)
        if holder:
            with WorkspaceLock(workspace).hold():
                thread.start()
                thread.join()
        else:
            thread.start()
            thread.join()
    assert told[1:] == ["held"]
    assert "Wait" in told[0]


def test_the_lock_is_let_go_when_the_holder_fails(workspace: Workspace) -> None:
    lock = WorkspaceLock(workspace, timeout_s=0.02)
    with pytest.raises(KeyError), lock.hold():
        raise KeyError
    with lock.hold():
        pass


def test_the_lock_belongs_to_the_owner_of_the_workspace(workspace: Workspace) -> None:
    with WorkspaceLock(workspace).hold():
        pass
    file = workspace.root.joinpath(*NAMES)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_lock_that_cannot_be_made_says_so(workspace: Workspace) -> None:
    workspace.root.joinpath(*NAMES).mkdir(parents=True)
    with pytest.raises((WriteFailed, PathRefused)) as refused, WorkspaceLock(workspace).hold():
        pass
    assert refused.value.hint


def test_a_folder_for_the_lock_that_is_a_link_is_refused(workspace: Workspace) -> None:
    (workspace.root / ".memory").symlink_to("/tmp")
    with pytest.raises(PathRefused), WorkspaceLock(workspace).hold():
        pass
