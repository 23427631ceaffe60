"""Pages: what was read of a file holds as long as nobody has touched it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.errors import Error, NotFound, PathRefused
from memory.files.sources import Sources
from memory.files.workspace import Workspace
from memory.journal.journal import Journal
from memory.pages import SETTLES_S, Page, Pages

NAME = "AGENTS.md"


class CountingWorkspace(Workspace):
    """Counts how often a file's content is read."""

    reads = 0

    def read(self, path: str) -> bytes:
        self.reads += 1
        return super().read(path)


@pytest.fixture
def workspace(tmp_path: Path) -> CountingWorkspace:
    return CountingWorkspace(tmp_path)


@pytest.fixture(autouse=True)
def settle_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.pages.SETTLES_S", 0.0)


def pages_of(workspace: Workspace) -> Pages:
    return Pages(workspace, Sources(workspace), Journal(workspace))


def texts(pages: Pages, *paths: str) -> list[str]:
    return [found.text if isinstance(found, Page) else type(found).__name__ for found in pages.read_all(paths)]


def test_a_file_that_has_settled_is_read_once(workspace: CountingWorkspace, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("Be kind.")
    pages = pages_of(workspace)
    for _ in range(3):
        assert texts(pages, NAME, "SOUL.md") == ["Be kind.", "NotFound"]
    assert workspace.reads == 1


def test_a_file_that_has_not_stood_as_it_is_for_long_is_read_each_time(
    workspace: CountingWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).write_text("Be kind.")
    monkeypatch.setattr("memory.pages.SETTLES_S", SETTLES_S)
    pages = pages_of(workspace)
    texts(pages, NAME)
    (tmp_path / NAME).write_text("Be curt.")
    os.utime(tmp_path / NAME, ns=(0, 0))
    assert texts(pages, NAME) == ["Be curt."]
    assert workspace.reads == 2


def test_an_edit_of_the_same_size_whose_time_is_set_back_is_seen(workspace: CountingWorkspace, tmp_path: Path) -> None:
    file = tmp_path / NAME
    file.write_text("Be kind.")
    os.utime(file, ns=(0, 0))
    pages, before = pages_of(workspace), file.stat()
    assert texts(pages, NAME) == ["Be kind."]
    while file.stat().st_ctime_ns == before.st_ctime_ns:  # another tick of the file system's clock
        file.write_text("Be curt.")
        os.utime(file, ns=(0, 0))
    assert texts(pages, NAME) == ["Be curt."]


def test_a_file_that_is_removed_replaced_or_becomes_a_link_is_not_what_it_was(
    workspace: CountingWorkspace, tmp_path: Path
) -> None:
    file, pages = tmp_path / NAME, pages_of(workspace)
    file.write_text("Be kind.")
    assert texts(pages, NAME) == ["Be kind."]
    (tmp_path / "new").write_text("Be curt.")
    (tmp_path / "new").replace(file)
    assert texts(pages, NAME) == ["Be curt."]
    file.replace(tmp_path / "elsewhere")
    with pytest.raises(NotFound):
        pages.read_whole(NAME)
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PathRefused):
        pages.read_whole(NAME)
    assert all(isinstance(found, Error) for found in pages.read_all([NAME]))
