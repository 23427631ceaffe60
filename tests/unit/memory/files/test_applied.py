from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.files.applied import NAMES, SIZE, Applied
from memory.files.journal import Journal
from memory.files.workspace import Workspace
from tests.unit.memory.files.conftest import make_record as record
from tests.unit.memory.files.conftest import month_file as file


def opened(workspace: Workspace) -> Applied:
    journal = Journal(workspace)
    journal.refresh()
    return Applied(workspace, journal)


def mark(workspace: Workspace) -> Path:
    return workspace.root.joinpath(*NAMES)


def test_a_record_is_pending_until_it_is_marked(workspace: Workspace) -> None:
    journal = Journal(workspace)
    applied = Applied(workspace, journal)
    assert applied.pending() is None
    for n in (1, 2):
        written = journal.append(record(n))
        assert applied.pending() == written
        assert opened(workspace).pending() == written
        applied.mark()
        assert applied.pending() is None
        assert opened(workspace).pending() is None


def test_nothing_is_pending_where_there_is_no_mark(workspace: Workspace) -> None:
    Journal(workspace).append(record(1))
    assert opened(workspace).pending() is None
    assert json.loads(mark(workspace).read_text())["seq"] == 1


def test_nothing_is_pending_in_a_journal_that_came_from_elsewhere(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    Applied(workspace, journal).mark()
    journal.append(record(2))
    assert opened(workspace).pending() is not None
    copied = file(workspace).read_bytes()
    (file(workspace).parent / "new").write_bytes(copied)
    (file(workspace).parent / "new").replace(file(workspace))
    assert opened(workspace).pending() is None
    assert json.loads(mark(workspace).read_text())["inode"] == file(workspace).stat().st_ino


def test_the_first_record_of_a_month_is_pending_but_not_a_whole_month_that_arrived(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    Applied(workspace, journal).mark()
    kept = mark(workspace).read_bytes()
    journal.append(record(2, 12))
    assert opened(workspace).pending() == journal.last
    journal.append(record(3, 12))
    mark(workspace).write_bytes(kept)
    assert opened(workspace).pending() is None


@pytest.mark.parametrize("damaged", [b"", b"junk", b"[]", b"{}"])
def test_a_damaged_mark_makes_us_look_at_the_last_record_again(workspace: Workspace, damaged: bytes) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    journal.append(record(2))
    mark(workspace).write_bytes(damaged)
    assert opened(workspace).pending() == journal.last


def test_a_mark_that_cannot_be_written_is_one_that_is_behind(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    mark(workspace).mkdir()
    Applied(workspace, journal).mark()
    assert mark(workspace).is_dir()


def test_a_journal_that_came_from_elsewhere_is_marked_as_ours_on_the_disk_itself(workspace: Workspace) -> None:
    Journal(workspace).append(record(1))
    synced: list[str] = []
    workspace.fsync = lambda handle: synced.append(Path(f"/proc/self/fd/{handle}").readlink().name)

    applied = opened(workspace)
    applied.pending()
    assert synced == ["applied", ".memory"]
    applied.pending()
    applied.mark()
    assert synced == ["applied", ".memory"]


@pytest.mark.parametrize("before", [0, 1])
def test_a_power_cut_that_takes_marks_back_does_not_hide_what_was_not_carried_out(
    workspace: Workspace, before: int
) -> None:
    kept: list[bytes] = []

    def fsync(handle: int) -> None:
        if Path(f"/proc/self/fd/{handle}").readlink() == mark(workspace):
            kept.append(mark(workspace).read_bytes())

    workspace.fsync = fsync
    journal = Journal(workspace)
    applied = Applied(workspace, journal)
    applied.pending()
    for n in range(before):
        journal.append(record(n + 1, 11))
        applied.mark()
    for n in range(before, before + 3):
        journal.append(record(n + 1, 12))
        applied.mark()
    journal.append(record(before + 4, 12))

    mark(workspace).write_bytes(kept[-1])

    assert opened(workspace).pending() == journal.last


def test_a_mark_is_written_over_the_last_one_without_emptying_the_file(workspace: Workspace) -> None:
    journal = Journal(workspace)
    journal.append(record(1))
    mark(workspace).write_bytes(b"x" * 1000)
    Applied(workspace, journal).mark()
    length = mark(workspace).stat().st_size
    journal.append(record(2))
    Applied(workspace, journal).mark()
    assert mark(workspace).stat().st_size == length == SIZE
    assert opened(workspace).pending() is None
