from __future__ import annotations

import pytest

from memory.errors import NotFound, PathRefused
from memory.files.months import FOLDER, Months
from memory.files.workspace import Workspace


@pytest.fixture
def months(workspace: Workspace) -> Months:
    return Months(workspace)


def test_files_are_listed_by_month_and_others_are_not(months: Months, workspace: Workspace) -> None:
    assert months.listing() == []
    for name in ("2026-12.jsonl", "2026-11.jsonl", "2026-11.torn", "x.jsonl"):
        months.append(name, b"{}\n")
    workspace.root.joinpath(*FOLDER, "2027-01.jsonl").symlink_to("/etc/hosts")
    assert [(file.name, file.size) for file in months.listing()] == [("2026-11.jsonl", 3), ("2026-12.jsonl", 3)]


def test_a_part_of_a_file_is_read(months: Months) -> None:
    months.append("2026-11.jsonl", b"0123456789\n")
    assert months.read("2026-11.jsonl", 2, 3) == b"234"
    assert months.read("2026-11.jsonl", 8) == b"89\n"
    with pytest.raises(NotFound, match="2026-12"):
        months.read("2026-12.jsonl")


def test_what_is_torn_is_set_aside_and_kept(months: Months) -> None:
    months.append("2026-11.jsonl", b"{}\n")
    for torn in (b'{"seq', b'{"s'):
        months.append("2026-11.jsonl", torn)
        months.set_aside("2026-11.jsonl", 3)
    assert months.read("2026-11.jsonl") == b"{}\n"
    assert months.read("2026-11.torn") == b'{"seq\n{"s\n'


def test_a_folder_that_is_a_link_is_refused(months: Months, workspace: Workspace) -> None:
    (workspace.root / ".memory").symlink_to("/tmp")
    with pytest.raises(PathRefused):
        months.listing()
