"""Folders beside the workspace are read under names of their own, within bounds, and never written to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.errors import NotFound, PathRefused
from memory.files.sources import Sources
from memory.files.workspace import Workspace
from memory.model import Problem


def write(root: Path, path: str, text: str = "text", *, age_s: int = 0) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (1_790_000_000 - age_s, 1_790_000_000 - age_s))
    return file


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        yield opened


def scanned(sources: Sources) -> tuple[list[str], list[Problem]]:
    found: list[Problem] = []
    return sorted(entry.path for entry in sources.scan(found.append)), found


def test_a_folder_is_found_under_its_name(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "workspace", "MEMORY.md")
    write(tmp_path / "docs", "a/b.md", "inside")
    sources = Sources(workspace, {"docs": tmp_path / "docs"})

    assert scanned(sources) == (["MEMORY.md", "extra/docs/a/b.md"], [])
    assert sources.read_lenient("extra/docs/a/b.md") == ("inside", None)
    assert sources.is_extra("extra/docs/a/b.md")
    assert not sources.is_extra("extra/other/a.md")
    assert not sources.is_extra("extra/docs")
    sources.close()


def test_only_the_newest_files_within_the_quota_are_found(workspace: Workspace, tmp_path: Path) -> None:
    for age in range(5):
        write(tmp_path / "docs", f"{age}.md", "x" * 10, age_s=age)

    by_count, [told] = scanned(Sources(workspace, {"docs": tmp_path / "docs"}, most_files=2))
    by_size, _ = scanned(Sources(workspace, {"docs": tmp_path / "docs"}, most_bytes=35))

    assert by_count == ["extra/docs/0.md", "extra/docs/1.md"]
    assert told.path == "extra/docs"
    assert told.message.startswith("3 of 5 files are left out")
    assert by_size == [f"extra/docs/{age}.md" for age in range(3)]


def test_each_folder_has_its_own_quota(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "one", "a.md")
    write(tmp_path / "two", "b.md")

    found, problems = scanned(Sources(workspace, {"one": tmp_path / "one", "two": tmp_path / "two"}, most_files=1))

    assert (found, problems) == (["extra/one/a.md", "extra/two/b.md"], [])


def test_a_folder_that_is_missing_is_told_and_found_when_it_comes(workspace: Workspace, tmp_path: Path) -> None:
    sources = Sources(workspace, {"disk": tmp_path / "disk"})
    _, [told] = scanned(sources)
    with pytest.raises(NotFound):
        sources.read_lenient("extra/disk/a.md")

    write(tmp_path / "disk", "a.md")

    assert told.path == "extra/disk"
    assert scanned(sources) == (["extra/disk/a.md"], [])


def test_a_folder_that_was_put_in_another_ones_place_is_read(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "disk", "a.md")
    sources = Sources(workspace, {"disk": tmp_path / "disk"})
    scanned(sources)

    (tmp_path / "disk").rename(tmp_path / "old")
    write(tmp_path / "disk", "b.md")

    assert scanned(sources) == (["extra/disk/b.md"], [])


def test_links_out_of_a_folder_are_told_under_its_name(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path, "secret.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "secret.md")

    found, [told] = scanned(Sources(workspace, {"docs": tmp_path / "docs"}))

    assert found == []
    assert told.path == "extra/docs/link.md"


def test_a_folder_of_the_workspace_with_the_same_name_is_told(workspace: Workspace, tmp_path: Path) -> None:
    write(tmp_path / "workspace", "extra/docs/a.md")
    write(tmp_path / "docs", "b.md")

    found, [told] = scanned(Sources(workspace, {"docs": tmp_path / "docs"}))

    assert found == ["extra/docs/b.md"]
    assert told.path == "extra/docs/a.md"


@pytest.mark.parametrize("name", ["", "../x", ".hidden", "a/b", "con"])
def test_a_name_that_is_none_is_refused(workspace: Workspace, tmp_path: Path, name: str) -> None:
    with pytest.raises(PathRefused):
        Sources(workspace, {name: tmp_path})
